"""What Kafka says in the dumps of a start-up, held against the moves around them object by object."""

from datetime import timedelta

import numpy as np
import polars as pl
from polars import col, lit, when

from pipeline.gold.replay_check.statements import (
    DIFFERS,
    EQUAL,
    UNDECIDED,
    UNKNOWN_MACHINE,
    named_machines,
)
from pipeline.kafka.machines.by_release import STATES, move_visibility

RECORD = ("cluster_id", "file_id", "byte_offset")
MACHINE = ("cluster_id", "term_id", "machine")
DUMP = (*MACHINE, "day_at", "file_id", "byte_offset", "logged_at")
OWN = ("topic", "partition", "replica_id")
OBJECT = ("dump", *OWN)
TORN = "discontinuity"
GAP = ("machine", "replica_machine", "is_trace_seen", "last", "next")


def compare_dumped_states(
    moves: pl.DataFrame, state_dump: pl.DataFrame, controller_line: pl.DataFrame, terms: pl.DataFrame
) -> pl.DataFrame:
    """One row per object of a dump, and per object that had moved before a whole dump which does not name it.

    terms: (cluster_id, term_id, is_trace_seen, replica_machine).
    """
    lines = controller_line.select(
        *RECORD, "term_id", dump_seq="seq", day_at=col("ordered_at").dt.truncate("1d")
    )
    said = state_dump.join(lines, on=RECORD, how="inner")
    dumps = (
        said.group_by(*DUMP, "dump_seq")
        .agg(col("is_complete").all())
        .with_row_index("dump")
        .join(terms, on=["cluster_id", "term_id"], how="left")
    )
    named = said.join(dumps.select("dump", *DUMP), on=DUMP, how="inner").select(*OBJECT, said="state")
    before, after, tied = moves_around(moves, dumps)
    whole = dumps.filter("is_complete").select("dump")
    unnamed = before.join(whole, on="dump", how="semi").join(named, on=OBJECT, how="anti", nulls_equal=True)
    objects = pl.concat([named, unnamed.select(OBJECT)], how="diagonal")
    for around in (before, after, tied):
        objects = objects.join(around, on=OBJECT, how="left", nulls_equal=True)
    return objects.join(dumps, on="dump", how="inner").pipe(with_answer)


def moves_around(moves: pl.DataFrame, dumps: pl.DataFrame) -> tuple[pl.DataFrame, ...]:
    """Per object the last move before the dump, the first one after it, and the last one after it that was logged no
    later: OBJECT with before_, after_ and tied_ state, file_id and byte_offset. None after it behind a move of the
    machine that leaves from another state than the one before it led to: moves between the two are missing."""
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
    is_after = is_later & ~is_torn.cum_max().over("dump")
    is_near = col("moved_day_at") <= col("day_at") + timedelta(days=1)
    is_tied = col("moved_at") <= col("logged_at")

    def found(which: pl.Expr, state: str, prefix: str) -> pl.DataFrame:
        return near.filter(which).select(
            *OBJECT,
            col(state).alias(f"{prefix}_state"),
            *(col(name).alias(f"{prefix}_{kept}") for name, kept in place.items()),
        )

    return (
        found(col("seq") < col("dump_seq"), "to_state", "before").group_by(OBJECT).last(),
        found(is_after & is_near, "from_state", "after").group_by(OBJECT).first(),
        found(is_after & is_tied, "to_state", "tied").group_by(OBJECT).last(),
    )


def with_answer(objects: pl.DataFrame) -> pl.DataFrame:
    """Adds answer, example and line; leaves out objects that a dump does not name and need not name."""
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
        *DUMP,
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
