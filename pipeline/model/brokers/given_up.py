"""Controlled shutdowns that came to nothing, as the broker says it itself."""

import polars as pl
from polars import col

# KafkaServer (ZooKeeper mode): all attempts failed. BrokerServer (KRaft), and KafkaServer in a migration: the
# controller did not let it go within five minutes, or the wait failed.
STEPS = ("gave_up", "timed_out", "failed")


def is_abandoned_shutdown_line() -> pl.Expr:
    """True for lines of silver.node_event that say so: the broker goes on to stop, without leave."""
    return (col("area") == "shutdown") & col("step").is_in(STEPS)
