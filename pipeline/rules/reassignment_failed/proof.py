"""The proof of reassignment_failed, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_proof
from pipeline.rules.proving.reassignments import FAILED, is_about_partition, target_replica_lists


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """The first record begins it; the last one says that it failed. That a controller does not list it any more is what
    no record says."""
    topic, number = claim.text("topic"), claim.number("partition")
    require_proof(
        is_about_partition(lines[0], topic, number), f"{lines[0].place()} does not name {topic}-{number}"
    )
    require_proof(claim.valid_from_at == lines[0].at(), f"the first record is of {lines[0].at()}")
    target = claim.broker_ids("target_replicas")
    require_proof(
        target in target_replica_lists(lines[0]), f"{lines[0].place()} does not aim at {', '.join(target)}"
    )
    if claim.text("reason") == "forgotten":
        raise Unproved(UNDECIDED, f"begun {lines[0].at()}; that a controller has it no more no record shows")
    last = lines[-1]
    require_proof(
        is_about_partition(last, topic, number) and FAILED in last.text,
        f"{last.place()} does not say that it failed",
    )
    require_proof(
        claim.text("reason") == "error" and claim.valid_until_at == last.at(), f"it failed at {last.at()}"
    )
    return f"begun {lines[0].at()}, failed {last.at()}"
