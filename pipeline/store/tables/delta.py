"""Delta tables of one cluster: made from their declarations, written, read at a version, restored."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, reduce
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import NumericType, StructField

from pipeline.core.errors import InputProblem
from pipeline.store.files.files import Files
from pipeline.store.spark.filesystem import files_for_uri
from pipeline.store.spark.late_session import Spark, as_late_session
from pipeline.store.spark.spark_configuration import SKIPPED_BY
from pipeline.store.tables.commit_files import commit_note, newest_committed_version
from pipeline.store.tables.direct_reading import local_folder
from pipeline.store.tables.local_commit import add_row
from pipeline.store.tables.undoing import undo_appends
from schemas.bronze import log_record
from schemas.spark import struct_of
from schemas.spec import Field, TableSpec

# Tables of which readers get columns by SQL where they are not stored.
REBUILT = {spec.name: spec for spec in (log_record.SPEC,)}
VERSION_IS_GONE = "DELTA_VERSION_NOT_FOUND"
RETENTION_DAYS = 30
MOST_STRETCHES = 50


@dataclass(frozen=True)
class DeltaFolder:
    """`<warehouse>/<cluster_id>`: a folder per layer, a Delta table per table."""

    given: Spark
    folder: str
    retention_days: int = RETENTION_DAYS

    @cached_property
    def files(self) -> Files:
        return files_for_uri(as_late_session(self.given), self.folder)

    @property
    def spark(self) -> SparkSession:
        return as_late_session(self.given).get()

    def uri(self, spec: TableSpec) -> str:
        return f"{self.folder}/{spec.layer}/{spec.table}"

    def named(self, spec: TableSpec) -> str:
        """How SQL names the table."""
        return f"delta.`{self.uri(spec).replace('`', '``')}`"

    def head(self, spec: TableSpec) -> int | None:
        """Newest version that was committed; None if there is no table. Lists the log, starts no job."""
        return newest_committed_version(self.files, self.uri(spec))

    def create(self, spec: TableSpec, *, is_replaced: bool = False) -> None:
        """An empty table with types, nullability, comments and CHECK constraints of the declaration: version 0.

        is_replaced: the next version of a table that is there; its older versions stay readable.
        """
        columns = ", ".join(map(column_ddl, struct_of(spec).fields))
        properties = properties_when_made(spec, self.retention_days)
        verb = "REPLACE" if is_replaced else "CREATE"
        self.spark.sql(
            f"{verb} TABLE {self.named(spec)} ({columns}) USING delta "
            f"COMMENT {sql_literal(spec.grain)} TBLPROPERTIES ({properties_sql(properties)})"
        )

    def retention(self) -> dict[str, str]:
        return retention_properties(self.retention_days)

    def note(self, table: str, version: int) -> str | None:
        """The user's note on a commit of `layer.table`; None if its file is gone or it has none."""
        return commit_note(self.files, f"{self.folder}/{table.replace('.', '/')}", version)

    def append(
        self, spec: TableSpec, rows: DataFrame, note: str, options: Mapping[str, str] | None = None
    ) -> None:
        """Adds the rows; the note stands in the commit (DESCRIBE HISTORY)."""
        writer = rows_as_declared(spec, rows).write.format("delta").mode("append").options(**(options or {}))
        writer.option("userMetadata", note).save(self.uri(spec))

    def append_once(
        self, spec: TableSpec, row: Mapping[str, Any], note: str, writer: str, number: int
    ) -> None:
        """Adds one row under a number of the writer's transactions: of several under one number one passes, and the
        others are not told. In a local warehouse Spark is not needed for it."""
        if (folder := local_folder(self.folder)) is not None:
            add_row(folder / spec.layer / spec.table, spec, row, note, writer, number)
            return
        rows = self.spark.createDataFrame([dict(row)], schema=struct_of(spec))
        try:
            self.append(spec, rows, note, {"txnAppId": writer, "txnVersion": str(number)})
        except Py4JJavaError as problem:
            if "DELTA_CONCURRENT_TRANSACTION" not in str(problem.java_exception):
                raise

    def overwrite(self, spec: TableSpec, rows: DataFrame, run_id: str) -> None:
        writer = rows_as_declared(spec, rows).write.format("delta").mode("overwrite")
        writer.option("userMetadata", run_id).save(self.uri(spec))

    def replace_from(
        self, spec: TableSpec, rows: DataFrame, column: str, start: datetime, run_id: str
    ) -> None:
        """In one commit the rows whose column reaches the start, or is null, are taken out and these put in."""
        moment = start.astimezone(UTC).isoformat(timespec="microseconds")
        writer = rows_as_declared(spec, rows).write.format("delta").mode("overwrite")
        writer = writer.option("replaceWhere", f"{column} >= TIMESTAMP '{moment}' OR {column} IS NULL")
        writer.option("userMetadata", run_id).save(self.uri(spec))

    def delete_segments(self, spec: TableSpec, load_seqs: Iterable[int]) -> None:
        """Takes out the rows of segments: those that are read again, or kept no longer."""
        stretches = [f"load_seq BETWEEN {first} AND {last}" for first, last in stretches_of(load_seqs)]
        if stretches:
            self.delete(spec, " OR ".join(stretches))

    def delete(self, spec: TableSpec, condition: str) -> None:
        """condition: SQL that this product wrote; never with text from a log."""
        self.spark.sql(f"DELETE FROM {self.named(spec)} WHERE {condition}")  # noqa: S608  (of our own columns)

    def restore(self, spec: TableSpec, version: int) -> None:
        """A new version that holds what an older one held."""
        uri = self.uri(spec)
        if not undo_appends(self.spark, self.files, uri, version, self.head(spec) or 0):
            self.spark.sql(f"RESTORE TABLE {self.named(spec)} TO VERSION AS OF {int(version)}")

    def read(self, spec: TableSpec, version: int | None = None) -> DataFrame:
        """The rows at a version, the newest if none is given. InputProblem: retention removed that version."""
        return self.read_named(spec.name, version)

    def read_named(self, table: str, version: int | None = None) -> DataFrame:
        """The same of `layer.table`, which this release may not declare."""
        reader = self.spark.read.format("delta")
        if version is not None:
            reader = reader.option("versionAsOf", version)
        try:
            return rows_as_written(table, reader.load(f"{self.folder}/{table.replace('.', '/')}"))
        except AnalysisException as problem:
            if problem.getCondition() != VERSION_IS_GONE:
                raise
            raise InputProblem(
                expected=f"version {version} of {table} in {self.folder}",
                found="that retention has removed it",
                todo="name a newer run; storage.retention_days says how long runs stay readable",
            ) from None


