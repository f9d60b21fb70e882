"""Whether somebody configured Spark or Hadoop for this process, told without importing Spark."""

import os
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from schemas.namespace import full_module_name

CONFIGURED_BY = frozenset(
    {
        "PYSPARK_GATEWAY_PORT",
        "PYSPARK_SUBMIT_ARGS",
        "SPARK_CONF_DIR",
        "SPARK_HOME",
        "HADOOP_CONF_DIR",
        "YARN_CONF_DIR",
    }
)
DEFAULT_SYSTEM = "fs.defaultFS"

# What tables are searched by: of log lines, from a start on, and what was so at a time; statistics of every column cost
# a quarter of the time of a load.
SKIPPED_BY = (
    *("file_id", "load_seq", "byte_offset", "logged_at", "ordered_at", "day_at"),
    *("valid_until_at", "left_at", "ended_at", "checked_at", "elected_at", "balanced_at", "next_started_at"),
    *("valid_from_at", "joined_at", "noticed_at", "started_at", "breached_at", "began_at"),
    *("first_seen_at", "created_at", "deletion_requested_at", "told_at", "hour_at"),
    "until_earliest_at",
)


def is_configured() -> bool:
    """Whether Spark runs in this process already, or something else than the defaults that this product ships will
    configure it: then a path without a scheme may lie elsewhere."""
    if is_running() or CONFIGURED_BY & os.environ.keys():
        return True
    conf = shipped_configuration()
    names = ("spark-defaults.conf", "local.conf")
    return any(DEFAULT_SYSTEM in (conf / name).read_text() for name in names)


def is_running() -> bool:
    pyspark = sys.modules.get("pyspark.sql")
    return pyspark is not None and pyspark.SparkSession.getActiveSession() is not None


def shipped_configuration() -> Traversable:
    """conf/ of the checkout, else the copy in the package, which may be a zip on an executor's path."""
    checkout = Path(__file__).resolve().parents[3] / "conf"
    return (
        checkout
        if (checkout / "local.conf").is_file()
        else files(full_module_name("pipeline.store")).joinpath("conf")
    )
