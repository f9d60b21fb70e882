"""A reason is of the life of the process whose end it explains: logs of several lives of a node, parts of them missing."""

import pytest
from polars import col

from tests.chain import built
from tests.gold.term_lines import active, observed, renounced
from tests.rows import records_in

FIRST = """
    [2024-02-01 09:00:01,950] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 4 and epoch zk version is now 4 (kafka.controller.KafkaController)
    [2024-02-01 09:00:02,050] INFO [Controller id=2] Currently active brokers in the cluster: Set(2) (kafka.controller.KafkaController)
    [2024-02-01 09:40:04,100] INFO [ControllerEventThread controllerId=2] Shutting down (kafka.controller.ControllerEventManager$ControllerEventThread)
    [2024-02-01 09:40:04,101] DEBUG [Controller id=2] Resigning (kafka.controller.KafkaController)
"""
LATER = """
    [2024-02-03 07:10:00,900] INFO [ControllerEventThread controllerId=2] Starting (kafka.controller.ControllerEventManager$ControllerEventThread)
    [2024-02-03 07:10:00,950] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 9 and epoch zk version is now 9 (kafka.controller.KafkaController)
    [2024-02-03 07:10:01,050] INFO [Controller id=2] Currently active brokers in the cluster: Set(2) (kafka.controller.KafkaController)
    [2024-02-03 08:30:00,001] INFO [Controller id=2] Processing automatic preferred replica leader election (kafka.controller.KafkaController)
    [2024-02-04 06:00:00,900] INFO [ControllerEventThread controllerId=2] Starting (kafka.controller.ControllerEventManager$ControllerEventThread)
    [2024-02-04 06:00:00,950] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 10 and epoch zk version is now 10 (kafka.controller.KafkaController)
    [2024-02-04 06:00:01,050] INFO [Controller id=2] Currently active brokers in the cluster: Set(2) (kafka.controller.KafkaController)
"""
SERVER = """
    [2024-02-01 09:00:02,101] INFO [KafkaServer id=2] started (kafka.server.KafkaServer)
    [2024-02-01 09:40:00,000] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)
    [2024-02-01 09:40:04,500] INFO [KafkaServer id=2] shut down completed (kafka.server.KafkaServer)
"""
# Controller 1 prints who is there; of 3 server.log alone is read.
PEER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 8 and epoch zk version is now 8 (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,010] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 3) (kafka.controller.KafkaController)
    {later}
"""
LEFT = "[2026-11-21 00:{}:00,000] INFO [Controller id=1] Newly added brokers: , deleted brokers: 3, bounced brokers: , all live brokers: 1 (kafka.controller.KafkaController)"
STOPPED = """
    [2026-11-21 00:00:00,100] INFO starting (kafka.server.KafkaServer)
    [2026-11-21 00:00:00,900] INFO [KafkaServer id=3] started (kafka.server.KafkaServer)
    [2026-11-21 00:05:00,000] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)
"""
# Nobody prints the end of the term of 3; its process was killed later, or then.
NAMED = """
    [2026-11-21 00:00:01,000] TRACE [Broker id=1] Received LeaderAndIsr request LeaderAndIsrPartitionState(topicName='a', partitionIndex=0, controllerEpoch=7, leader=1, leaderEpoch=0, isr=[1, 3], zkVersion=0, replicas=[1, 3], addingReplicas=[], removingReplicas=[], isNew=false) correlation id 1 from controller 3 epoch 7 (state.change.logger)
    [2026-11-21 00:00:30,000] TRACE [Broker id=1] Received LeaderAndIsr request LeaderAndIsrPartitionState(topicName='a', partitionIndex=0, controllerEpoch=8, leader=1, leaderEpoch=0, isr=[1, 3], zkVersion=0, replicas=[1, 3], addingReplicas=[], removingReplicas=[], isNew=false) correlation id 1 from controller 1 epoch 8 (state.change.logger)
"""
KILLED = """
    [2026-11-21 00:00:00,100] INFO starting (kafka.server.KafkaServer)
    [2026-11-21 00:00:00,900] INFO [KafkaServer id=3] started (kafka.server.KafkaServer)
    [2026-11-21 00:00:50,000] INFO starting (kafka.server.KafkaServer)
