"""The proof of topic_vanished, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span
from pipeline.rules.proving.topics import LISTED, QUEUED, times_topic_is_missing, times_topic_is_named


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    topic, controller = claim.text("topic"), claim.number("controller_id")
    asked, absent = times_topic_is_named(QUEUED, lines, topic), times_topic_is_missing(lines, topic)
    require_proof(asked, f"no record asks for the deletion of topic {topic}")
    require_proof(absent, f"no list of topics is without {topic}")
    require_proof(min(asked) < min(absent), "they are in another order")
    by = [one.node_id() for one in lines if LISTED.search(one.text)]
    require_proof(controller in by, f"the list is of controller {by}")
    require_span(claim, min(absent), min(absent))
    return f"asked for {min(asked)}, missing {min(absent)}; that no line completes it no record shows"
