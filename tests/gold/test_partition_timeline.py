"""Intervals of partitions: who led when, without holes and without repeating what did not change."""

from typing import Any

import polars as pl
import pytest
from polars import col

from pipeline.catalog.tables import BY_SHORT_NAME
from tests.chain import built
from tests.frames import at, frame
from tests.gold.conftest import LOGS
from tests.gold.timeline_rows import same_rows
from tests.tables import log_table

PARTITION = ("topic", "topic_life", "partition")


@pytest.fixture(scope="module")
def story() -> pl.DataFrame:
    """Intervals of the one small story."""
    return timeline(LOGS)


def timeline(logs: dict[tuple[int, str], str]) -> pl.DataFrame:
    found: pl.DataFrame = built(log_table(logs), "partition_timeline")["partition_timeline"]
    return found


def test_intervals(story: pl.DataFrame) -> None:
    same_rows(
        story.filter(col("topic") == "a", col("partition") == 0),
        """
        topic | partition | part_seq | valid_from_at | valid_until_at | state            | leader | is_served | unserved_why | isr   | replicas | leader_epoch
        a     | 0         | 1        | 2             | 2.001          |                  |        |           |              |       | [2 1]    |
        a     | 0         | 1        | 2.001         | 2.002          | NewPartition     |        |           |              |       | [2 1]    |
        a     | 0         | 1        | 2.002         | 10             | OnlinePartition  | 2      | true      |              | [2 1] | [2 1]    | 0
        a     | 0         | 2        | 10            | 10.001         | OnlinePartition  | 2      | false     | leader_gone  | [2 1] | [2 1]    | 0
        a     | 0         | 1        | 10.001        | 10.002         | OfflinePartition | 2      | false     | offline      | [2 1] | [2 1]    | 0
        a     | 0         | 1        | 10.002        | 29.010         | OnlinePartition  | 1      | true      |              | [1]   | [2 1]    | 1
        a     | 0         | 2        | 29.010        |                | OnlinePartition  | 1      | false     | leader_gone  | [1]   | [2 1]    | 1
        """,
    )


def test_intervals_of_a_partition_follow_one_another(story: pl.DataFrame) -> None:
    pairs = story.sort(*PARTITION, "interval_seq", "part_seq").select(
        "valid_until_at",
        step=col("interval_seq").shift(-1).over(PARTITION) - col("interval_seq"),
        part_step=col("part_seq").shift(-1).over(PARTITION) - col("part_seq"),
        following_at=col("valid_from_at").shift(-1).over(PARTITION),
    )
    followed = pairs.filter(col("following_at").is_not_null())
    is_next_part = (col("step") == 0) & (col("part_step") == 1)
    assert followed.filter(~((col("step") == 1) | is_next_part)).is_empty()
    assert followed.filter(col("valid_until_at").ne_missing(col("following_at"))).is_empty()


# Of terms 1 (controller 1), 2 (controller 2) and 3 (controller 1) the lines of the second are missing. Meanwhile it
# moved a-0 to broker 2 and gave a-1 other replicas.
FIRST = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] New topics: [Set(a)], deleted topics: [Set()], new partition replica assignment [Map(a-0 -> Vector(1, 2), a-1 -> Vector(2, 1), a-2 -> Vector(2, 1))] (kafka.controller.KafkaController)
"""
THIRD = """
    [2026-11-21 00:01:00,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 3 and epoch zk version is now 3 (kafka.controller.KafkaController)
"""
CREATED = """
    [2026-11-21 00:00:02,001] INFO [Controller id=1 epoch=1] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:02,002] INFO [Controller id=1 epoch=1] Changed partition a-1 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:02,003] INFO [Controller id=1 epoch=1] Changed partition a-2 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:03,000] INFO [Controller id=1 epoch=1] Sending UpdateMetadata request to brokers Set(1, 2) for 0 partitions (state.change.logger)
"""
CHANGED = """
    [2026-11-21 00:01:02,000] INFO [Controller id=1 epoch=3] Changed partition a-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=2, isr=List(1, 2), zkVersion=2) (state.change.logger)
    [2026-11-21 00:01:03,000] INFO [Controller id=1 epoch=3] Changed partition a-1 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1), zkVersion=0) (state.change.logger)
"""
IN_DOUBT = """
    partition | valid_from_at | valid_until_at | leader | leader_epoch | is_assignment_stale | certainty
    0         | 2.001         | 3              | 1      | 0            | false               | proved
    0         | 3             | 62             | 1      | 0            | true                | undetermined
    0         | 62            |                | 1      | 2            | true                | proved
    1         | 2.002         | 3              | 2      | 0            | false               | proved
    1         | 3             | 63             | 2      | 0            | true                | undetermined
    1         | 63            |                | 2      | 0            | true                | proved
    2         | 2.003         | 3              | 2      | 0            | false               | proved
    2         | 3             |                | 2      | 0            | true                | undetermined
