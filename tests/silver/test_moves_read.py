"""Terms whose controller's moves are read, and those of which controller.log alone tells."""

import pytest

from tests.chain import built
from tests.rows import records_in

CONTROLLER_1 = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Ready to serve as the new controller with epoch 1 (kafka.controller.KafkaController)
"""
CONTROLLER_2 = """
    [2026-11-21 00:00:05,000] INFO [Controller 2]: Controller 2 incremented epoch to 2 (kafka.controller.KafkaController)
"""
STATE_CHANGE_3 = """
    [2026-11-21 00:00:07,000] TRACE [Controller id=3 epoch=3] Changed state of replica 3 for partition t-0 from NewReplica to OnlineReplica (state.change.logger)
"""


def test_a_term_of_which_controller_log_alone_is_read() -> None:
    """Of controllers 1 and 2 no state-change.log is read; that of 3 begins after its epoch 4."""
    logs = {
        (1, "controller"): CONTROLLER_1,
        (2, "controller"): CONTROLLER_2,
        (3, "controller"): CONTROLLER_2.replace("Controller 2", "Controller 3").replace("to 2", "to 4"),
        (3, "state-change"): STATE_CHANGE_3,
    }
    found = built(records_in(logs), "term")["term"].sort("term_id")
    assert dict(found.select("term_id", "are_moves_read").rows()) == {
        "1-1": False, "1-2": False, "1-4": False, "2-1": False, "2-3": True,
    }  # fmt: skip


MOVE = "[Controller id=2 epoch=2] Changed partition t-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=3, leaderEpoch=0, isr=List(3), zkVersion=0)"
NOOP = "[Broker id=2] Skipped the become-follower state change after marking its partition as follower with correlation id 1 from controller 2 epoch 2 for partition t-0 (last update controller epoch 2) since the new leader 3 is the same as the old leader"


@pytest.mark.parametrize(
    ("level", "said", "expected"),
    [("TRACE", MOVE, True), ("INFO", MOVE, True), ("INFO", NOOP, False), ("ERROR", MOVE, False)],
)
def test_moves_are_read_at_a_level_at_which_they_are_printed(
    level: str,
    said: str,
    expected: bool,  # noqa: FBT001
) -> None:
    """From 2.6 on INFO, before TRACE: what is above these tells of moves that fail alone."""
    logs = {
        (2, "controller"): CONTROLLER_2,
        (2, "state-change"): f"[2026-11-21 00:00:06,000] {level} {said} (state.change.logger)\n",
    }
    found = built(records_in(logs), "term")["term"]
    assert found["are_moves_read"].to_list() == [expected]
