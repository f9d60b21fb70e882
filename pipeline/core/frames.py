"""The border of kernels: Arrow tables come in as Polars frames, and what comes out is of the type that is declared."""

from collections.abc import Iterable

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.errors import PipelineError
from schemas.spec import TableSpec


class KernelProblem(PipelineError):
    """A kernel gave rows that its table does not declare: a fault of the program."""


def frame_of(table: pa.Table) -> pl.DataFrame:
    """The rows as a frame: lists, structs and maps as they are, times in UTC with microseconds."""
    found = pl.from_arrow(table)
    if not isinstance(found, pl.DataFrame):
        raise TypeError("a table is not a column")
    return found


def arrow_of_frame(rows: pl.DataFrame) -> pa.Table:
    """The rows as Arrow, of the types that every reader knows."""
    return rows.to_arrow(compat_level=pl.CompatLevel.oldest())


def empty_frame(schema: TableSpec | pa.Schema) -> pl.DataFrame:
    """No rows, with all columns and their types."""
    return frame_of(no_rows(schema.arrow if isinstance(schema, TableSpec) else schema))


def no_rows(schema: pa.Schema) -> pa.Table:
    """Schema.empty_table would load pandas, which takes as long as all else that a short question needs."""
    return pa.Table.from_batches([], schema=schema)


def with_absent(rows: pl.DataFrame, spec: TableSpec, names: Iterable[str] | None = None) -> pl.DataFrame:
    """The rows with every declared column (or those named): null, of its type, where they have none of that name."""
    types = empty_frame(spec).schema
    wanted = spec.columns if names is None else names
    return rows.with_columns(
        pl.lit(None, types[name]).alias(name) for name in wanted if name not in rows.columns
    )


def declared_table(rows: pl.DataFrame, spec: TableSpec) -> pa.Table:
    """The declared columns in the declared order and types.

    KernelProblem: a column is missing, a value does not fit its type, or one is null that may not be.
    """
    missing = [name for name in spec.columns if name not in rows.columns]
    if missing:
        raise kernel_problem(spec, f"rows without {', '.join(missing)}")
    table = arrow_of_frame(rows.select(spec.columns))
    columns = [fit_column(table.column(one.name), one, spec) for one in spec.arrow]
    return pa.Table.from_arrays(columns, schema=spec.arrow)


def fit_column(column: pa.ChunkedArray, wanted: pa.Field, spec: TableSpec) -> pa.ChunkedArray:
    try:
        found = column.cast(wanted.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as cause:
        raise kernel_problem(spec, f"{wanted.name} of type {column.type} ({cause})") from cause
    if found.null_count and not wanted.nullable:
        raise kernel_problem(spec, f"{found.null_count} rows without {wanted.name}")
    return found


def kept_only(
    column: pa.Array | pa.ChunkedArray, is_kept: pa.Array | pa.ChunkedArray
) -> pa.Array | pa.ChunkedArray:
    """A column of texts or bytes, null where a row is not kept. A mask alone leaves the bytes of all rows in memory."""
    place = pc.subtract(pc.cumulative_sum(is_kept.cast(pa.int32())), 1)
    return pc.take(column.filter(is_kept), pc.if_else(is_kept, place, None))


def kernel_problem(spec: TableSpec, found: str) -> KernelProblem:
    return KernelProblem(
        expected=f"rows of {spec.name} as they are declared",
        found=found,
        todo="report it with the name of the table; nothing of this run is published",
    )
