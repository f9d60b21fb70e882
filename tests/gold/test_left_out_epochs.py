"""What is concluded of elections and ratios where leader epochs are left out, which tells that lines are missing."""

import polars as pl
import pytest

from pipeline.gold.imbalance_check import undetermined_stretch
from pipeline.gold.imbalance_check.verdicts import with_doubt
from pipeline.gold.leader_election.judging import with_certain_isr
from schemas.gold import imbalance_check, partition_timeline
from tests.chain import built
from tests.frames import frame
from tests.rows import records_in

ONLINE = "[2026-11-21 00:00:{:02},000] INFO [Controller id=1 epoch=1] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), zkVersion=0) (state.change.logger)"
REMOVED = "[2026-11-21 00:00:{:02},000] INFO [Controller id=1 epoch=1] Partition a-0 state changed to (Leader:1,ISR:1,LeaderRecoveryState:RECOVERED,LeaderEpoch:{},ZkVersion:1,ControllerEpoch:1) after removing replica 2 from the ISR as part of transition to OfflineReplica (state.change.logger)"
ELECTED = "[2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)"


@pytest.mark.parametrize(
    ("how", "leader_epoch", "expected"), [("move", 4, True), ("move", 5, False), ("removed", 5, True)]
)
def test_the_isr_before_is_that_of_the_election_before(how: str, leader_epoch: int, expected: bool) -> None:  # noqa: FBT001
    attempts = pl.DataFrame({"leader_epoch": [leader_epoch], "how": how}).with_columns(
        old_epoch=3,
        old_leader=1,
        isr_before=pl.concat_list(pl.lit(1)),
        replicas=pl.concat_list(pl.lit(1), pl.lit(2)),
        isr_line_file_id=pl.lit(None, pl.String),
        is_own_whole=True,
        is_isr_told=True,
        is_isr_numbered=False,
        doubt=pl.lit(None, pl.String),
    )
    assert with_certain_isr(attempts)["is_isr_before_certain"].to_list() == [expected]


@pytest.mark.parametrize(("day", "second", "expected"), [(0, 5, False), (0, 25, True), (1, 25, True)])
def test_a_ratio_is_in_doubt_on_a_day_on_which_a_leader_was(day: int, second: int, expected: bool) -> None:  # noqa: FBT001
    timeline = """
        cluster_id | topic | partition | valid_from_at | valid_until_at | certainty
        c          | a     | 0         | 10            |                | undetermined
        c          | a     | 1         | 12            | 20             | undetermined
    """
    at = day * 86_400 + second
    checks = frame(imbalance_check.SPEC, f"cluster_id | checked_at\nc | {at}")
    found = with_doubt(checks, undetermined_stretch(frame(partition_timeline.SPEC, timeline)))
    assert found["is_in_doubt"].to_list() == [expected]


@pytest.mark.parametrize(("leader_epoch", "count"), [(1, 1), (3, 0)])
def test_a_removal_behind_epochs_that_are_left_out_may_have_changed_nothing(
    leader_epoch: int, count: int
) -> None:
    lines = "\n".join([ONLINE.format(2), REMOVED.format(9, leader_epoch)])
    records = records_in({(1, "controller"): ELECTED + "\n", (1, "state-change"): lines + "\n"})
    elections = built(records, "leader_election")["leader_election"]
    assert elections.filter(kind="isr_removal").height == count
