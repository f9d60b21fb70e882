"""Holds each ratio that Kafka printed against the one of that controller's own view, and says what came of it."""

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.balancing import with_balancing
from pipeline.kafka.statements import known_before, statements
from pipeline.kafka.succession import with_terms
from pipeline.kafka.term_view import LISTING, TERM, counts_at, first_places, held, listed, sequence
from schemas.gold.imbalance_check import SPEC
from schemas.silver.log_gap import LINES_MISSING

LINE = ("cluster_id", "file_id", "byte_offset")
AUTOMATIC = "automatic rebalance"
ELECTION = "preferred_election_started"
CHECKING = (
    "imbalance_ratio",
    LISTING,
    "imbalance_check",
    "auto_preferred_election",
    ELECTION,
)
LISTS = ("controller_live_brokers", "broker_change", "controlled_shutdown_live_brokers")  # of live brokers
SIX_DECIMALS = r"^\d[.,]\d{6}$"  # up to 0.10.2; a Java double since


def build(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    imbalance_observation: DataFrame,
    leader_and_isr: DataFrame,
    partition_transition: DataFrame,
    assignment: DataFrame,
    topic_event: DataFrame,
    broker_event: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    log_gap: DataFrame,
    partition_timeline: DataFrame,
    balancing_setting: DataFrame,
    broker_setting: DataFrame,
    deletion_before: DataFrame,
    cut: datetime | None,
) -> DataFrame:
    """One row per ratio line; of a controller whose election was not seen it says no more than that.

    cut: the begin of a day before which no term began whose lines are given; deletion_before: (cluster_id, topic,
    deletions) completed before it; partition_timeline: what is open at the cut or begins later.

    The view of a term: the cluster-wide one (partition_timeline) at its first line, then its own lines alone.
    Unequal only where every term since the first was seen and no line is known to be missing.
    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9.
    """
    asked = imbalance_observation.join(checks(controller_line, assignment), on=[*LINE], how="left")
    checked = F.broadcast(asked.where("term_id IS NOT NULL").select(*TERM).distinct())
    in_zookeeper = partition_timeline.where("topic_id IS NULL")
    earlier = in_zookeeper.where(F.col("valid_from_at") < F.lit(cut).cast("timestamp"))
    given = (leader_and_isr, partition_transition, assignment, topic_event, controller_line, term)
    said = statements(*given, deletion_before, known_before(earlier), listed(assignment))
    cluster_wide, begins = sequence(in_zookeeper), term.transform(first_places)
    own = said.join(checked, on=[*TERM], how="left_semi")
    views = held(own, begins, cluster_wide, "listed_of").withColumn("is_moving", F.col("cause") == AUTOMATIC)
    return (
        counts_at(asked, views, begins, cluster_wide)
        .transform(with_ratio)
        .transform(with_terms, term)
        .transform(with_verdict, log_gap)
        .transform(with_limit, balancing_setting, broker_setting)
        .transform(with_live, broker_event, controller_line)
        .transform(with_follow_up)
        .select(*SPEC.columns)
    )


def checks(controller_line: DataFrame, assignment: DataFrame) -> DataFrame:
    """(LINE, term_id, seq, is_triggered, listing, listing_seq) of each ratio line: what follows it in the check is an
    election of the controller's own; what stands before it is its list of partitions led elsewhere, if it
    could be taken apart."""
    unread = assignment.where((F.col("event") == LISTING) & F.col("topic").isNull()).select(*LINE)
    of_term = Window.partitionBy(*TERM).orderBy("seq")
    is_own = (F.lead("event").over(of_term) == ELECTION) & (F.lead("cause").over(of_term) == AUTOMATIC)
    is_listed = F.lag("event").over(of_term) == LISTING
    listing = F.lag(F.struct("file_id", "byte_offset")).over(of_term)
    return (
        controller_line.where(F.col("event").isin(*CHECKING))
        .join(F.broadcast(unread), on=[*LINE], how="left_anti")
        .withColumn("is_triggered", F.coalesce(is_own, F.lit(False)))
        .withColumn("listing", F.when(is_listed, listing))
        .withColumn("listing_seq", F.when(is_listed, F.lag("seq").over(of_term)))
        .where("event = 'imbalance_ratio'")
        .select(*LINE, "term_id", "seq", "is_triggered", "listing", "listing_seq")
    )


