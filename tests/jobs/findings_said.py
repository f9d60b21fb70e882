"""Findings of each rule with the lines that prove them, and what must not prove them."""

from datetime import datetime

from jobs.proof import CONFIRMED, UNDECIDED, Claim, Record
from tests.jobs.finding_records import (
    ACTIVE_2,
    ACTIVE_4,
    DELETED,
    DUMP,
    ELECTED_1,
    ELECTED_2,
    ELECTED_7,
    ELECTED_8,
    HALTED,
    ILLEGAL,
    LAST_OF_1,
    OLD_ELECTED_1,
    OLD_ELECTED_2,
    OLD_EPOCH_1,
    OLD_EPOCH_2,
    OLD_REFUSED,
    OLD_RESIGNING,
    ONLINE,
    ONLINE_AGAIN,
    PUT_OFF,
    QUEUED,
    REFUSED,
    RESIGNING,
    STACK,
    STATED,
    VACANT_3,
)


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-21T{clock}+00:00")


def finding(rule: str, entity: str, sentence: str, start: str, end: str | None) -> Claim:
    times = {"valid_from_at": at(start), "valid_until_at": at(end) if end else None}
    return {"rule": rule, "entity": entity, "sentence": sentence} | times


def records(*texts: str) -> list[Record]:
    """As lines of one file of an unknown node, one behind the other in the order of their times."""
    placed = {text: byte_offset for byte_offset, text in enumerate(sorted(texts))}
    return [
        Record("state-change.log", placed[text], None, "UTC", text.encode(errors="surrogateescape"))
        for text in texts
    ]


