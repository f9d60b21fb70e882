"""Brokers that a controller can choose from: live ones and those that shut down, as it listed them last."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.term_view import TERM

LINE = ("cluster_id", "file_id", "byte_offset")
LIVE = ("controller_live_brokers", "broker_change")
SHUTTING = ("controller_shutting_brokers", "controlled_shutdown_shutting_brokers")
GONE = "broker_failure"
ASKED = "preferred_election_started"
STEPS = {"live": LIVE, "shutting_down": SHUTTING, "failure_handled": (GONE,)}


def with_candidates(asked: DataFrame, broker_event: DataFrame, controller_line: DataFrame) -> DataFrame:
    """Adds live_brokers and shutting_down_brokers, null where none were listed in the term, and admin_seq: place of
    the last line with which a tool asked for unclean elections.

    asked: (TERM, seq, ...), its rows have is_asked. A broker that failed shuts down no more.
    Source: ControllerContext, KafkaController.doControlledShutdown, onBrokerFailure, 0.8.2 to 3.9.
    """
    of_term = Window.partitionBy(*TERM).orderBy("seq")
    until_now = of_term.rowsBetween(Window.unboundedPreceding, 0)
    of_list = Window.partitionBy(*TERM, "list_number").orderBy("seq")
    since = F.array_distinct(F.flatten(F.collect_set("failure_handled").over(of_list)))
    return (
        asked.unionByName(lists(broker_event, controller_line), allowMissingColumns=True)
        .withColumn("list_number", F.count("shutting_down").over(until_now))
        .withColumn("gone", since)
        .withColumns(
            {
                "live_brokers": F.last("live", ignorenulls=True).over(until_now),
                "shutting_down_brokers": F.array_sort(
                    F.array_except(F.last("shutting_down", ignorenulls=True).over(until_now), "gone")
                ),
                "admin_seq": F.last("unclean_seq", ignorenulls=True).over(until_now),
            }
        )
        .where("is_asked")
        .drop("list_number", "gone", "unclean_seq", *STEPS)
    )


def lists(broker_event: DataFrame, controller_line: DataFrame) -> DataFrame:
    """(TERM, seq, live, shutting_down, failure_handled, unclean_seq): what a line lists, null what it does not."""
    events = [event for some in STEPS.values() for event in some]
    named = (
        broker_event.where(F.col("event").isin(*events))
        .groupBy(*LINE)
        .agg(
            *(F.sort_array(F.collect_set(of_step(step))).alias(f"{step}_ids") for step in STEPS),
            F.bool_or(F.col("broker_id").isNull()).alias("is_unread"),
        )
    )
    is_unclean = (F.col("event") == ASKED) & (F.col("cause") == "unclean election")
    none = F.array().cast("array<int>")
    return (
        controller_line.where(F.col("event").isin(*events) | is_unclean)
        .select(*LINE, *TERM[1:], "seq", "event", F.when(is_unclean, F.col("seq")).alias("unclean_seq"))
        .join(named, on=[*LINE], how="left")
        .select(
            *TERM,
            "seq",
            "unclean_seq",
            *(
                F.when(
                    F.col("event").isin(*some) & ~F.coalesce("is_unread", F.lit(False)),
                    F.coalesce(f"{step}_ids", none),
                ).alias(step)
                for step, some in STEPS.items()
            ),
        )
    )


def of_step(step: str) -> Column:
    return F.when(F.col("step") == step, F.col("broker_id"))
