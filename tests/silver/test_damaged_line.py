"""Lines that are understood and say what no table may hold: each keeps its declaration, and what is left is the last."""

import pytest

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.model.partitions.statements import lines_with_term_order
from schemas.silver import controller_line
from tests.chain import kernel
from tests.frames import frame
from tests.rows import broken_rules, declared_rows, records_in

CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] New topics: [Set(t)], deleted topics: [Set()], new partition replica assignment [Map(t-0 -> Vector(1, 2), t-1 -> Vector(1), t-00 -> Vector(1, 3), t-0 -> Vector(1, 2))] (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] DEBUG [Controller 1]: Updated path /brokers/topics/t with {"version":1,"partitions":{"0":[1,2],"0":[2,1],"00":[3]}} for replica assignment (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] INFO [Controller id=1] Updated broker epochs cache: Map(1 -> 25, 2 -> 7, 1 -> 50) (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] INFO [Controller id=1] Newly added brokers: 3,3, deleted brokers: 4,04, bounced brokers: , all live brokers: 1,2,2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] DEBUG [PartitionsReassignedListener on 1]: Partitions reassigned listener fired for path /admin/reassign_partitions. Record partitions to be reassigned {"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1]},{"topic":"t","partition":0,"replicas":[2]}]} (kafka.controller.PartitionsReassignedListener)
    [2026-11-21 00:00:06,000] INFO [Controller id=1] Removing partitions Map(t-2 -> Buffer(1, 3), t-2 -> Buffer(2)) from the list of reassigned partitions in zookeeper (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,000] INFO [Controller id=1] Removing partitions Set(t-3, t-3, t-03) from the list of reassigned partitions in zookeeper (kafka.controller.KafkaController)
    [2026-11-21 00:00:08,000] DEBUG [Controller id=1] PreferredReplicaLeaderElection waiting: Set(t-2, t-02), results: Map(t-1 -> Right(3), t-1 -> Right(1)) (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] INFO [Controller id=1] Starting replica leader election (PREFERRED) for partitions t-4,t-4,t-04 triggered by ZkTriggered (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] DEBUG The stop replica request (delete = false) sent to broker 3 is [Topic=t,Partition=1,Replica=3],[Topic=t,Partition=01,Replica=3] (kafka.controller.ControllerBrokerRequestBatch)
    [2026-11-21 00:00:11,000] INFO [ReplicaStateMachine controllerId=1] Started replica state machine with initial state -> Map([Topic=t,Partition=0,Replica=1] -> OnlineReplica, [Topic=t,Partition=0,Replica=2] -> OnlineReplica, [Topic=t,Partition=0,Replica=1] -> OfflineReplica) (kafka.controller.ReplicaStateMachine)
    [2026-11-21 00:00:16,000] INFO [Controller id=1] New topics: [Set(u, u)], deleted topics: [Set()], new partition replica assignment [Map()] (kafka.controller.KafkaController)
    [2026-11-21 00:00:17,000] INFO [Controller id=1] New partitions to be added Map(v-99999999999 -> Vector(1, 99999999999), v-99999999998 -> Vector(2)) (kafka.controller.KafkaController)
    [2026-11-21 00:00:18,000] INFO [Controller id=1] Updated broker epochs cache: Map(99999999999 -> 25, 99999999998 -> 99999999999999999999) (kafka.controller.KafkaController)
"""
KRAFT = """
    [2026-11-21 00:00:21,000] INFO [Controller 1] UNCLEAN partition change for t-0 with topic ID v6VJqxRVTLycDB8RnN5lVA: leader: 2 -> 1, leader: 2 -> 3, leaderEpoch: 4 -> 5, partitionEpoch: 5 -> 6 (org.apache.kafka.controller.ReplicationControlManager)
    [2026-11-21 00:00:22,000] INFO [Controller 1] UNCLEAN partition change for t-0 with topic ID v6VJqxRVTLycDB8RnN5lVA: leader: 2 -> 3, leaderEpoch: 4 -> 2147483647, partitionEpoch: 5 -> 2147483647 (org.apache.kafka.controller.ReplicationControlManager)
"""
STATE_CHANGE = """
    [2026-11-21 00:00:31,000] INFO Adding brokers Set(1 : (EndPoint(a,1,ListenerName(PLAINTEXT),PLAINTEXT)) : null : Features{}, 1 : (EndPoint(b,2,ListenerName(PLAINTEXT),PLAINTEXT)) : null : Features{}), removing brokers Set(). (state.change.logger)
    [2026-11-21 00:00:32,000] INFO [Controller id=1 epoch=5] Sending LeaderAndIsr request to broker 1 with 2147483647 become-leader and 1 become-follower partitions (state.change.logger)
    [2026-11-21 00:00:33,000] TRACE [Controller id=1 epoch=5] Changed partition t-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=2147483647, isr=List(1), zkVersion=1) (state.change.logger)
