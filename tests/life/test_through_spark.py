"""Lives of log files through Spark and Delta: the tables are those of one reading of all bytes ever seen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from jobs import judging
from pipeline.catalog.tables import BY_NAME
from pipeline.store.gate import Expectation
from pipeline.store.warehouse import ClusterWarehouse
from schemas.spec import TableSpec
from tests.conftest import REPOSITORY
from tests.life.disk import BEGIN, Disk, Stored
from tests.life.harness import PUBLISHED, Harness, tables_of
from tests.life.nights import QUIET, Nights
from tests.life.truth import Truth
from tests.life.writers import records_of, repeated

pytestmark = pytest.mark.spark
SAMPLE = REPOSITORY / "tests" / "data" / "sample" / "lab-2.2.2"
RECORDS = 400
MOST_RECORDS = 40
# Lines of a time that has not come: nothing but the time of modification says whether a file is quiet.
YEARS = 12
# Acts that make two files of one record, or leave a copy whose original is gone.
DOUBLING = frozenset({"rewrite", "cut", "hold_up", "delete"})
# Copies are numbered behind what rotation numbers: one put over a rolled file is a copy whose original is gone, too.
ROTATED = 3
NIGHTS = 3
ACTS = 12
NODES = (1, 2, 3)  # each with a schedule of its own
SCHEDULES = 102
SEEDS = [tuple(range(first, first + len(NODES))) for first in range(1, SCHEDULES, len(NODES))]


@dataclass
class Life:
    """The files of one broker, and what was read of them in memory and could be read."""

    disk: Disk
    nights: Nights = field(default_factory=Nights)
    truth: Truth = field(default_factory=Truth)

    def pass_until(self, night: datetime) -> None:
        self.nights.run(self.disk.files, night)
        self.truth.see(self.disk.files, night)


def life_of(seed: int, node_id: int, never: frozenset[str]) -> Life:
    random = Random(seed)  # noqa: S311  (a schedule, no secret)
    logs = {
        log: (SAMPLE / f"broker-{node_id}" / f"{log}.log").read_bytes()
        for log in ("controller", "state-change")
    }
    writers = {
        f"broker-{node_id}/{log}.log": repeated(b"".join(records_of(content)[:RECORDS]), YEARS)
        for log, content in logs.items()
    }
    disk = Disk(random, writers, is_telling=True, never=never, most_records=MOST_RECORDS, names=ROTATED)
    return Life(disk)


@dataclass
class Lives:
    """One life a broker, below one folder: as many schedules in one warehouse, at the price of one."""

    harness: Harness
    all: Sequence[Life]
    began: datetime = field(default_factory=lambda: datetime.now(UTC))

    def act(self) -> None:
        for life in self.all:
            for _ in range(ACTS):
                life.disk.act()
            self.put(life, life.disk.now)

    def end(self) -> None:
        for life in self.all:
            self.put(life, life.disk.now + timedelta(days=365))

    def put(self, life: Life, night: datetime) -> None:
        """The files as the night finds them: long ago what is quiet by then, tomorrow what is not."""

        def at(stored: Stored) -> datetime:
            is_quiet = night - stored.modified_at >= QUIET
            return self.began + timedelta(days=-365 if is_quiet else 1) + (stored.modified_at - BEGIN)

        place = self.all.index(life)
        life.disk.write(self.harness.logs / f"life-{place}", at)
        life.pass_until(night)

    def contents(self) -> dict[str, Stored]:
        """Every content that could be read in some night, once."""
        found = [one for life in self.all for one in life.truth.expected()]
        return {
            f"broker-{min(node for node in nodes if node is not None)}/{place}.log": Stored(
                content, BEGIN, ""
            )
            for place, (content, nodes) in enumerate(found)
        }


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(seeds, id=f"{seeds[0]}-{seeds[-1]}", marks=pytest.mark.soak if place else ())
        for place, seeds in enumerate(SEEDS)
    ],
)
def test_lives_of_logs_end_in_the_tables_of_one_reading(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seeds: tuple[int, ...]
) -> None:
    """On the way a run whose gate is closed, and one that died: neither is seen, neither leaves a trace."""
    often, once = (Harness(spark, tmp_path / name) for name in ("often", "once"))
    lives = Lives(often, [life_of(seed, node, DOUBLING) for seed, node in zip(seeds, NODES, strict=True)])
    names = tables_of("ingest")
    store = ClusterWarehouse(spark, often.warehouse, often.name)
    for night in range(NIGHTS):
        lives.act()
        if night == 0:
            with monkeypatch.context() as patch:
                patch.setattr(judging, "expectation_of", never)
                assert often.run() == 5
            assert {name for name, version in store.published().versions.items() if version} == {
                "ops.quality_result"
            }
        if night == 1:
            before = often.content(names)
            term = BY_NAME["silver.term"].spec
            store.delta.append(term, store.delta.read(term), "dead")
            assert often.content(names) == before
        assert often.run() in PUBLISHED
    lives.end()
    assert often.run() in PUBLISHED
    once.read_once(lives.contents())
    require_same(often, once, names)


def require_same(often: Harness, once: Harness, names: Sequence[str], without: Iterable[str] = ()) -> None:
    found, expected = often.content(names, without), once.content(names, without)
    assert sum(rows for rows, _ in found.values()) > 100
    differ = [name for name in names if found[name] != expected[name]]
    assert not differ, "\n".join(often.differing(once, name, without) for name in differ)


def never(spec: TableSpec) -> Expectation:
    """A critical expectation that no row of bronze.log_record meets."""
    broken = "'never'" if spec.name == "bronze.log_record" else "string(null)"
    return Expectation(spec.name, "never", "critical", broken)
