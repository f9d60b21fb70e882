"""A store of one cluster on a disk, where nothing may ask for Spark."""

from pathlib import Path
from typing import NoReturn

from pipeline.store.spark.late_session import LateSession
from pipeline.store.warehouse import ClusterWarehouse
from tests.golden import CLUSTER, unpacked


def no_spark() -> NoReturn:
    raise AssertionError("nothing of this needs Spark")


def plain_store(folder: Path) -> ClusterWarehouse:
    """Of the small warehouse, unpacked in the folder."""
    return ClusterWarehouse(LateSession(no_spark, is_plain=True), str(unpacked(folder)), CLUSTER)
