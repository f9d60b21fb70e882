"""Counts what Kafka says of objects one by one, statement by statement."""

from itertools import product

import polars as pl
from polars import col, lit

from pipeline.kafka.machines.by_release import KINDS

KEPT = 5
EQUAL, UNDECIDED, DIFFERS = "equal", "undecided", "differs"
UNKNOWN_MACHINE = "-"
PLACE = ("logged_at", "file_id", "byte_offset")


def count_statements(said: pl.DataFrame, check: str, by: tuple[str, ...]) -> pl.DataFrame:
    """One row per statement: its own line, or the first of its lines, leads the evidence.

    said: one row per object or move, with by, PLACE, answer, example, and the line of the replay that the answer rests
    on (line_file_id, line_byte_offset).
    """
    number = {
        f"{name}_count": (col("answer") == answer).sum().cast(pl.Int64)
        for name, answer in (("equal", EQUAL), ("undecided", UNDECIDED), ("differing", DIFFERS))
    }
    first = {f"first_{name}": col(name).first() for name in PLACE}
    rows = said.sort(PLACE).group_by(by).agg(**first, said_count=pl.len().cast(pl.Int64), **number)
    own = pl.concat_list(pl.struct(file_id="first_file_id", byte_offset="first_byte_offset"))
    lines = pl.concat_list(own, col("lines").fill_null([])).list.unique(maintain_order=True)
    return rows.join(differing_examples(said, by), on=by, how="left", nulls_equal=True).select(
        *("cluster_id", "term_id", "machine", "day_at", "said_count", *number),
        check=lit(check),
        logged_at="first_logged_at",
        file_id="first_file_id",
        byte_offset="first_byte_offset",
        examples=col("examples").fill_null([]),
        evidence=lines,
    )


def differing_examples(said: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
    """Per statement the first examples of what differs, with their lines."""
    line = pl.struct(file_id="line_file_id", byte_offset="line_byte_offset")
    return (
        said.filter(col("answer") == DIFFERS)
        .sort("example", "line_file_id", "line_byte_offset")
        .group_by(by)
        .agg(examples=col("example").head(KEPT), lines=line.head(KEPT))
    )


def named_machines() -> tuple[tuple[str, str, str | None], ...]:
    """Kind, replica machine as a term names it (UNKNOWN_MACHINE: it does not), and the machine at work of that kind;
    None where several may be."""
    of_replicas = [name for names in KINDS.values() if len(names) > 1 for name in names]
    return tuple(
        (kind, named, named if named in KINDS[kind] else None)
        for kind, named in product(KINDS, (*of_replicas, UNKNOWN_MACHINE))
    )
