"""Lives in which records come to stand in two files: rewritten, cut off, held up, with copies of what is gone."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.catalog.tables import BY_NAME
from tests.life.harness import OF_A_FILE, Harness, require_same, tables_of
from tests.life.lives import NIGHTS, NODES, SAMPLE, Lives, life_of, logs_of

pytestmark = [pytest.mark.spark, pytest.mark.soak]
SCHEDULES = 36


@pytest.mark.parametrize("first", range(1, SCHEDULES, len(NODES)))
def test_what_follows_from_doubled_records(spark: SparkSession, tmp_path: Path, first: int) -> None:
    """Silver is that of one reading of all bytes ever seen, whichever of two files was read first."""
    often, once = (Harness(spark, tmp_path / name) for name in ("often", "once"))
    seeds = range(first, first + len(NODES))
    each = zip(seeds, NODES, strict=True)
    lives = Lives(often, [life_of(seed, node, logs_of(SAMPLE, node), is_doubled=True) for seed, node in each])
    lives.live(NIGHTS)
    once.read_once(lives.contents())
    silver = [name for name in tables_of("ingest") if BY_NAME[name].spec.layer == "silver"]
    require_same(often, once, silver, OF_A_FILE)
