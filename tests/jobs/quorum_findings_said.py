"""Findings about quorums with the lines that prove them, and what must not; as tests.jobs.findings_said."""

from jobs.verify.proof import CONFIRMED, Claim
from tests.jobs.findings_said import finding

ELECTED_6 = "[2026-11-21 04:58:04,304] INFO [QuorumController id=1] Becoming the active controller at epoch 6, next write offset 1213. (org.apache.kafka.controller.QuorumController)"
FETCH_3 = "[2026-11-21 04:58:37,382] INFO [RaftManager id=3] Transitioning to Prospective state due to fetch timeout (org.apache.kafka.raft.KafkaRaftClient)"
ASKED_3 = "[2026-11-21 04:58:39,044] INFO [RaftManager id=3] Election timed out before receiving sufficient vote responses to become candidate. Current epoch election state: EpochElection(voterStates={1=VoterState(replicaKey=ReplicaKey(id=1, directoryId=<undefined>), state=UNRECORDED), 3=VoterState(replicaKey=ReplicaKey(id=3, directoryId=<undefined>), state=GRANTED)}) (org.apache.kafka.raft.KafkaRaftClient)"
UNREACHED_2 = "[2026-11-21 04:58:40,102] WARN [RaftManager id=3] Connection to node 2 (/127.0.0.1:30102) could not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)"
ELECTED_8 = "[2026-11-21 04:59:17,589] INFO [QuorumController id=3] Becoming the active controller at epoch 8, next write offset 1381. (org.apache.kafka.controller.QuorumController)"

ACTIVE_20 = "[2026-11-21 03:59:50,040] INFO [QuorumController id=103] Becoming the active controller at epoch 20, next write offset 1. (org.apache.kafka.controller.QuorumController)"
FETCH_102 = "[2026-11-21 04:00:37,646] INFO [RaftManager id=102] Become candidate due to fetch timeout (org.apache.kafka.raft.KafkaRaftClient)"
FETCH_101 = FETCH_102.replace("37,646", "37,649").replace("id=102", "id=101")
ACTIVE_21 = (
    ACTIVE_20.replace("03:59:50,040", "04:00:38,805")
    .replace("id=103", "id=102")
    .replace("epoch 20", "epoch 21")
)
FETCH_103 = FETCH_102.replace("37,646", "43,728").replace("id=102", "id=103")
GAVE_UP_21 = "[2026-11-21 04:00:43,783] WARN [QuorumController id=102] Renouncing the leadership due to a metadata log event. We were the leader at epoch 21, but in the new epoch 22, the leader is (none). Reverting to last stable offset 7. (org.apache.kafka.controller.QuorumController)"
ACTIVE_27 = ACTIVE_21.replace("00:38,805", "00:44,902").replace("epoch 21", "epoch 27")

FETCH_2 = FETCH_3.replace("id=3", "id=2")
FETCH_2_AGAIN = FETCH_2.replace("58:37,382", "58:42,382")
REFUSED_2 = "[2026-11-21 04:58:37,450] INFO [RaftManager id=2] Insufficient remaining votes to become candidate. Current epoch election state is EpochElection(voterStates={1=VoterState(replicaKey=ReplicaKey(id=1, directoryId=<undefined>), state=REJECTED), 2=VoterState(replicaKey=ReplicaKey(id=2, directoryId=<undefined>), state=GRANTED)}).  (org.apache.kafka.raft.KafkaRaftClient)"
ASKED_2 = ASKED_3.replace("id=3", "id=2").replace("3=V", "2=V")

