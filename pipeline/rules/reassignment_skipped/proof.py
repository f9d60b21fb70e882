"""The proof of reassignment_skipped, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, Line, require
from pipeline.rules.proving.reassignments import SKIPPED, is_about


def prove(claim: Claim, lines: Sequence[Line]) -> str:
    """The last record says that it is skipped, the first one is the only one or has it in a list."""
    topic, number, last = claim.text("topic"), claim.number("partition"), lines[-1]
    require(
        is_about(last, topic, number) and SKIPPED in last.text,
        f"{last.place()} does not skip {topic}-{number}",
    )
    span = lines[0].at(), last.at()
    require((claim.valid_from_at, claim.valid_until_at) == span, f"it was from {span[0]} to {span[1]}")
    require(claim.text("reason") == "topic_deleting", "it is skipped as its topic is being deleted")
    return f"skipped {last.at()}"
