"""Stretches of time in which partitions had no leader that serves them, and by which event."""

from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.core.intervals import open_end, with_island
from pipeline.kafka.departures import AT_STARTUP
from pipeline.kafka.statements import PARTITION
from pipeline.kafka.unled import absences, leaderless, left_alone, with_following
from pipeline.kafka.unserved import UNSAID, with_bounds
from schemas.gold.partition_outage import SPEC

LINE = ("cluster_id", "file_id", "byte_offset")
DEPARTURES = {
    "controlled": "broker failure",
    "uncontrolled": "broker failure",
    "bounced": "broker bounced",
    AT_STARTUP: "controller start-up",
    UNSAID: "unknown",
}


def build(
    partition_timeline: DataFrame,
    broker_session: DataFrame,
    broker_absence: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    session_limit: DataFrame,
    outage_before: DataFrame,
    cut: datetime | None,
) -> DataFrame:
    """One row per outage of one partition: those that go on at the cut or begin later.

    Without a leader: Offline, leader -1, or New beyond the controller's act that created it; and led by a broker that
    no controller in office lists as live: up to 2.2 a partition goes on naming its dead leader, and from 2.6 on its
    move to Offline is not printed at the level as shipped. What a deletion does is no outage. In KRaft the decision
    that took the leader out of service is the root, where the timeline rests on it.
    session_limit: see pipeline.kafka.unserved. outage_before: rows of this table that
    begin before the cut and reach it. broker_session: all of it.
    """
    intervals = partition_timeline.transform(with_following)
    in_zookeeper = intervals.where("topic_id IS NULL")
    absent = absences(in_zookeeper, broker_session.where("mode = 'zookeeper'"))
    found = (
        leaderless(intervals)
        .unionByName(left_alone(in_zookeeper, absent), allowMissingColumns=True)
        .transform(from_the_cut, cut)
        .unionByName(seeds(outage_before, cut), allowMissingColumns=True)
    )
    return (
        found.transform(outages)
        .transform(with_root, controller_line)
        .transform(with_fence, broker_absence)
        .transform(with_bounds, term, session_limit)
        .select(*SPEC.columns)
    )


def from_the_cut(pieces: DataFrame, cut: datetime | None) -> DataFrame:
    """What of the pieces is not before the cut: the rows before it have the rest."""
    if cut is None:
        return pieces
    at = F.lit(cut)
    return pieces.where(F.col("until_at").isNull() | (F.col("until_at") >= at)).withColumn(
        "from_at", F.greatest("from_at", at)
    )


def seeds(outage_before: DataFrame, cut: datetime | None) -> DataFrame:
    """Outages that reach the cut as pieces up to it, with what is known of their begin."""
    known = ("root_event", "root_broker_id", "root_left_how", "old_leader", "term_id")
    return outage_before.where(F.col("noticed_at") < F.lit(cut).cast("timestamp")).select(
        *PARTITION, *known, F.col("noticed_at").alias("from_at"), F.lit(cut).cast("timestamp").alias("until_at"),
        F.col("evidence")[0].alias("line"), (F.col("root_broker_id").isNotNull()).alias("is_absent"),
        F.lit("seed").alias("ending"), (F.col("certainty") == "undetermined").alias("is_in_doubt"),
    )  # fmt: skip


def outages(pieces: DataFrame) -> DataFrame:
    """Pieces that touch are one outage: it begins as its first and ends as its last one."""
    begin = (
        "from_at",
        "line",
        "term_id",
        "old_leader",
        "is_absent",
        "root_event",
        "root_broker_id",
        "root_left_how",
    )
    first = F.min_by(F.struct(*begin), F.struct("from_at", ~F.col("is_absent"), open_end()))
    is_seed = F.col("ending") == "seed"
    last = F.max_by(
        F.struct("until_at", "ending", "new_leader", "root_broker_id", "ending_line"),
        F.struct(open_end(), F.coalesce(~is_seed, F.lit(True)), ~F.col("is_absent")),
    )
    return (
        pieces.transform(with_island, PARTITION)
        .groupBy(*PARTITION, "island")
        .agg(first.alias("first"), last.alias("last"), F.bool_or("is_in_doubt").alias("is_in_doubt"))
        .select(
            *PARTITION, "first.*", "is_in_doubt", F.col("last.until_at").alias("ended_at"),
            F.col("last.ending").alias("ended_how"),
            F.when(F.col("last.ending") == "leader_returned", F.col("last.root_broker_id"))
            .otherwise(F.col("last.new_leader")).alias("new_leader"), "last.ending_line",
        )
        .withColumnRenamed("from_at", "noticed_at")
    )  # fmt: skip


def with_root(found: DataFrame, controller_line: DataFrame) -> DataFrame:
    """root_event: how the broker left that led it, else the cause of the line with which it begins."""
    causes = controller_line.select(*LINE, "cause")
    departure = F.create_map(*(F.lit(one) for pair in DEPARTURES.items() for one in pair))[
        F.col("root_left_how")
    ]
    placed = found.withColumns({"file_id": F.col("line.file_id"), "byte_offset": F.col("line.byte_offset")})
    return (
        placed.join(causes, on=[*LINE], how="left")
        .withColumn("root_event", F.coalesce("root_event", departure, "cause", F.lit("unknown")))
        .withColumn(
            "certainty",
            F.when(F.col("is_in_doubt"), "undetermined")
            .when(F.col("is_absent"), "inferred")
            .otherwise("proved"),
        )
        .withColumn("evidence", F.array_compact(F.array("line", "ending_line")))
    )


def with_fence(found: DataFrame, broker_absence: DataFrame) -> DataFrame:
    """The root of an outage that begins with a decision of a KRaft controller about its leader, or about the last
    replica in sync, which led unsaid."""
    decided = broker_absence.select(
        *LINE, F.col("broker_id").alias("fenced_id"),
        F.when(F.col("is_fence"), "uncontrolled").otherwise("controlled").alias("fenced_how"),
    )  # fmt: skip
    is_fenced = F.col("fenced_how").isNotNull()
    root = {
        "root_broker_id": F.coalesce("fenced_id", "root_broker_id"),
        "root_left_how": F.coalesce("fenced_how", "root_left_how"),
        "root_event": F.when(is_fenced, DEPARTURES["uncontrolled"]).otherwise(F.col("root_event")),
        "certainty": F.when(is_fenced, "inferred").otherwise(F.col("certainty")),
    }
    return found.join(F.broadcast(decided), on=[*LINE], how="left").withColumns(root)
