"""Builds the tables of a run in the order of their wiring, side by side where they do not wait for one another."""

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.settings import Settings
from pipeline.catalog.knowledge import knowledge_fingerprint
from pipeline.catalog.tables import BY_NAME, BY_SHORT_NAME, Refresh, Table
from pipeline.kafka.releases import bits, ends, halves, members
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import log_record, source_file
from schemas.gold import finding
from schemas.spec import TableSpec

AT_ONCE = 4


class Builder:
    """Writes tables of one cluster under its lock. `before`: the highest load_seq of earlier runs.

    Inputs are read at their heads, which under the lock are this run's own: Delta has the snapshot of a head
    at hand, that of a named version costs some jobs each.
    """

    def __init__(
        self, store: ClusterWarehouse, settings: Settings, run_id: str, versions: dict[str, int], before: int
    ) -> None:
        self.store, self.settings, self.run_id = store, settings, run_id
        self.versions, self.before = versions, before
        self.published_findings = versions.get(finding.SPEC.name, 0)

    def write(self, spec: TableSpec, rows: DataFrame) -> None:
        self.store.delta.append(spec, rows, self.run_id)
        self.versions[spec.name] = int(self.store.delta.head(spec) or 0)

    def rows_of_run(self, spec: TableSpec) -> DataFrame:
        """The rows that this run appended, read back from where they were written."""
        rows = self.store.delta.read(spec)
        return rows.where(F.col("load_seq") > self.before) if self.before else rows

    def build(
        self, tables: Sequence[Table], first: Sequence[Callable[[], None]], done: Callable[[TableSpec], None]
    ) -> None:
        """Runs `first` and the builds, each when those that it waits for are through; `done` hears of each table.

        `tables` stand in an order in which none waits for a later one, so waiting never blocks the pool.
        `first`: acts that write source_file; every table rebuilt whole waits for them.
        """
        with ThreadPoolExecutor(AT_ONCE) as pool:
            begun = [pool.submit(act) for act in first]
            futures: dict[str, Future[None]] = {}
            for table in tables:
                awaited = [futures[name] for name in table.inputs if name in futures]
                if table.refresh is Refresh.WHOLE:
                    awaited += begun
                futures[table.spec.table] = pool.submit(self.build_one, table, awaited, done)
            for future in (*begun, *futures.values()):
                future.result()

    def build_one(
        self, table: Table, awaited: Sequence[Future[None]], done: Callable[[TableSpec], None]
    ) -> None:
        for future in awaited:
            future.result()
        rows = self.built(table)
        is_replaced = table.refresh is Refresh.WHOLE and bool(self.versions[table.spec.name])
        write = self.store.delta.overwrite if is_replaced else self.store.delta.append
        write(table.spec, rows, self.run_id)
        self.versions[table.spec.name] = int(self.store.delta.head(table.spec) or 0)
        done(table.spec)

    def built(self, table: Table) -> DataFrame:
        if table.build is None:
            raise TypeError(f"{table.spec.name} has no build")
        source = partial(self.input, is_run_only=table.refresh is Refresh.SEGMENTS)
        return table.build(**{name: source(name) for name in table.inputs})

    def input(self, name: str, *, is_run_only: bool) -> DataFrame:
        if is_run_only and name == log_record.SPEC.table:
            return self.rows_of_run(log_record.SPEC)
        if name == "imbalance_limit":
            return imbalance_limits(self.store.spark, self.settings, self.store.cluster_id)
        if name == "audit_limit":
            return audit_limits(self.store.delta.read(source_file.SPEC), self.settings, self.store.cluster_id)
        if name == "release_setting":
            return release_settings(self.store.spark, self.settings, self.store.cluster_id)
        if name == "published_finding":
            return self.store.delta.read(finding.SPEC, self.published_findings)
        return self.store.delta.read(BY_SHORT_NAME[name].spec)


def mark(name: str, load_seq: int, settings: Settings, cluster_id: str) -> int:
    """What a table was built from, as a number: rows up to load_seq, settings and knowledge."""
    text = f"{name}|{load_seq}|{settings.fingerprint(cluster_id)}|{knowledge_fingerprint()}"
    return int(hashlib.sha256(text.encode()).hexdigest()[:15], 16)


def tables_to_build(stale: Sequence[str], *, has_segments: bool) -> list[Table]:
    """In the order of the catalog: tables that grow by segments if there are any, and the stale ones."""
    return [
        table
        for name, table in BY_NAME.items()
        if name in stale or (has_segments and table.refresh is Refresh.SEGMENTS)
    ]


def imbalance_limits(spark: SparkSession, settings: Settings, cluster_id: str) -> DataFrame:
    """(cluster_id, broker_id, threshold_ratio): the cluster's with broker_id null, then what brokers have instead."""
    general = settings.cluster(cluster_id).leader_imbalance.per_broker_percentage / 100
    brokers = settings.cluster(cluster_id).brokers
    own = [(cluster_id, broker_id, settings.threshold_ratio(cluster_id, broker_id)) for broker_id in brokers]
    rows = [(cluster_id, None, general), *own]
    return spark.createDataFrame(rows, "cluster_id string, broker_id int, threshold_ratio double")


def release_settings(spark: SparkSession, settings: Settings, cluster_id: str) -> DataFrame:
    """Releases fixed in conf: (cluster_id, node_id or null for all, bits, names); no row where none is."""
    cluster = settings.cluster(cluster_id)
    fixed = {None: cluster.release} | {node_id: one.release for node_id, one in cluster.brokers.items()}
    rows = []
    for node_id, release in fixed.items():
        if release is not None:
            some = bits(release, release)
            rows.append((cluster_id, node_id, *halves(some), *ends(some), members(some)))
    return spark.createDataFrame(
        rows,
        "cluster_id string, node_id int, older long, later long, "
        "since_release string, until_release string, releases array<string>",
    )


def audit_limits(source: DataFrame, settings: Settings, cluster_id: str) -> DataFrame:
    """One row: the limits of the rules of gold.finding, and until_at, the end of the data."""
    limits = settings.findings
    checks = settings.cluster(cluster_id).leader_imbalance.check_interval_seconds * limits.imbalance_checks
    return source.groupBy("cluster_id").agg(
        F.max("last_logged_at").alias("until_at"),
        F.lit(checks).alias("standing_seconds"),
        F.lit(limits.overlap_ms).alias("overlap_ms"),
        F.lit(limits.no_controller_ms).alias("no_controller_ms"),
    )
