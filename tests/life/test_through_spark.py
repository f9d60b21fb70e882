"""Lives of log files through Spark and Delta: the tables are those of one reading of all bytes ever seen."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

from jobs import nightly
from jobs.engine.run import quality_gate
from pipeline.catalog.tables import BY_NAME
from pipeline.core.expectations import Expectation
from pipeline.store.warehouse import ClusterWarehouse
from schemas.spec import TableSpec
from tests.life.harness import PUBLISHED, Harness, require_same, tables_of
from tests.life.lives import NIGHTS, NODES, SAMPLE, Lives, life_of, logs_of

pytestmark = pytest.mark.spark
SCHEDULES = 102
SEEDS = [tuple(range(first, first + len(NODES))) for first in range(1, SCHEDULES, len(NODES))]
LABS = (
    "0.11.0.3-zk-stock",
    "2.6.3-zk-trace",
    "3.9.2-kraft-separate-stock",
    "3.9.2-kraft-migration-stock",
    "4.3.1-kraft-combined-trace",
)
# Findings keep in which night they were new.
TOLD_BY_NIGHT = ("status",)


@pytest.mark.soak
@pytest.mark.parametrize("seeds", [pytest.param(seeds, id=f"{seeds[0]}-{seeds[-1]}") for seeds in SEEDS])
def test_lives_of_logs_end_in_the_tables_of_one_reading(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seeds: tuple[int, ...]
) -> None:
    """On the way two runs whose gate is closed, the second with another setting, and one that died: none is seen, none
    leaves a trace."""
    often, once = (Harness(spark, tmp_path / name) for name in ("often", "once"))
    lives = Lives(often, [life_of(*one, logs_of(SAMPLE, one[1])) for one in zip(seeds, NODES, strict=True)])
    names = tables_of("ingest")
    store = ClusterWarehouse(spark, often.warehouse, often.name)
    for night in range(NIGHTS):
        lives.act()
        if night == 0:
            with monkeypatch.context() as patch:
                patch.setattr(quality_gate, "expectation_of", never)
                assert often.run() == 5
            assert {name for name, version in store.published().versions.items() if version} == {
                "ops.quality_result"
            }
        if night == 1:
            before = often.content(names)
            term = BY_NAME["silver.term"].spec
            store.delta.append(term, store.delta.read(term), "dead")
            assert often.content(names) == before
        if night == 2:
            before, published = often.content(names), store.published()
            limits = tmp_path / "server.properties"
            limits.write_text("leader.imbalance.per.broker.percentage=33\n")
            with monkeypatch.context() as patch:
                patch.setattr(quality_gate, "expectation_of", never)
                assert replace(often, arguments=("--server-properties", str(limits))).run() == 5
            refused = store.published()
            assert (refused.run_seq, refused.stated()) == (published.run_seq + 1, published.stated())
            assert without_quality(refused.versions) == without_quality(published.versions)
            assert often.content(names) == before
        assert often.run() in PUBLISHED
    lives.end()
    assert often.run() in PUBLISHED
    once.read_once(lives.contents())
    require_same(often, once, names)


@pytest.mark.soak
@pytest.mark.parametrize("lab", LABS)
def test_lives_of_other_clusters_through_all_tables(
    spark: SparkSession, tmp_path: Path, shared: Path, lab: str
) -> None:
    """Of other releases and both modes, by the nightly job: what is judged, too, is that of one reading."""
    often, once = (Harness(spark, tmp_path / name, nightly.main) for name in ("often", "once"))
    folders = sorted(one.parent for one in (shared / "corpus" / "lab" / lab).glob("*/state-change.log"))
    nodes = [(int(one.name.rpartition("-")[2]), logs_of(one.parent, one.name)) for one in folders]
    seed = LABS.index(lab) * len(NODES)
    lives = Lives(often, [life_of(seed + place, *one) for place, one in enumerate(nodes)])
    lives.live(NIGHTS)
    once.read_once(lives.contents())
    # Which gaps there are goes by what was found in which night.
    names = [name for name in tables_of("nightly") if name != "gold.evidence"]
    require_same(often, once, names, TOLD_BY_NIGHT)


def without_quality(versions: Mapping[str, int]) -> dict[str, int]:
    return {name: version for name, version in versions.items() if name != "ops.quality_result"}


def never(spec: TableSpec) -> Expectation:
    """A critical expectation that no row of bronze.log_record meets."""
    is_broken = pl.lit(spec.name == "bronze.log_record")
    return Expectation(spec.name, "never", "critical", (("never", is_broken),))
