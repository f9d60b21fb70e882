"""Which lines a controller writes about its own acts."""

import polars as pl
from polars import col

# What ZooKeeper or a tool prints into the same file when it starts says nothing of the controller of the node.
OF_ANOTHER_PROCESS = "log4j_jmx_noise"
SEQ_BITS = 20  # of a place within a term: lines in one millisecond, a million


def by_controllers(log_record: pl.DataFrame) -> pl.DataFrame:
    """Lines of controller.log, and of state-change.log those that the controller of that node writes.

    Source: org.apache.log4j.jmx.AbstractDynamicMBean.preRegister; org.apache.zookeeper.jmx.ManagedUtil, which ZooKeeper
    calls when it starts.
    """
    is_controller_log = (col("log") == "controller") & (col("event") != OF_ANOTHER_PROCESS)
    is_own_node = col("node_id").is_null() | (col("node_id") == col("controller_id"))
    is_acting = (
        (col("log") == "state-change")
        & col("controller_id").is_not_null()
        & ~col("event").str.starts_with("broker_")
        & is_own_node
    )
    is_understood = col("event").is_not_null() & col("logged_at").is_not_null()
    return log_record.filter(is_understood & (is_controller_log | is_acting))
