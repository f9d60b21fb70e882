"""Lines of server.log that prove less than they seem to: what happened is told as if they were not there."""

import polars as pl
import pytest
from polars import col

from pipeline.kafka.wording.events import template_events
from pipeline.silver import connection_event, node_event
from tests.chain import built, built_of_many
from tests.rows import records_in

Logs = dict[tuple[int, str], str]
# What happened; silver keeps the lines themselves.
HAPPENED = (
    *("term", "broker_session", "controller_term", "partition_timeline", "partition_outage"),
    *("leader_election", "finding"),
)
CONTROLLER = "(kafka.controller.KafkaController)"
STATE = "(state.change.logger)"
SERVER = "(kafka.server.KafkaServer)"
STAMP = "[2026-11-21 09:00:{:02d},000] "


def text(*said: tuple[int, str]) -> str:
    return "\n".join(STAMP.format(second) + one for second, one in said)


ZOOKEEPER: Logs = {
    (2, "controller"): text(
        (0, f"INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 4 and epoch zk version is now 5 {CONTROLLER}"),
        (2, f"INFO [Controller id=2] Newly added brokers: 1, deleted brokers: , bounced brokers: , all live brokers: 1,2 {CONTROLLER}"),
        (58, f"INFO [Controller id=2] Newly added brokers: 3, deleted brokers: , bounced brokers: , all live brokers: 1,2,3 {CONTROLLER}"),
    ),
    (2, "state-change"): text(
        (3, f"INFO [Controller id=2 epoch=4] Changed partition t-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), zkVersion=0) {STATE}"),
    ),
}  # fmt: skip
KRAFT: Logs = {
    (9, "controller"): text(
        (0, "INFO [QuorumController id=9] Becoming the active controller at epoch 2, next write offset 1. (org.apache.kafka.controller.QuorumController)"),
        (2, "INFO [QuorumController id=9] The request from broker 1 to unfence has been granted because it has caught up with the offset of its register broker record 5. (org.apache.kafka.controller.BrokerHeartbeatManager)"),
        (58, "INFO [QuorumController id=9] The request from broker 3 to unfence has been granted because it has caught up with the offset of its register broker record 9. (org.apache.kafka.controller.BrokerHeartbeatManager)"),
    )
}  # fmt: skip
FAILED_VOTE = "INFO [RaftManager id=9] Insufficient remaining votes to become leader (rejected by [8]). We will backoff before retrying election again (org.apache.kafka.raft.KafkaRaftClient)"
PROVES_NOTHING = {
    "request_failed": (KRAFT, 9, "ERROR [ControllerApis nodeId=9] Unexpected error handling request RequestHeader(apiKey=VOTE, apiVersion=1, clientId=8, correlationId=65, headerVersion=2) -- VoteRequestData(clusterId='x') with context RequestContext(header=x) (kafka.server.ControllerApis)\norg.apache.kafka.common.errors.NotControllerException: No controller appears to be active."),
    "server_state": (KRAFT, 1, "INFO [BrokerServer id=1] Transition from STARTING to STARTED (kafka.server.BrokerServer)"),
    "acceptor_listening": (ZOOKEEPER, 1, "INFO Awaiting socket connections on 0.0.0.0:9092. (kafka.network.Acceptor)"),
    "zk_session_silent": (ZOOKEEPER, 1, "WARN Client session timed out, have not heard from server in 12013ms for sessionid 0x100000a1b2c0001 (org.apache.zookeeper.ClientCnxn)"),
    "connection_failed": (ZOOKEEPER, 1, "WARN [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Connection to node 2 could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"),
    "fetcher_added": (ZOOKEEPER, 1, "INFO [ReplicaFetcherManager on broker 1] Added fetcher for partitions List([t-0, initOffset 0 to broker BrokerEndPoint(2,h,9092)] ) (kafka.server.ReplicaFetcherManager)"),
    "append_failed": (ZOOKEEPER, 1, "ERROR [ReplicaManager broker=1] Error processing append operation on partition t-0 (kafka.server.ReplicaManager)\norg.apache.kafka.common.errors.CorruptRecordException: Record size is less than the minimum record overhead (14)"),
    "isr_update_rejected": (KRAFT, 1, "INFO [Partition t-0 broker=1] Failed to alter partition to PendingExpandIsr(newInSyncReplicaId=2, sentLeaderAndIsr=LeaderAndIsr(leader=1, leaderEpoch=1, isr=[1, 2], leaderRecoveryState=RECOVERED, partitionEpoch=2), lastCommittedState=CommittedPartitionState(isr=Set(1), leaderRecoveryState=RECOVERED)) since the controller rejected the request with INELIGIBLE_REPLICA. Partition state has been reset to the latest committed state CommittedPartitionState(isr=Set(1), leaderRecoveryState=RECOVERED). (kafka.cluster.Partition)"),
    "raft_fetch_timeout": (KRAFT, 9, "INFO [RaftManager id=9] Become candidate due to fetch timeout (org.apache.kafka.raft.KafkaRaftClient)"),
    "raft_votes_rejected": (KRAFT, 9, FAILED_VOTE),
    "controlled_shutdown_started": (ZOOKEEPER, 1, f"INFO [KafkaServer id=1] Starting controlled shutdown {SERVER}"),
    "log_dir_unclean": (ZOOKEEPER, 1, "INFO Attempting recovery for all logs in /b since no clean shutdown file was found (kafka.log.LogManager)"),
}  # fmt: skip


