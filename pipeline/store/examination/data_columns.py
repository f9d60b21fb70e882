"""Columns of the data files of a table, file by file: what cannot be read says so."""

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.core.files import URI, at_uri
from pipeline.core.frames import empty_frame, frame_of
from pipeline.store.tables.stated import DataFile
from schemas.spec import TableSpec

# What reading a data file raises that is not whole.
UNREADABLE = (pa.ArrowException, OSError)


def read_data_file(uri: str, path: str, spec: TableSpec, names: Sequence[str]) -> pl.DataFrame:
    """Of one data file, of the declared types; later columns are null. One of UNREADABLE: it cannot be read."""
    with ExitStack() as opened:
        if URI.match(uri):
            system, inner = at_uri(f"{uri}/{path}")
            source = opened.enter_context(system.open_input_file(inner))
        else:
            source = opened.enter_context(Path(uri, path).open("rb"))
        file = pq.ParquetFile(source, coerce_int96_timestamp_unit="us")
        there = set(file.schema_arrow.names)
        read = file.read(columns=[one for one in names if one in there], use_threads=False)
    types = {one.name: one.type for one in spec.arrow}
    columns = [
        read.column(one).cast(types[one]) if one in there else pa.nulls(file.metadata.num_rows, types[one])
        for one in names
    ]
    return frame_of(pa.Table.from_arrays(columns, names=list(names)))


def read_data_files(
    uri: str, files: Collection[DataFile], spec: TableSpec, names: Sequence[str]
) -> pl.DataFrame:
    """Of all these data files."""
    parts = [read_data_file(uri, one.path, spec, names) for one in files]
    return pl.concat([empty_frame(spec).select(names), *parts], how="vertical_relaxed")


def unreadable_data_files(uri: str, files: Collection[DataFile], spec: TableSpec) -> dict[str, str]:
    """Of these files those that cannot be read, with what is wrong."""
    found = {}
    for one in files:
        try:
            read_data_file(uri, one.path, spec, spec.columns)
        except UNREADABLE as problem:
            found[one.path] = str(problem).partition("\n")[0]
    return found
