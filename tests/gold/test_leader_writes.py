"""The ISR between two statements of controllers, from what leaders print: small stories of one partition."""

import polars as pl
import pytest

from tests.chain import built, built_of_each
from tests.frames import at
from tests.gold.timeline_rows import same_rows
from tests.tables import log_table

CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] New topics: [Set(a)], deleted topics: [Set()], new partition replica assignment [Map(a-0 -> Vector(2, 1, 3))] (kafka.controller.KafkaController)
"""
CREATED = """
    [2026-11-21 00:00:02,001] TRACE [Controller id=1 epoch=1] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1, 3), zkVersion=0) (state.change.logger)
"""
STARTED = "[2026-11-21 00:00:00,500] INFO Kafka version: {} (org.apache.kafka.common.utils.AppInfoParser)"
SHRINKING = "[2026-11-21 00:00:{},000] INFO [Partition a-0 broker=2] Shrinking ISR from {} to {} (kafka.cluster.Partition)"
EXPANDING = "[2026-11-21 00:00:{},000] INFO [Partition a-0 broker=2] Expanding ISR from {} to {} (kafka.cluster.Partition)"
UPDATED = "[2026-11-21 00:00:{},001] INFO [Partition a-0 broker=2] ISR updated to [{}] and zkVersion updated to [{}] (kafka.cluster.Partition)"
REFUSED = "[2026-11-21 00:00:{},001] INFO [Partition a-0 broker=2] Cached zkVersion [{}] not equal to that in zookeeper, skip updating ISR (kafka.cluster.Partition)"
SENT = "[2026-11-21 00:00:{},000] TRACE [Controller id=1 epoch=1] Sending UpdateMetadata request PartitionState(controllerEpoch=1, leader=2, leaderEpoch={}, isr=[{}], zkVersion={}, replicas=[2, 1, 3], offlineReplicas=[]) to brokers Set(1, 2, 3) for partition a-0 (state.change.logger)"
ELECTED = "[2026-11-21 00:00:{},000] TRACE [Controller id=1 epoch=1] Changed partition a-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader={}, leaderEpoch={}, isr=List({}), zkVersion={}) (state.change.logger)"
HEAD = "valid_from_at | leader | isr | partition_epoch | is_isr_stale | certainty\n"
BEGUN = "2.001 | 2 | [2 1 3] | 0 | false | proved\n"

STORIES = {
    "intentions are writes up to 2.3": (
        [SHRINKING.format(10, "2,1,3", "2,1"), EXPANDING.format(20, "2,1", "2,1,3")],
        [ELECTED.format(30, 1, 1, "2, 1, 3", 3)],
        BEGUN
        + "10 | 2 | [2 1]   | 1 | false | inferred\n"
        + "20 | 2 | [2 1 3] | 2 | false | inferred\n"
        + "30 | 1 | [2 1 3] | 3 | true  | proved",
    ),
    "one that is refused is none": (
        [SHRINKING.format(10, "2,1,3", "2,1"), REFUSED.format(10, 0)],
        [],
        BEGUN.replace("false", "false"),
    ),
    "a write has its number from 2.4 on": (
        [SHRINKING.format(10, "2,1,3", "2,1"), UPDATED.format(10, "2,1", 1)],
        [ELECTED.format(30, 1, 1, "2, 1", 2)],
        BEGUN + "10.001 | 2 | [2 1] | 1 | false | proved\n30 | 1 | [2 1] | 2 | true | proved",
    ),
    "an intention without its write is none from 2.4 on": (
        [
            *(SHRINKING.format(10, "2,1,3", "2,1"), UPDATED.format(10, "2,1", 1)),
            EXPANDING.format(20, "2,1", "2,1,3"),
        ],
        [],
        BEGUN + "10.001 | 2 | [2 1] | 1 | false | proved",
    ),
    "a number that is skipped is a write without line": (
        [UPDATED.format(10, "2,1", 1)],
        [ELECTED.format(30, 1, 1, "2, 1", 4)],
        BEGUN + "10.001 | 2 | [2 1] | 1 | true | proved\n30 | 1 | [2 1] | 4 | true | proved",
    ),
    "the leader held another one for the last": (
        [EXPANDING.format(20, "2,1", "2,1,3")],
        [],
        BEGUN.replace("false", "true") + "20 | 2 | [2 1 3] | 1 | false | inferred",
    ),
    "a request repeats what its controller read before": (
        [UPDATED.format(10, "2,1", 1)],
        [SENT.format(11, 0, "2, 1, 3", 0), SENT.format(15, 0, "2, 1", 1)],
        BEGUN + "10.001 | 2 | [2 1] | 1 | false | proved",
    ),
    "a write that a controller tells and no leader": (
        [UPDATED.format(10, "2,1", 1)],
        [SENT.format(15, 0, "2", 2)],
        BEGUN + "10.001 | 2 | [2 1] | 1 | true | proved\n15 | 2 | [2] | 2 | false | proved",
    ),
    "a line that comes late was passed by a later write": (
        [UPDATED.format(10, "2,1", 1)],
        [ELECTED.format("09", 2, 1, "2", 2)],
        BEGUN.replace("false", "true") + "9 | 2 | [2] | 2 | false | proved",
    ),
    "who does not lead writes nothing": (
        [SHRINKING.format(10, "2,1,3", "2")],
        [ELECTED.format("09", 1, 1, "1, 3", 1)],
        BEGUN + "9 | 1 | [1 3] | 1 | true | proved",
    ),
}


@pytest.fixture(scope="module")
def of_stories() -> dict[str, dict[str, pl.DataFrame]]:
    """The tables of each of them, built at once."""
    logs = {
        story: logs_of({(2, "server"): "\n".join([STARTED.format("2.2.0"), *own])}, said)
        for story, (own, said, _) in STORIES.items()
    }
    return built_of_each(logs, "partition_timeline")


@pytest.mark.parametrize("story", STORIES)
def test_what_leaders_write(story: str, of_stories: dict[str, dict[str, pl.DataFrame]]) -> None:
    rows = of_stories[story]["partition_timeline"].drop_nulls("leader")
    same_rows(rows, HEAD + STORIES[story][-1])


def test_without_server_log_the_isr_is_stale() -> None:
    rows = intervals({}, [ELECTED.format(30, 1, 1, "2, 1, 3", 3)])
    same_rows(rows, HEAD + BEGUN.replace("false", "true") + "30 | 1 | [2 1 3] | 3 | true | proved")


def test_what_is_written_is_its_line() -> None:
    rows = intervals({(2, "server"): "\n".join([STARTED.format("2.2.0"), UPDATED.format(10, "2,1", 1)])}, [])
    evidence = [{"file_id": "2-server", "byte_offset": len(STARTED.format("2.2.0")) + 1}]
    last = rows.sort("interval_seq").to_dicts()[-1]
    assert (last["evidence"], last["isr_evidence"]) == (evidence, evidence)


def test_a_write_is_no_controllers_event() -> None:
    """What an election changes holds from then on, not from the write after it."""
    written = f"{STARTED.format('2.2.0')}\n{UPDATED.format(20, '1', 2).replace('broker=2', 'broker=1')}"
    logs = {
        (1, "controller"): CONTROLLER,
        (1, "state-change"): f"{CREATED.strip()}\n{ELECTED.format(10, 1, 1, '1, 2', 1)}",
    }
    tables = built(log_table(logs | {(1, "server"): written}), "partition_timeline", "leader_imbalance")
    rows = tables["partition_timeline"].sort("interval_seq")
    assert [number > 0 for number in rows["event_seq"].tail(3)] == [True, True, False]
    found = tables["leader_imbalance"].sort("valid_from_at").select("valid_from_at", "imbalance_ratio")
    assert found["imbalance_ratio"].to_list() == [0.0, 1.0] and found["valid_from_at"][1] == at(10)


def intervals(server: dict[tuple[int, str], str], said: list[str]) -> pl.DataFrame:
    """Intervals of the partition that have a leader."""
    rows: pl.DataFrame = built(log_table(logs_of(server, said)), "partition_timeline")["partition_timeline"]
    return rows.drop_nulls("leader")


def logs_of(server: dict[tuple[int, str], str], said: list[str]) -> dict[tuple[int, str], str]:
    return {(1, "controller"): CONTROLLER, (1, "state-change"): "\n".join([CREATED.strip(), *said]), **server}


LAST_WRITES: dict[str, tuple[str, int, tuple[list[int], bool, bool | None]]] = {
    "outside of it": (UPDATED.format(10, "2", 1), 2, ([2], True, False)),
    "in it": (UPDATED.format(10, "2,1", 1), 2, ([2, 1], True, True)),
    "an intention": (SHRINKING.format(10, "2,1,3", "2"), 2, ([2], True, False)),
    "another write came between": (UPDATED.format(10, "2", 1), 3, ([2, 1, 3], False, None)),
}


@pytest.fixture(scope="module")
def of_last_writes() -> dict[str, dict[str, pl.DataFrame]]:
    logs = {
        name: logs_of(
            {(2, "server"): f"{STARTED.format('2.2.0')}\n{written}"},
            [ELECTED.format(30, 1, 1, "1", number).replace("from Online", "from Offline")],
        )
        for name, (written, number, _) in LAST_WRITES.items()
    }
    return built_of_each(logs, "leader_election")


@pytest.mark.parametrize("name", LAST_WRITES)
def test_an_election_right_after_the_last_write(
    name: str, of_last_writes: dict[str, dict[str, pl.DataFrame]]
) -> None:
    """Its number says whether the ISR that is known is the one that the controller read."""
    expected = LAST_WRITES[name][-1]
    last = of_last_writes[name]["leader_election"].sort("elected_at").to_dicts()[-1]
    assert (last["isr_before"], last["is_isr_before_certain"], last["is_clean"]) == expected
    proof = [one["file_id"].removeprefix(f"{name}/") for one in last["evidence"]]
    assert proof == ["1-state-change", "2-server"][: 1 + (expected[2] is False)]
