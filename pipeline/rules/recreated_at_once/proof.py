"""The proof of recreated_at_once, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_lasted, require_proof, require_span
from pipeline.rules.proving.topics import DELETED, times_topic_is_named, topic_creation_time


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    topic = claim.text("topic")
    deleted = times_topic_is_named(DELETED, lines, topic)
    require_proof(deleted, f"no record completes the deletion of topic {topic}")
    start = topic_creation_time(lines, topic)
    require_span(claim, max(deleted), start)
    require_lasted(max(deleted), start, claim.number("lasted_ms"))
    require_proof(not any("TopicIdReplicaAssignment" in one.whole for one in lines), "its topics have ids")
    return f"deleted {max(deleted)}, created {start}"
