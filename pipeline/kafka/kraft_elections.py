"""Changes of leaders in KRaft mode: what the metadata log did to a partition, by which decision of the controller."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.kraft_choosing import is_unclean, with_choice, with_verdict
from pipeline.kafka.kraft_marks import with_marks
from pipeline.kafka.kraft_offices import kraft_offices, unseen_of
from pipeline.kafka.statements import PARTITION
from schemas.silver.log_gap import LINES_MISSING

# Partitions that a topic is given so long after its first one were added.
ADDED_AFTER_MS = 60_000
NEVER = "9999-12-31"
LAST_KNOWN = "LAST_KNOWN_LEADER"
BY_BROKER = ("controlled shutdown", "broker failure", "log-dir failure")
KIND_OF_TRIGGER = {
    "topic creation": "init",
    "partitions added": "init",
    "broker failure": "offline",
    "broker start": "offline",
    "log-dir failure": "offline",
    "controlled shutdown": "controlled_shutdown",
    "reassignment": "reassign",
    "automatic rebalance": "preferred",
    "preferred election by tool": "preferred",
}
# PartitionChangeBuilder.Election
SELECTOR_OF_KIND = {
    "offline": "ONLINE",
    "controlled_shutdown": "ONLINE",
    "reassign": "ONLINE",
    "preferred": "PREFERRED",
    "offline_admin_unclean": "UNCLEAN",
}


def kraft_elections(
    partition_timeline: DataFrame,
    broker_absence: DataFrame,
    broker_event: DataFrame,
    election_event: DataFrame,
    reassignment_event: DataFrame,
    term: DataFrame,
    log_gap: DataFrame,
) -> DataFrame:
    """One row per change of a leader in the timeline of partitions in KRaft mode, with the columns of
    gold.leader_election that the mode knows; partition_timeline may begin anywhere.

    elected_at: the first line of any node about the change, or about the decision that it is put down to. Which one
    that is: see with_trigger; Kafka names none but by what it prints before.
    Source: ReplicationControlManager.generateLeaderAndIsrUpdates, PartitionChangeBuilder.electLeader, from 3.0.
    """
    return (
        partition_timeline.where("topic_id IS NOT NULL")
        .transform(changes_of_leader)
        .transform(with_marks, broker_event, election_event, reassignment_event, term)
        .transform(with_out, broker_absence, term)
        .transform(with_office, term, log_gap)
        .transform(with_trigger)
        .transform(with_kind)
        .transform(with_choice)
        .transform(with_verdict)
        .transform(with_names)
    )


def changes_of_leader(intervals: DataFrame) -> DataFrame:
    """Intervals that begin with another leader or with more than one leader epoch more, and the first of new
    partitions; before: the interval before. The leader epoch that was known last names the same election, whatever
    is not known in between."""
    order = Window.partitionBy(*PARTITION).orderBy("interval_seq")
    until_then = order.rowsBetween(Window.unboundedPreceding, -1)
    told = F.when(F.col("leader").isNotNull(), F.col("leader_epoch"))
    whole_topic = Window.partitionBy("cluster_id", "topic_id")
    isr = F.when(~F.col("is_isr_stale"), F.col("isr")).alias("isr")
    its = ("leader", "leader_epoch", isr, "partition_epoch", "valid_from_at")
    before = F.col("before")
    is_born = before.isNull() & (F.col("interval_seq") == 1) & (F.col("partition_epoch") == 0)
    is_other = ~F.col("leader").eqNullSafe(before["leader"])
    is_again = F.coalesce(F.col("leader_epoch") > before["leader_epoch"] + 1, F.lit(False))
    is_known = F.coalesce(F.col("leader_epoch") <= F.col("last_epoch"), F.lit(False))
    is_next = F.coalesce(F.col("partition_epoch") == before["partition_epoch"] + 1, F.lit(False))
    return (
        intervals.withColumn("before", F.lag(F.struct(*its)).over(order))
        .withColumn("last_epoch", F.last(told, ignorenulls=True).over(until_then))
        .withColumn("topic_from_at", F.min("valid_from_at").over(whole_topic))
        .withColumn("is_born", is_born)
        .where("leader IS NOT NULL")
        .where(F.col("is_born") | (before.isNotNull() & (is_other | is_again) & ~is_known))
        .withColumn("is_next", F.col("is_born") | is_next)
        .withColumn(
            "missing_epochs",
            F.when(F.col("is_born"), 0).otherwise(F.col("leader_epoch") - F.col("last_epoch") - 1),
        )
        .drop("last_epoch")
    )


def with_out(found: DataFrame, broker_absence: DataFrame, term: DataFrame) -> DataFrame:
    """out: brokers that were out of service by then, by the decisions of controllers in office; is_out_known: since the
    last term of which no line was read there was a decision about each replica."""
    spans = broker_absence.groupBy("cluster_id").agg(
        F.collect_list(F.struct("broker_id", "out_at", "back_at")).alias("absences")
    )
    missing = term.transform(kraft_offices).transform(unseen_of)
    at = F.col("valid_from_at")

    def is_out(one: Column) -> Column:
        return (one["out_at"] <= at) & (one["back_at"].isNull() | (one["back_at"] > at))

    def is_unknown(broker: Column) -> Column:
        def is_told(one: Column) -> Column:
            decided_at = F.when(one["back_at"] <= at, one["back_at"]).otherwise(one["out_at"])
            told = (one["broker_id"] == broker) & (decided_at >= F.col("read_from_at")) & (decided_at <= at)
            return F.coalesce(told, F.lit(False))

        return ~F.coalesce(F.exists("absences", is_told), F.lit(False))

    out = F.transform(F.filter("absences", is_out), lambda one: one["broker_id"])
    before = F.filter("unseen", lambda one: one["from_at"] <= at)
    is_missed = F.coalesce(F.size(before) > 0, F.lit(False))
    read_from_at = F.array_max(
        F.transform(before, lambda one: F.coalesce(one["next_at"], F.lit(NEVER).cast("timestamp")))
    )
    is_unsure = F.coalesce(F.exists("replicas", is_unknown), F.lit(True))
    return (
        found.join(F.broadcast(spans), on="cluster_id", how="left")
        .join(F.broadcast(missing), on="cluster_id", how="left")
        .withColumn("out", F.coalesce(F.array_distinct(out), F.array().cast("array<int>")))
        .withColumn("read_from_at", read_from_at)
        .withColumn("is_out_known", ~(is_missed & is_unsure))
        .drop("absences", "unseen", "read_from_at")
    )


def with_office(found: DataFrame, term: DataFrame, log_gap: DataFrame) -> DataFrame:
    """is_office_read: the controller in office wrote controller.log and no line of it is known to be missing by then:
    it prints every unclean election, so that where no line says so there was none."""
    told = term.where("elected_at IS NOT NULL").select("cluster_id", "term_id", "controller_id")
    is_of_controller = F.coalesce(F.col("log") != "state-change", F.lit(True))
    gaps = (
        log_gap.where(F.col("kind").isin(*LINES_MISSING) & is_of_controller)
        .groupBy("cluster_id", F.col("node_id").alias("controller_id"))
        .agg(F.min(F.coalesce("from_at", "until_at")).alias("missing_from_at"))
    )
    is_whole = F.coalesce(F.col("missing_from_at") > F.col("valid_from_at"), F.lit(True))
    return (
        found.join(F.broadcast(told), on=["cluster_id", "term_id"], how="left")
        .join(F.broadcast(gaps), on=["cluster_id", "controller_id"], how="left")
        .withColumn("is_office_read", F.col("controller_id").isNotNull() & is_whole)
    )


def with_trigger(found: DataFrame) -> DataFrame:
    """trigger: what the controller was doing, in this order: it let the leader shut down or fenced it, or its log
    directory failed; a reassignment of the partition ended; a broker came back for which it waited; it balanced
    leaders; an admin asked. mark: the line of the decision.

    Who is let go, fenced or moved out leaves the ISR with it, but for the last one. An admin's request for preferred
    leaders prints nothing: it is what is left where a controller prints its own runs (from 3.9).
    """
    leader, old = F.col("leader"), F.col("before.leader")
    was_led, had_none = (F.coalesce(one, F.lit(False)) for one in (old >= 0, old < 0))
    # Of a leader whose logs are missing the other replicas print no ISR.
    is_printed = F.col("partition_epoch").isNotNull()
    is_unsure = was_led & (leader >= 0) & F.col("isr").isNull() & is_printed & F.col("left").isNotNull()
    is_out = was_led & ((leader < 0) | ~F.coalesce(F.array_contains("isr", old), is_printed))
    is_moved_out = is_out & (F.col("moved").isNotNull() | (F.col("isr").isNotNull() & (leader >= 0)))
    is_added = F.unix_millis("valid_from_at") - F.unix_millis("topic_from_at") > ADDED_AFTER_MS
    by_broker = (
        F.when(F.col("left.step").isin("controlled_shutdown_granted", "shutdown_granted"), "controlled shutdown")
        .when(F.col("left.step") == "log_dir_failed", "log-dir failure")
        .otherwise("broker failure")
    )  # fmt: skip
    trigger = (
        F.when(F.col("is_born"), F.when(is_added, "partitions added").otherwise("topic creation"))
        .when(is_unsure, "unknown")
        .when(is_out & F.col("left").isNotNull(), by_broker)
        .when(is_moved_out, "reassignment")
        .when(had_none & F.col("back").isNotNull(), "broker start")
        .when(is_unclean(), "unclean election")
        .when(is_headed() & F.col("run").isNotNull(), "automatic rebalance")
        .when(is_headed() & F.col("are_runs_told"), "preferred election by tool")
        .otherwise("unknown")
    )
    mark = (
        F.when(F.col("trigger").isin(*BY_BROKER), F.col("left"))
        .when(F.col("trigger") == "reassignment", F.col("moved"))
        .when(F.col("trigger") == "broker start", F.col("back"))
        .when(F.col("trigger") == "automatic rebalance", F.col("run"))
    )
    return found.withColumn("trigger", trigger).withColumn("mark", mark)


def is_headed() -> Column:
    """The head of the assignment takes over from another leader."""
    leader, old = F.col("leader"), F.col("before.leader")
    return F.coalesce((old >= 0) & (old != leader) & (leader == F.get("replicas", F.lit(0))), F.lit(False))


def with_kind(found: DataFrame) -> DataFrame:
    """Up to 3.8 nothing tells who asked for preferred leaders (a leader that stays in the ISR was not let go); an
    unclean election that no broker brought about was.
    Where lines of the controller are missing only the creation is known."""
    of_trigger = F.create_map(*(F.lit(one) for pair in KIND_OF_TRIGGER.items() for one in pair))
    is_last_known = F.coalesce(F.col("said.selector") == LAST_KNOWN, F.lit(False))
    stays = F.coalesce(F.array_contains("isr", F.col("before.leader")), F.lit(False))
    kind = (
        F.when((F.col("trigger") == "unclean election") & is_last_known, "offline")
        .when(F.col("trigger") == "unclean election", "offline_admin_unclean")
        .when((F.col("trigger") == "unknown") & is_headed() & stays, "preferred")
        .otherwise(F.coalesce(of_trigger[F.col("trigger")], F.lit("unknown")))
    )  # fmt: skip
    kind = F.when(F.col("is_office_read") | F.col("is_born"), kind).otherwise("unknown")
    of_kind = F.create_map(*(F.lit(one) for pair in SELECTOR_OF_KIND.items() for one in pair))
    by_kind = F.when(is_unclean(), "UNCLEAN").otherwise(of_kind[F.col("kind")])
    return found.withColumn("kind", kind).withColumn("selector", F.coalesce("said.selector", by_kind))


def with_names(found: DataFrame) -> DataFrame:
    """The columns of gold.leader_election; its line is the one with which the interval begins."""
    own = F.col("evidence")[0]
    lines = F.concat(
        F.coalesce("said.lines", F.array().cast("array<struct<file_id: string, byte_offset: bigint>>")),
        F.array("mark.line"),
        "evidence",
    )
    return found.withColumns(
        {
            "elected_at": F.least("valid_from_at", "mark.at", "said.at"),
            "old_leader": F.col("before.leader"),
            "is_isr_before_certain": F.when(F.col("isr_before").isNotNull(), F.lit(True)),
            "outcome": F.lit("done"),
            "file_id": own["file_id"],
            "byte_offset": own["byte_offset"],
            "evidence": F.array_distinct(F.array_compact(lines)),
        }
    )
