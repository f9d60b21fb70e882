"""The same logs give the same tables, however the work is cut: ranges, partitions, session zone, adaptive plans."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
import yaml
from pyspark.sql import SparkSession

from jobs.engine.intake import bins
from pipeline.store.spark import session
from tests.gold.conftest import LOGS
from tests.jobs.small_logs import lines_of, write
from tests.life.harness import Harness, tables_of

pytestmark = pytest.mark.spark


@dataclass(frozen=True)
class Way:
    """is_compiled: plans are compiled and adapted while they run, as with much to read."""

    partitions: int = 1
    zone: str = "UTC"
    is_compiled: bool = False
    range_bytes: int = 1 << 26


ONE = [Way(7, "Asia/Tokyo", True, 300)]
ALL = [
    Way(*way) for way in product((1, 2, 7, 64), ("UTC", "America/St_Johns"), (True, False), (100, 1 << 26))
]


@pytest.mark.parametrize(
    "ways",
    [
        pytest.param(ONE, id="one", marks=pytest.mark.soak),
        pytest.param(ALL, id="all", marks=pytest.mark.soak),
    ],
)
def test_same_tables(spark: SparkSession, tmp_path: Path, ways: list[Way]) -> None:
    names = tables_of("ingest")
    plain = ingested(spark, tmp_path / "plain", Way()).content(names)
    assert sum(map(len, plain.values())) > 100
    for number, way in enumerate(ways):
        assert ingested(spark, tmp_path / str(number), way).content(names) == plain, way


def ingested(spark: SparkSession, folder: Path, way: Way) -> Harness:
    """A warehouse read in that way."""
    harness = Harness(spark, folder, arguments=("--conf", str(folder / "conf.yaml")))
    files = [write(harness.logs, f"broker-{node}/{log}.log", lines_of(node, log)) for node, log in LOGS]
    (folder / "conf.yaml").write_text(yaml.safe_dump({"limits": {"range_bytes": way.range_bytes}}))
    conf = {"spark.sql.shuffle.partitions": str(way.partitions), "spark.sql.session.timeZone": way.zone}
    before = {key: spark.conf.get(key, None) for key in conf}
    with pytest.MonkeyPatch.context() as patch:
        size = sum(file.stat().st_size for file in files)
        patch.setattr(bins, "BIN_BYTES", max(1, size // way.partitions))
        patch.setattr(session, "SMALL_BYTES", 0 if way.is_compiled else 1 << 26)
        for key, value in conf.items():
            spark.conf.set(key, value)
        assert harness.run() == 0
    for key, found in before.items():
        spark.conf.set(key, str(found))
    return harness
