"""Proves again what findings say of moves and states, from the bytes of their records."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof

# ReplicaStateMachine and PartitionStateMachine, 0.8.1 to 3.9: target state, and the states before it.
ALIVE = "NewReplica OnlineReplica OfflineReplica ReplicaDeletionIneligible"
LED = "NewPartition OnlinePartition OfflinePartition"
LEGAL = {
    "NewReplica": "NonExistentReplica", "OnlineReplica": ALIVE, "OfflineReplica": ALIVE,
    "ReplicaDeletionStarted": "OfflineReplica", "ReplicaDeletionSuccessful": "ReplicaDeletionStarted",
    "ReplicaDeletionIneligible": "ReplicaDeletionStarted", "NonExistentReplica": "ReplicaDeletionSuccessful",
    "NewPartition": "NonExistentPartition", "NonExistentPartition": "OfflinePartition",
    "OnlinePartition": LED, "OfflinePartition": LED,
}  # fmt: skip
LEGAL_FROM_2_3 = ("OfflineReplica", "ReplicaDeletionIneligible")  # KAFKA-8237
REFUSAL = re.compile(
    r"(?:IllegalStateException|AssertionError): .*?(?:Replica|Partition) "
    r"(?:\[Topic=(?P<topic>[^,]+),Partition=(?P<number>\d+),Replica=(?P<replica>\d+)\]|(?P<partition>\S+)) should be"
    r" in (?:the|one of) (?P<legal>\S+) states before moving to (?P<entered>\w+) state\. Instead it is in (?P<left>\w+)"
)


def prove_move_count(claim: Claim, moves: Sequence[ProofLine]) -> str:
    controller, epoch = claim.text("controller_id"), claim.known("controller_epoch")
    count, is_replica = claim.number("moves_count"), claim.text("machine") == "replica"
    require_proof(0 < len(moves) <= count, f"{len(moves)} such records for {count} move(s)")
    for line in moves:
        require_proof(line.move, f"{line.place()} is no move")
        is_of_it = line.move["id"] == controller and line.move["epoch"] in (None, epoch)
        require_proof(
            is_of_it, f"{line.place()} is of controller {line.move['id']}, epoch {line.move['epoch']}"
        )
        is_of_machine = (line.move["replica"] is not None) == is_replica
        states = (line.move["left"], line.move["entered"])
        require_proof(is_of_machine and states == claimed_states(claim), f"{line.place()} is another move")
        is_within = claim.valid_from_at <= line.at() <= (claim.valid_until_at or line.at())
        require_proof(is_within, f"{line.place()} is of {line.at()}")
    first = moves[0].move["partition"]
    require_proof(first == claim.partition(), f"the first record is of {first}")
    return f"{len(moves)} of {count} move(s) stand in these records"


def claimed_states(claim: Claim) -> tuple[str, str]:
    """The states that are left and entered."""
    return claim.text("from_state"), claim.text("to_state")