def without_it(event: str) -> Logs:
    """That a server.log is read at all says more of the ISR in ZooKeeper mode."""
    logs, node_id, _ = PROVES_NOTHING[event]
    if logs is not ZOOKEEPER:
        return logs
    return {**logs, (node_id, "server"): text((1, f"INFO Cluster ID = nreCh6bwRcuUAxBMLZUrKQ {SERVER}"))}


def its_lines(event: str) -> str:
    """However often it comes."""
    return text(*((second, PROVES_NOTHING[event][2]) for second in (20, 21, 40)))


def with_it(event: str) -> Logs:
    logs, place = without_it(event), (PROVES_NOTHING[event][1], "server")
    return {**logs, place: "\n".join([logs.get(place, ""), its_lines(event)]).strip()}


@pytest.fixture(scope="module")
def happened() -> dict[str, pl.DataFrame]:
    """The tables of all stories, each of a cluster."""
    stories = {f"{event} without": without_it(event) for event in PROVES_NOTHING}
    return built_of_many(stories | {f"{event} with": with_it(event) for event in PROVES_NOTHING}, *HAPPENED)


def said(rows: pl.DataFrame, cluster_id: str) -> list[str]:
    """Of a cluster, without places, as a file more has others, and without its name."""
    values = rows.filter(cluster_id=cluster_id).drop(
        "cluster_id", "file_id", "byte_offset", "load_seq", "evidence", "finding_id", strict=False
    )
    return sorted(str(one).replace(f"{cluster_id}/", "") for one in values.rows())


@pytest.mark.parametrize("event", PROVES_NOTHING)
def test_it_changes_nothing_of_what_happened(event: str, happened: dict[str, pl.DataFrame]) -> None:
    assert set(records_in({(PROVES_NOTHING[event][1], "server"): its_lines(event)})["event"]) == {event}
    found, expected = (
        {name: said(happened[name], f"{event} {which}") for name in HAPPENED} for which in ("with", "without")
    )
    assert found == expected
    assert found["term"] and found["broker_session"]


def steps(*lines: str) -> list[tuple[str, str | None]]:
    rows = node_event.build(records_in({(1, "server"): text(*enumerate(lines))})).sort("logged_at")
    found: list[tuple[str, str | None]] = rows.select("step", "detail").rows()
    return found


@pytest.mark.parametrize(
    ("line", "step"),
    [
        (f"INFO [Kafka Server 1], Error code from controller: 0 {SERVER}", ("remaining", "0")),
        (f"INFO [KafkaServer id=1] Error from controller: NONE {SERVER}", ("remaining", "NONE")),
        (f"INFO [KafkaServer id=1] Error code from controller: 11 {SERVER}", ("refused", "11")),
        (f"INFO [KafkaServer id=1] Error from controller: STALE_BROKER_EPOCH {SERVER}", ("refused", "STALE_BROKER_EPOCH")),
    ],
)  # fmt: skip
def test_an_answer_without_error_refuses_nothing(line: str, step: tuple[str, str]) -> None:
    """Partitions remain, and the broker asks again."""
    assert steps(line) == [step]


