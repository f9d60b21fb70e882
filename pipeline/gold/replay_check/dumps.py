"""What Kafka says in the dumps of a start-up, held against the moves around them object by object."""

from datetime import timedelta

import numpy as np
import polars as pl
import pyarrow as pa
from polars import col, lit, when

from pipeline.core.frames import empty_frame
from pipeline.core.made_of import made_of
from pipeline.gold.replay_check.moves import earlier_moves, machines_of_terms, moves_of_terms
from pipeline.gold.replay_check.statements import (
    COUNTED,
    DIFFERS,
    EQUAL,
    EXAMPLES,
    UNDECIDED,
    UNKNOWN_MACHINE,
    first_examples,
    named_machines,
)
from pipeline.kafka.machines.by_release import START_EVENTS, STATES, move_visibility
from schemas.types import BOOLEAN, LONG, STRING, TIMESTAMP

RECORD = ("cluster_id", "file_id", "byte_offset")
MACHINE = ("cluster_id", "term_id", "machine")
DUMP = (*MACHINE, "day_at", "file_id", "byte_offset", "logged_at")
OWN = ("topic", "partition", "replica_id")
OBJECT = ("dump", *OWN)
TORN = "discontinuity"
ANSWERS = pa.schema(
    [
        *(("cluster_id", STRING), ("term_id", STRING), ("machine", STRING), ("day_at", TIMESTAMP)),
        *(("file_id", STRING), ("byte_offset", LONG), ("logged_at", TIMESTAMP)),
        *(("is_named", BOOLEAN), ("said_count", LONG), ("is_complete", BOOLEAN), ("torn_seq", LONG)),
        *(("answer", STRING), ("since_seq", LONG), ("until_seq", LONG), ("count", LONG)),
        ("examples", EXAMPLES),
    ]
)
GAP = ("machine", "replica_machine", "is_trace_seen", "last", "next")


def dump_line(controller_line: pl.DataFrame) -> pl.DataFrame:
    """Lines of silver.controller_line that are a dump: one may name no object of some topics."""
    return controller_line.filter(col("event").is_in([*START_EVENTS]))


@made_of(ANSWERS, "transition_audit", "state_dump", "summary_before")
def dump_answer(
    transition_audit: pl.DataFrame,
    state_dump: pl.DataFrame,
    controller_line: pl.DataFrame,
    dump_line: pl.DataFrame,
    term: pl.DataFrame,
    summary_before: pl.DataFrame,
) -> pl.DataFrame:
    """What dumps say of the objects of some topics, and how that is to the replay (ANSWERS).

    Rows, by dump: how many objects are said (said_count), which it names, and which had moved before and it does not
    name (is_named: that counts where the dump is complete); whether it is complete; the first move behind it that is
    torn (torn_seq): since then moves are missing; how many objects have an answer (count), and examples of those that
    differ. That answer is so if the first torn move of all topics is behind since_seq and not behind until_seq; where
    none is so, or no row tells of an object, it is undecided.
    """
    terms = machines_of_terms(term)
    moves = pl.concat(
        [moves_of_terms(transition_audit, terms), earlier_moves(summary_before, terms)], how="diagonal"
    )
    place = {"dump_seq": col("seq"), "day_at": col("ordered_at").dt.truncate("1d")}
    names = (*RECORD, "term_id", "event", "logged_at")
    lines, dumped = (rows.select(*names, **place) for rows in (controller_line, dump_line))
    said = state_dump.join(lines.drop("event", "logged_at"), on=RECORD, how="inner")
    # Of a whole dump the line alone tells.
    whole = dumped.with_columns(machine=col("event").replace_strict(START_EVENTS, return_dtype=pl.String))
    dumps = (
        pl.concat([rows.select(*DUMP, "dump_seq") for rows in (said, whole)])
        .unique(DUMP)
        .with_row_index("dump")
        .join(terms, on=["cluster_id", "term_id"], how="left")
    )
    named = said.join(dumps.select("dump", *DUMP), on=DUMP, how="inner").select(
        *OBJECT, said="state", is_named=lit(value=True)
    )
    before, after, tied, torn = moves_around(moves, dumps)
    unnamed = before.join(named, on=OBJECT, how="anti", nulls_equal=True)
    objects = pl.concat([named, unnamed.select(*OBJECT, is_named=lit(value=False))], how="diagonal")
    for around in (before, after):
        objects = objects.join(around, on=OBJECT, how="left", nulls_equal=True)
    answers = objects.pipe(in_turns, tied).join(dumps, on="dump", how="inner").pipe(with_answer)
    told = (
        answers.filter("is_first_turn").group_by(*DUMP, "is_named").agg(said_count=pl.len().cast(pl.Int64)),
        said.group_by(DUMP).agg(col("is_complete").all()),
        torn.join(dumps.select("dump", *DUMP), on="dump").select(*DUMP, "torn_seq"),
        counted_answers(answers),
    )
    return pl.concat([empty_frame(ANSWERS), *told], how="diagonal")


