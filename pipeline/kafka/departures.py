"""What came before a broker left, and what its leaving did: requests to shut down, partitions that it led, handling.

Stays are few and dear to compute: what is put beside them is gathered by broker first, so that they are read once.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.kraft_offices import in_office, kraft_offices
from pipeline.kafka.statements import PARTITION
from pipeline.kafka.succession import unseen_stretches

BROKER = ("cluster_id", "broker_id")
STAY = (*BROKER, "joined_at")
ASKED = ("shutdown_requested", "controlled_shutdown_granted")
AT_STARTUP = "missing_at_startup"
END_OF_CHANGE, END_OF_STARTUP = "controller_broker_epochs", "partition_state_machine_started"
NOTICED = ("controller start-up", "broker start", "broker failure", "broker bounced", "unknown")
SOON_MS = 1_000  # lines of one event


def with_requests(stays: DataFrame, broker_event: DataFrame, term: DataFrame, seeds: DataFrame) -> DataFrame:
    """shutdown_requested_at: when the broker asked to be shut down, each attempt, in order; empty: it did not.

    In KRaft when it was granted. Source: KafkaController.shutdownBroker, doControlledShutdown;
    BrokerHeartbeatManager, from 2.8.
    """
    said = broker_event.where("said_by = 'decision' AND broker_id IS NOT NULL").where(
        F.col("step").isin(*ASKED)
    )
    asked = in_office(said, term).select(*BROKER, "at")
    before = seeds.select(*BROKER, F.explode("shutdown_requested_at").alias("at"))
    by_broker = (
        asked.unionByName(before)
        .groupBy(*BROKER)
        .agg(F.array_sort(F.collect_set("at")).alias("shutdown_requested_at"))
    )
    none = F.array().cast("array<timestamp>")
    own = F.filter(F.coalesce("shutdown_requested_at", none), is_within)
    return stays.join(F.broadcast(by_broker), on=[*BROKER], how="left").withColumn(
        "shutdown_requested_at", own
    )


def is_within(at: Column) -> Column:
    return (at >= F.col("joined_at")) & (F.col("left_at").isNull() | (at <= F.col("left_at")))


def with_epochs(stays: DataFrame, broker_event: DataFrame, seeds: DataFrame) -> DataFrame:
    """broker_epoch where the controller lists epochs (from 2.2): the first one that is listed in the stay, or just
    before the list of brokers with which a controller starts. Metadata that were wiped use epochs again."""
    listed = broker_event.where("step = 'epoch' AND broker_id IS NOT NULL").select(
        *BROKER, F.col("logged_at").alias("at"), "broker_epoch"
    )
    known = seeds.where("broker_epoch IS NOT NULL").select(
        *BROKER, F.col("joined_at").alias("at"), "broker_epoch"
    )
    epochs = (
        listed.unionByName(known)
        .groupBy(*BROKER)
        .agg(F.sort_array(F.collect_set(F.struct("at", "broker_epoch"))).alias("epochs"))
    )
    is_at_start = F.col("joined_how") == "listed_at_startup"
    before = F.make_dt_interval(secs=F.when(is_at_start, SOON_MS / 1000).otherwise(0.0))
    from_at = F.col("joined_at") - before
    own = F.filter(
        "epochs", lambda one: (one["at"] >= from_at) & is_within(F.greatest(one["at"], F.col("joined_at")))
    )
    return (
        stays.join(F.broadcast(epochs), on=[*BROKER], how="left")
        .withColumn("broker_epoch", F.get(own, F.lit(0))["broker_epoch"])
        .drop("epochs")
    )


def with_handled(stays: DataFrame, controller_line: DataFrame) -> DataFrame:
    """handled_until_at: the line that ends the controller's event which noticed that the broker left, where it prints
    one (from 2.2, and at its start), else the last line before the next event."""
    event = ("cluster_id", "left_term_id", "left_event_seq")

    def last(name: str) -> Column:
        return F.max(F.when(F.col("event") == name, F.col("ordered_at")))

    ends = (
        controller_line.where(F.col("cause").isin(*NOTICED) & (F.col("event_seq") > 0))
        .withColumnsRenamed({"term_id": "left_term_id", "event_seq": "left_event_seq"})
        .groupBy(*event)
        .agg(
            last(END_OF_CHANGE).alias("change_at"),
            last(END_OF_STARTUP).alias("startup_at"),
            F.max("ordered_at").alias("last_at"),
        )
    )
    its_end = F.when(F.col("left_how") == AT_STARTUP, F.col("startup_at")).otherwise(F.col("change_at"))
    return (
        stays.join(ends, on=[*event], how="left")
        .withColumn("handled_until_at", F.coalesce(its_end, "last_at"))
        .drop("change_at", "startup_at", "last_at")
    )


def with_led(stays: DataFrame, partition_timeline: DataFrame) -> DataFrame:
    """led_count: partitions that it led when it left; unmoved_count: of these the ones with more replicas, which a
    shutdown moves; led_before_count: partitions that it led when it first asked to be shut down. Null where the leader
    of a partition with a replica on it is in doubt then."""
    asked_at = F.get("shutdown_requested_at", F.lit(0))
    is_in_doubt = F.col("certainty") == "undetermined"
    replicas = F.coalesce("replicas", F.array().cast("array<int>"))
    either = F.array_compact(F.array_union(replicas, F.array("leader")))
    led = partition_timeline.where((F.col("leader") >= 0) | is_in_doubt).where("NOT is_deleting").select(
        "cluster_id", F.explode(F.when(is_in_doubt, either).otherwise(F.array("leader"))).alias("broker_id"),
        "valid_from_at", "valid_until_at", is_in_doubt.alias("is_in_doubt"),
        (F.coalesce(F.size("replicas"), F.lit(1)) > 1).alias("is_replicated"),
        F.struct(*PARTITION[1:]).alias("partition"),
    )  # fmt: skip
    at_left, at_asked = covers(F.col("left_at")), covers(F.col("asked_at"))
    counts = (
        known_count(at_left).alias("led_count"),
        known_count(at_left & F.col("is_replicated")).alias("unmoved_count"),
        known_count(at_asked).alias("led_before_count"),
    )
    own = [name for name in stays.columns if name not in STAY]
    kept = F.first(F.struct(*own)).alias("own")
    joined = (
        stays.withColumn("asked_at", asked_at)
        .join(led, on=[*BROKER], how="left")
        .groupBy(*STAY)
        .agg(kept, *counts)
        .select(*STAY, "own.*", "led_count", "unmoved_count", "led_before_count")
    )
    is_gone, has_asked = F.col("left_at").isNotNull(), F.size("shutdown_requested_at") > 0
    return joined.withColumns(
        {
            "led_count": F.when(is_gone, F.col("led_count")),
            "unmoved_count": F.when(is_gone, F.col("unmoved_count")),
            "led_before_count": F.when(has_asked, F.col("led_before_count")),
        }
    )


def covers(at: Column) -> Column:
    """An interval that ends with the event itself, too."""
    ends = F.col("valid_until_at").isNull() | (F.col("valid_until_at") >= at)
    return F.coalesce((F.col("valid_from_at") < at) & ends, F.lit(False))


def known_count(which: Column) -> Column:
    """Partitions: one may have two intervals at one instant. Null where one of them is in doubt."""
    counted = F.size(F.collect_set(F.when(which, F.col("partition")))).cast("long")
    return F.when(~F.coalesce(F.bool_or(which & F.col("is_in_doubt")), F.lit(False)), counted)


def with_torn(stays: DataFrame, term: DataFrame) -> DataFrame:
    """is_torn: lines of a controller are missing meanwhile: the broker may have asked it to be shut down, or have left
    and come back unseen."""
    in_zookeeper = term.transform(unseen_stretches).select(
        "cluster_id", F.lit("zookeeper").alias("mode"), "from_at", F.col("from_at").alias("next_at")
    )
    in_kraft = (
        term.transform(kraft_offices)
        .where("is_unseen")
        .select("cluster_id", F.lit("kraft").alias("mode"), "from_at", "next_at")
    )
    missing = (
        in_zookeeper.unionByName(in_kraft)
        .groupBy("cluster_id", "mode")
        .agg(F.collect_list(F.struct("from_at", "next_at")).alias("missing"))
    )

    def touches(one: Column) -> Column:
        is_before = one["next_at"] < F.col("joined_at")
        is_after = one["from_at"] > F.col("left_at")
        return ~F.coalesce(is_before, F.lit(False)) & ~F.coalesce(is_after, F.lit(False))

    return (
        stays.join(F.broadcast(missing), on=["cluster_id", "mode"], how="left")
        .withColumn("is_torn", F.coalesce(F.exists("missing", touches), F.lit(False)))
        .drop("missing")
    )


def with_cleanness(stays: DataFrame) -> DataFrame:
    """is_clean: it was let go, and nothing that another replica could lead was left to it. Of one that left
    while there was no controller only that it had asked is known, and nothing of a stay that may be several."""
    is_moved = F.col("unmoved_count") == 0
    has_asked = F.size("shutdown_requested_at") > 0
    is_clean = (
        F.when(F.col("left_how") == "controlled", is_moved)
        .when((F.col("left_how") == "uncontrolled") & ~F.col("is_torn"), F.lit(False))
        .when((F.col("left_how") == AT_STARTUP) & has_asked & is_moved & ~F.col("is_torn"), F.lit(True))
    )
    certainty = F.when(F.col("is_torn"), "undetermined").otherwise(F.col("certainty"))
    return stays.withColumns({"is_clean": is_clean, "certainty": certainty})
