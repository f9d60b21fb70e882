"""Findings of each rule with the lines that prove them, and what must not prove them."""

from datetime import datetime

from jobs.verify.proof import CONFIRMED, UNDECIDED, Claim, Record
from tests.jobs.finding_records import (
    ACTIVE_2,
    ACTIVE_4,
    DUMP,
    ELECTED_1,
    ELECTED_2,
    ELECTED_7,
    ELECTED_8,
    ILLEGAL,
    LAST_OF_1,
    LAST_OF_102,
    OLD_ELECTED_1,
    OLD_ELECTED_2,
    OLD_EPOCH_1,
    OLD_EPOCH_2,
    OLD_REFUSED,
    OLD_RESIGNING,
    ONLINE,
    ONLINE_AGAIN,
    REFUSED,
    RENOUNCING_2,
    RESIGNING,
    STACK,
    STATED,
    VACANT_3,
)


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-21T{clock}+00:00")


def finding(rule: str, start: str, end: str | None, **facts: str) -> Claim:
    return Claim(rule, facts, at(start), at(end) if end else None)


def records(*texts: str) -> list[Record]:
    """As lines of one file of an unknown node, one behind the other in the order of their times."""
    placed = {text: byte_offset for byte_offset, text in enumerate(sorted(texts))}
    return [
        Record("state-change.log", placed[text], None, "UTC", text.encode(errors="surrogateescape"))
        for text in texts
    ]