"""
SERVER = """
    [2026-11-21 00:00:41,000] INFO [Log partition=t-0, dir=/d] Truncating to 5 has no effect as the largest offset in the log is 9223372036854775807 (kafka.log.Log)
    [2026-11-21 00:00:42,000] INFO [Log partition=t-0, dir=/d] Truncating to 5 has no effect as the largest offset in the log is 4 (kafka.log.Log)
"""
# Columns of a table, and what they hold by the second of a line.
LEFT: dict[str, tuple[tuple[str, ...], list[tuple[object, ...]]]] = {
    "assignment": (
        ("topic", "partition", "replicas"),
        [
            (1, "t", 0, [1, 2]), (1, "t", 1, [1]), (2, "t", 0, [3]), (17, "v", None, [2]),
        ],
    ),
    "leader_and_isr": (
        ("topic", "partition", "replicas", "leader_epoch"),
        [(1, "t", 0, [1, 2], None), (1, "t", 1, [1], None), (33, "t", 0, None, None)],
    ),
    "broker_event": (
        ("step", "broker_id", "broker_epoch"),
        [
            (3, "epoch", 1, 50), (3, "epoch", 2, 7), (4, "joined", 3, None), (4, "left", 4, None),
            (4, "live", 1, None), (4, "live", 2, None), (18, "epoch", None, None), (31, "joined", 1, None),
        ],
    ),
    "reassignment_event": (
        ("topic", "partition", "target_replicas"),
        [(5, "t", 0, [2]), (6, "t", 2, [2]), (7, "t", 3, None)],
    ),
    "election_event": (
        ("step", "partition", "new_leader", "leader_epoch"),
        [
            (8, "result", 1, 1, None), (8, "waiting", 2, None, None), (9, "started", 4, None, None),
            (21, "elected", 0, 3, 5), (22, "elected", 0, 3, None), (33, "elected", 0, 1, None),
        ],
    ),
    "control_request": (("topic", "partition", "partition_count"), [(10, "t", 1, None), (32, None, None, None)]),
    "partition_state": (("partition_epoch", "leader_epoch"), [(21, 6, 5), (22, None, None)]),
    "replica_offset": (("log_end_offset",), [(42, 5)]),
    "state_dump": (("replica_id", "state"), [(11, 1, "OfflineReplica"), (11, 2, "OnlineReplica")]),
    "topic_event": (("topic",), [(1, "t"), (16, "u")]),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_what_a_table_may_hold_is_left_of_a_line(name: str) -> None:
    logs = {
        (1, "controller"): CONTROLLER, (101, "controller"): KRAFT, (1, "state-change"): STATE_CHANGE,
        (1, "server"): SERVER,
    }  # fmt: skip
    spec = BY_SHORT_NAME[name].spec
    built = declared_rows(kernel(spec)(records_in(logs)), spec)
    columns, expected = LEFT[name]
    found = [(time.second, *said) for time, *said in built.select("logged_at", *columns).rows()]
    assert (sorted(found, key=str), broken_rules(built, spec)) == (sorted(expected, key=str), [])


def test_the_epoch_of_a_term_may_be_below_zero() -> None:
    lines = frame(controller_line.SPEC, "term_id\n2-7\n1--5")
    assert set(lines_with_term_order(lines).select("life", "controller_epoch").rows()) == {(2, 7), (1, -5)}
