"""The proof of recreated_at_once, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, Line, require, require_lasted, require_span
from pipeline.rules.proving.topics import DELETED, created, named


def prove(claim: Claim, lines: Sequence[Line]) -> str:
    topic = claim.text("topic")
    deleted = named(DELETED, lines, topic)
    require(deleted, f"no record completes the deletion of topic {topic}")
    start = created(lines, topic)
    require_span(claim, max(deleted), start)
    require_lasted(max(deleted), start, claim.number("lasted_ms"))
    require(not any("TopicIdReplicaAssignment" in one.whole for one in lines), "its topics have ids")
    return f"deleted {max(deleted)}, created {start}"
