"""The proof of topic_vanished, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, Line, require, require_span
from pipeline.rules.proving.topics import LISTED, QUEUED, missing, named


def prove(claim: Claim, lines: Sequence[Line]) -> str:
    topic, controller = claim.text("topic"), claim.number("controller_id")
    asked, absent = named(QUEUED, lines, topic), missing(lines, topic)
    require(asked, f"no record asks for the deletion of topic {topic}")
    require(absent, f"no list of topics is without {topic}")
    require(min(asked) < min(absent), "they are in another order")
    by = [one.node_id() for one in lines if LISTED.search(one.text)]
    require(controller in by, f"the list is of controller {by}")
    require_span(claim, min(absent), min(absent))
    return f"asked for {min(asked)}, missing {min(absent)}; that no line completes it no record shows"
