"""Delta tables of one cluster: made from their declarations, written, read at a version, restored."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import NumericType, StructField

from pipeline.store.filesystem import HadoopFiles
from schemas.spec import TableSpec

# What tables of log lines are searched by; statistics of every column cost a quarter of the time of a load.
SKIPPED_BY = ("file_id", "load_seq", "byte_offset", "logged_at", "ordered_at")
COMMIT_FILE = re.compile(r"^(\d{20})\.json$")


@dataclass(frozen=True)
class DeltaFolder:
    """`<warehouse>/<cluster_id>`: a folder per layer, a Delta table per table."""

    spark: SparkSession
    folder: str

    def uri(self, spec: TableSpec) -> str:
        return f"{self.folder}/{spec.layer}/{spec.table}"

    def named(self, spec: TableSpec) -> str:
        """How SQL names the table."""
        return f"delta.`{self.uri(spec).replace('`', '``')}`"

    def head(self, spec: TableSpec) -> int | None:
        """Newest version that was committed; None if there is no table. Lists the log, starts no job."""
        names = HadoopFiles(self.spark).names(f"{self.uri(spec)}/_delta_log")
        versions = [int(match.group(1)) for match in map(COMMIT_FILE.match, names) if match]
        return max(versions, default=None)

    def create(self, spec: TableSpec) -> None:
        """An empty table with types, nullability, comments and CHECK constraints of the declaration: version 0."""
        columns = ", ".join(map(column_ddl, spec.struct.fields))
        properties = {f"delta.constraints.{check.name}": check.condition for check in spec.checks}
        skipped_by = [name for name in SKIPPED_BY if name in spec.columns]
        if skipped_by:
            properties["delta.dataSkippingStatsColumns"] = ",".join(skipped_by)
        else:
            properties["delta.dataSkippingNumIndexedCols"] = "12"
        listed = ", ".join(f"{literal(key)} = {literal(value)}" for key, value in properties.items())
        self.spark.sql(
            f"CREATE TABLE {self.named(spec)} ({columns}) USING delta "
            f"COMMENT {literal(spec.grain)} TBLPROPERTIES ({listed})"
        )

    def metadata(self, spec: TableSpec, version: int) -> str | None:
        """The user's note on a commit; None if its file is gone or it has none."""
        text = HadoopFiles(self.spark).text(f"{self.uri(spec)}/_delta_log/{version:020d}.json") or ""
        actions = (json.loads(line) for line in text.splitlines())
        notes = (action["commitInfo"].get("userMetadata") for action in actions if "commitInfo" in action)
        note: str | None = next(notes, None)
        return note

    def append(self, spec: TableSpec, rows: DataFrame, note: str) -> None:
        """Adds the rows; the note stands in the commit (DESCRIBE HISTORY)."""
        writer = declared(spec, rows).write.format("delta").mode("append")
        writer.option("userMetadata", note).save(self.uri(spec))

    def overwrite(self, spec: TableSpec, rows: DataFrame, run_id: str) -> None:
        writer = declared(spec, rows).write.format("delta").mode("overwrite")
        writer.option("userMetadata", run_id).save(self.uri(spec))

    def replace_tail(self, spec: TableSpec, rows: DataFrame, column: str, cut: datetime, run_id: str) -> None:
        """In one commit the rows whose column reaches the cut are taken out and these put in; all of these reach it."""
        moment = cut.astimezone(UTC).isoformat(timespec="microseconds")
        writer = declared(spec, rows).write.format("delta").mode("overwrite")
        writer = writer.option("replaceWhere", f"{column} >= TIMESTAMP '{moment}'")
        writer.option("userMetadata", run_id).save(self.uri(spec))

    def delete_segments(self, spec: TableSpec, load_seqs: Iterable[int]) -> None:
        """Takes out the rows of segments that are read again."""
        listed = ", ".join(str(int(load_seq)) for load_seq in load_seqs)
        self.spark.sql(f"DELETE FROM {self.named(spec)} WHERE load_seq IN ({listed})")  # noqa: S608  (integers)

    def restore(self, spec: TableSpec, version: int) -> None:
        self.spark.sql(f"RESTORE TABLE {self.named(spec)} TO VERSION AS OF {int(version)}")

    def read(self, spec: TableSpec, version: int | None = None) -> DataFrame:
        """The rows at a version, the newest if none is given, in the declared columns."""
        reader = self.spark.read.format("delta")
        if version is not None:
            reader = reader.option("versionAsOf", version)
        return reader.load(self.uri(spec))


def declared(spec: TableSpec, rows: DataFrame) -> DataFrame:
    """The declared columns in the declared order; numbers in the declared width (lists are left as they are)."""
    return rows.select(
        *(
            F.col(one.name).cast(one.type).alias(one.name)
            if isinstance(one.type, NumericType)
            else F.col(one.name)
            for one in spec.fields
        )
    )


def column_ddl(column: StructField) -> str:
    null = "" if column.nullable else " NOT NULL"
    return f"`{column.name}` {column.dataType.simpleString()}{null} COMMENT {literal(column.metadata['comment'])}"


def literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
