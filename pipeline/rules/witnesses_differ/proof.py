"""The proof of witnesses_differ, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_proof, require_span

EPOCH = ("partition epoch ", "partitionEpoch=")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """What stands in the metadata log no line shows: lines say that they have such a state."""
    require_span(claim, lines[0].at(), lines[0].at())
    epoch = claim.number("partition_epoch")
    name = claim.partition()
    named = [one for one in lines if name in one.whole]
    by_id = f"partitionId={claim.number('partition')}, topicId="
    if not named and any(by_id in one.whole for one in lines):
        raise Unproved(UNDECIDED, f"no record names {name}: its topic stands there by its id")
    require_proof(named, f"no record names {name}")
    says = any(f"{word}{epoch}" in one.whole for word in EPOCH for one in named)
    require_proof(says, f"no record of {name} has partition epoch {epoch}")
    return f"lines have a state of {name} with partition epoch {epoch}; the other is in the metadata log"