CASES: dict[str, tuple[Claim, list[str], str]] = {
    "controller_outlived": (
        finding("controller_outlived", "controller 1 (epoch 7)",
            "controller 1 (epoch 7) resigned 3.8 s after the next controller was elected",
            "09:00:08.396", "09:00:12.155"),
        [ELECTED_7, RESIGNING, ELECTED_8], CONFIRMED,
    ),
    "controller_outlived 0.11": (
        finding("controller_outlived", "controller 1 (epoch 1)",
            "controller 1 (epoch 1) resigned 4.3 s after the next controller was elected",
            "08:36:31.010", "08:36:35.265"),
        [OLD_ELECTED_1, OLD_EPOCH_1, OLD_RESIGNING, OLD_ELECTED_2, OLD_EPOCH_2], CONFIRMED,
    ),
    "no_controller": (
        finding("no_controller", "controller", "no controller for up to 6.6 s after controller 2 (epoch 1)",
            "08:57:45.839", "08:57:52.402"),
        [ELECTED_1, LAST_OF_1, ELECTED_2], CONFIRMED,
    ),
    "no_controller KRaft": (
        finding("no_controller", "controller", "no controller for at least 1.4 s after controller 102 (epoch 2)",
            "08:02:33.674", "08:02:35.100"),
        [ACTIVE_2, VACANT_3, ACTIVE_4], CONFIRMED,
    ),
    "no_controller since": (
        finding("no_controller", "controller", "no controller for as long as the logs go on after controller 102 (epoch 2)",
            "08:02:33.674", None),
        [ACTIVE_2, VACANT_3], CONFIRMED,
    ),
    "illegal_move": (
        finding("illegal_move", "replica NonExistentReplica -> OnlineReplica",
            "controller 2 (epoch 8) made 7 replica move(s) NonExistentReplica -> OnlineReplica, first of audit_log-0",
            "09:00:25.753", "09:00:26"),
        [ILLEGAL], CONFIRMED,
    ),
    "discontinuity": (  # the line between them is left out
        finding("discontinuity", "replica OfflineReplica -> OnlineReplica",
            "controller 2 (epoch 8) logged out of line 1 replica move(s) OfflineReplica -> OnlineReplica, first of audit_log-0",
            "09:00:25.753", "09:00:25.753"),
        [ONLINE_AGAIN, ONLINE], CONFIRMED,
    ),
    "refused_move": (
        finding("refused_move", "replica OfflineReplica -> ReplicaDeletionIneligible",
            "controller 2 (epoch 8) refused 1 replica move(s) OfflineReplica -> ReplicaDeletionIneligible, first of payments-1",
            "09:00:21.682", "09:00:21.682"),
        [REFUSED], CONFIRMED,
    ),
    "refused_move 0.11": (
        finding("refused_move", "replica OfflineReplica -> ReplicaDeletionIneligible",
            "controller 1 (epoch 1) refused 2 replica move(s) OfflineReplica -> ReplicaDeletionIneligible, first of audit_log-1",
            "08:36:19.471", "08:36:19.490"),
        [OLD_REFUSED], CONFIRMED,
    ),
    "blocked_deletion": (
        finding("blocked_deletion", "topic payments",
            "deletion of topic payments was put off by a replica out of reach, completed after 4.4 s",
            "09:00:21.678", "09:00:26.101"),
        [PUT_OFF, QUEUED, DELETED], CONFIRMED,
    ),
    "blocked_deletion stuck": (
        finding("blocked_deletion", "topic payments",
            "deletion of topic payments is stuck: a replica is out of reach", "09:00:21.678", None),
        [PUT_OFF, QUEUED], CONFIRMED,
    ),
    "blocked_deletion 2.3": (
        finding("blocked_deletion", "topic payments",
            "deletion of topic payments is stuck: a replica is out of reach", "09:00:21.678", None),
        [HALTED, QUEUED], CONFIRMED,
    ),
    "standing_imbalance": (
        finding("standing_imbalance", "broker 1",
            "broker 1 leads too few: 12 of its 13 preferred partitions are led elsewhere, ratio 0.9231 over 0.10",
            "08:43:02.753", None),
        [STATED], UNDECIDED,
    ),
    "standing_imbalance not enabled": (
        finding("standing_imbalance", "broker 1",
            "broker 1 leads too few: 12 of its 13 preferred partitions are led elsewhere, ratio 0.9231 over 0.10"
            "; auto.leader.rebalance.enable=false: nothing moves leaders back",
            "08:43:02.753", None),
        [STATED], UNDECIDED,
    ),
    "replay_disagreement": (
        finding("replay_disagreement", "replica machine: initial state dump",
            "controller 2 (epoch 8) printed 109 state(s) of the replica machine (initial state dump), and the replay "
            "has 1 of them otherwise, first audit_log-0 replica 1: Kafka OfflineReplica, replay OnlineReplica",
            "09:00:12.174", "09:00:12.174"),
        [DUMP, ONLINE], CONFIRMED,
    ),
    "not_understood": (
        finding("not_understood", "logs", "3 record(s) not understood: no_envelope", "09:00:21.682", None),
        [STACK], CONFIRMED,
    ),
    "not_understood bad_bytes": (
        finding("not_understood", "logs", "1 record(s) not understood: bad_bytes", "09:00:21.682", None),
        ["[2026-11-21 09:00:21,682] INFO \udcff (kafka.controller.KafkaController)"], CONFIRMED,
    ),
    "not_understood no_template": (
        finding("not_understood", "logs", "1 record(s) not understood: no_template", "09:00:21.682", None),
        ["[2026-11-21 09:00:21,682] INFO [Controller id=2] Nothing of note (kafka.controller.KafkaController)"], UNDECIDED,
    ),
}  # fmt: skip

