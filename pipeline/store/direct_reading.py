"""Delta tables read by delta-rs into memory: no Spark job, no plan."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from pipeline.core.conditions import Condition
from pipeline.core.errors import InputProblem
from pipeline.core.files import URI
from pipeline.core.frames import empty
from pipeline.core.record_bytes import SAID_IN, bytes_of
from pipeline.store.local_table import LocalTable
from schemas.spec import TableSpec


def local_folder(folder: str) -> Path | None:
    """A cluster's folder, as the store names it, on this machine; None: it is elsewhere."""
    return None if URI.match(folder) else Path(folder)


def read_directly(
    folder: str | Path,
    spec: TableSpec,
    condition: Condition | None,
    columns: Sequence[str] | None,
    version: int | None = None,
) -> pa.Table:
    """Rows that meet the condition, of the declared types; a column that an older version has not is null.

    folder: a cluster's, a path or a URI of an object store. InputProblem: that version, or a file of it, is gone.
    """
    asked = tuple(columns or spec.columns)
    is_rebuilt = any(one.rebuilt for one in spec.fields if one.name in asked)
    needed = tuple(dict.fromkeys([*asked, *(SAID_IN if is_rebuilt else ())]))
    try:
        rows = scanned(f"{folder}/{spec.layer}/{spec.table}", version, spec)
        found = (rows if condition is None else rows.filter(condition.polars())).select(needed).collect()
    except (DeltaError, FileNotFoundError) as problem:
        what = "the newest version" if version is None else f"version {version}"
        raise InputProblem(
            expected=f"{what} of {spec.name} in {folder}",
            found=str(problem).partition("\n")[0],
            todo="name a newer run ('runs' lists them); storage.retention_days says how long runs stay readable",
        ) from problem
    whole = found.with_columns(bytes_of(found)) if is_rebuilt else found
    return as_declared(whole.select(asked), spec)


def scanned(uri: str, version: int | None, spec: TableSpec) -> pl.LazyFrame:
    """The declared columns; what Delta's statistics rule out is not opened."""
    opened = DeltaTable if URI.match(uri) else LocalTable
    rows = pl.scan_delta(opened(uri, version=version))
    there, types = rows.collect_schema(), empty(spec).schema
    later = {name: pl.lit(None, types[name]) for name in spec.columns if name not in there}
    return rows.with_columns(**later)


def as_declared(rows: pl.DataFrame, spec: TableSpec) -> pa.Table:
    found = rows.to_arrow(compat_level=pl.CompatLevel.oldest())
    wanted = [spec.arrow.field(name).with_nullable(True) for name in found.column_names]
    return pa.Table.from_arrays(
        [found.column(one.name).cast(one.type) for one in wanted], schema=pa.schema(wanted)
    )
