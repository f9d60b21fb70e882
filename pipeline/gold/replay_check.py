"""Holds the replay against Kafka's own statements: dumps, refusals, lists of valid previous states."""

from itertools import product

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.core.days import DAY_MICROS, day_of
from pipeline.kafka.columns import PREVIOUS_STATES
from pipeline.kafka.machines import KINDS, STATES, candidates, visibility
from pipeline.kafka.stitching import stitched
from schemas.gold.replay_check import SPEC

KEPT = 5
TARGET = r"before moving to (\w+) state"
STATEMENT = ("cluster_id", "term_id", "machine", "day_at")
MACHINE = ("cluster_id", "term_id", "machine")
OWN = ("topic", "partition", "replica_id")
DUMP = (*STATEMENT, "file_id", "byte_offset", "logged_at")
UNKNOWN_MACHINE = "-"
EQUAL, UNDECIDED, DIFFERS = "equal", "undecided", "differs"


def build(
    transition_audit: DataFrame,
    state_dump: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    summary_before: DataFrame,
) -> DataFrame:
    """Rows: one per dump; one per term, machine and day for the refusals, and one for the lists of valid states.

    A dump says the state of each object after the moves of the start-up before it: it is held against the last move
    before, where there is none against the first one after, of that day or the next. A cut dump proves only what it
    shows. Of moves in the millisecond of the dump, which stands in the other log, nothing tells the order: the state
    may be before or after.
    summary_before: gold.replay_summary of the days before those of the moves and lines that are given.
    Source: ReplicaStateMachine and PartitionStateMachine.startup and logInvalidTransition, 0.8.1 to 3.9.
    """
    terms = F.broadcast(term.select("cluster_id", "term_id", "is_trace_seen", "replica_machine"))
    own = transition_audit.where("term_id IS NOT NULL").withColumn("day_at", day_of("ordered_at"))
    moves = own.join(terms, on=["cluster_id", "term_id"], how="inner")
    earlier = stitched(summary_before).join(terms, on=["cluster_id", "term_id"], how="inner")
    return (
        dumped(moves.unionByName(earlier, allowMissingColumns=True), state_dump, controller_line)
        .transform(counted, "initial_state_dump", DUMP)
        .unionByName(refused(moves).transform(counted, "refused_pair", STATEMENT))
        .unionByName(listed(moves).transform(counted, "valid_previous_states", STATEMENT))
        .select(*SPEC.columns)
    )


def place() -> Column:
    return F.struct("file_id", "byte_offset")


def dumped(moves: DataFrame, state_dump: DataFrame, controller_line: DataFrame) -> DataFrame:
    """One row per object of a dump, and per object that had moved before a whole dump which does not name it."""
    lines = controller_line.select(
        "cluster_id", "term_id", "file_id", "byte_offset", F.col("seq").alias("dump_seq"),
        day_of("ordered_at").alias("day_at"),
    )  # fmt: skip
    said = state_dump.join(lines, on=["cluster_id", "file_id", "byte_offset"], how="inner")
    dumps = said.groupBy(*DUMP, "dump_seq").agg(F.bool_and("is_complete").alias("is_complete"))
    done = moves.where("outcome = 'done'").select(
        *MACHINE, *OWN, "seq", F.col("logged_at").alias("moved_at"),
        "from_state", "to_state", "is_trace_seen", "replica_machine", F.col("day_at").alias("moved_day_at"),
        place().alias("move"),
    )  # fmt: skip
    seq, dump_seq = F.col("seq"), F.col("dump_seq")
    is_near = F.unix_micros("moved_day_at") <= F.unix_micros("day_at") + DAY_MICROS
    is_tied = F.col("moved_at") <= F.col("logged_at")
    left, entered = (F.struct(F.col(name).alias("state"), "move") for name in ("from_state", "to_state"))
    near = (
        done.join(F.broadcast(dumps), on=list(MACHINE), how="inner")
        .groupBy(*DUMP, *OWN, "is_complete", "is_trace_seen", "replica_machine")
        .agg(
            F.max_by(entered, F.when(seq < dump_seq, seq)).alias("before"),
            F.min_by(left, F.when((seq > dump_seq) & is_near, seq)).alias("after"),
            F.max_by(entered, F.when((seq > dump_seq) & is_tied, seq)).alias("tied"),
        )
    )
    named = said.select(*DUMP, *OWN, F.col("state").alias("said"))
    both = [F.col(f"d.{name}").eqNullSafe(F.col(f"m.{name}")) for name in (*DUMP, *OWN)]
    met = named.alias("d").join(near.alias("m"), both, how="full")
    return met.select(
        *(F.coalesce(f"d.{name}", f"m.{name}").alias(name) for name in (*DUMP, *OWN)),
        "said", "is_complete", "is_trace_seen", "replica_machine", "before", "after", "tied",
    ).transform(answered)  # fmt: skip