CASES: dict[str, tuple[Claim, list[str], str]] = {
    "controller_outlived": (
        finding("controller_outlived", "09:00:08.396", "09:00:12.155",
            controller_id="1", controller_epoch="7", late_ms="3759", writes_count="0", overlap="zombie_harmless"),
        [ELECTED_7, RESIGNING, ELECTED_8], CONFIRMED,
    ),
    "controller_outlived 0.11": (
        finding("controller_outlived", "08:36:31.010", "08:36:35.265",
            controller_id="1", controller_epoch="1", late_ms="4255"),
        [OLD_ELECTED_1, OLD_EPOCH_1, OLD_RESIGNING, OLD_ELECTED_2, OLD_EPOCH_2], CONFIRMED,
    ),
    "controller_outlived KRaft": (
        finding("controller_outlived", "08:02:35.100", "08:02:36.500",
            controller_id="102", controller_epoch="2", late_ms="1400", overlap="zombie_harmless"),
        [ACTIVE_2, RENOUNCING_2, ACTIVE_4], CONFIRMED,
    ),
    "no_controller": (
        finding("no_controller", "08:57:45.839", "08:57:52.402",
            controller_id="2", controller_epoch="1", at_most_ms="6563"),
        [ELECTED_1, LAST_OF_1, ELECTED_2], CONFIRMED,
    ),
    "no_controller KRaft": (
        finding("no_controller", "08:02:33.674", "08:02:35.100",
            controller_id="102", controller_epoch="2", at_least_ms="1426"),
        [ACTIVE_2, VACANT_3, ACTIVE_4], CONFIRMED,
    ),
    "no_controller KRaft, unheard": (
        finding("no_controller", "08:01:50", "08:02:35.100",
            controller_id="102", controller_epoch="2", at_most_ms="45100"),
        [ACTIVE_2, LAST_OF_102, ACTIVE_4], CONFIRMED,
    ),
    "no_controller since": (
        finding("no_controller", "08:02:33.674", None,
            controller_id="102", controller_epoch="2"),
        [ACTIVE_2, VACANT_3], CONFIRMED,
    ),
    "illegal_move": (
        finding("illegal_move", "09:00:25.753", "09:00:26",
            controller_id="2", controller_epoch="8", machine="replica", moves_count="7",
            from_state="NonExistentReplica", to_state="OnlineReplica", topic="audit_log", partition="0"),
        [ILLEGAL], CONFIRMED,
    ),
    "discontinuity": (  # the line between them is left out
        finding("discontinuity", "09:00:25.753", "09:00:25.753",
            controller_id="2", controller_epoch="8", machine="replica", moves_count="1",
            from_state="OfflineReplica", to_state="OnlineReplica", topic="audit_log", partition="0"),
        [ONLINE_AGAIN, ONLINE], CONFIRMED,
    ),
    "refused_move": (
        finding("refused_move", "09:00:21.682", "09:00:21.682",
            controller_id="2", controller_epoch="8", machine="replica", moves_count="1",
            from_state="OfflineReplica", to_state="ReplicaDeletionIneligible", topic="payments", partition="1"),
        [REFUSED], CONFIRMED,
    ),
    "refused_move 0.11": (
        finding("refused_move", "08:36:19.471", "08:36:19.490",
            controller_id="1", controller_epoch="1", machine="replica", moves_count="2",
            from_state="OfflineReplica", to_state="ReplicaDeletionIneligible", topic="audit_log", partition="1"),
        [OLD_REFUSED], CONFIRMED,
    ),
    "standing_imbalance": (
        finding("standing_imbalance", "08:43:02.753", None,
            broker_id="1", led_elsewhere_count="12", preferred_count="13", imbalance_ratio="0.9230769230769231",
            threshold_ratio="0.1"),
        [STATED], UNDECIDED,
    ),
    "standing_imbalance not enabled": (
        finding("standing_imbalance", "08:43:02.753", None,
            broker_id="1", led_elsewhere_count="12", preferred_count="13", imbalance_ratio="0.9230769230769231",
            threshold_ratio="0.1", is_auto_rebalance_enabled="false"),
        [STATED], UNDECIDED,
    ),
    "replay_disagreement": (
        finding("replay_disagreement", "09:00:12.174", "09:00:12.174",
            controller_id="2", controller_epoch="8", check="initial_state_dump", machine="replica",
            said_count="109", differing_count="1", topic="audit_log", partition="0", replica_id="1",
            kafka_state="OfflineReplica", replay_state="OnlineReplica"),
        [DUMP, ONLINE], CONFIRMED,
    ),
    "replay_disagreement not named": (
        finding("replay_disagreement", "09:00:12.174", "09:00:12.174",
            controller_id="2", controller_epoch="8", check="initial_state_dump", machine="replica",
            said_count="109", differing_count="1", topic="audit_log", partition="0", replica_id="1",
            replay_state="OnlineReplica"),
        [DUMP.replace("audit_log", "clicks"), ONLINE], CONFIRMED,
    ),
    "replay_disagreement refused": (
        finding("replay_disagreement", "09:00:21.682", "09:00:21.682",
            controller_id="2", controller_epoch="8", check="refused_pair", machine="replica",
            said_count="4", differing_count="1", topic="payments", partition="1",
            from_state="OfflineReplica", to_state="OnlineReplica"),
        [REFUSED.replace("DeletionIneligible", "_").replace("Replica_", "OnlineReplica")], CONFIRMED,
    ),
    "replay_disagreement of KAFKA-8237": (
        finding("replay_disagreement", "09:00:21.682", "09:00:21.682",
            controller_id="2", controller_epoch="8", check="refused_pair", machine="replica",
            said_count="4", differing_count="1", topic="payments", partition="1",
            from_state="OfflineReplica", to_state="ReplicaDeletionIneligible"),
        [REFUSED], UNDECIDED,
    ),
    "replay_disagreement listed": (
        finding("replay_disagreement", "09:00:21.682", "09:00:21.682",
            controller_id="2", controller_epoch="8", check="valid_previous_states", machine="replica",
            said_count="4", differing_count="1", topic="payments", partition="1",
            from_state="OfflineReplica", to_state="ReplicaDeletionIneligible"),
        [REFUSED.replace("the ReplicaDeletionStarted states", "the ReplicaDeletionSuccessful states")], CONFIRMED,
    ),
    "not_understood": (
        finding("not_understood", "09:00:21.682", None,
            records_count="3", reason="no_envelope"),
        [STACK], CONFIRMED,
    ),
    "not_understood bad_bytes": (
        finding("not_understood", "09:00:21.682", None,
            records_count="1", reason="bad_bytes"),
        ["[2026-11-21 09:00:21,682] INFO \udcff (kafka.controller.KafkaController)"], CONFIRMED,
    ),
    "not_understood no_template": (
        finding("not_understood", "09:00:21.682", None,
            records_count="1", reason="no_template"),
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
    ("controller_outlived KRaft", "08:02:36,500", "08:02:34,500", "gave up after the next one was active"),
    ("controller_outlived KRaft", "id=102] maybe", "id=103] maybe", "no record says that controller 102 gave up"),
    ("controller_outlived KRaft", "at epoch 4", "at epoch 1", "no record says that controller 102 gave up"),
    ("no_controller KRaft, unheard", "08:01:50,000", "08:01:51,000", "held from"),
    ("no_controller KRaft, unheard", "at epoch 4", "at epoch 1", "no record of controller 102"),
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
    ("standing_imbalance", "leader=2", "leader=1", "no record has broker 1"),
    ("standing_imbalance", "brokerId=1,", "brokerId=4,", "no record has broker 1"),
    ("replay_disagreement", "Replica=1] -> OfflineReplica", "Replica=1] -> OnlineReplica", "does not say OfflineReplica"),
    ("replay_disagreement", "Partition=0,Replica=1]", "Partition=1,Replica=1]", "does not say OfflineReplica"),
    ("replay_disagreement", "to OnlineReplica", "to OfflineReplica", "no move shows OnlineReplica"),
    ("replay_disagreement not named", "Topic=clicks", "Topic=audit_log", "does not say None"),
    ("replay_disagreement refused", "payments-1", "payments-2", "no record refuses"),
    ("replay_disagreement refused", "IllegalStateException", "KeeperException", "no record refuses"),
    ("replay_disagreement listed", "from Offline", "from Online", "no record refuses"),
    ("replay_disagreement", "replica 1 for", "replica 2 for", "no move shows OnlineReplica"),
    ("not_understood", "\tat", "[2026-11-21 09:00:21,682] INFO at", "is understood"),
    ("not_understood bad_bytes", "\udcff", "plain", "is understood"),
    ("not_understood no_template", "Nothing of note", "Resigning", "is understood"),
]  # fmt: skip

# What the finding itself says wrongly: (case, name of a fact, what it is now, a word of the answer).
SAID_WRONGLY = [
    ("controller_outlived", "late_ms", "3760", "it was 3759 ms"),
    ("no_controller KRaft", "at_least_ms", "1425", "it was 1426 ms"),
    ("no_controller KRaft", "controller_id", "103", "no record of controller 103"),
    ("no_controller since", "controller_epoch", "3", "no record of controller 102"),
    ("no_controller", "at_most_ms", "6562", "it was 6563 ms"),
    ("no_controller", "controller_id", "3", "no record of controller 3"),
    ("illegal_move", "moves_count", "0", "1 such records for 0 move(s)"),
    ("illegal_move", "machine", "partition", "is another move"),
    ("illegal_move", "topic", "audit", "the first record is of audit_log-0"),
    ("refused_move", "to_state", "ReplicaDeletionStarted", "is another move"),
    ("standing_imbalance", "imbalance_ratio", "0.9321", "12 of 13 is 0.9231"),
    ("standing_imbalance", "threshold_ratio", "0.95", "is not over"),
    ("standing_imbalance not enabled", "led_elsewhere_count", "13", "13 of 13 is 1.0000"),
    ("replay_disagreement", "kafka_state", "NewReplica", "does not say NewReplica"),
    ("replay_disagreement refused", "from_state", "NewReplica", "no record refuses"),
    ("replay_disagreement listed", "to_state", "NewReplica", "no record refuses"),
    ("replay_disagreement", "replica_id", "2", "does not say OfflineReplica"),
    ("not_understood", "records_count", "0", "1 records for 0"),
]
