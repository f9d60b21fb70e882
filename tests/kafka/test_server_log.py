"""Lines of server.log that say why something happened: what they are, what they carry, what they do not prove."""

from pathlib import Path

import pytest

from pipeline.kafka.explaining.explanation import reason_meaning
from pipeline.kafka.explaining.wordings import find_wording
from pipeline.kafka.wording.events import template_events
from pipeline.kafka.wording.loggers import what_writes
from pipeline.kafka.wording.templates import template_rows
from pipeline.model.lines.families import NO_FAMILY, all_feeds
from schemas.bronze.log_record import NOT_UNDERSTOOD
from tests.kafka.reading import read_table

LINES = [
    ("kafka.cluster.Partition", "[Partition a-3 broker=2] Shrinking ISR from 2,1,3 to 2. Leader: (highWatermark: 8, "
     "endOffset: 9). Out of sync replicas: (brokerId: 1, endOffset: 8).", "isr_shrinking",
     {"topic": "a", "partition": 3, "isr": [2], "previous_isr": "2,1,3"}),
    ("kafka.cluster.Partition", "Partition [a,24] on broker 1: Shrinking ISR for partition [a,24] from 1,0,2 to 1",
     "isr_shrinking", {"topic": "a", "partition": 24, "isr": [1], "broker_id": 1}),
    ("kafka.cluster.Partition", "[Partition a-0 broker=1] Expanding ISR from 1 to 1,2", "isr_expanding", {"isr": [1, 2]}),
    ("kafka.cluster.Partition", "[Partition a-0 broker=1] ISR updated to [1,2] and zkVersion updated to [7]",
     "isr_written", {"isr": [1, 2], "zk_version": "7"}),
    ("kafka.cluster.Partition", "[Partition a-0 broker=1] ISR updated to 1,2  and version updated to 236",
     "isr_written", {"isr": [1, 2], "partition_epoch": "236"}),
    ("kafka.cluster.Partition", "Partition [a,0] on broker 1: Cached zkVersion [0] not equal to that in zookeeper, "
     "skip updating ISR", "isr_version_conflict", {"zk_version": "0"}),
    ("org.apache.zookeeper.ClientCnxn", "Unable to reconnect to ZooKeeper service, session 0x1a has expired",
     "zk_session_expired", {"session_id": "1a"}),
    ("kafka.zk.KafkaZkClient", "Registered broker 1 at path /brokers/ids/1 with addresses: PLAINTEXT://k:1, czxid "
     "(broker epoch): 25", "broker_registered_in_zk", {"broker_id": 1, "broker_epoch": "25"}),
    ("kafka.zk.KafkaZkClient", "Stat of the created znode at /brokers/ids/1 is: 27,27,5\n", "ephemeral_created",
     {"zk_path": "/brokers/ids/1", "czxid": "27"}),
    ("org.apache.kafka.common.utils.LoggingSignalHandler", "Terminating process due to signal SIGTERM",
     "process_signal", {"signal": "SIGTERM"}),
    ("kafka.server.ReplicaFetcherThread", "[ReplicaFetcherThread-0-1]: Stopped due to fatal error with exit code 1",
     "thread_died", {"exit_code": "1"}),
    ("kafka.server.ReplicaManager", "[ReplicaManager broker=1] Stopping serving replicas in dir /a b with uuid "
     "Some(VbZ0LxJ4TD6Y2m4hYvJ3Ow) because the log directory has failed.", "replica_dir_stopping", {"log_dir": "/a b"}),
    ("org.apache.kafka.raft.KafkaRaftClient", "[RaftManager id=0] Insufficient remaining votes to become leader "
     "(rejected by [1, 2]). We will backoff before retrying election again", "raft_votes_rejected",
     {"rejecting_voters": "[1, 2]"}),
    ("kafka.server.metadata.BrokerMetadataPublisher", "[BrokerMetadataPublisher id=1] Publishing initial metadata at "
     "offset OffsetAndEpoch[offset=7, epoch=7] with metadata.version Optional[4.3-IV0].", "metadata_first_published",
     {"offset_and_epoch": "OffsetAndEpoch[offset=7, epoch=7]"}),
    ("org.apache.kafka.clients.NetworkClient", "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Node 2 "
     "disconnected.", "connection_lost", {"to_node_id": "2"}),
    ("org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime", "[GroupCoordinator id=1] Scheduling loading of "
     "metadata from __consumer_offsets-3 with epoch OptionalInt[5]", "coordinator_load_scheduled",
     {"topic": "__consumer_offsets", "partition": 3, "coordinator_epoch": "OptionalInt[5]"}),
    ("kafka.zk.AdminZkClient", "Creating topic a with configuration {} and initial partition assignment HashMap(0 -> "
     "ArrayBuffer(1))", "topic_create_written", {"topic": "a"}),
]  # fmt: skip