def test_a_start_that_fails_is_no_start() -> None:
    """Its state goes to STARTED first, and it prints no release."""
    lines = (
        "INFO [BrokerServer id=1] Transition from STARTING to STARTED (kafka.server.BrokerServer)",
        "ERROR [BrokerServer id=1] Fatal error during broker startup. Prepare to shutdown (kafka.server.BrokerServer)\njava.io.IOException: x",
        "INFO [BrokerServer id=1] Transition from STARTED to SHUTTING_DOWN (kafka.server.BrokerServer)",
    )  # fmt: skip
    assert [step for step, _ in steps(*lines)] == ["start_failed"]


def test_a_failed_start_tells_no_release() -> None:
    """AppInfoParser prints at the end of a start: the one that failed goes on with what was known."""
    version = "INFO Kafka version: 3.9.0 (org.apache.kafka.common.utils.AppInfoParser)"
    upgraded = version.replace("3.9.0", "4.0.0")
    failed = "ERROR [BrokerServer id=1] Fatal error during broker startup. Prepare to shutdown (kafka.server.BrokerServer)"
    logs = {(1, "server"): text((1, version), (10, failed), (20, upgraded))}
    spans = built(records_in(logs), "release_span")["release_span"].sort("valid_from_at")
    assert [row["releases"] for row in spans.to_dicts()] == [["3.9.0"], ["4.0.0"]]
    assert spans["valid_from_at"].dt.second().to_list()[1] == 20


def test_the_end_of_a_session_is_noticed_after_it_by_as_much_as_the_process_was_frozen() -> None:
    """So its own line is no time of a departure: the controller's is."""
    expired = "WARN Unable to reconnect to ZooKeeper service, session 0x100000a1b2c0001 has expired (org.apache.zookeeper.ClientCnxn)"
    left = f"INFO [Controller id=2] Newly added brokers: , deleted brokers: 1, bounced brokers: , all live brokers: 2 {CONTROLLER}"
    *first, last = ZOOKEEPER[2, "controller"].split("\n")
    logs = ZOOKEEPER | {(2, "controller"): "\n".join([*first, STAMP.format(10) + left, last])}
    with_it = logs | {(1, "server"): text((40, expired))}
    for each in (logs, with_it):
        sessions = built(records_in(each), "broker_session")["broker_session"].filter(broker_id=1)
        assert [at.second for at in sessions["left_at"].drop_nulls()] == [10]


@pytest.mark.parametrize(
    "line",
    [
        "ERROR Stopping serving logs (kafka.log.LogManager)",
        f"INFO [KafkaServer id=1] Controlled shutdown request returned successfully after 1 retries {SERVER}",
        "INFO [Partition t-0 broker=1] ISR updated to 1,2 (under-replicated) (kafka.cluster.Partition)",
    ],
)
def test_lines_that_guides_invent_are_none_of_kafka(line: str) -> None:
    assert records_in({(1, "server"): text((1, line))})["event"].to_list() == [None]


def test_a_connection_without_prefix_is_of_a_client_that_is_not_known() -> None:
    """Up to 0.11: fetchers, the controller and clients inside share the logger. Nothing is told of it."""
    line = "WARN Connection to node 3 could not be established. Broker may not be available. (org.apache.kafka.clients.NetworkClient)"
    assert connection_event.build(records_in({(1, "server"): text((1, line))})).is_empty()


@pytest.mark.parametrize(
    "event", ["log_dir_unclean", "raft_fetch_timeout", "server_state", "acceptor_listening"]
)
def test_its_meaning_says_so(event: str) -> None:
    words = ("no service", "new, empty", "itself", "frozen")
    assert any(one in template_events()[event].meaning for one in words), template_events()[event].meaning


def test_messages_with_a_line_break_are_one_record() -> None:
    """The record ends with the first line that ends with a logger."""
    line = "INFO [KafkaApi-1] Closing connection due to error during produce request with correlation id 5 from client id c with ack=0\nTopic and partition to exceptions: t-0 -> org.apache.kafka.common.errors.NotLeaderForPartitionException (kafka.server.KafkaApis)"
    rows = records_in({(1, "server"): text((1, line))}).filter(col("event") == "produce_connection_closed")
    assert rows.height == 1
