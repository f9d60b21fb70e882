"""The questions that the first screen and the follow-up commands ask of published tables."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.catalog.tables import BY_NAME
from pipeline.store.delta import is_among
from pipeline.store.rows import collect_one, collect_rows
from pipeline.store.warehouse import ClusterWarehouse
from schemas.gold.finding import RULES, SEVERITIES

Row = dict[str, Any]


class Answers:
    """Reads one cluster at the versions that one run published.

    is_locked: the caller holds the cluster's lock and the heads are these versions; Delta then has them at hand.
    """

    def __init__(
        self, store: ClusterWarehouse, versions: Mapping[str, int], *, is_locked: bool = False
    ) -> None:
        self.store, self.versions, self.is_locked = store, dict(versions), is_locked

    def table(self, name: str) -> DataFrame:
        if self.is_locked:
            return self.store.delta.read(BY_NAME[name].spec)
        return self.store.table(BY_NAME[name].spec, self.versions)

    def has(self, name: str) -> bool:
        return self.versions.get(name, 0) > 0

    def since(self, name: str, column: str, since: datetime | None) -> DataFrame:
        """The rows of a table that are not before a time; all where none is given."""
        rows = self.table(name)
        return rows if since is None else rows.where(F.col(column).isNull() | (F.col(column) >= F.lit(since)))

    def read(self, before: int = 0) -> Row:
        """Files, bytes, records, understood, first and last time of all that was ever read; new_from_at: the first
        time in segments after load_seq `before`, where there were segments before."""
        is_new = (F.col("load_seq") > before) & F.lit(before > 0)
        return collect_one(
            self.table("bronze.source_file").agg(
                F.count_distinct("file_id").alias("files"),
                F.sum("record_bytes").alias("bytes"),
                F.sum("record_count").alias("records"),
                F.sum("understood_count").alias("understood"),
                F.min("first_logged_at").alias("first_at"),
                F.max("last_logged_at").alias("last_at"),
                F.min(F.when(is_new, F.col("first_logged_at"))).alias("new_from_at"),
                F.array_sort(F.collect_set("node_id")).alias("nodes"),
                F.array_sort(F.collect_set("zone")).alias("zones"),
            )
        )

    def last_at(self) -> datetime | None:
        """The last time on any record, UTC."""
        found = collect_one(self.table("bronze.source_file").agg(F.max("last_logged_at").alias("at")))["at"]
        return None if found is None else found.astimezone(UTC)

    def reasons(self) -> list[Row]:
        """Records not understood, by reason."""
        records = self.table("bronze.log_record").where("not_understood_reason IS NOT NULL")
        return collect_rows(
            records.groupBy("not_understood_reason")
            .agg(F.count("*").alias("count"))
            .orderBy("not_understood_reason")
        )

    def terms(self) -> list[Row]:
        return collect_rows(self.table("gold.controller_term").orderBy("life", "controller_epoch"))

    def findings(self) -> list[Row]:
        """Not retracted; those that are told first, then new and ongoing ones, then by severity and by the order of
        RULES: their place is their number, F1, F2, ..."""
        found = self.table("gold.finding").where("status <> 'retracted'")
        is_known, is_over = F.col("suppressed_by").isNotNull(), F.col("status") == "resolved"
        ranks = (
            F.array_position(F.array(*map(F.lit, order)), F.col(name))
            for name, order in (("severity", SEVERITIES), ("rule", RULES))
        )
        return collect_rows(found.orderBy(is_known, is_over, *ranks, "valid_from_at", "finding_id"))

    def partitions_at_end(self) -> Row:
        """Of the partitions that exist at the end of the data: how many, led elsewhere, without leader, unknown."""
        is_in_doubt = F.col("certainty") == "undetermined"
        is_unsure = is_in_doubt | F.coalesce("is_assignment_stale", F.lit(False))
        is_offline = ((F.col("state") == "OfflinePartition") | (F.col("leader") == -1)) & ~is_in_doubt
        is_elsewhere = (F.col("leader") != F.col("replicas")[0]) & ~is_unsure
        return collect_one(
            self.table("gold.partition_timeline")
            .where("valid_until_at IS NULL")
            .agg(
                F.count("*").alias("partitions"),
                F.count_if(F.coalesce(is_offline, F.lit(False))).alias("offline"),
                F.count_if(F.coalesce(is_elsewhere, F.lit(False))).alias("elsewhere"),
                F.count_if(is_unsure | F.col("leader").isNull() | F.col("replicas").isNull()).alias(
                    "unknown"
                ),
            )
        )

    def deleting(self) -> list[str]:
        """Topics queued for deletion and not yet deleted."""
        steps = (
            self.table("silver.topic_event")
            .groupBy("topic")
            .agg(F.max_by("step", F.struct("logged_at", "byte_offset")).alias("last"))
        )
        return [
            row["topic"]
            for row in collect_rows(steps.where("last LIKE 'deletion_%' AND last <> 'deletion_completed'"))
        ]

    def brokers(self, at: Column | None = None) -> list[Row]:
        """Imbalance of each broker at a time, or at the end of the data, with how many partitions it leads."""
        leads = (
            self.table("gold.partition_timeline")
            .where(holds(at))
            .where("leader >= 0 AND coalesce(state, '') <> 'OfflinePartition'")
        )
        led = leads.groupBy(F.col("leader").alias("broker_id")).agg(F.count("*").alias("leads"))
        ratio = self.table("gold.leader_imbalance").where(holds(at))
        return collect_rows(ratio.join(led, on="broker_id", how="full").orderBy("broker_id"))

    def timeline(self, topic: str, partition: int) -> list[Row]:
        """All intervals of a partition, every life of its topic, in order."""
        own = self.table("gold.partition_timeline").where(
            (F.col("topic") == topic) & (F.col("partition") == partition)
        )
        return collect_rows(own.orderBy("topic_life", "interval_seq"))

    def partition_counts(self, limit: int = 1000) -> dict[str, int]:
        """Topics by name with how many partitions the timeline knows."""
        topics = self.table("gold.partition_timeline").groupBy("topic")
        counts = topics.agg(F.count_distinct("partition").alias("partitions")).orderBy("topic").limit(limit)
        return {row["topic"]: int(row["partitions"]) for row in collect_rows(counts)}

    def moves(self, since: datetime | None) -> dict[str, int]:
        """How many moves by verdict; refused ones that a release makes normally under 'normal'."""
        by = (
            self.since("gold.transition_audit", "logged_at", since)
            .groupBy("verdict")
            .agg(F.count("*").alias("moves"), F.count("normal").alias("normal"))
        )
        rows = collect_rows(by)
        counts = {row["verdict"]: int(row["moves"]) for row in rows}
        counts["normal"] = sum(int(row["normal"]) for row in rows if row["verdict"] == "refused")
        return counts

    def replay_checks(self, since: datetime | None) -> dict[str, Row]:
        """By what is checked, how many statements of Kafka the replay has alike: said, equal, differing, undecided."""
        counts = ("said", "equal", "differing", "undecided")
        sums = (F.sum(f"{one}_count").alias(one) for one in counts)
        rows = collect_rows(self.since("gold.replay_check", "logged_at", since).groupBy("check").agg(*sums))
        return {row["check"]: row for row in rows}

    def ratio_checks(self, since: datetime | None) -> Row:
        """Kafka's own ratio lines: how many, of them those equal to ours, undetermined, of deposed controllers;
        lists of partitions beside them, and those that name the same partitions as ours."""
        is_alike = (F.size("only_kafka") == 0) & (F.col("only_ours_count") == 0)
        return collect_one(
            self.since("gold.imbalance_check", "checked_at", since).agg(
                F.count("*").alias("said"),
                F.count_if("is_equal").alias("equal"),
                F.count_if(F.col("is_equal").isNull()).alias("undecided"),
                F.count_if("is_stale").alias("stale"),
                F.count("listed_count").alias("lists"),
                F.count_if(is_alike).alias("lists_alike"),
            )
        )

    def elections(self, since: datetime | None) -> Row:
        """Leaders that controllers gave partitions: how many, and of how many no line tells whether the
        leader was in the ISR."""
        elections = self.since("gold.leader_election", "elected_at", since)
        chosen = elections.where("outcome = 'done' AND kind <> 'isr_removal'")
        return collect_one(
            chosen.agg(
                F.count("*").alias("chosen"),
                F.count_if(F.col("is_clean").isNull() & (F.col("leader") >= 0)).alias("undecided"),
            )
        )

    def odd_moves(self, limit: int, since: datetime | None) -> list[Row]:
        """Illegal and refused moves in order of time, the illegal first."""
        moves = self.since("gold.transition_audit", "logged_at", since)
        odd = moves.where("verdict IN ('illegal', 'refused')")
        return collect_rows(odd.orderBy("verdict", "logged_at", "byte_offset").limit(limit))

    def level(self) -> Row | None:
        """Of the newest term: whether state.change.logger wrote at TRACE, and the release of its replica machine."""
        newest = self.table("silver.term").orderBy(F.col("last_seen_at").desc()).limit(1)
        rows = collect_rows(
            newest.select(F.col("is_trace_seen").alias("is_trace"), F.col("replica_machine").alias("machine"))
        )
        return rows[0] if rows else None

    def lines(self, places: Sequence[Row]) -> dict[tuple[str, int], Row]:
        """By (file_id, byte_offset): path, line number from 1, raw bytes. Lines are counted in the whole file."""
        if not places:
            return {}
        wanted = {(one["file_id"], int(one["byte_offset"])) for one in places}
        asked = self.store.spark.createDataFrame(sorted(wanted), "file_id string, place long")
        of_these = F.col("file_id").isin(sorted({one[0] for one in wanted}))
        segments = self.table("bronze.source_file").where(of_these)
        # By these Delta leaves out the files of other nights; what a file_id is tells nothing of the place.
        load_seqs = [row["load_seq"] for row in collect_rows(segments.select("load_seq"))]
        records = self.table("bronze.log_record").where(is_among(load_seqs) & of_these)
        paths = segments.groupBy("file_id").agg(F.max_by("path", "load_seq").alias("path"))
        # The others are only counted; their bytes would be put together for nothing.
        raw = F.when(F.col("byte_offset").isin(sorted({one[1] for one in wanted})), F.col("raw"))
        found = (
            records.select("file_id", "byte_offset", "line_count", raw.alias("raw"))
            .join(F.broadcast(asked), on="file_id", how="inner")
            .where("byte_offset <= place")
            .groupBy("file_id", "place")
            .agg(
                (
                    F.sum(F.when(F.col("byte_offset") < F.col("place"), F.col("line_count")).otherwise(0)) + 1
                ).alias("line"),
                F.max(F.when(F.col("byte_offset") == F.col("place"), F.col("raw"))).alias("raw"),
            )
            .join(F.broadcast(paths), on="file_id", how="left")
        )
        return {(row["file_id"], row["place"]): row for row in collect_rows(found)}


def holds(at: Column | None) -> Column:
    """The interval of a row holds at a time; at the end of the data if none is given."""
    if at is None:
        return F.col("valid_until_at").isNull()
    return (F.col("valid_from_at") <= at) & (
        F.col("valid_until_at").isNull() | (at < F.col("valid_until_at"))
    )
