"""A topic whose znode somebody removes: from then on its controller holds nothing of it, whatever it still prints."""

from datetime import timedelta

import polars as pl
import pytest
from polars import col
from polars.testing import assert_frame_equal

from schemas.gold.partition_timeline import SPEC
from tests.carried import reaching
from tests.chain import built
from tests.frames import EPOCH, frame
from tests.gold.timeline_from_days import from_day
from tests.rows import records_in, same_rows

# Topic b is removed; up to 1.0 the partitions of its dead leader go Offline all the same. Later it is created anew.
CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] New topics: [Set(a, b)], deleted topics: [Set()], new partition replica assignment [Map(a-0 -> Vector(2, 1), b-0 -> Vector(2, 1))] (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 2) (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] TRACE [Controller id=1] Leader imbalance ratio for broker 2 is 0.0 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] New topics: [Set()], deleted topics: [Set(b)], new partition replica assignment [Map()] (kafka.controller.KafkaController)
    [2026-11-21 00:00:20,000] INFO [Controller id=1] Newly added brokers: , deleted brokers: 2, all live brokers: 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:30,000] INFO [Controller id=1] New topics: [Set(b)], deleted topics: [Set()], new partition replica assignment [Map(b-0 -> Vector(1, 2))] (kafka.controller.KafkaController)
    [2026-11-21 00:00:40,000] TRACE [Controller id=1] Leader imbalance ratio for broker 2 is 1.0 (kafka.controller.KafkaController)
"""
STATE_CHANGE = """
    [2026-11-21 00:00:02,002] TRACE [Controller id=1 epoch=1] Changed partition a-0 from NewPartition to OnlinePartition with leader 2 (state.change.logger)
    [2026-11-21 00:00:02,003] TRACE [Controller id=1 epoch=1] Changed partition b-0 from NewPartition to OnlinePartition with leader 2 (state.change.logger)
    [2026-11-21 00:00:20,001] TRACE [Controller id=1 epoch=1] Changed partition a-0 state from OnlinePartition to OfflinePartition (state.change.logger)
    [2026-11-21 00:00:20,002] TRACE [Controller id=1 epoch=1] Changed partition b-0 state from OnlinePartition to OfflinePartition (state.change.logger)
    [2026-11-21 00:00:20,003] TRACE [Controller id=1 epoch=1] Changed partition a-0 from OfflinePartition to OnlinePartition with leader 1 (state.change.logger)
    [2026-11-21 00:00:30,002] TRACE [Controller id=1 epoch=1] Changed partition b-0 from NewPartition to OnlinePartition with leader 1 (state.change.logger)
"""
LOGS = {(1, "controller"): CONTROLLER, (1, "state-change"): STATE_CHANGE}
B = """
    topic_life | valid_from_at | valid_until_at | state           | leader | ended_by
    1          | 2             | 2.003          |                 |        | partition_transition
    1          | 2.003         | 10             | OnlinePartition | 2      | topic_change
    2          | 30            | 30.002         |                 |        | partition_transition
    2          | 30.002        |                | OnlinePartition | 1      |
"""


def test_it_ends_with_the_line_and_begins_when_it_is_created() -> None:
    tables = built(records_in(LOGS), "partition_timeline", "partition_outage", "imbalance_check")
    rows = tables["partition_timeline"].filter(col("topic") == "b")
    expected = frame(SPEC, B)
    same_rows(rows, expected, "topic_life", "valid_from_at", "valid_until_at", "state", "leader", "ended_by")
    assert set(tables["partition_outage"]["topic"]) == {"a"}
    assert tables["imbalance_check"].sort("checked_at")["preferred_count"].to_list() == [2, 1]


@pytest.mark.parametrize("second", [9, 10, 15, 20, 25, 30, 35])
def test_from_any_time_on(second: int) -> None:
    """What is removed stays so for lines of later days."""
    tables = built(records_in(LOGS), "partition_timeline", "broker_session")
    whole: pl.DataFrame = tables["partition_timeline"]
    day = EPOCH + timedelta(seconds=second)
    later = whole.filter(reaching("valid_until_at", day))
    assert_frame_equal(from_day(tables, day), later, check_row_order=False)
