"""Who writes the tables of a cluster: Spark, or delta-rs where it can."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pipeline.core.errors import NeedsSpark
from pipeline.store.spark.late_session import as_late_session
from pipeline.store.tables.delta import DeltaFolder
from pipeline.store.tables.task_rows import Rows, spark_frame_of
from schemas.spec import TableSpec


class TableWriter(Protocol):
    """Each commit is noted: note stands in it as userMetadata."""

    def create(self, spec: TableSpec, note: str) -> None:
        """An empty table: version 0."""

    def empty(self, spec: TableSpec, note: str) -> None:
        """A new version without rows."""

    def restore(self, spec: TableSpec, version: int, note: str) -> None:
        """A new version that holds what an older one held."""

    def append(self, spec: TableSpec, rows: Rows, note: str) -> None:
        """Adds the rows."""

    def overwrite(self, spec: TableSpec, rows: Rows, note: str) -> None:
        """Puts them in place of all rows."""

    def replace_from(self, spec: TableSpec, rows: Rows, column: str, start: datetime, note: str) -> None:
        """Puts them in place of the rows whose column reaches the start, or is null."""

    def delete_segments(self, spec: TableSpec, load_seqs: Iterable[int], note: str) -> None:
        """Takes out the rows of segments."""

    def delete(self, spec: TableSpec, condition: str, note: str) -> None:
        """condition: SQL that this product wrote; never with text from a log."""


@dataclass(frozen=True)
class SparkWriter:
    """By statements of Spark, which takes its note of what is no write of rows from the session (ClusterWarehouse)."""

    delta: DeltaFolder

    def create(self, spec: TableSpec, note: str) -> None:  # noqa: ARG002 - of the session
        self.delta.create(spec)

    def empty(self, spec: TableSpec, note: str) -> None:  # noqa: ARG002 - of the session
        self.delta.create(spec, is_replaced=True)

    def restore(self, spec: TableSpec, version: int, note: str) -> None:  # noqa: ARG002 - of the session
        self.delta.restore(spec, version)

    def append(self, spec: TableSpec, rows: Rows, note: str) -> None:
        self.delta.append(spec, spark_frame_of(self.delta.spark, spec, rows), note)

    def overwrite(self, spec: TableSpec, rows: Rows, note: str) -> None:
        self.delta.overwrite(spec, spark_frame_of(self.delta.spark, spec, rows), note)

    def replace_from(self, spec: TableSpec, rows: Rows, column: str, start: datetime, note: str) -> None:
        self.delta.replace_from(spec, spark_frame_of(self.delta.spark, spec, rows), column, start, note)

    def delete_segments(self, spec: TableSpec, load_seqs: Iterable[int], note: str) -> None:  # noqa: ARG002 - of the session
        self.delta.delete_segments(spec, load_seqs)

    def delete(self, spec: TableSpec, condition: str, note: str) -> None:  # noqa: ARG002 - of the session
        self.delta.delete(spec, condition)


@dataclass(frozen=True)
class FirstWriter:
    """The first one writes; what it refuses (NeedsSpark), and has not begun, the second one does."""

    first: TableWriter
    second: SparkWriter

    def create(self, spec: TableSpec, note: str) -> None:
        self.either(spec, lambda writer: writer.create(spec, note))

    def empty(self, spec: TableSpec, note: str) -> None:
        self.either(spec, lambda writer: writer.empty(spec, note))

    def restore(self, spec: TableSpec, version: int, note: str) -> None:
        self.either(spec, lambda writer: writer.restore(spec, version, note))

    def append(self, spec: TableSpec, rows: Rows, note: str) -> None:
        self.either(spec, lambda writer: writer.append(spec, rows, note))

    def overwrite(self, spec: TableSpec, rows: Rows, note: str) -> None:
        self.either(spec, lambda writer: writer.overwrite(spec, rows, note))

    def replace_from(self, spec: TableSpec, rows: Rows, column: str, start: datetime, note: str) -> None:
        self.either(spec, lambda writer: writer.replace_from(spec, rows, column, start, note))

    def delete_segments(self, spec: TableSpec, load_seqs: Iterable[int], note: str) -> None:
        its = list(load_seqs)
        self.either(spec, lambda writer: writer.delete_segments(spec, its, note))

    def delete(self, spec: TableSpec, condition: str, note: str) -> None:
        self.either(spec, lambda writer: writer.delete(spec, condition, note))

    def either(self, spec: TableSpec, act: Callable[[TableWriter], None]) -> None:
        delta = self.second.delta
        before = delta.head(spec)
        try:
            act(self.first)
        except NeedsSpark as refused:
            as_late_session(delta.given).require()
            if delta.head(spec) != before:
                raise refused.__cause__ or refused from None
            act(self.second)
