"""Proves again what findings say of reassignments, from the bytes of their records."""

import re

from pipeline.rules.proving.partitions import is_partition_named
from pipeline.rules.proving.proof import Claim, ProofLine, require_proof

# Source: KafkaController.onPartitionReassignment, updateCurrentReassignment; ReplicationControlManager.replay.
NAMED = re.compile(r"(?:[Nn]ew replicas |-> \w+\()([\d, ]+)")
ASSIGNED = re.compile(r"\breplicas=\[?([\d, ]+)")
LEAVING = re.compile(r"removingReplicas=\[?([\d, ]*)")
ID = re.compile(r"\d+")
FAILED, SKIPPED = "Error completing reassignment", "Skipping reassignment"


def target_replica_lists(line: ProofLine) -> list[list[str]]:
    """Lists of replicas that it may aim at: as named, or as assigned at last without those that are being removed."""
    lists = [ID.findall(found[1]) for found in NAMED.finditer(line.text)]
    assigned, leaving = (pattern.findall(line.text) for pattern in (ASSIGNED, LEAVING))
    if assigned:
        gone = ID.findall(leaving[-1]) if leaving else []
        lists.append([one for one in ID.findall(assigned[-1]) if one not in gone])
    return lists


def is_about_partition(line: ProofLine, topic: str, number: int) -> bool:
    """It names the partition; in KRaft its number in a record, and the topic behind it."""
    in_record = rf"partitionId={number}\b.* for topic {re.escape(topic)}(?![\w.-])"
    return is_partition_named(line, topic, number) or re.search(in_record, line.text) is not None


def require_begin(claim: Claim, line: ProofLine) -> tuple[str, int]:
    """Topic and number of the partition that the claim is about. Unproved: its first record does not name it, or is of
    another time."""
    topic, number = claim.text("topic"), claim.number("partition")
    require_proof(is_about_partition(line, topic, number), f"{line.place()} does not name {topic}-{number}")
    require_proof(claim.valid_from_at == line.at(), f"the first record is of {line.at()}")
    return topic, number


def require_target(claim: Claim, line: ProofLine) -> None:
    """Unproved: the record does not aim at the replicas that the claim names."""
    target = claim.broker_ids("target_replicas")
    require_proof(target in target_replica_lists(line), f"{line.place()} does not aim at {', '.join(target)}")