def properties_when_made(spec: TableSpec, retention_days: int) -> dict[str, str]:
    """Delta's properties of a table as it is made."""
    checks = {f"delta.constraints.{check.name}": check.condition for check in spec.checks}
    return checks | retention_properties(retention_days) | statistics_properties(spec)


def retention_properties(days: int) -> dict[str, str]:
    """How long versions stay readable after others have followed them.

    Delta's own clean-up of the log goes by the age of commits, and may take a version that was followed just now and
    is what is published: it is off, `maintain` does it (`upkeep.remove_old_log`).
    """
    return {
        "delta.logRetentionDuration": f"interval {days} days",
        "delta.deletedFileRetentionDuration": f"interval {days} days",
        "delta.enableExpiredLogCleanup": "false",
    }


def statistics_properties(spec: TableSpec) -> dict[str, str]:
    """Delta's property that says of which columns each file's bounds are kept."""
    skipped_by = ",".join(name for name in SKIPPED_BY if name in spec.columns)
    return (
        {"delta.dataSkippingStatsColumns": skipped_by}
        if skipped_by
        else {"delta.dataSkippingNumIndexedCols": "0"}
    )


def rows_as_declared(spec: TableSpec, rows: DataFrame) -> DataFrame:
    """The declared columns in the declared order; numbers in the declared width (lists are left as they are)."""
    return rows.select(*map(as_stored, spec.fields, struct_of(spec).fields))


def as_stored(one: Field, stored: StructField) -> Column:
    value = F.col(one.name)
    if isinstance(stored.dataType, NumericType):
        value = value.cast(stored.dataType)
    # Comments stand in the table; with the rows they would go into the footer of each file.
    return value.alias(one.name, metadata={})


def rows_as_written(table: str, rows: DataFrame) -> DataFrame:
    """What a table holds, as it was before it was stored; columns that an older version has not are null in it."""
    spec = REBUILT.get(table)
    if spec is None:
        return rows
    whole = {
        one.name: F.coalesce(one.name, F.expr(one.rebuilt)).alias(
            one.name, metadata=rows.schema[one.name].metadata
        )
        for one in spec.fields
        if one.rebuilt
    }
    return with_later_columns(spec, rows).withColumns(whole).select(*rows.columns)


def with_later_columns(spec: TableSpec, rows: DataFrame) -> DataFrame:
    """The rows of an older version with the columns that were declared since: null."""
    later = [one for one in struct_of(spec).fields if one.name not in rows.columns]
    return rows.withColumns({one.name: F.lit(None).cast(one.dataType) for one in later})


def column_ddl(column: StructField) -> str:
    null = "" if column.nullable else " NOT NULL"
    return f"`{column.name}` {column.dataType.simpleString()}{null} COMMENT {sql_literal(column.metadata['comment'])}"


def properties_sql(properties: Mapping[str, str]) -> str:
    return ", ".join(f"{sql_literal(key)} = {sql_literal(value)}" for key, value in properties.items())


def stretches_of(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and last of each stretch of numbers without a gap, in order."""
    ordered = sorted({int(one) for one in numbers})
    starts = [one for place, one in enumerate(ordered) if not place or one != ordered[place - 1] + 1]
    ends = [one for place, one in enumerate(ordered, 1) if place == len(ordered) or one + 1 != ordered[place]]
    return zip(starts, ends, strict=True)


def sql_literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def is_among(load_seqs: Sequence[int]) -> Column:
    """True for rows of these segments: a condition on stretches of numbers, which skips files, prunes row groups and
    adds no join to the plan."""
    number, stretches = F.col("load_seq"), list(stretches_of(load_seqs))
    if not stretches:
        return F.lit(False)
    if len(stretches) <= MOST_STRETCHES:
        return reduce(Column.__or__, (number.between(*ends) for ends in stretches))
    return number.between(stretches[0][0], stretches[-1][1]) & number.isin(*sorted(load_seqs))