def with_ratio(asked: DataFrame) -> DataFrame:
    ratio = F.when(F.col("preferred") > 0, F.col("elsewhere").cast("double") / F.col("preferred"))
    is_old = F.col("printed").rlike(SIX_DECIMALS)
    prints_same = F.format_string("%.6f", ratio) == F.replace("printed", F.lit(","), F.lit("."))
    counts = {
        "preferred_count": "preferred",
        "led_elsewhere_count": "elsewhere",
        "moved_count": "moved",
        "listed_count": "listed",
    }
    of_term = {name: F.when(F.col("term_id").isNotNull(), F.col(count)) for name, count in counts.items()}
    return asked.withColumns(
        of_term
        | {
            "imbalance_ratio": ratio,
            "only_ours_count": F.col("elsewhere") - F.col("agreed"),
            "is_same": F.coalesce((ratio == F.col("kafka_ratio")) | (is_old & prints_same), F.lit(False)),
        }
    )


def with_verdict(asked: DataFrame, log_gap: DataFrame) -> DataFrame:
    gaps = (
        log_gap.where(F.col("kind").isin(*LINES_MISSING))
        .groupBy("cluster_id")
        .agg(F.min(F.coalesce("from_at", "until_at")).alias("missing_from_at"))
    )
    is_missing = F.coalesce(F.col("missing_from_at") <= F.col("checked_at"), F.lit(False))
    is_whole = F.coalesce("is_whole", F.lit(False))
    reason = (
        F.when(F.col("term_id").isNull(), "term_unknown")
        .when(~F.col("is_same") & ~is_whole, "beginning_missing")
        .when(~F.col("is_same") & is_missing, "lines_missing")
    )
    is_stale = F.coalesce(F.col("superseded_at") < F.col("checked_at"), F.lit(False))
    certainty = F.when(F.col("reason").isNotNull(), "undetermined").otherwise("proved")
    return (
        asked.join(F.broadcast(gaps), on="cluster_id", how="left")
        .withColumn("reason", reason)
        .withColumn("is_equal", F.when(F.col("reason").isNull(), F.col("is_same")))
        .withColumn("is_stale", F.when(F.col("term_id").isNotNull(), is_stale))
        .withColumn("certainty", certainty)
        .withColumn("evidence", F.array_compact(F.array(F.struct("file_id", "byte_offset"), "listing")))
    )


def with_limit(asked: DataFrame, balancing_setting: DataFrame, broker_setting: DataFrame) -> DataFrame:
    """The limit is what the controller that checks goes by at that time."""
    limited = with_balancing(asked, "controller_id", balancing_setting, broker_setting, at="checked_at")
    is_over = F.coalesce(F.col("kafka_ratio") > F.col("threshold_ratio"), F.lit(False))
    return limited.withColumn("is_over", is_over)


def with_live(asked: DataFrame, broker_event: DataFrame, controller_line: DataFrame) -> DataFrame:
    """is_live: the broker is among those that the controller listed last; null where it listed none."""
    live = broker_event.where("step = 'live' AND broker_id IS NOT NULL").select(*LINE, "broker_id")
    placed = controller_line.where(F.col("event").isin(*LISTS)).select(*LINE, "term_id", "seq")
    lists = (
        live.join(placed, on=[*LINE], how="inner")
        .groupBy(*TERM, "seq")
        .agg(F.collect_set("broker_id").alias("live"))
    )
    until_now = Window.partitionBy(*TERM).orderBy("seq").rowsBetween(Window.unboundedPreceding, 0)
    return (
        asked.unionByName(lists, allowMissingColumns=True)
        .withColumn("live", F.last("live", ignorenulls=True).over(until_now))
        .where("kafka_ratio IS NOT NULL")
        .withColumn("is_live", F.array_contains("live", F.col("broker_id")))
    )


def with_follow_up(asked: DataFrame) -> DataFrame:
    follow_up: Column = (
        F.when(~F.col("is_over"), "none_needed")
        .when(F.col("term_id").isNull(), None)
        .when(F.col("is_stale"), "superseded")
        .when(F.col("moved_count") >= F.col("led_elsewhere_count"), "rebalanced")
        .when(F.col("moved_count") > 0, "partly_rebalanced")
        .when(~F.col("is_live"), "preferred_down")
        .otherwise("left")
    )
    return asked.withColumn("follow_up", follow_up)
