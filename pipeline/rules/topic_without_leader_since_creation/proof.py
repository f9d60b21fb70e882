"""The proof of topic_without_leader_since_creation, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_proof, require_span
from pipeline.rules.proving.topics import (
    DELETED,
    NEW,
    times_topic_is_missing,
    times_topic_is_named,
    topic_creation_time,
)

REFUSED = re.compile(
    r"NewPartition to OnlinePartition failed|failed to change state .* from NewPartition to OnlinePartition"
)
ASSIGNED = re.compile(r"assigned replicas are \[([\d, ]*)\]")
ONLINE = re.compile(r"NewPartition to OnlinePartition")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    topic, lasted_ms = claim.text("topic"), claim.known_number("lasted_ms")
    refused = [one for one in lines if REFUSED.search(one.text)]
    if refused:
        return prove_refused_leader(claim, refused, lines)
    start = topic_creation_time(lines, topic)
    online = [
        one.at() for one in lines if ONLINE.search(one.text) and f"{topic}-" in one.text.replace(",", "-")
    ]
    ended = (
        times_topic_is_named(DELETED, lines, topic)
        + times_topic_is_named(NEW, lines, topic, 2)
        + times_topic_is_missing(lines, topic)
    )
    require_span(claim, start, min(online or ended, default=None), lasted_ms)
    raise Unproved(
        UNDECIDED,
        f"created {start}; that no broker of partition {claim.number('partition')} was live rests on more records",
    )


def prove_refused_leader(claim: Claim, refused: Sequence[ProofLine], lines: Sequence[ProofLine]) -> str:
    """The controller says that this partition got no leader, and of which brokers; it came online, or was removed, when
    it says."""
    names = {one.move.get("partition") for one in lines}
    require_proof(names == {claim.partition()}, f"the records are of {names}")
    found = ASSIGNED.search(refused[0].whole)
    ids = re.findall(r"\d+", found[1]) if found else []
    require_proof(
        ids == (claim.known_broker_ids("broker_ids") or []), f"by the records its replicas are on {ids}"
    )
    start, online = refused[0].at(), [one.at() for one in lines if one not in refused]
    if claim.valid_until_at is not None and not online:
        raise Unproved(UNDECIDED, f"refused {start}; that it was over then rests on other records")
    require_span(claim, start, min(online, default=None), claim.known_number("lasted_ms"))
    return f"refused a leader {start}; that it got none before no record shows"
