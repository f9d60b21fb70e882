"""Which lines a controller writes about its own acts, and which brokers in KRaft mode write about the same."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.families import events_of

SEQ_BITS = 20  # of a place within a term: lines in one millisecond, a million


def by_controllers(log_record: DataFrame) -> DataFrame:
    """Lines of controller.log, and of state-change.log those that the controller of that node writes."""
    is_controller_log = F.col("log") == "controller"
    is_acting = (
        (F.col("log") == "state-change")
        & F.col("controller_id").isNotNull()
        & ~F.col("event").startswith("broker_")
        & (F.col("node_id").isNull() | (F.col("node_id") == F.col("controller_id")))
    )
    return log_record.where("event IS NOT NULL AND logged_at IS NOT NULL").where(
        is_controller_log | is_acting
    )


def about_partitions(log_record: DataFrame) -> DataFrame:
    """Lines that say what state a partition is in, in KRaft mode those of brokers above all."""
    return of_family(log_record, "partition_state")


def about_requests(log_record: DataFrame) -> DataFrame:
    """Lines about requests of controllers, those of brokers included."""
    return of_family(log_record, "control_request")


def of_family(log_record: DataFrame, family: str) -> DataFrame:
    is_of_it = F.col("event").isin(*sorted(events_of(family)))
    return log_record.where(is_of_it & F.col("logged_at").isNotNull())
