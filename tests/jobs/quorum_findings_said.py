"""Findings about quorums with the lines that prove them, and what must not; as tests.jobs.findings_said."""

from jobs.verify.proof import CONFIRMED, Claim
from tests.jobs.findings_said import finding

ELECTED_6 = "[2026-11-21 04:58:04,304] INFO [QuorumController id=1] Becoming the active controller at epoch 6, next write offset 1213. (org.apache.kafka.controller.QuorumController)"
FETCH_3 = "[2026-11-21 04:58:37,382] INFO [RaftManager id=3] Transitioning to Prospective state due to fetch timeout (org.apache.kafka.raft.KafkaRaftClient)"
ASKED_3 = "[2026-11-21 04:58:39,044] INFO [RaftManager id=3] Election timed out before receiving sufficient vote responses to become candidate. Current epoch election state: EpochElection(voterStates={1=VoterState(replicaKey=ReplicaKey(id=1, directoryId=<undefined>), state=UNRECORDED), 3=VoterState(replicaKey=ReplicaKey(id=3, directoryId=<undefined>), state=GRANTED)}) (org.apache.kafka.raft.KafkaRaftClient)"
UNREACHED_2 = "[2026-11-21 04:58:40,102] WARN [RaftManager id=3] Connection to node 2 (/127.0.0.1:30102) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)"
ELECTED_8 = "[2026-11-21 04:59:17,589] INFO [QuorumController id=3] Becoming the active controller at epoch 8, next write offset 1381. (org.apache.kafka.controller.QuorumController)"

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "quorum_without_leader by votes": (
        finding("quorum_without_leader", "04:58:37.382", "04:59:17.589",
            controller_id="1", controller_epoch="6", lasted_ms="40207", asking_ids="3", unanswered_ids="1,2"),
        [ELECTED_6, FETCH_3, ASKED_3, UNREACHED_2, ELECTED_8], CONFIRMED,
    ),
}  # fmt: skip

ALTERED = [
    ("quorum_without_leader by votes", "37,382", "37,383", "held from"),
    ("quorum_without_leader by votes", "17,589", "17,588", "held from"),
    ("quorum_without_leader by votes", "epoch 6", "epoch 5", "no record elects controller 1 with epoch 6"),
    ("quorum_without_leader by votes", "UNRECORDED", "REJECTED", "unanswered_ids are [2]"),
    ("quorum_without_leader by votes", "to node 2", "to node 3", "unanswered_ids are [1]"),
    ("quorum_without_leader by votes", "Election timed out", "Election won", "asking_ids are []"),
]

SAID_WRONGLY = [
    ("quorum_without_leader by votes", "unanswered_ids", "1", "unanswered_ids are [1, 2]"),
    ("quorum_without_leader by votes", "asking_ids", "2", "asking_ids are [3]"),
    ("quorum_without_leader by votes", "controller_id", "2", "no record elects controller 2"),
]
