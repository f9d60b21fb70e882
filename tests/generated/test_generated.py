"""Logs of a simulated cluster, through all kernels in process: the tables say what is true of it."""

import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from pipeline.core.frames import frame_of
from tests.chain import built
from tests.generated.compare import TABLES, differences, read_truth
from tests.generated.held import DELETED, stamp
from tests.generated.plan import Plan
from tests.generated.sizes import bytes_of
from tests.generated.writing import hours_of, write_hour, write_logs, write_on_executors
from tests.lab import records

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ZOOKEEPER = Plan(mode="zk", seed=1, brokers=4, topics=5, partitions=14, rounds=10)
PLANS = (ZOOKEEPER, replace(ZOOKEEPER, mode="kraft"))
GONE_LINE = re.compile(
    r"^\[(.{23})] TRACE .* Changed partition (\S+) state from OfflinePartition to NonExistentPartition ", re.M
)
LOGS = ("controller", "state-change", "server")


@pytest.fixture(scope="module", params=PLANS, ids=str)
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the logs and the truth of a small cluster."""
    folder = tmp_path_factory.mktemp("generated")
    write_logs(request.param, folder)
    return folder


@pytest.fixture(scope="module")
def found(small: Path) -> pl.DataFrame:
    """All records of its logs."""
    return frame_of(records(small / "logs", LOGS))


@pytest.fixture(scope="module")
def tables(found: pl.DataFrame) -> dict[str, Any]:
    """The tables that they make."""
    return built(found, *TABLES)


def test_all_records_are_understood(found: pl.DataFrame) -> None:
    assert found.filter(pl.col("not_understood_reason").is_not_null()).is_empty()


def test_tables_say_what_is_true_of_the_cluster(small: Path, tables: dict[str, Any]) -> None:
    apart = differences(tables, read_truth(small / "truth"))
    assert apart == {name: [] for name in apart}


def test_a_deletion_is_shown_by_the_last_line_of_its_partition(tmp_path: Path) -> None:
    """Of so many partitions that their lines take more than a millisecond."""
    write_logs(replace(ZOOKEEPER, partitions=600), tmp_path)
    leaders = read_truth(tmp_path / "truth")["leaders"].filter(leader=DELETED)
    states = "".join(one.read_text() for one in (tmp_path / "logs").rglob("state-change.log*"))
    lines = GONE_LINE.findall(states)
    shown = [
        (f"{topic}-{partition}", stamp(at))
        for topic, partition, at in leaders["topic", "partition", "shown"].rows()
    ]
    assert sorted(shown) == sorted((name, at) for at, name in lines)
    assert (leaders["shown"] > leaders["at"]).any()


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_an_hour_is_written_alike_by_itself(plan: Plan, tmp_path: Path) -> None:
    """As a task on an executor writes it: from what the cluster is as it begins."""
    write_logs(plan, tmp_path / "whole")
    begins = []
    for hour in hours_of(plan):
        begins.append(pickle.dumps(hour))
        assert list(hour.steps())
    for begin in reversed(begins):
        write_hour(plan, pickle.loads(begin), tmp_path / "parts" / "logs")  # noqa: S301 (its own)
    assert texts(tmp_path / "parts" / "logs") == texts(tmp_path / "whole" / "logs")


@pytest.mark.soak
@pytest.mark.spark
def test_executors_write_the_same(spark: "SparkSession", tmp_path: Path) -> None:
    write_logs(ZOOKEEPER, tmp_path / "here")
    write_on_executors(spark, ZOOKEEPER, tmp_path / "there")
    assert texts(tmp_path / "there" / "logs") == texts(tmp_path / "here" / "logs")
    assert not (tmp_path / "there" / "begins").exists()
    here, there = (read_truth(tmp_path / place / "truth") for place in ("here", "there"))
    assert all(here[name].equals(there[name]) for name in here)


def texts(logs: Path) -> dict[str, str]:
    return {str(one.relative_to(logs)): one.read_text() for one in logs.rglob("*.log*")}


def test_another_seed_is_another_cluster(tmp_path: Path) -> None:
    sizes = {seed: sum(size_by_hour(replace(ZOOKEEPER, seed=seed))) for seed in (1, 2)}
    assert sizes[1] != sizes[2]
    write_logs(ZOOKEEPER, tmp_path)
    written = sum(one.stat().st_size for one in (tmp_path / "logs").rglob("*.log*"))
    assert written == pytest.approx(sizes[1], rel=0.15)


def size_by_hour(plan: Plan) -> list[int]:
    return [sum(bytes_of(step) for step in hour.steps()) for hour in hours_of(plan)]


@pytest.mark.parametrize(
    ("table", "column"),
    [("leaders", "leader"), ("terms", "controller_id"), ("ratios", "led_elsewhere"), ("moves", "count")],
)
def test_what_is_not_so_is_told(table: str, column: str, small: Path, tables: dict[str, Any]) -> None:
    truth = read_truth(small / "truth")
    other = pl.when(pl.int_range(pl.len()) == 3 % pl.len()).then(pl.col(column) + 1).otherwise(column)
    apart = differences(tables, truth | {table: truth[table].with_columns(other.alias(column))})
    assert [name for name, rows in apart.items() if rows] == ([] if truth[table].is_empty() else [table])


@pytest.mark.parametrize(("table", "told"), [("outages", "outages"), ("unclean", "unclean")])
def test_what_is_missing_is_told(table: str, told: str, small: Path, tables: dict[str, Any]) -> None:
    truth = read_truth(small / "truth")
    assert differences(tables, truth | {table: truth[table].clear()})[told]
