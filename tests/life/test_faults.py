"""A run that dies anywhere leaves what readers see as it was, and the next one makes all of it good."""

import gzip
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import ingest
from pipeline.store.warehouse import ClusterWarehouse
from tests.jobs.small_logs import INGESTED, content, lines_of, run, write
from tests.life.faults import Acts, Fault, failing

pytestmark = pytest.mark.spark
SOME = 5  # of the acts of a run, in `make test`


def begun(logs: Path, warehouse: Path) -> None:
    """A warehouse after its first run, and logs that have grown since, with a part of one delivered twice."""
    controller = lines_of(1, "controller")
    write(logs, "broker-1/controller.log", controller[:5])
    write(logs, "broker-1/state-change.log", lines_of(1, "state-change")[:4])
    assert run(logs, warehouse, ingest.main) == 0
    write(logs, "broker-1/controller.log", controller)
    write(logs, "broker-1/again/controller.log", controller[3:7])
    write(logs, "broker-1/state-change.log", lines_of(1, "state-change"))
    grown = "".join(lines_of(3, "controller")).encode()
    (logs / "broker-3").mkdir()
    (logs / "broker-3/controller.log.gz").write_bytes(gzip.compress(grown))


def contents(spark: SparkSession, warehouse: Path) -> dict[str, list[str]]:
    return {name: content(spark, warehouse, name) for name in INGESTED}


@pytest.mark.parametrize(
    "points",
    [
        pytest.param(SOME, id="some", marks=pytest.mark.soak),
        pytest.param(0, id="all", marks=pytest.mark.soak),
    ],
)
def test_dying_at_any_act(spark: SparkSession, tmp_path: Path, points: int) -> None:
    logs, warehouse, whole = tmp_path / "logs", tmp_path / "warehouse", tmp_path / "whole"
    begun(logs, warehouse)
    before = ClusterWarehouse(spark, str(warehouse), "c").published()
    shutil.copytree(warehouse, whole)
    with failing(Acts()) as acts:
        assert run(logs, whole, ingest.main) == 0
    expected = contents(spark, whole)
    step = max(1, acts.count // points) if points else 1
    for at in range(1, acts.count + 1, step):
        for is_after in (False, True) if not points else (at // step % 2 == 0,):
            with failing(Acts(at, is_after=is_after)), pytest.raises(Fault):
                run(logs, warehouse, ingest.main)
            seen = ClusterWarehouse(spark, str(warehouse), "c").published()
            if at < acts.count or not is_after:
                assert seen == before, at
    assert run(logs, warehouse, ingest.main) == 0
    assert contents(spark, warehouse) == expected
