"""The proof of event_failed, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof

FAILED = re.compile(r"rror (?:processing event|while invoking listener for processed event) (\w+)")
FAILED_OTHERWISE = re.compile(
    r"Error while (?:handling (broker changes|new topic|add partitions)|moving some (partitions|replicas) to )"
    r"|Error when processing (Alter)(?:Isr|Partition)"
)
OTHERWISE = {
    "Alter": "AlterPartition",
    "partitions": "moves of partitions",
    "replicas": "moves of replicas",
    "broker changes": "BrokerChange",
    "new topic": "TopicChange",
    "add partitions": "PartitionModifications",
}
KEPT = 5  # so many records a finding keeps


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    node_id, count, event = claim.number("controller_id"), claim.number("failures_count"), claim.text("event")
    require_proof(len(lines) == min(count, KEPT), f"{len(lines)} such records for {count} failures")
    raised = claim.known("exception_class")
    for line in lines:
        require_proof(line.node_id() == node_id, f"{line.place()} is of controller {line.node_id()}")
        said, other = FAILED.search(line.text), FAILED_OTHERWISE.search(line.text)
        name = said[1] if said else OTHERWISE[other[1] or other[2] or other[3]] if other else None
        require_proof(name == event, f"{line.place()} does not say that it failed to handle {event}")
        is_raised = raised is None or re.search(rf"\n{re.escape(raised)}\b", line.whole)
        require_proof(is_raised, f"{line.place()} has no {raised}")
    require_proof(claim.valid_from_at == lines[0].at(), f"the first record is of {lines[0].at()}")
    is_last = len(lines) < count or claim.valid_until_at == lines[-1].at()
    require_proof(is_last, f"the last record is of {lines[-1].at()}")
    return f"{event} failed {count} times, first {lines[0].at()}"
