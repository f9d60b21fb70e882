"""More evidence makes no right answer wrong: with server.log the tables say all that they say without it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from operator import gt, lt
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from polars import col

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import frame_of
from schemas.end_reasons import UNKNOWN
from tests.chain import built
from tests.gold.truth import ratios
from tests.gold.zookeeper_labs import OTHERS, SAMPLES
from tests.lab import READ, Row, records
from tests.tables import log_table

# Who was controller, what each of its lines belongs to, and what is answered from them.
TABLES = (
    *("term", "controller_line", "controller_term", "transition_audit", "partition_timeline"),
    *("partition_outage", "leader_election", "broker_session"),
)
RATIOS = ("imbalance_observation", "controller_line", "leader_imbalance", "controller_term")
LINE = ("file_id", "byte_offset", "load_seq")
PARTITION = ("topic", "topic_life", "partition")
HELD = (
    *("state", "leader", "is_served", "unserved_why", "replicas", "is_assignment_stale", "adding_replicas"),
    *("removing_replicas", "leader_epoch", "topic_id", "is_deleting"),
)
LOSS = ("is_loss_seen", "records_at_risk", "certainty")
NOT_KNOWN = (("end_reason", UNKNOWN), ("gap_kind", UNKNOWN))
# Who was told to stop gives up office as well: server.log tells the cause behind what controllers print.
CAUSES = {("resigned", "shutdown"), ("resigned", "process_end")}
# What is told of an election whose ISR before, as last stated, is not certain: up to 2.6 leaders state it there.
BY_ISR = ("isr_before", "is_isr_before_certain", "verdict", "reason")
# Bounds, which only come closer: the session time-out that brokers list there is no longer than Kafka's default, and
# what no line elects is seen as soon as one names it.
LATER, EARLIER, LESS = (
    ("unserved_from_at", "silent_from_at"),
    ("first_seen_at", "told_from_at", "superseded_at"),
    ("high_ms",),
)
QUICK = ("4.0.0-kraft-combined-stock",)
LABS = (
    "0.11.0.3-zk-stock",
    *("1.0.2-zk-stock", "2.2.2-zk-stock", "2.5.1-zk-stock", "2.6.3-zk-stock", "2.6.3-zk-trace"),
    *("3.2.3-zk-stock", "3.2.3-zk-trace", "3.3.2-kraft-combined-stock", "3.9.1-zk-stock", "3.9.1-zk-trace"),
    *("3.9.2-kraft-migration-stock", "3.9.2-kraft-separate-stock", "4.3.1-kraft-combined-trace"),
    "4.3.1-kraft-separate-stock",
)
OLD = ("0.10.0.0-Aminoid",)
MORE_OLD = ("0.8.2.1-JihoChoi", "0.9.0.1-Heipiao", "0.10.2.0-andreinedelciu")
ELECTED = "[{}] INFO {} successfully elected as leader (kafka.server.ZookeeperLeaderElector)"
HEARD = "[{}] INFO New leader is {} (kafka.server.ZookeeperLeaderElector$LeaderChangeListener)"


@pytest.fixture(scope="module", params=[*QUICK, *(pytest.param(one, marks=pytest.mark.soak) for one in LABS)])
def lab(request: pytest.FixtureRequest, shared: Path) -> tuple[str, dict[str, pl.DataFrame]]:
    """A cluster's name, and its tables, server.log read."""
    folder = shared / "corpus" / "lab" / request.param
    return request.param, built(records(folder, (*READ, "server")), *TABLES, *RATIOS)


def test_of_labs(shared: Path, lab: tuple[str, dict[str, pl.DataFrame]]) -> None:
    name, both = lab
    without = built(records(shared / "corpus" / "lab" / name, READ), *TABLES)
    assert not {name: lost for name in TABLES if (lost := untold(name, without[name], both[name]))}


def test_ratios_are_those_that_kafka_prints(lab: tuple[str, dict[str, pl.DataFrame]]) -> None:
    """What a leader writes of its ISR between two events of the controller moves no count."""
    name, tables = lab
    unequal = {one[0]: one[3] for one in (*SAMPLES, *OTHERS)}
    if name not in unequal:
        pytest.skip("KRaft prints none")
    found = ratios(*(tables[one].to_dicts() for one in RATIOS))
    assert {(one.epoch, one.broker_id) for one in found if one.ratio != one.kafka_ratio} == unequal[name]