@pytest.mark.parametrize(("logger", "message", "event", "said"), LINES)
def test_lines_that_say_why_are_understood(
    logger: str, message: str, event: str, said: dict[str, object]
) -> None:
    line = f"[2024-03-01 12:00:00,123] INFO {message} ({logger})\n"
    (row,) = read_table(line.encode(), log="server").to_pylist()
    row |= {name: text for name, text in row["fields"] or () if row.get(name) is None}
    assert {name: row[name] for name in ("event", *said)} == {"event": event, **said}


def test_the_lines_that_people_paste_are_understood_to_the_last(shared: Path) -> None:
    for name, count in (("zookeeper-and-disk.log", 13), ("kraft.log", 7)):
        data = (shared / "cases" / "server-log-why-lines" / name).read_bytes()
        table = read_table(data, log="server")
        assert (table.num_rows, table["event"].null_count) == (count, 0)


def loggers(event: str) -> set[str]:
    return {row["logger"].rpartition(".")[2] for row in template_rows() if row["event"] == event}


def test_a_state_that_a_failed_start_prints_too_is_no_start() -> None:
    """STARTING to STARTED precedes `Fatal error during broker startup`; the acceptor's line comes before service."""
    assert loggers("server_started") == {"KafkaServer", "KafkaRaftServer"}
    assert loggers("server_state") == {"BrokerServer"}
    assert {row["event"] for row in template_rows() if row["template"].endswith("Kafka Server started")} == {
        "server_started"
    }
    assert "proves no service" in template_events()["server_state"].meaning
    assert "proves no service" in template_events()["acceptor_listening"].meaning


def test_a_failed_start_tells_no_release() -> None:
    """AppInfoParser prints at the end of a start."""
    assert "prints none" in template_events()["kafka_version"].meaning


@pytest.mark.parametrize(
    "event", ["request_failed", "raft_vote_answered", "acceptor_listening", "server_state"]
)
def test_lines_that_prove_less_than_they_seem_to_feed_nothing(event: str) -> None:
    """request_failed: every election of 4.x has NotControllerException; a start that fails has both of the last."""
    assert {feed.family for feed in all_feeds() if feed.event == event} == {NO_FAMILY}


def test_wordings_of_either_mode_are_told_for_both() -> None:
    found = find_wording(
        "kafka.cluster.Partition",
        "[Partition {topic}-{partition} broker={broker_id}] ISR updated to {isr} and version updated to "
        "{partition_epoch}",
    )
    assert [str(one) for one in found.printed] == ["3.1 to 3.4, ZooKeeper mode", "3.1 to 3.4, KRaft mode"]
    found = find_wording("kafka.log.LogManager", "Shutdown complete.")
    assert [str(one) for one in found.printed] == ["0.8.0 to 3.9, ZooKeeper mode", "2.8 to 4.3, KRaft mode"]


@pytest.mark.parametrize(
    ("logger", "what"),
    [
        ("org.apache.kafka.raft.KafkaRaftClient", "the quorum of controllers"),
        ("kafka.zookeeper.ZooKeeperClient", "the session of a broker or controller with ZooKeeper"),
        ("kafka.server.KafkaServer", "a broker in ZooKeeper mode"),
        ("kafka.coordinator.group.GroupCoordinator", "the coordinator of consumer groups"),
        ("kafka.log.remote.RemoteLogManager$RLMCopyTask", "tiered storage"),
        ("org.apache.kafka.server.log.remote.storage.RemoteLogManager", "tiered storage"),
        ("org.apache.kafka.server.share.persister.PersisterStateManager$ReadStateHandler", "share groups"),
        ("org.apache.kafka.coordinator.share.ShareCoordinatorShard", "share groups"),
        ("kafka.server.FutureClass", "a broker or controller as a process"),
    ],
)
def test_a_logger_without_template_is_told_as_what_it_is(logger: str, what: str) -> None:
    for reason in ("other_logger", "no_template"):
        assert f" The logger is that of {what}" in reason_meaning(reason, logger)
    assert "none of" not in reason_meaning("other_logger", logger)


def test_what_an_unknown_logger_is_nobody_knows() -> None:
    assert reason_meaning("other_logger", "com.example.Shop") == NOT_UNDERSTOOD["other_logger"]
    assert reason_meaning("other_logger", None).startswith("No logger is printed")
    assert not reason_meaning("blank", "kafka.server.KafkaServer").count("logger")


def test_every_logger_that_templates_name_has_a_place() -> None:
    assert not [row["logger"] for row in template_rows() if what_writes(row["logger"]) is None]
