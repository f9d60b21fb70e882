"""Single voters of a quorum: data that is gone, a directory that is another's, and whom others do not take."""

from typing import Any

from tests.chain import found_by
from tests.rows import records_in
from tests.rules.rows import fact_texts

Row = dict[str, Any]
AT = "[2026-11-21 09:{0}] "
STATE = AT + (
    "INFO [RaftManager id=1] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch=1, leader=1, voters=[1, 2], "
    "highWatermark=Optional.empty, fetchingSnapshot=Optional.empty) from Unattached(epoch=1) (org.apache.kafka.raft.QuorumState)"
)
LOST = AT + (
    "WARN [RaftManager id=1] Detected non-monotonic update of fetch offset from nodeId ReplicaKey(id={1}, "
    "directoryId=Optional[jT34]): 179 -> {2} (org.apache.kafka.raft.LeaderState)"
)
KEY = AT + (
    "INFO [RaftManager id=1] A replica 2 sent a voter key (Optional[ReplicaKey(id=1, directoryId=Optional[jT34])]) in the "
    "VOTE request that doesn't match the local key (OptionalInt[1], kU45); rejecting the vote "
    "(org.apache.kafka.raft.KafkaRaftClient)"
)
APPEND = AT + (
    "INFO [RaftManager id=1] Failed to append the records with the batch header 'x' to the log "
    "(org.apache.kafka.raft.KafkaRaftClient)\norg.apache.kafka.common.errors.CorruptRecordException: crc"
)
REFUSED = AT + (
    "ERROR Request OutboundRequest(correlationId=7, data=VoteRequestData(clusterId='x'), createdTimeMs=1, "
    "destination=host:9093 (id: {1} rack: null)) failed due to {2} error (org.apache.kafka.raft.KafkaNetworkChannel)\n"
    "org.apache.kafka.common.errors.SslAuthenticationException: SSL handshake failed"
)
OTHER = AT + (
    "ERROR [RaftManager id=1] Unexpected error INCONSISTENT_CLUSTER_ID in FETCH response: InboundResponse(correlationId=7, "
    "data=FetchResponseData(errorCode=104), source=host:9093 (id: 2 rack: null)) (org.apache.kafka.raft.KafkaRaftClient)"
)
CLOSED = AT + (
    "WARN [RaftManager id=1] Connection to node 2 (host/127.0.0.1:9093) terminated during authentication. This may happen "
    "due to any of the following reasons: (1) Firewall blocking Kafka TLS traffic (eg it may only allow HTTPS traffic), (2) "
    "Transient network issue. (org.apache.kafka.clients.NetworkClient)"
)


def found(*lines: str) -> list[Row]:
    rows = found_by(records_in({(1, "server"): "\n".join(lines)}), "voter_data", "voter_refused")
    return rows.sort("valid_from_at").to_dicts()


def test_a_voter_that_fetches_from_further_back_lost_its_data_and_a_broker_may() -> None:
    """Observers, as every broker, begin anew when their directory is formatted: no vote rests on them."""
    [row] = found(STATE.format("00:00,000"), LOST.format("01:00,000", 2, 0), LOST.format("02:00,000", 3, 0))
    assert (row["rule"], row["severity"], row["entity"]) == ("voter_data", "warning", "voter 2")
    assert row["sentence"] == (
        "voter 2 lost what it had stored of the metadata log, it begins from nothing: find out what happened to its disk, "
        "and take down no other voter before it has caught up"
    )
    [row] = found(STATE.format("00:00,000"), LOST.format("01:00,000", 2, 120))
    assert "it goes back to offset 120" in row["sentence"]
    assert found(LOST.format("01:00,000", 2, 0)) == []


def test_another_directory_is_told_of_the_voter_that_has_it() -> None:
    [row] = found(KEY.format("01:00,000"), KEY.format("01:05,000"))
    assert row["sentence"].startswith("voter 1 has another directory than the quorum knows it by: ")
    assert fact_texts(row["facts"]) == {"voter_id": "1", "kind": "key_differs", "failures_count": "2"}


def test_records_that_a_voter_could_not_store() -> None:
    [row] = found(APPEND.format("01:00,000"))
    assert row["sentence"].startswith(
        "voter 1 could not store records of the metadata log, 1 time, and falls behind"
    )


def test_whom_others_refuse_for_its_credentials_or_its_release() -> None:
    refused = [REFUSED.format(f"01:0{one},000", 2 + one % 2, "authentication") for one in range(3)]
    [row] = found(*refused)
    assert (row["severity"], row["valid_until_at"]) == ("warning", None)
    assert row["sentence"] == (
        "node 1 does not get through to nodes 2 and 3 of the quorum, 3 times (SslAuthenticationException: SSL handshake "
        "failed): its credentials or certificate, or theirs, are wrong or outdated: mend them"
    )
    later = STATE.format("30:00,000")
    [row] = found(*refused, later)
    assert (row["severity"], row["valid_until_at"] is None) == ("info", False)
    [row] = found(REFUSED.format("01:00,000", 2, "unsupported version"), later)
    assert row["sentence"].endswith(": their releases differ too much: bring the older one up")
    [row] = found(*(OTHER.format(f"01:0{one},000") for one in range(4)))
    assert (row["severity"], row["entity"], row["sentence"]) == (
        "warning", "node 1",
        "node 1 does not get through to node 2 of the quorum, 4 times: they are of different clusters: its directory, or "
        "theirs, was formatted with another cluster id",
    )  # fmt: skip
    assert found(OTHER.replace("INCONSISTENT_CLUSTER_ID", "UNKNOWN_SERVER_ERROR").format("01:00,000")) == []
    assert found(*(CLOSED.format(f"01:0{one},000") for one in range(5))) == []


def test_a_pre_vote_that_an_older_release_does_not_know_is_no_finding_unless_it_goes_on() -> None:
    """Each upgrade from 3.x to 4.x has some."""
    asked = "UnsupportedVersionException: Attempted to write a non-default preVote at version 1"
    refused = REFUSED.replace("SslAuthenticationException: SSL handshake failed", asked)
    lines = [refused.format(f"{minute:02}:00,000", 2, "unsupported version") for minute in (1, 5, 30)]
    assert found(*lines[:2], CLOSED.format("40:00,000")) == []
    [row] = found(*lines)
    assert (row["severity"], fact_texts(row["facts"])["failures_count"]) == ("warning", "3")
    other = lines[0].replace("preVote", "endpoints")
    assert len(found(other, CLOSED.format("40:00,000"))) == 1
