"""Terms of controllers, from the lines that elect them and the lines that name them."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.heard_terms import heard_terms
from pipeline.kafka.machines import machine_of_release
from pipeline.kafka.stale_claims import without_stale_claims
from pipeline.kafka.unelected_terms import is_told, is_trace_seen, unelected, with_next_life
from schemas.silver.term import SPEC

ELECTIONS = ("controller_elected", "controller_epoch_incremented", "controller_active")
BEFORE_THE_EPOCH = ("controller_elected", "controller_failover_started")
KRAFT_ELECTION = "controller_active"
# These name an epoch that is not that of the controller they name.
ISR_TOLD, ISR_WRITTEN = (
    ("alter_partition_updating", "alter_partition_updated"),
    ("isr_notification_metadata",),
)
OF_ANOTHER_EPOCH = ("controller_epoch_read", "broker_become_follower_leader_unavailable")


def build(controller_event: DataFrame, wording_seen: DataFrame, release_span: DataFrame) -> DataFrame:
    """One row per term: elected by a line of controller.log, else inferred from lines that name it, in KRaft those of
    other controllers.

    Elected: by the line that says so; up to 2.0 it has no epoch, the next line of that node with one gives it.
    Life: an epoch that is elected a second time, or epoch 1 after others, begins another life of the metadata.
    Reads no log line: all inputs are small.
    Source: KafkaController.elect, 0.8.2 to 3.9; QuorumController.claim, from 2.8.
    """
    named = (
        wording_seen.where("event IS NOT NULL AND first_at IS NOT NULL")
        .where("controller_id IS NOT NULL AND controller_epoch IS NOT NULL")
        .where(is_own_epoch())
    )
    elected = controller_event.transform(without_stale_claims).transform(elections).transform(with_life)
    sights = named.transform(with_next_life, elected)
    seen = elected.transform(with_sights, sights.where("next_life IS NULL"))
    unseen = unelected(sights, elected).unionByName(heard_terms(controller_event, elected))
    terms = seen.unionByName(unseen).transform(one_each)
    return (
        terms.transform(with_machine, release_span)
        .transform(with_isr_told, wording_seen)
        .select(*SPEC.columns)
    )


def elections(controller_event: DataFrame) -> DataFrame:
    """First line of each election; the same line in a second file counts once."""
    lines = (
        controller_event.where(F.col("event").isin(*ELECTIONS, *BEFORE_THE_EPOCH))
        .where("controller_id IS NOT NULL")
        .groupBy("cluster_id", "controller_id", "logged_at", "event", "controller_epoch")
        .agg(F.min(F.struct("file_id", "byte_offset")).alias("line"))
        .withColumn("opening", F.struct("logged_at", "line"))
    )
    order = Window.partitionBy("cluster_id", "controller_id").orderBy("logged_at", "event")
    earlier = order.rowsBetween(Window.unboundedPreceding, -1)
    of_run = Window.partitionBy("cluster_id", "controller_id", "epochs_before")
    openings = [F.max(F.when(is_without_epoch(event), F.col("opening"))) for event in BEFORE_THE_EPOCH]
    mode = F.when(F.col("event") == KRAFT_ELECTION, "kraft").otherwise("zookeeper")
    return (
        lines.withColumn("epochs_before", F.count("controller_epoch").over(earlier))
        .withColumn("first", F.coalesce(*(one.over(of_run) for one in openings), "opening"))
        .where("controller_epoch IS NOT NULL")
        .select(
            "cluster_id",
            "controller_id",
            "controller_epoch",
            "first.line",
            mode.alias("mode"),
            "first.logged_at",
        )
        .withColumnRenamed("logged_at", "elected_at")
    )


def is_own_epoch() -> Column:
    """Whether a line with controller and epoch says that this controller has it; KRaft nodes tell all they hear."""
    is_kraft = F.coalesce(F.col("logger").startswith("org.apache.kafka."), F.lit(False))
    return (F.col("event") == KRAFT_ELECTION) | ~(is_kraft | F.col("event").isin(*OF_ANOTHER_EPOCH))


def is_without_epoch(event: str) -> Column:
    return (F.col("event") == event) & F.col("controller_epoch").isNull()


def with_life(elected: DataFrame) -> DataFrame:
    """Life and term_id. The lives of a KRaft quorum follow those in ZooKeeper, beside which it starts to migrate."""
    order = (F.col("elected_at"), F.col("controller_epoch"), F.col("controller_id"))
    of_mode = Window.partitionBy("cluster_id", "mode")
    until_now = of_mode.orderBy(*order).rowsBetween(Window.unboundedPreceding, 0)
    same_epoch = Window.partitionBy("cluster_id", "mode", "controller_epoch").orderBy(*order)
    same_term = Window.partitionBy("cluster_id", "controller_epoch", "controller_id").orderBy(*order)
    is_restart = (F.col("controller_epoch") == 1) & (F.row_number().over(until_now) > 1)
    in_zookeeper = F.max(F.when(F.col("mode") == "zookeeper", F.col("own_life")))
    lives_before = F.when(F.col("mode") == "kraft", in_zookeeper.over(Window.partitionBy("cluster_id")))
    return (
        elected.withColumn("occurrence", F.row_number().over(same_epoch))
        .withColumn("restarts", F.sum(is_restart.cast("int")).over(until_now))
        .withColumn("own_life", F.max(F.greatest("occurrence", F.col("restarts") + 1)).over(until_now))
        .withColumn("life", F.col("own_life") + F.coalesce(lives_before, F.lit(0)))
        .withColumn("term_id", F.concat_ws("-", "life", "controller_epoch"))
        .withColumn("reused_at", F.lead("elected_at").over(same_term))
        .drop("occurrence", "restarts", "own_life")
    )


def with_sights(elected: DataFrame, named: DataFrame) -> DataFrame:
    """Last line that names the term before another life uses its numbers again."""
    is_same = (
        (F.col("e.cluster_id") == F.col("n.cluster_id"))
        & (F.col("e.controller_id") == F.col("n.controller_id"))
        & (F.col("e.controller_epoch") == F.col("n.controller_epoch"))
        & (F.col("n.last_at") >= F.col("e.elected_at"))
        & (F.col("e.reused_at").isNull() | (F.col("n.first_at") < F.col("e.reused_at")))
    )
    return (
        named.alias("n")
        .join(F.broadcast(elected).alias("e"), is_same, how="inner")
        .groupBy("e.cluster_id", "e.term_id")
        .agg(
            *(
                F.first(f"e.{name}").alias(name)
                for name in ("life", "controller_id", "controller_epoch", "mode", "elected_at", "line")
            ),
            F.max(F.least("n.last_at", "e.reused_at")).alias("last_seen_at"),
            F.max(F.when(is_told("n."), F.least("n.last_at", "e.reused_at"))).alias("told_until_at"),
            is_trace_seen("n."),
        )
        .select(
            "*",
            F.col("elected_at").alias("first_seen_at"),
            F.col("elected_at").alias("told_from_at"),
            F.lit("proved").alias("certainty"),
            "line.file_id",
            "line.byte_offset",
        )
    )


def one_each(terms: DataFrame) -> DataFrame:
    """Of several controllers that lines give one epoch of one life, the elected one, else the first one seen."""
    same = Window.partitionBy("cluster_id", "term_id")
    order = same.orderBy(F.col("elected_at").isNull(), "first_seen_at", "controller_id")
    return terms.withColumn("place", F.row_number().over(order)).where("place = 1")


def with_isr_told(terms: DataFrame, wording_seen: DataFrame) -> DataFrame:
    """is_isr_told: the controller prints changes of ISR that leaders ask for, and no notification that they wrote
    one themselves (inter-broker protocol below 2.7)."""
    signs = wording_seen.where(F.col("event").isin(*ISR_TOLD, *ISR_WRITTEN)).select(
        "cluster_id", "node_id", "first_at", "last_at", F.col("event").isin(*ISR_TOLD).alias("is_told")
    )
    is_its_own = (
        (F.col("s.cluster_id") == F.col("t.cluster_id"))
        & (F.col("s.node_id") == F.col("t.controller_id"))
        & (F.col("s.last_at") >= F.col("t.first_seen_at"))
        & (F.col("s.first_at") <= F.col("t.last_seen_at"))
    )
    told = (
        signs.alias("s")
        .join(F.broadcast(terms).alias("t"), is_its_own, how="inner")
        .groupBy("t.cluster_id", "t.term_id")
        .agg(F.bool_and("is_told").alias("is_isr_told"))
    )
    return terms.join(told, on=["cluster_id", "term_id"], how="left").withColumn(
        "is_isr_told", F.coalesce("is_isr_told", F.lit(False))
    )


def with_machine(terms: DataFrame, release_span: DataFrame) -> DataFrame:
    """replica_machine: the one that all releases have which the controller may have run during the term."""
    is_its_own = (
        (F.col("s.cluster_id") == F.col("t.cluster_id"))
        & (F.col("s.node_id") == F.col("t.controller_id"))
        & (F.col("s.valid_until_at") > F.col("t.first_seen_at"))
        & (F.col("s.valid_from_at") <= F.col("t.last_seen_at"))
    )
    of_release = F.create_map(*(F.lit(one) for pair in machine_of_release().items() for one in pair))
    machines = F.array_distinct(F.transform("s.releases", lambda one: of_release[one]))
    found = (
        terms.alias("t")
        .join(F.broadcast(release_span).alias("s"), is_its_own, how="inner")
        .select("t.cluster_id", "t.term_id", F.explode(machines).alias("machine"))
        .groupBy("cluster_id", "term_id")
        .agg(F.min("machine").alias("least"), F.max("machine").alias("most"))
    )
    one = F.when(F.col("least") == F.col("most"), F.col("least"))
    return terms.join(found, on=["cluster_id", "term_id"], how="left").withColumn("replica_machine", one)