"""


QUIET = """
    [2026-11-21 00:00:30,020] INFO [Controller id=2 epoch=2] Sending UpdateMetadata request to brokers HashSet(2) for 0 partitions (state.change.logger)
"""


@pytest.mark.parametrize("is_whole", [False, True])
def test_what_a_missing_term_leaves_in_doubt(is_whole: bool) -> None:  # noqa: FBT001
    """From the last line before it: the leader until one is stated, the assignment too. With its lines nothing is."""
    second = (
        FIRST.splitlines()[1].replace("00:00:01", "00:00:30").replace("1] 1", "2] 2").replace("to 1", "to 2")
    )
    logs = {(1, "controller"): FIRST + THIRD, (1, "state-change"): CREATED + CHANGED}
    if is_whole:
        logs[1, "state-change"] = logs[1, "state-change"].replace("leaderEpoch=2", "leaderEpoch=1")
        logs[2, "controller"] = second
        logs[2, "state-change"] = QUIET
    rows = timeline(logs).filter(col("leader").is_not_null())
    if is_whole:
        assert set(rows.select("certainty", "is_assignment_stale").rows()) == {("proved", False)}
        assert rows.height == 4
    else:
        same_rows(rows, IN_DOUBT)


LATE = """
    [2026-11-21 00:00:25,000] INFO [Controller id=1 epoch=1] Changed partition a-3 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1), zkVersion=0) (state.change.logger)
"""


def test_what_is_said_behind_a_silence_before_a_missing_term_is_in_doubt_at_once() -> None:
    """Who was silent for as long as a session may be deposed: what it said before is in doubt from the silence on."""
    found = timeline({(1, "controller"): FIRST + THIRD, (1, "state-change"): CREATED + LATE})
    doubted = found.filter(certainty="undetermined").select("partition", "valid_from_at", "valid_until_at")
    assert sorted(doubted.rows()) == [(number, at(3), None) for number in range(3)] + [(3, at(25), None)]


HOLE = """
    [2026-11-21 00:00:10,000] INFO [Controller id=1 epoch=1] Changed partition a-1 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=1, isr=List(1, 2), zkVersion=1) (state.change.logger)
    [2026-11-21 00:01:02,000] INFO [Controller id=1 epoch=1] Changed partition a-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=2, isr=List(1, 2), zkVersion=2) (state.change.logger)
    [2026-11-21 00:01:03,000] INFO [Controller id=1 epoch=1] Changed partition a-1 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=3, isr=List(2, 1), zkVersion=3) (state.change.logger)
    [2026-11-21 00:01:04,000] ERROR [Controller id=1 epoch=1] Controller 1 epoch 1 failed to change state for partition a-2 from OfflinePartition to OnlinePartition (state.change.logger)
"""
BEHIND_HOLE = """
    partition | valid_from_at | valid_until_at | leader | leader_epoch | is_assignment_stale | certainty
    0         | 2.001         | 10             | 1      | 0            | false               | proved
    0         | 10            | 62             | 1      | 0            | true                | undetermined
    0         | 62            |                | 1      | 2            | true                | proved
    1         | 2.002         | 10             | 2      | 0            | false               | proved
    1         | 10            | 10             | 1      | 1            | false               | proved
    1         | 10            | 63             | 1      | 1            | true                | undetermined
    1         | 63            |                | 2      | 3            | true                | proved
    2         | 2.003         | 10             | 2      | 0            | false               | proved
    2         | 10            | 64             | 2      | 0            | true                | undetermined
"""


def test_leader_epochs_that_are_left_out_tell_of_lines_that_are_missing() -> None:
    """Two partitions were given leaders of which no line tells, and so may others have been: in one hole, which begins
    after the last line that is known before it. What is said to be Offline behind it is so."""
    found = timeline({(1, "controller"): FIRST, (1, "state-change"): CREATED + HOLE})
    same_rows(found.filter(col("leader").is_not_null()), BEHIND_HOLE)
    offline = found.filter(state="OfflinePartition", certainty="proved")
    assert offline.select("partition", "leader").rows() == [(2, None)]


def test_no_lines_give_no_intervals() -> None:
    names = ("leader_and_isr", "partition_state", "controller_line", "term")
    nothing: dict[str, Any] = {name: frame(BY_SHORT_NAME[name].spec, "cluster_id") for name in names}
    found = built(log_table(LOGS), "partition_timeline", **nothing)["partition_timeline"]
    assert found.is_empty()
