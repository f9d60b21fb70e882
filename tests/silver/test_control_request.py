"""Requests of the controller, on both sides and in every release's form."""

from pathlib import Path

import pytest

from pipeline.silver import control_request
from schemas.silver.control_request import SPEC
from tests.frames import frame
from tests.rows import declared_rows, family_rows, records_in, same_rows

STATE_CHANGE = """
    [2026-11-21 00:00:01,000] TRACE Controller 0 epoch 1 sending UpdateMetadata request (Leader:0,ISR:0,LeaderEpoch:0,ControllerEpoch:1) with correlationId 7 to broker 0 for partition [ad-events,0] (state.change.logger)
    [2026-11-21 00:00:02,000] TRACE [Controller id=1 epoch=1] Sending UpdateMetadata request UpdateMetadataPartitionState(topicName='billing.v2', partitionIndex=3, controllerEpoch=1, leader=2, leaderEpoch=0, isr=[2, 3], zkVersion=0, replicas=[2, 3], offlineReplicas=[]) to brokers Set(1, 2, 3) for partition billing.v2-3 (state.change.logger)
    [2026-11-21 00:00:03,000] INFO [Controller id=1 epoch=1] Sending LeaderAndIsr request to broker 1 with 2 become-leader and 3 become-follower partitions (state.change.logger)
    [2026-11-21 00:00:04,000] INFO [Controller id=1 epoch=1] Sending UpdateMetadata request to brokers HashSet() for 0 partitions (state.change.logger)
    [2026-11-21 00:00:05,000] INFO [Controller id=1 epoch=3] Sending StopReplica request (delete = true) for 3 replicas to broker 1 (state.change.logger)
    [2026-11-21 00:00:06,000] TRACE Controller 0 epoch 1 received response LeaderAndIsrResponse(7,Map((ad-events,0) -> 0, (ad-events,1) -> 11),0) for a request sent to broker id:0,host:h,port:9092 (state.change.logger)
    [2026-11-21 00:00:07,000] TRACE Controller 1 epoch 1 received response {error_code=0,partitions=[{topic=a,partition=1,error_code=11},{topic=a-1,partition=4,error_code=0}]} for a request sent to broker 127.0.0.1:20121 (id: 12 rack: null) (state.change.logger)
    [2026-11-21 00:00:08,000] TRACE [Controller id=1 epoch=1] Received response {error_code=11,_tagged_fields={}} for request UPDATE_METADATA with correlation id 0 sent to broker 127.0.0.1:20101 (id: 1 rack: null) (state.change.logger)
    [2026-11-21 00:00:09,000] TRACE [Controller id=1 epoch=1] Received response StopReplicaResponseData(errorCode=0, partitionErrors=[StopReplicaPartitionError(topicName='a', partitionIndex=1, errorCode=74), StopReplicaPartitionError(topicName='a', partitionIndex=2, errorCode=74)]) for request STOP_REPLICA with correlation id 9 sent to broker 127.0.0.1:20181 (id: 3 rack: null) (state.change.logger)
    [2026-11-21 00:00:10,000] ERROR [Controller id=2] Received error in LeaderAndIsr response org.apache.kafka.common.requests.LeaderAndIsrResponse@1f5d4df5 from broker 3 (state.change.logger)
"""
BROKER = """
    [2026-11-21 00:00:21,000] TRACE [Broker id=2] Received LeaderAndIsr request LeaderAndIsrPartitionState(topicName='billing-1.v2', partitionIndex=0, controllerEpoch=1, leader=3, leaderEpoch=4, isr=[3, 1], zkVersion=0, replicas=[3, 1], addingReplicas=[], removingReplicas=[], isNew=true) correlation id 3 from controller 1 epoch 1 (state.change.logger)
    [2026-11-21 00:00:22,000] INFO [Broker id=2] Finished LeaderAndIsr request in 143ms correlationId 3 from controller 1 for 6 partitions (state.change.logger)
    [2026-11-21 00:00:23,000] WARN [Broker id=2] Ignoring LeaderAndIsr request from controller 1 with correlation id 1 epoch 7 for partition a-1 since its associated leader epoch 11 is not higher than the current leader epoch 12 (state.change.logger)
    [2026-11-21 00:00:24,000] WARN [Broker id=2] Ignoring LeaderAndIsr request from controller 2 with correlation id 6 since its controller epoch 4 is old. Latest known controller epoch is 5 (state.change.logger)
    [2026-11-21 00:00:25,000] INFO [Broker id=2] Add 2 partitions and deleted 1 partitions from metadata cache in response to UpdateMetadata request sent by controller 2 epoch 1 with correlation id 3 (state.change.logger)
    [2026-11-21 00:00:26,000] TRACE [Broker id=2] Received StopReplica request StopReplicaPartitionState(partitionIndex=0, leaderEpoch=-2, deletePartition=true) correlation id 57 from controller 2 epoch 1 for partition search-index-0 (state.change.logger)
    [2026-11-21 00:00:27,000] INFO [Broker id=2] Skipped the become-leader state change for a-2 with topic id Some(jH1RjyeIRue_16OZ_P3S1A) and partition state LeaderAndIsrPartitionState(topicName='a', partitionIndex=2, controllerEpoch=-1, leader=1, leaderEpoch=2, isr=[2, 1], partitionEpoch=4, replicas=[1, 2, 3], addingReplicas=[], removingReplicas=[], isNew=false, leaderRecoveryState=0) since it is already the leader with leader epoch 2. Current high watermark 0, ISR [1,2], adding replicas [] and removing replicas []. (state.change.logger)
"""
CONTROLLER = """
    [2026-11-21 00:00:31,000] DEBUG The stop replica request (delete = true) sent to broker 3 is  (kafka.controller.ControllerBrokerRequestBatch)
    [2026-11-21 00:00:32,000] DEBUG The stop replica request (delete = false) sent to broker 3 is [Topic=0-numbers-0,Partition=1,Replica=3],[Topic=email.out,Partition=0,Replica=3] (kafka.controller.ControllerBrokerRequestBatch)
    [2026-11-21 00:00:33,000] WARN [Channel manager on controller 1]: Not sending request (type=StopReplicaRequest, controllerId=1, controllerEpoch=1, deletePartitions=false, partitions=search-index-0) to broker 2, since it is offline. (kafka.controller.ControllerChannelManager)
    [2026-11-21 00:00:34,000] WARN [Channel manager on controller 101]: Not sending request UpdateMetadata with controllerId=101, controllerEpoch=4, brokerEpoch=33 to broker 2, since it is offline. (kafka.controller.ControllerChannelManager)
    [2026-11-21 00:00:35,000] WARN [RequestSendThread controllerId=1] Controller 1 epoch 2 fails to send request (type=LeaderAndIsRequest, controllerId=1, controllerEpoch=2, brokerEpoch=59, partitionStates=[]) to broker 127.0.0.1:20301 (id: 1 rack: null). Reconnecting to broker. (kafka.controller.RequestSendThread)
    [2026-11-21 00:00:36,000] DEBUG [Controller id=3] Delete topic callback invoked on StopReplica response received from broker 1: request error = NONE, partition errors = Map(email.out-1 -> NONE, email.out-0 -> UNKNOWN_SERVER_ERROR) (kafka.controller.KafkaController)
    [2026-11-21 00:00:37,000] DEBUG [Controller id=2] Delete topic callback invoked for StopReplicaResponse(responses={payments-0=NONE}, error=NONE) (kafka.controller.KafkaController)
    [2026-11-21 00:00:38,000] WARN [Controller-0-to-broker-0-send-thread], Controller 0 epoch 14 fails to send request {controller_id=0,controller_epoch=14,partition_states=[],live_brokers=[]} to broker Node(0, h, 9092). Reconnecting to broker. (kafka.controller.RequestSendThread)
"""
EXPECTED = """
    logged_at | request         | step      | broker_id | broker_ids | correlation_id | partition_count | topic         | partition | is_delete | leader | leader_epoch | known_epoch | elapsed_ms | error | error_count | broker_epoch
    1         | UPDATE_METADATA | sent      | 0         |            | 7              |                 | ad-events     | 0         |           | 0      | 0            |             |            |       |             |
    2         | UPDATE_METADATA | sent      |           | [1 2 3]    |                |                 | billing.v2    | 3         |           | 2      | 0            |             |            |       |             |
    3         | LEADER_AND_ISR  | sent      | 1         |            |                | 5               |               |           |           |        |              |             |            |       |             |
    4         | UPDATE_METADATA | sent      |           | []         |                | 0               |               |           |           |        |              |             |            |       |             |
    5         | STOP_REPLICA    | sent      | 1         |            |                | 3               |               |           | true      |        |              |             |            |       |             |
    6         | LEADER_AND_ISR  | answered  | 0         |            | 7              |                 |               |           |           |        |              |             |            | NONE  | 1           |
    7         |                 | answered  | 12        |            |                |                 |               |           |           |        |              |             |            | NONE  | 1           |
    8         | UPDATE_METADATA | answered  | 1         |            | 0              |                 |               |           |           |        |              |             |            | 11    | 0           |
    9         | STOP_REPLICA    | answered  | 3         |            | 9              |                 |               |           |           |        |              |             |            | NONE  | 2           |
    10        | LEADER_AND_ISR  | answered  | 3         |            |                |                 |               |           |           |        |              |             |            |       | 0           |
    21        | LEADER_AND_ISR  | received  | 2         |            | 3              |                 | billing-1.v2  | 0         |           | 3      | 4            |             |            |       |             |
    22        | LEADER_AND_ISR  | applied   | 2         |            | 3              | 6               |               |           |           |        |              |             | 143        |       |             |
    23        | LEADER_AND_ISR  | ignored   | 2         |            | 1              |                 | a             | 1         |           |        | 11           | 12          |            |       |             |
    24        | LEADER_AND_ISR  | refused   | 2         |            | 6              |                 |               |           |           |        |              | 5           |            |       |             |
    25        | UPDATE_METADATA | applied   | 2         |            | 3              | 3               |               |           |           |        |              |             |            |       |             |
    26        | STOP_REPLICA    | received  | 2         |            | 57             |                 | search-index  | 0         | true      |        | -2           |             |            |       |             |
    32        | STOP_REPLICA    | sent      | 3         |            |                |                 | 0-numbers-0   | 1         | false     |        |              |             |            |       |             |
    32        | STOP_REPLICA    | sent      | 3         |            |                |                 | email.out     | 0         | false     |        |              |             |            |       |             |
    33        | STOP_REPLICA    | not_sent  | 2         |            |                |                 |               |           |           |        |              |             |            |       |             |
    34        | UPDATE_METADATA | not_sent  | 2         |            |                |                 |               |           |           |        |              |             |            |       |             | 33
    35        | LEADER_AND_ISR  | retried   | 1         |            |                |                 |               |           |           |        |              |             |            |       |             | 59
    36        | STOP_REPLICA    | answered  | 1         |            |                |                 |               |           |           |        |              |             |            | NONE  | 1           |
    37        | STOP_REPLICA    | answered  |           |            |                |                 |               |           |           |        |              |             |            | NONE  | 0           |
    38        | UPDATE_METADATA | retried   | 0         |            |                |                 |               |           |           |        |              |             |            |       |             |
"""  # fmt: skip


