"""One cluster of a warehouse: what is published, what a dead run left, and the row that commits a run."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.core.errors import WarehouseFormat
from pipeline.store.delta import DeltaFolder
from pipeline.store.filesystem import HadoopFiles
from schemas.ops import quality_result, run
from schemas.spec import TableSpec

FORMAT_VERSION = 1
AT_ONCE = 4


@dataclass(frozen=True)
class Published:
    """What readers see: of the newest row of ops.run the versions by table, and what the run was made of."""

    run_id: str | None = None
    run_seq: int = 0
    versions: dict[str, int] = field(default_factory=dict)
    settings_fingerprint: str | None = None
    knowledge_fingerprint: str | None = None
    counts: dict[str, int] = field(default_factory=dict)


class ClusterWarehouse:
    """`<warehouse>/<cluster_id>`: tables at their published versions, and the commit protocol.

    Protocol (design.md, section 2): under the cluster's lock restore what is newer than published,
    append, audit, then publish with one row of ops.run, which is the commit point.
    """

    def __init__(self, spark: SparkSession, warehouse: str, cluster_id: str) -> None:
        self.spark = spark
        self.cluster_id = cluster_id
        self.files = HadoopFiles(spark)
        self.folder = f"{self.files.qualified(warehouse)}/{cluster_id}"
        self.delta = DeltaFolder(spark, self.folder)

    def published(self, run_id: str | None = None) -> Published:
        """The newest run, or that of a run_id. WarehouseFormat: written by a newer product.

        The newest stands in the commit that wrote its row, too: one small file, whatever the history.
        """
        head = self.delta.head(run.SPEC)
        if head is None:
            return Published()
        noted = self.delta.metadata(run.SPEC, head) if run_id is None else None
        if noted is not None:
            return self.as_published(json.loads(noted))
        rows = self.delta.read(run.SPEC)
        if run_id is not None:
            rows = rows.where(F.col("run_id") == run_id)
        newest = rows.orderBy(F.col("run_seq").desc()).limit(1).collect()
        if not newest:
            return Published()
        return self.as_published(newest[0].asDict())

    def as_published(self, row: dict[str, Any]) -> Published:
        if row["format_version"] > FORMAT_VERSION:
            raise WarehouseFormat(
                expected=f"a warehouse of format {FORMAT_VERSION} or older",
                found=f"format {row['format_version']} in {self.folder}, written by {row['product_version']}",
                todo="use that release of kafka-controller-audit or a newer one",
            )
        return Published(
            row["run_id"],
            int(row["run_seq"]),
            {str(name): int(version) for name, version in row["table_versions"].items()},
            row["settings_fingerprint"],
            row["knowledge_fingerprint"],
            {str(name): int(value) for name, value in row["counts"].items()},
        )

    def settings(self, published: Published) -> dict[str, Any]:
        """The settings as the published run states them."""
        rows = self.delta.read(run.SPEC).where(F.col("run_id") == F.lit(published.run_id)).select("settings")
        found: dict[str, Any] = json.loads(rows.collect()[0]["settings"])
        return found

    def restore(self, specs: tuple[TableSpec, ...], published: Published) -> dict[str, int]:
        """Undoes what a dead run left: tables whose head is newer than published. Versions by table now."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            heads = pool.map(lambda spec: self.restored(spec, published.versions.get(spec.name, 0)), specs)
            return {spec.name: head for spec, head in zip(specs, heads, strict=True) if head is not None}

    def restored(self, spec: TableSpec, wanted: int) -> int | None:
        """Version of the table once it holds what the wanted version held; None if there is no table."""
        head = self.delta.head(spec)
        if head is not None and head > wanted:
            self.delta.restore(spec, wanted)
            head = self.delta.head(spec)
        return head

    def create_missing(self, specs: tuple[TableSpec, ...], versions: dict[str, int]) -> None:
        missing = [spec for spec in specs if spec.name not in versions]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for _ in pool.map(self.delta.create, missing):
                pass
        versions.update({spec.name: 0 for spec in missing})

    def publish(self, row: dict[str, Any]) -> None:
        """Writes the row of ops.run: from here on readers see the versions that it names."""
        if self.delta.head(run.SPEC) is None:
            self.delta.create(run.SPEC)
        rows = self.spark.createDataFrame([row], schema=run.SPEC.struct)
        self.delta.append(run.SPEC, rows, json.dumps(row, default=str))

    def append_quality(self, rows: list[dict[str, Any]], run_id: str) -> int:
        """Stores what the gate said. The version that holds it."""
        frame = self.spark.createDataFrame(rows, schema=quality_result.SPEC.struct)
        self.delta.append(quality_result.SPEC, frame, run_id)
        return int(self.delta.head(quality_result.SPEC) or 0)

    def table(self, spec: TableSpec, versions: dict[str, int]) -> DataFrame:
        """A table at the version that the mapping names."""
        return self.delta.read(spec, versions[spec.name])


def run_row(
    *, published: Published, job: str, started_at: datetime, ended_at: datetime, outcome: str, **columns: Any
) -> dict[str, Any]:
    """A row of ops.run that follows `published`."""
    return {
        "run_seq": published.run_seq + 1,
        "job": job,
        "started_at": started_at,
        "ended_at": ended_at,
        "outcome": outcome,
        "format_version": FORMAT_VERSION,
        "sentence": None,
        **columns,
    }