def answered(objects: DataFrame) -> DataFrame:
    """Adds answer, example and line; objects that a dump does not name and need not, are left out."""
    absent = F.concat(F.lit("NonExistent"), F.initcap("machine"))
    said = F.coalesce("said", absent)
    ours = F.coalesce("before.state", "after.state")
    last, following = (
        F.when(F.col("before").isNotNull(), F.struct(ours.alias("last"), said.alias("next"))).otherwise(
            F.struct(said.alias("last"), ours.alias("next"))
        )[name]
        for name in ("last", "next")
    )
    machine = F.coalesce("replica_machine", F.lit(UNKNOWN_MACHINE))
    gap = F.concat_ws("|", "machine", machine, F.col("is_trace_seen").cast("string"), last, following)
    answer = (
        F.when(ours.isNull(), UNDECIDED)
        .when((ours == said) | F.coalesce(F.col("tied.state") == said, F.lit(False)), EQUAL)
        .when(F.array_contains(gaps(), gap), DIFFERS)
        .otherwise(UNDECIDED)
    )
    is_owed = F.col("said").isNotNull() | (
        F.col("is_complete") & F.col("before").isNotNull() & (ours != absent)
    )
    name = F.concat_ws("-", "topic", "partition")
    whole = F.when(F.col("replica_id").isNull(), name).otherwise(
        F.format_string("%s replica %d", name, "replica_id")
    )
    told = F.coalesce("said", F.lit("does not name it"))
    return objects.where(is_owed).select(
        *DUMP,
        answer.alias("answer"),
        F.format_string("%s: Kafka %s, replay %s", whole, told, ours).alias("example"),
        F.coalesce("before.move", "after.move").alias("line"),
    )  # fmt: skip


def named_machines(kind: str) -> tuple[tuple[str, str | None], ...]:
    """How terms name the replica machine of their release, with the name that machines go by for this kind."""
    of_replicas = [name for names in KINDS.values() if len(names) > 1 for name in names]
    own = {name: name if name in KINDS[kind] else None for name in of_replicas}
    return (*own.items(), (UNKNOWN_MACHINE, None))


def gaps() -> Column:
    """machine|replica machine|TRACE seen|last|next, where no move that is not printed leads from last to next."""
    return F.lit(
        [
            "|".join((kind, named, str(is_trace).lower(), states[last], states[following]))
            for kind, states in STATES.items()
            for (named, name), is_trace in product(named_machines(kind), (True, False))
            for last, following in np.argwhere(visibility(kind, name, is_trace_seen=is_trace).complete)
        ]
    )


def refused(moves: DataFrame) -> DataFrame:
    """One row per refused move: the matrix must not allow it."""
    answer = (
        F.when(F.col("is_legal_pair").isNull(), UNDECIDED)
        .when(F.col("is_legal_pair"), DIFFERS)
        .otherwise(EQUAL)
    )
    return moves.where("verdict = 'refused'").transform(said_of_move, answer)


def listed(moves: DataFrame) -> DataFrame:
    """One row per refused move whose exception lists states: they are those before its target, in some candidate."""
    names = F.split(F.regexp_extract("exception_message", PREVIOUS_STATES, 1), ",")
    target = F.regexp_extract("exception_message", TARGET, 1)
    machine = F.coalesce("replica_machine", F.lit(UNKNOWN_MACHINE))
    key = F.concat_ws("|", "machine", machine, target, F.array_join(F.array_sort(names), ","))
    answer = F.when(F.array_contains(columns(), key), EQUAL).otherwise(DIFFERS)
    return moves.where((F.length(target) > 0) & F.col("exception_message").rlike(PREVIOUS_STATES)).transform(
        said_of_move, answer
    )


def columns() -> Column:
    """machine|replica machine|target|valid previous states in order."""
    found = {
        "|".join((kind, named, target, ",".join(sorted(np.array(machine.states)[machine.matrix[:, column]]))))
        for kind in KINDS
        for named, name in named_machines(kind)
        for machine in candidates(kind, name)
        for column, target in enumerate(machine.states)
    }
    return F.lit(sorted(found))


def said_of_move(moves: DataFrame, answer: Column) -> DataFrame:
    message = F.coalesce("exception_message", F.lit(""))
    example = F.format_string(
        "%s-%d: Kafka %s -> %s %s", "topic", "partition", "from_state", "to_state", message
    )  # fmt: skip
    return moves.select(
        *STATEMENT, "logged_at", "file_id", "byte_offset",
        answer.alias("answer"), example.alias("example"),
        place().alias("line"),
    )  # fmt: skip


def counted(said: DataFrame, check: str, by: tuple[str, ...]) -> DataFrame:
    """One row per statement. Its own line, or the first of its lines, leads the evidence."""
    first = F.min(F.struct("logged_at", "file_id", "byte_offset"))
    numbers = [
        F.count_if(F.col("answer") == answer).alias(f"{answer}_count") for answer in (EQUAL, UNDECIDED)
    ]
    differing = F.when(F.col("answer") == DIFFERS, F.struct("example", "line"))
    rows = said.groupBy(*by).agg(
        first.alias("first"),
        F.count("*").alias("said_count"),
        *numbers,
        F.count_if(F.col("answer") == DIFFERS).alias("differing_count"),
        F.slice(F.array_sort(F.collect_list(differing)), 1, KEPT).alias("kept"),
    )
    own = F.array(F.struct("first.file_id", "first.byte_offset"))
    return rows.select(
        *STATEMENT,
        F.lit(check).alias("check"),
        "first.logged_at", "first.file_id", "first.byte_offset",
        "said_count", "equal_count", "undecided_count", "differing_count",
        F.col("kept.example").alias("examples"),
        F.array_distinct(F.concat(own, F.array_compact(F.col("kept.line")))).alias("evidence"),
    )  # fmt: skip
