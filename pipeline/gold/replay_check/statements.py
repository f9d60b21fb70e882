"""Counts what Kafka says of objects one by one, statement by statement, and adds up the counts of topics."""

from itertools import product

import polars as pl
import pyarrow as pa
from polars import col, lit

from pipeline.core.made_of import needs_rows_of
from pipeline.kafka.machines.by_release import KINDS
from schemas.types import LONG, STRING, TIMESTAMP

KEPT = 5
EQUAL, UNDECIDED, DIFFERS = "equal", "undecided", "differs"
UNKNOWN_MACHINE = "-"
PLACE = ("logged_at", "file_id", "byte_offset")
STATEMENT = ("cluster_id", "term_id", "machine", "day_at")
COUNTS = ("said_count", "equal_count", "undecided_count", "differing_count")
EXAMPLE = ("example", "line_file_id", "line_byte_offset")
# What rows of some topics give of a statement, added up over the topics.
EXAMPLES = pa.list_(pa.struct(list(zip(EXAMPLE, (STRING, STRING, LONG), strict=True))))
COUNTED = pa.schema(
    [
        *(("cluster_id", STRING), ("term_id", STRING), ("machine", STRING), ("day_at", TIMESTAMP)),
        *(("check", STRING), *((name, LONG) for name in COUNTS)),
        *(("logged_at", TIMESTAMP), ("file_id", STRING), ("byte_offset", LONG), ("examples", EXAMPLES)),
    ]
)


def count_statements(said: pl.DataFrame, check: str, *more: str) -> pl.DataFrame:
    """One row (COUNTED) per STATEMENT and what `more` names. said: one row per move, with STATEMENT, PLACE, answer,
    example, and the line of the replay that the answer rests on (line_file_id, line_byte_offset)."""
    number = {
        f"{name}_count": (col("answer") == answer).sum().cast(pl.Int64)
        for name, answer in (("equal", EQUAL), ("undecided", UNDECIDED), ("differing", DIFFERS))
    }
    by = (*STATEMENT, *more)
    first = [col(name).first() for name in PLACE]
    rows = said.sort(PLACE).group_by(by).agg(*first, said_count=pl.len().cast(pl.Int64), **number)
    return (
        rows.join(
            first_examples(said.filter(col("answer") == DIFFERS), by), on=by, how="left", nulls_equal=True
        )
        .with_columns(check=lit(check))
        .select(*COUNTED.names, *more)
    )


@needs_rows_of("said")
def first_examples(said: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
    """(by, examples): the first of example, line_file_id, line_byte_offset, as structs."""
    rows = said.sort(EXAMPLE).group_by(by, maintain_order=True)
    return rows.agg(examples=pl.struct(EXAMPLE).head(KEPT))


def added_statements(counted: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
    """One row per statement of rows (COUNTED) of some topics each, as gold.replay_check has them: its own line, or the
    first of its lines, leads the evidence, then those of what differs."""
    keys = ("check", *by)
    first = {f"first_{name}": col(name).first() for name in PLACE}
    rows = counted.sort(PLACE).group_by(keys).agg(col(COUNTS).sum(), **first)
    given = counted.drop_nulls("examples").select(*keys, "examples").explode("examples", keep_nulls=False)
    kept = first_examples(given.unnest("examples"), keys)
    line = pl.struct(
        file_id=pl.element().struct.field("line_file_id"),
        byte_offset=pl.element().struct.field("line_byte_offset"),
    )
    own = pl.concat_list(pl.struct(file_id="first_file_id", byte_offset="first_byte_offset"))
    lines = pl.concat_list(own, col("lines").fill_null([])).list.unique(maintain_order=True)
    example = pl.element().struct.field("example")
    shown = kept.select(
        *keys, examples=col("examples").list.eval(example), lines=col("examples").list.eval(line)
    )
    return rows.join(shown, on=keys, how="left", nulls_equal=True).select(
        *("cluster_id", "term_id", "machine", "day_at", *COUNTS, "check"),
        logged_at="first_logged_at",
        file_id="first_file_id",
        byte_offset="first_byte_offset",
        examples=col("examples").fill_null([]),
        evidence=lines,
    )


def named_machines() -> tuple[tuple[str, str, str | None], ...]:
    """Kind, replica machine as a term names it (UNKNOWN_MACHINE: it does not), and the machine at work of that kind;
    None where several may be."""
    of_replicas = [name for names in KINDS.values() if len(names) > 1 for name in names]
    return tuple(
        (kind, named, named if named in KINDS[kind] else None)
        for kind, named in product(KINDS, (*of_replicas, UNKNOWN_MACHINE))
    )