def moves_around(moves: pl.DataFrame, dumps: pl.DataFrame) -> tuple[pl.DataFrame, ...]:
    """Per object the last move before the dump, the first one after it, and each one after it that was logged no
    later: OBJECT with before_, after_ and tied_ state, file_id, byte_offset and seq. Per dump torn_seq, the first move
    of its machine behind it that leaves from another state than the one before it led to: moves between the two are
    missing."""
    place = {"moved_file_id": "file_id", "moved_byte_offset": "byte_offset"}
    done = moves.filter(col("outcome") == "done").select(
        *MACHINE,
        *OWN,
        "seq",
        "verdict",
        "from_state",
        "to_state",
        moved_at="logged_at",
        moved_day_at="day_at",
        **place,
    )
    near = done.join(dumps.select("dump", *DUMP, "dump_seq"), on=MACHINE, how="inner").sort("seq")
    is_later = col("seq") > col("dump_seq")
    is_torn = is_later & (col("verdict") == TORN).fill_null(value=False)
    is_near = col("moved_day_at") <= col("day_at") + timedelta(days=1)
    is_tied = col("moved_at") <= col("logged_at")

    def moved(which: pl.Expr, state: str, prefix: str) -> pl.DataFrame:
        return near.filter(which).select(
            *OBJECT,
            col(state).alias(f"{prefix}_state"),
            col("seq").alias(f"{prefix}_seq"),
            *(col(name).alias(f"{prefix}_{kept}") for name, kept in place.items()),
        )

    return (
        moved(col("seq") < col("dump_seq"), "to_state", "before").group_by(OBJECT).last(),
        moved(is_later & is_near, "from_state", "after").group_by(OBJECT).first(),
        moved(is_later & is_tied, "to_state", "tied"),
        near.filter(is_torn).group_by("dump").agg(torn_seq=col("seq").min()),
    )


def in_turns(objects: pl.DataFrame, tied: pl.DataFrame) -> pl.DataFrame:
    """Objects with tied_state, the state after the last tied move: one row until the first of these moves
    (is_first_turn), and one since each of them; since_seq, until_seq: for which first torn moves that is so.

    What moved after the dump says what was before it if no torn move stands before that.
    """
    turns = tied.select(*OBJECT, "tied_state", "tied_seq", until_seq=col("tied_seq").shift(-1).over(OBJECT))
    first = tied.group_by(OBJECT).agg(until_seq=col("tied_seq").min())
    both = [
        objects.join(first, on=OBJECT, how="left", nulls_equal=True).with_columns(
            is_first_turn=lit(value=True)
        ),
        objects.join(turns, on=OBJECT, how="inner", nulls_equal=True).with_columns(
            is_first_turn=lit(value=False)
        ),
    ]
    is_of_after = col("before_state").is_null()
    return pl.concat(both, how="diagonal").with_columns(
        since_seq=pl.max_horizontal("tied_seq", when(is_of_after).then("after_seq"))
    )