def test_requests() -> None:
    logs = {(1, "state-change"): STATE_CHANGE, (2, "state-change"): BROKER, (1, "controller"): CONTROLLER}
    found = declared_rows(control_request.build(records_in(logs)), SPEC)
    expected = frame(SPEC, EXPECTED)
    same_rows(
        found, expected,
        "logged_at", "request", "step", "broker_id", "broker_ids", "correlation_id", "partition_count", "topic",
        "partition", "is_delete", "leader", "leader_epoch", "known_epoch", "elapsed_ms", "error", "error_count",
        "broker_epoch",
    )  # fmt: skip


@pytest.mark.parametrize(
    "cluster", ["2.5.1-zk-stock", pytest.param("3.9.1-zk-trace", marks=pytest.mark.soak)]
)
def test_every_answer_has_its_request(shared: Path, cluster: str) -> None:
    """LeaderAndIsr at TRACE: what a controller heard an answer to, the broker received under the same number."""
    rows = family_rows(control_request.build, SPEC, shared / "corpus" / "lab" / cluster)
    asked = [row for row in rows if row["request"] == "LEADER_AND_ISR"]
    key = ("controller_id", "controller_epoch", "broker_id", "correlation_id")
    answered = {
        tuple(row[name] for name in key)
        for row in asked
        if row["step"] == "answered" and row["correlation_id"]
    }
    received = {tuple(row[name] for name in key) for row in asked if row["step"] == "received"}
    assert len(answered) > 100
    assert answered <= received
