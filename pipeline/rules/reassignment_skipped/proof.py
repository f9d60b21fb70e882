"""The proof of reassignment_skipped, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof
from pipeline.rules.proving.reassignments import SKIPPED, is_about_partition


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """The last record says that it is skipped, the first one is the only one or has it in a list."""
    topic, number, last = claim.text("topic"), claim.number("partition"), lines[-1]
    require_proof(
        is_about_partition(last, topic, number) and SKIPPED in last.text,
        f"{last.place()} does not skip {topic}-{number}",
    )
    span = lines[0].at(), last.at()
    require_proof((claim.valid_from_at, claim.valid_until_at) == span, f"it was from {span[0]} to {span[1]}")
    require_proof(claim.text("reason") == "topic_deleting", "it is skipped as its topic is being deleted")
    return f"skipped {last.at()}"
