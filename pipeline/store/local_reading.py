"""Delta tables of a local warehouse, read by delta-rs into the driver's memory: no Spark job, no plan."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable

from pipeline.core.conditions import Condition
from pipeline.core.files import URI
from schemas.spec import TableSpec


def local_folder(folder: str) -> Path | None:
    """A cluster's folder, as the store names it, on this machine; None: it is elsewhere."""
    return None if URI.match(folder) else Path(folder)


def read_local(
    folder: Path,
    spec: TableSpec,
    condition: Condition | None,
    columns: Sequence[str] | None,
    version: int | None = None,
) -> pa.Table:
    """Rows that meet the condition, of the declared types; a column that an older version has not is null."""
    wanted = [spec.arrow.field(name).with_nullable(True) for name in columns or spec.columns]
    dataset = DeltaTable(str(folder / spec.layer / spec.table), version=version).to_pyarrow_dataset()
    there = [one.name for one in wanted if one.name in dataset.schema.names]
    rows = dataset.to_table(columns=there, filter=None if condition is None else condition.arrow())
    found = [
        rows.column(one.name).cast(one.type) if one.name in there else pa.nulls(rows.num_rows, one.type)
        for one in wanted
    ]
    return pa.Table.from_arrays(found, schema=pa.schema(wanted))
