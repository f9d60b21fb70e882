"""A store of one cluster on a disk, where nothing may ask for Spark."""

from pathlib import Path
from typing import NoReturn

import pytest

from pipeline.store.spark.late_session import LateSession
from pipeline.store.warehouse import ClusterWarehouse
from tests.golden import CLUSTER, unpacked


def no_spark() -> NoReturn:
    raise AssertionError("nothing of this needs Spark")


@pytest.fixture
def store(tmp_path: Path) -> ClusterWarehouse:
    return ClusterWarehouse(LateSession(no_spark, is_plain=True), str(unpacked(tmp_path)), CLUSTER)