# What one altered record says: (case, what stood there, what stands there now, a word of the answer).
ALTERED = [
    ("controller_outlived", "12,155", "12,555", "held from"),
    ("controller_outlived", "id=1] Resigning", "id=3] Resigning", "no record says that controller 1 resigned"),
    ("controller_outlived", "] Resigning", "] Resigned", "no record says that controller 1 resigned"),
    ("controller_outlived", "incremented to 8", "incremented to 9", "no record elects one with epoch 8"),
    ("controller_outlived", "09:00:08,396", "09:00:13,396", "no record says that controller 1 resigned after"),
    ("controller_outlived", "1 successfully", "3 successfully", "no record elects one with epoch 7"),
    ("controller_outlived 0.11", "epoch to 2", "epoch to 3", "no record elects one with epoch 2"),
    ("no_controller KRaft", "leader is (none)", "leader is 103", "no record says that nobody leads"),
    ("no_controller KRaft", "08:02:33,674", "08:02:33,974", "held from"),
    ("no_controller KRaft", "at epoch 4", "at epoch 1", "or who led next"),
    ("no_controller since", "08:02:33,674", "08:02:33,974", "held from"),
    ("no_controller since", "leader is (none)", "leader is 103", "no record says that nobody leads"),
    ("no_controller", "08:57:45,839", "08:57:45,938", "held from"),
    ("no_controller", "08:57:52,402", "08:57:51,402", "held from"),
    ("no_controller", "id=2 epoch=1]", "id=3 epoch=1]", "held from"),
    ("illegal_move", "NonExistentReplica", "OfflineReplica", "another move"),
    ("illegal_move", "Changed state", "Initiated state change", "failed"),
    ("illegal_move", "epoch=8", "epoch=9", "is of controller 2, epoch 9"),
    ("illegal_move", "id=2", "id=3", "is of controller 3"),
    ("illegal_move", "audit_log-0", "audit_log-1", "the first record is of audit_log-1"),
    ("illegal_move", "09:00:25", "09:00:24", "is of 2026-11-21 09:00:24"),
    ("illegal_move", "Changed state of", "Forgot", "is no move"),
    ("discontinuity", "Ineligible to OnlineReplica", "Ineligible to OfflineReplica", "leaves from the state entered before"),
    ("discontinuity", "12,173] TRACE [Controller id=2 epoch=8", "12,173] TRACE [Controller id=2 epoch=7", "same object and epoch"),
    ("discontinuity", "replica 1 for partition audit_log-0 from ReplicaD", "replica 2 for partition audit_log-0 from ReplicaD", "same object"),
    ("refused_move", "Instead it is in OfflineReplica", "Instead it is in OnlineReplica", "refuses another move"),
    ("refused_move", "in the ReplicaDeletionStarted states", "in the OfflineReplica,ReplicaDeletionStarted states", "calls the move legal"),
    ("refused_move", "IllegalStateException", "StateChangeFailedException", "has no refusal"),
    ("refused_move", "Replica=1]", "Replica=2]", "refuses another move"),
    ("refused_move 0.11", "AssertionError", "KeeperException", "has no refusal"),
    ("blocked_deletion", "Not retrying deletion of topic payments", "Not retrying deletion of topic alerts", "no record puts off"),
    ("blocked_deletion", "topics payments", "topics alerts", "held from"),
    ("blocked_deletion", "26,101", "26,301", "held from"),
    ("blocked_deletion stuck", "21,678", "21,679", "held from"),
    ("standing_imbalance", "leader=2", "leader=1", "no record has broker 1"),
    ("standing_imbalance", "brokerId=1,", "brokerId=4,", "no record has broker 1"),
    ("replay_disagreement", "Replica=1] -> OfflineReplica", "Replica=1] -> OnlineReplica", "does not say OfflineReplica"),
    ("replay_disagreement", "Partition=0,Replica=1]", "Partition=1,Replica=1]", "does not say OfflineReplica"),
    ("replay_disagreement", "to OnlineReplica", "to OfflineReplica", "no move shows OnlineReplica"),
    ("replay_disagreement", "replica 1 for", "replica 2 for", "no move shows OnlineReplica"),
    ("not_understood", "\tat", "[2026-11-21 09:00:21,682] INFO at", "is understood"),
    ("not_understood bad_bytes", "\udcff", "plain", "is understood"),
    ("not_understood no_template", "Nothing of note", "Resigning", "is understood"),
]  # fmt: skip

# What the finding itself says wrongly: (case, what it says, what it says now, a word of the answer).
SAID_WRONGLY = [
    ("controller_outlived", "3.8 s", "3.9 s", "it was 3.759 s"),
    ("no_controller KRaft", "1.4 s", "1.6 s", "it was 1.426 s"),
    ("no_controller KRaft", "controller 102", "controller 103", "no record of controller 103"),
    ("no_controller", "6.6 s", "6.4 s", "it was 6.563 s"),
    ("no_controller", "controller 2 (", "controller 3 (", "no record of controller 3"),
    ("illegal_move", "made 7", "made 0", "1 such records for 0 move(s)"),
    ("blocked_deletion", "4.4 s", "4.5 s", "it was 4.423 s"),
    ("standing_imbalance", "0.9231", "0.9321", "12 of 13 is 0.9231"),
    ("standing_imbalance", "over 0.10", "over 0.95", "is not over"),
    ("standing_imbalance not enabled", "12 of its", "13 of its", "13 of 13 is 1.0000"),
    ("replay_disagreement", "Kafka OfflineReplica", "Kafka NewReplica", "does not say NewReplica"),
    ("not_understood", "3 record", "0 record", "1 records for 0"),
]
