"""With server.log the ISR of each partition is what ZooKeeper had at every time, so that of each election it is known
whether it was clean, and where lines of leaders are lost
nothing is claimed that was not so."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import polars as pl
import pytest
from polars import col

from pipeline.core.frames import frame_of
from tests.chain import built
from tests.gold.election_truth import compared
from tests.gold.isr_truth import WITH_SERVER_LOG, stretches
from tests.gold.kraft_truth import Stretch, sums, wrong
from tests.gold.lab_runs import first_life
from tests.lab import folder_of, rows_of

QUICK = ("2.2.2-zk-stock", "2.6.3-zk-stock")
LABS = (
    *("0.11.0.3-zk-stock", "1.0.2-zk-stock", "2.5.1-zk-stock", "2.6.3-zk-trace", "3.2.3-zk-stock"),
    *("3.2.3-zk-trace", "3.9.1-zk-stock", "3.9.1-zk-trace", "1.0.2-zk-moves", "2.2.2-zk-moves"),
    *("2.2.2-zk-redrive", "3.9.1-zk-moves", "3.9.1-zk-redrive"),
)
WRITES = ("isr_expanding", "isr_shrinking", "isr_written")
Loss = Callable[[pl.DataFrame], pl.DataFrame]


def every(tenth: int) -> Loss:
    """Every so many of the lines of leaders is lost."""

    def lost(lines: pl.DataFrame) -> pl.DataFrame:
        chance = Random(tenth)  # noqa: S311 - which line is lost
        is_lost = pl.Series([chance.randrange(tenth) == 0 for _ in range(lines.height)])
        return lines.filter(~(is_lost & col("event").is_in(WRITES).fill_null(value=False)))

    return lost


def without(node: int, since: float = 0, until: float = 1) -> Loss:
    """server.log of a node is not there for that share of the time."""

    def lost(lines: pl.DataFrame) -> pl.DataFrame:
        first, last = lines["logged_at"].min(), lines["logged_at"].max()
        begin, end = (pl.lit(first) + (pl.lit(last) - pl.lit(first)) * one for one in (since, until))
        is_then = col("logged_at").is_between(begin, end)
        return lines.filter(~((col("log") == "server") & (col("node_id") == node) & is_then))

    return lost


def later(node: int, ms: int) -> Loss:
    """The clock of a node is late."""
    moved = pl.when(col("node_id") == node).then(col("logged_at") + pl.duration(milliseconds=ms))
    return lambda lines: lines.with_columns(logged_at=moved.otherwise("logged_at"))


def told(cluster: Path, lines: pl.DataFrame) -> list[Stretch]:
    return list(stretches(cluster, rows_of(built(lines, "partition_timeline")["partition_timeline"])))


@pytest.mark.parametrize(
    "name", [QUICK[1], *(pytest.param(one, marks=pytest.mark.soak) for one in (QUICK[0], *LABS))]
)
def test_isr_at_every_time(shared: Path, name: str) -> None:
    cluster = folder_of(shared, name)
    tables = built(first_life(cluster, WITH_SERVER_LOG), "leader_election")
    found = list(stretches(cluster, rows_of(tables["partition_timeline"])))
    right, unknown, off = sums(found)
    print(f"{name}: right {right:.1f}, undetermined {unknown:.1f}, wrong {off:.1f} partition-seconds")
    assert wrong(found) == []
    assert unknown == 0 and right > 1000
    elections = compared(cluster, rows_of(tables["leader_election"]))
    assert {name for one in elections.values() for name, count in one.items() if count} == {"right"}


@pytest.mark.parametrize(
    "name", [QUICK[1], *(pytest.param(one, marks=pytest.mark.soak) for one in QUICK[:1])]
)
@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(without(2), id="none of node 2"),
        pytest.param(without(2, since=0.5), id="ends in the middle"),
        pytest.param(without(2, until=0.5), id="begins in the middle"),
        pytest.param(without(3, since=0.3, until=0.6), id="lacks a part"),
        pytest.param(every(10), id="a tenth of the lines"),
        pytest.param(later(2, 80), id="a clock that is late"),
    ],
)
def test_what_is_lost_is_not_claimed(shared: Path, name: str, loss: Loss) -> None:
    """But at the end of the data, where nothing follows that shows the loss of the last write."""
    cluster = folder_of(shared, name)
    found = told(cluster, loss(frame_of(first_life(cluster, WITH_SERVER_LOG))))
    end = max(one.until_ms for one in found)
    assert [one for one in wrong(found) if one.until_ms != end] == []
    assert sums(found)[0] > 1000