FOLLOWS_8 = "[2026-11-21 04:59:17,700] INFO [RaftManager id=2] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch=8, leaderId=3, voters=[1, 2, 3], highWatermark=Optional.empty, fetchingSnapshot=Optional.empty) (org.apache.kafka.raft.QuorumState)"
NOBODY_7 = "[2026-11-21 04:58:38,100] INFO [QuorumController id=2] In the new epoch 7, the leader is (none). (org.apache.kafka.controller.QuorumController)"
HEARD_6 = NOBODY_7.replace("38,100", "04,310").replace("epoch 7", "epoch 6").replace("(none)", "1")

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "quorum_without_leader by votes": (
        finding("quorum_without_leader", "04:58:37.382", "04:59:17.589",
            controller_id="1", controller_epoch="6", lasted_ms="40207", asking_ids="3", unanswered_ids="1,2"),
        [ELECTED_6, FETCH_3, ASKED_3, UNREACHED_2, ELECTED_8], CONFIRMED,
    ),
    "quorum_without_leader of one voter": (
        finding("quorum_without_leader", "04:58:37.382", "04:58:39.044",
            lasted_ms="1662", asking_ids="3", unanswered_ids="1"),
        [FETCH_3, ASKED_3], CONFIRMED,
    ),
    "quorum_without_leader then a state": (
        finding("quorum_without_leader", "04:58:37.382", "04:59:17.700",
            controller_id="1", controller_epoch="6", lasted_ms="40318", asking_ids="3", unanswered_ids="1"),
        [ELECTED_6, FETCH_3, ASKED_3, FOLLOWS_8], CONFIRMED,
    ),
    "no_controller then a state": (
        finding("no_controller", "04:58:38.100", "04:59:17.700",
            controller_id="1", controller_epoch="6", at_least_ms="39600"),
        [ELECTED_6, NOBODY_7, FOLLOWS_8], CONFIRMED,
    ),
    "no_controller who led is heard": (
        finding("no_controller", "04:58:38.100", "04:59:17.589",
            controller_id="1", controller_epoch="6", at_least_ms="39489"),
        [HEARD_6, NOBODY_7, ELECTED_8], CONFIRMED,
    ),
    "voter_out_of_touch": (
        finding("voter_out_of_touch", "04:58:37.382", "04:58:42.382",
            voter_id="2", failures_count="2", lasted_ms="5000", refusing_ids="1"),
        [FETCH_2, REFUSED_2, FETCH_2_AGAIN], CONFIRMED,
    ),
    "voter_out_of_touch unanswered": (
        finding("voter_out_of_touch", "04:58:37.382", None,
            voter_id="2", failures_count="1", lasted_ms="0", unanswered_ids="1"),
        [FETCH_2, ASKED_2], CONFIRMED,
    ),
    "quorum_flapping": (
        finding("quorum_flapping", "03:59:50.040", "04:00:44.902", elections_count="3", lasted_ms="54862",
            causes="leader_silent 1,process_ended 1,voter_out_of_touch 1", suspect_id="103"),
        [ACTIVE_20, FETCH_101, ACTIVE_21, FETCH_103, GAVE_UP_21, ACTIVE_27], CONFIRMED,
    ),
    "quorum_flapping unsettled": (
        finding("quorum_flapping", "03:59:50.040", "04:00:44.902", elections_count="3", lasted_ms="54862",
            causes="leader_silent 1,process_ended 1,voter_out_of_touch 1", gaps_count="3", longest_gap_ms="20000"),
        [ACTIVE_20, FETCH_101, ACTIVE_21, FETCH_103, GAVE_UP_21, ACTIVE_27], CONFIRMED,
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

ALTERED += [
    ("quorum_without_leader of one voter", "39,044", "39,045", "no record says who leads next"),
    ("quorum_without_leader then a state", "17,700", "17,701", "held from"),
    ("quorum_without_leader then a state", "epoch=8", "epoch=6", "no record says who leads next"),
    ("no_controller then a state", "epoch=8", "epoch=6", "or who led next"),
    ("no_controller who led is heard", "leader is 1", "leader is 2", "no record of controller 1"),
    ("voter_out_of_touch", "37,382", "37,383", "the first record is of"),
    ("voter_out_of_touch", "42,382", "42,383", "the last record is of"),
    ("voter_out_of_touch", "state=REJECTED", "state=UNRECORDED", "refusing_ids are []"),
    ("voter_out_of_touch", "Insufficient remaining votes", "Enough votes", "does not say so of the voter"),
    ("quorum_flapping", "50,040", "50,041", "held from"),
    ("quorum_flapping", "44,902", "44,903", "held from"),
    ("quorum_flapping", "at epoch 27", "at epoch 20", "not one after the other"),
    ("quorum_flapping", "43,728", "42,728", "gave up long after"),
    ("quorum_flapping", "[RaftManager id=103]", "[RaftManager]", "voter_out_of_touch 0 times, not 1"),
    ("quorum_flapping", "[RaftManager id=101]", "[RaftManager]", "leader_silent 0 times, not 1"),
]

SAID_WRONGLY = [
    ("quorum_without_leader by votes", "unanswered_ids", "1", "unanswered_ids are [1, 2]"),
    ("quorum_without_leader by votes", "asking_ids", "2", "asking_ids are [3]"),
    ("voter_out_of_touch", "voter_id", "3", "does not say so of the voter"),
    ("voter_out_of_touch", "lasted_ms", "5001", "it was 5000 ms"),
    ("voter_out_of_touch", "failures_count", "3", "2 such records for 3"),
    ("quorum_flapping", "elections_count", "4", "3 such records for 4"),
    ("quorum_flapping", "causes", "leader_silent 2,voter_out_of_touch 1", "leader_silent 1 times, not 2"),
    ("quorum_flapping", "suspect_id", "101", "no record accuses node 101"),
    ("quorum_flapping", "lasted_ms", "54863", "it was 54862 ms"),
    ("quorum_flapping unsettled", "gaps_count", "0", "it counts no time"),
    ("quorum_flapping unsettled", "longest_gap_ms", "0", "is of none"),
    ("quorum_without_leader by votes", "controller_id", "2", "no record elects controller 2"),
]
