"""The proof of topic_removed_by_hand, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span
from pipeline.rules.proving.topics import NEW, times_topic_is_named


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    topic = claim.text("topic")
    removed = times_topic_is_named(NEW, lines, topic, 2)
    require_proof(removed, f"no record says that topic {topic} is gone")
    require_span(claim, removed[0], removed[0])
    return f"gone {removed[0]}"