@pytest.mark.parametrize("cluster", [*OLD, *(pytest.param(one, marks=pytest.mark.soak) for one in MORE_OLD)])
def test_of_releases_that_tell_elections_there(shared: Path, cluster: str) -> None:
    """Up to 0.10 the line that elects stands in server.log, ms before the first of controller.log."""
    own = frame_of(records(shared / "corpus" / "public" / cluster))
    both = pl.concat([own, server_log(own).select(own.columns)])
    without, with_it = (built(one, *TABLES) for one in (own, both))
    assert not {name: lost for name in TABLES if (lost := untold(name, without[name], with_it[name]))}


def untold(name: str, without: pl.DataFrame, both: pl.DataFrame) -> Sequence[object]:
    """What the rows say by which the two differ, places apart; what was not known may be known.

    The ISR of the timeline is what leaders write: test_isr_truth.py holds it against the truth.
    """
    if name == "partition_timeline":
        without, both = (but_for_isr(one) for one in (without, both))
    is_value = [
        one
        for one, kind in without.schema.items()
        if one not in LINE and not str(kind).startswith(("Map", "List(Struct"))
    ]
    if without.height != both.height:
        return [(without.height, both.height)]
    key = [one for one in BY_SHORT_NAME[name].spec.key if one not in LINE] or [*is_value]
    pairs = zip(*(one.select(is_value).sort(key).to_dicts() for one in (without, both)), strict=True)
    return [
        {one: (row[one], now[one]) for one in is_value if not is_kept(one, row, now)}
        for row, now in pairs
        if any(not is_kept(one, row, now) for one in is_value)
    ][:3]


def but_for_isr(timeline: pl.DataFrame) -> pl.DataFrame:
    """Stretches of partitions in which all else is the same, numbered."""
    of = (*PARTITION, *HELD)
    is_other = pl.any_horizontal(col(name).ne_missing(col(name).shift(1)) for name in of)
    return (
        timeline.sort(*PARTITION, "interval_seq", "part_seq")
        .with_columns(stretch=is_other.cum_sum())
        .group_by("stretch", *of)
        .agg(col("valid_from_at").min(), until_at=col("valid_until_at").last())
        .with_columns(interval_seq=col("stretch").rank("dense").over(PARTITION), part_seq=1)
        .drop("stretch")
    )


def is_kept(name: str, row: Row, with_it: Row) -> bool:
    value, now = row[name], with_it[name]
    is_unknown = name == "end_unknown_why" or (name, value) in NOT_KNOWN
    if value == now or value is None or is_unknown or name in LOSS:
        return True
    if name == "election_reason" and (value, now) in CAUSES:
        return True
    if name in BY_ISR and row.get("is_isr_before_certain") is False:
        return name != "verdict" or now == "as_prescribed"
    is_closer = {**dict.fromkeys(LATER, gt), **dict.fromkeys((*EARLIER, *LESS), lt)}
    return name in is_closer and now is not None and is_closer[name](now, value)


def server_log(own: pl.DataFrame) -> pl.DataFrame:
    """What server.log of each node says of the elections that controller.log tells, in the same ms, as records."""
    begun = own.filter(col("event") == "controller_failover_started").unique("logged_at").sort("logged_at")
    elections = list(begun.select("controller_id", "logged_at").iter_rows())
    logs = {}
    for node_id in begun["controller_id"].unique():
        lines = [HEARD.format(stamp(at + timedelta(milliseconds=30)), elected) for elected, at in elections]
        lines += [ELECTED.format(stamp(at), elected) for elected, at in elections if elected == node_id]
        logs[node_id, "server"] = "\n".join(sorted(lines))
    lines_of: pa.Table = log_table(logs, cluster_id=own["cluster_id"][0])
    return frame_of(lines_of).with_columns(load_seq=col("load_seq") + own["load_seq"].max())


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