"""
LOST = "[2026-11-21 00:00:{},000] INFO [ReplicaFetcher replicaId=1, leaderId=3, fetcherId=0] Node 3 disconnected. (org.apache.kafka.clients.NetworkClient)"


def test_what_ended_a_life_is_no_reason_of_a_later_one() -> None:
    """The signal of two days before; who was controller in between, and could have been again, no line tells."""
    logs = {(2, "controller"): FIRST + LATER, (2, "server"): SERVER}
    tables = built(records_in(logs), "controller_term", "finding")
    terms = tables["controller_term"].sort("controller_epoch")
    assert terms.select("ended_how", "end_reason", "end_unknown_why").rows() == [
        ("shutdown", "sigterm", None),
        ("crashed", "unknown", "lines_missing"),
        ("open", None, None),
    ]
    told = tables["finding"].filter(col("severity") != "info")
    assert told.select("severity", "sentence").rows() == [
        ("warning", "no controller for up to 21 h 30 min after controller 2 (epoch 9)")
    ]


@pytest.mark.parametrize(("minute", "reason"), [("05", "sigterm"), ("06", "sigterm"), ("45", "unknown")])
def test_a_broker_that_was_heard_long_after_its_stop_was_another_process(minute: str, reason: str) -> None:
    """It left 40 minutes after the process that server.log tells of was told to stop."""
    logs = {(1, "controller"): PEER.format(later=LEFT.format(minute)), (3, "server"): STOPPED}
    stays = built(records_in(logs), "broker_session")["broker_session"].filter(broker_id=3)
    assert stays["end_reason"].to_list() == [reason]


@pytest.mark.parametrize(("lost_at", "reason"), [(None, "unknown"), (40, "unknown"), (20, "killed")])
def test_an_end_that_no_line_tells_is_no_later_one(lost_at: int | None, reason: str) -> None:
    """The next controller was there from 00:00:30 on, and the last one was killed by 00:00:50: only who missed it
    before tells that it was by then."""
    logs = {(1, "state-change"): NAMED, (3, "server"): KILLED}
    if lost_at:
        logs[1, "server"] = LOST.format(lost_at)
    terms = built(records_in(logs), "controller_term")["controller_term"].sort("controller_epoch")
    assert terms.select("ended_how", "end_reason").row(0) == ("superseded_unseen", reason)


def kraft(*days: tuple[str, str, str]) -> dict[tuple[int, str], str]:
    """Logs of two controllers of days, in which the same seconds are told."""
    logs = [[text.replace("2026-11-21", day) for text in texts] for day, *texts in days]
    return {(node, "controller"): "".join(texts) for node, texts in enumerate(zip(*logs, strict=True), 1)}


@pytest.mark.parametrize(
    ("heard", "gap_ms"),
    [
        ("", None),
        (observed(2, 2, 5, "(none)"), None),
        (observed(2, 2, 5, "(none)") + observed(2, 3, 6, "(none)"), 9 * 86_400_000 - 8_000),
    ],
    ids=("none", "one", "all"),
)
def test_epochs_of_which_nothing_is_heard_may_have_had_a_controller(heard: str, gap_ms: int | None) -> None:
    """Days lie between epoch 1 and 4 of one life: a quorum without a leader all the while says so."""
    begun = (active(1, 1, 1) + renounced(1, 1, 10, 2), observed(2, 1, 1.1, 1) + heard)
    logs = kraft(("2026-11-12", *begun), ("2026-11-21", "", active(2, 4, 2)))
    terms = built(records_in(logs), "controller_term")["controller_term"].sort("controller_epoch")
    assert terms["gap_ms"].to_list() == [gap_ms, None]


def test_a_life_of_the_metadata_counts_its_epochs_anew() -> None:
    """Nobody was without a controller from the last one of the life before on; and who gives up soon is no claim of the
    past because an epoch as high was there before."""
    told = (
        active(1, 1, 1) + active(1, 3, 9),
        observed(2, 1, 1.1, 1) + active(2, 2, 5) + renounced(2, 2, 8, 3),
    )
    logs = kraft(("2026-11-12", *told), ("2026-11-21", *told))
    terms = built(records_in(logs), "controller_term")["controller_term"].sort("life", "controller_epoch")
    assert terms["term_id"].to_list() == ["1-1", "1-2", "1-3", "2-1", "2-2", "2-3"]
    assert terms["gap_ms"].to_list()[2] is None
