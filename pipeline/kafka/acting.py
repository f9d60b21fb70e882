"""Which lines a controller writes about its own acts."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


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
