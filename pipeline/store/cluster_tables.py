"""The Delta tables of a cluster as a run reads and writes them: Arrow tables in and out, and rows that tasks make."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from pipeline.core.conditions import Both, Compared, Condition, Either, HasAny, IsIn, IsNull, Not
from pipeline.store.spark.arrow_rows import arrow_of
from pipeline.store.tables.delta import is_among
from pipeline.store.tables.direct_reading import local_folder, read_directly
from pipeline.store.tables.task_rows import Rows
from pipeline.store.warehouse import ClusterWarehouse
from schemas.spec import TableSpec


@dataclass(frozen=True)
class ClusterTables:
    """The heads of the tables, which under the cluster's lock are the run's own.

    versions: by table, brought up to date by each write; the run's id stands in each commit.
    """

    store: ClusterWarehouse
    run_id: str
    versions: dict[str, int]

    def has_rows(self, spec: TableSpec) -> bool:
        return bool(self.versions.get(spec.name))

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        folder = local_folder(self.store.folder)
        if folder is not None:
            return read_directly(folder, spec, condition, columns)
        rows = self.store.delta.read(spec)
        rows = rows if condition is None else rows.where(column_of(condition))
        return arrow_of(rows.select(*(columns or spec.columns)), spec)

    def append(self, spec: TableSpec, rows: Rows) -> None:
        self.store.writer.append(spec, rows, self.run_id)
        self.note_version(spec)

    def replace(self, spec: TableSpec, rows: Rows) -> None:
        self.store.writer.overwrite(spec, rows, self.run_id)
        self.note_version(spec)

    def replace_from(self, spec: TableSpec, rows: Rows, column: str, start: datetime) -> None:
        self.store.writer.replace_from(spec, rows, column, start, self.run_id)
        self.note_version(spec)

    def create_missing(self, *specs: TableSpec) -> None:
        self.store.create_missing(specs, self.versions)

    def delete_segments(self, spec: TableSpec, load_seqs: Collection[int]) -> None:
        self.store.writer.delete_segments(spec, load_seqs, self.run_id)
        self.note_version(spec)

    def delete(self, spec: TableSpec, condition: str) -> None:
        """condition: SQL that this product wrote; never with text from a log."""
        self.store.writer.delete(spec, condition, self.run_id)
        self.note_version(spec)

    def note_version(self, spec: TableSpec) -> None:
        self.versions[spec.name] = int(self.store.delta.head(spec) or 0)


def column_of(condition: Condition) -> Column:  # noqa: PLR0911 - a line a condition
    """The condition as Spark and Delta take it: data skipping sees it."""
    match condition:
        case Both(one, other):
            return column_of(one) & column_of(other)
        case Either(one, other):
            return column_of(one) | column_of(other)
        case Not(one):
            return ~column_of(one)
        case IsNull(name):
            return F.col(name).isNull()
        case IsIn("load_seq", numbers):
            return is_among([int(one) for one in numbers if isinstance(one, int)])
        case IsIn(name, values):
            return F.col(name).isin(*values) if values else F.lit(False)
        case HasAny(name, values):
            return F.arrays_overlap(F.col(name), F.lit(list(values)))
        case Compared(name, operator, value):
            return compare_spark_column(F.col(name), operator, value)
    raise TypeError(f"{type(condition).__name__} is no condition that is known")


def compare_spark_column(column: Column, operator: str, value: object) -> Column:
    literal = F.lit(value.astimezone(UTC) if isinstance(value, datetime) else value)
    by_operator = {
        "<": column < literal,
        ">=": column >= literal,
        "=": column == literal,
        "<>": column != literal,
    }
    return by_operator[operator]
