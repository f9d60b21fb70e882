"""A Delta table of this machine, opened by delta-rs, whose files are named as the disk names them."""

from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from deltalake import DeltaTable

FILE = "filepath"


class LocalTable(DeltaTable):
    """delta-rs quotes a local path as if it were a URI (`my%20logs`, `%C3%BC`), and Polars opens it as it is written.

    Names of the table's own files hold nothing that is quoted. What Polars asks a table for names files three times.
    """

    @property
    def table_uri(self) -> str:
        return unquote(super().table_uri)

    def file_uris(self, *filters: Any, **named: Any) -> list[str]:
        return [unquote(one) for one in super().file_uris(*filters, **named)]

    def deletion_vectors(self) -> Any:
        rows = pa.table(super().deletion_vectors())
        paths = pa.array([unquote(one) for one in rows[FILE].to_pylist()], pa.string())
        return rows.set_column(rows.column_names.index(FILE), FILE, paths)