def counted_answers(answers: pl.DataFrame) -> pl.DataFrame:
    """The answers that decide, counted where they are so alike."""
    by = (*DUMP, "is_named", "answer", "since_seq", "until_seq")
    decided = answers.filter(col("answer") != UNDECIDED)
    counts = decided.group_by(by).agg(count=pl.len().cast(pl.Int64))
    examples = first_examples(decided.filter(col("answer") == DIFFERS), by)
    return counts.join(examples, on=by, how="left", nulls_equal=True)


def count_dumps(dump_answer: pl.DataFrame) -> pl.DataFrame:
    """Rows (COUNTED) of dumps, to be added up by DUMP: as the first torn move of all topics has it."""
    of_dumps = dump_answer.group_by(DUMP).agg(
        first_torn_seq=col("torn_seq").min(), is_whole=col("is_complete").any()
    )
    torn, since, until = col("first_torn_seq"), col("since_seq"), col("until_seq")
    is_so = (
        (since.is_null() | torn.is_null() | (torn > since))
        & (until.is_null() | (torn <= until)).fill_null(value=False)
    )  # fmt: skip
    number = {
        name: when(is_so & (col("answer") == answer)).then("count").fill_null(0)
        for name, answer in (("equal_count", EQUAL), ("differing_count", DIFFERS))
    }
    return (
        dump_answer.filter(col("said_count").is_not_null() | col("answer").is_not_null())
        .join(of_dumps, on=DUMP, how="left", nulls_equal=True)
        .filter(col("is_named") | col("is_whole"))
        .with_columns(col("said_count").fill_null(0), **number)
        .with_columns(
            examples=when(is_so).then("examples"),
            undecided_count=col("said_count") - col("equal_count") - col("differing_count"),
            check=lit("initial_state_dump"),
        )
        .select(COUNTED.names)
    )


def with_answer(objects: pl.DataFrame) -> pl.DataFrame:
    """With answer, example and line; leaves out objects that a dump does not name and need not name."""
    absent = lit("NonExistent") + col("machine").str.to_titlecase()
    has_moved_before = col("before_file_id").is_not_null()
    is_owed = col("said").is_not_null() | (has_moved_before & (col("ours") != absent))
    name = pl.format("{}-{}", "topic", "partition")
    whole_name = (
        when(col("replica_id").is_null())
        .then(name)
        .otherwise(pl.format("{} replica {}", name, col("replica_id")))
    )
    told = col("said").fill_null("does not name it")
    compared = (
        objects.with_columns(ours=pl.coalesce("before_state", "after_state"))
        .filter(is_owed)
        .with_columns(
            example=pl.format("{}: Kafka {}, replay {}", whole_name, told, col("ours").fill_null("null")),
            said=col("said").fill_null(absent),
            replica_machine=col("replica_machine").fill_null(UNKNOWN_MACHINE),
        )
        .with_columns(
            last=when(has_moved_before).then("ours").otherwise("said"),
            next=when(has_moved_before).then("said").otherwise("ours"),
        )
        .join(unbridgeable_transitions(), on=GAP, how="left")
    )
    is_equal = (col("ours") == col("said")) | (col("tied_state") == col("said")).fill_null(value=False)
    return compared.select(
        *(*DUMP, "is_named", "is_first_turn", "since_seq", "until_seq"),
        answer=when(col("ours").is_null())
        .then(lit(UNDECIDED))
        .when(is_equal)
        .then(lit(EQUAL))
        .when("is_gap")
        .then(lit(DIFFERS))
        .otherwise(lit(UNDECIDED)),
        example="example",
        line_file_id=pl.coalesce("before_file_id", "after_file_id"),
        line_byte_offset=pl.coalesce("before_byte_offset", "after_byte_offset"),
    )


def unbridgeable_transitions() -> pl.DataFrame:
    """GAP: no move that is not printed leads from last to next."""
    found = [
        (kind, named, is_trace, STATES[kind][last], STATES[kind][following])
        for kind, named, name in named_machines()
        for is_trace in (True, False)
        for last, following in np.argwhere(move_visibility(kind, name, is_trace_seen=is_trace).complete)
    ]
    return pl.DataFrame(found, schema=GAP, orient="row").with_columns(is_gap=lit(value=True))
