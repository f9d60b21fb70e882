"""The proof of stuck_deletion, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import (
    NOT_CONFIRMED,
    UNDECIDED,
    Claim,
    ProofLine,
    require_proof,
    require_span,
)
from pipeline.rules.proving.terms import ELECTED
from pipeline.rules.proving.topics import (
    DELETED,
    NEW,
    PUT_OFF,
    QUEUED,
    times_topic_is_missing,
    times_topic_is_named,
)

# Replicas that are out of reach, or that were not deleted; what a broker answers of a partition.
HELD = re.compile(r"(?:Dead Replicas \(|Deletion failed for replicas )(.*?)(?:\) found|\. Halting)")
REPLICA = re.compile(r"\[Topic=([^,\]]+),Partition=(\d+),Replica=(\d+)\]")
ANSWERED = re.compile(r"([\w.-]+)-\d+(?:=| -> )([A-Z_]+)")
MANY = 5  # of so many records about replicas others are left out
# What lines say of a deletion that is put off by this.
WHY = {
    "dead_replica": r"Dead Replicas|offline replicas",
    "replica_deletion_failed": r"Deletion failed for|replica deletion failure",
    "storage_error": r"Dead Replicas|offline replicas|Deletion failed for|replica deletion failure",
    "reassignment": r"topic reassignment in progress",
    "unknown": r"Not retrying deletion|Halted deletion",
}


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """It was asked for, put off, and ended, if it did; the replicas that it names are those of the lines about them."""
    topic = claim.text("topic")
    queued, put_off, deleted = (
        times_topic_is_named(pattern, lines, topic) for pattern in (QUEUED, PUT_OFF, DELETED)
    )
    require_proof(put_off, f"no record puts off the deletion of topic {topic}")
    removed, absent = times_topic_is_named(NEW, lines, topic, 2), times_topic_is_missing(lines, topic)
    # Where nothing completes it, the election that begins another life of the metadata.
    elected = [one.at() for one in lines if ELECTED.search(one.text)]
    start, end = min(queued + put_off), max(deleted or removed or absent or elected, default=None)
    require_span(claim, start, end, claim.known_number("lasted_ms"))
    require_replicas(claim, lines, topic)
    return f"begun {start}, put off {min(put_off)}, ended {end or 'never, which no record shows'}"


def require_replicas(claim: Claim, lines: Sequence[ProofLine], topic: str) -> None:
    """Brokers, replicas and the error are those of the lines; of a broker that died all replicas are said to have
    failed, those too that it had deleted before."""
    brokers, count = claim.known_broker_ids("broker_ids"), claim.known_number("replicas_count")
    error = claim.known("error")
    held = {
        (part, broker)
        for one in lines
        if (found := HELD.search(one.whole))
        for name, part, broker in REPLICA.findall(found[1])
        if name == topic
    }
    callbacks = [one.whole for one in lines if "elete topic callback" in one.text]
    answers = {said for text in callbacks for name, said in ANSWERED.findall(text) if name == topic}
    require_proof(error is None or error in answers, f"no broker answers {error} of topic {topic}")
    why = claim.text("blocked_by")
    require_proof(why in WHY, f"{why} puts off no deletion")
    if brokers is None and count is None and not held:
        return
    require_proof(held, f"no record names a replica of topic {topic} that is not deleted", UNDECIDED)
    of_lines = {broker for _, broker in held}
    is_cut = len([one for one in lines if HELD.search(one.whole)]) + len(callbacks) >= MANY
    less = UNDECIDED if is_cut and of_lines <= set(brokers or ()) else NOT_CONFIRMED
    require_proof(set(brokers or ()) == of_lines, f"records name replicas on {sorted(of_lines)}", less)
    may_be_fewer = any("Deletion failed for" in one.text for one in lines)
    is_so = count == len(held) or (may_be_fewer and 0 < (count or 0) < len(held))
    require_proof(
        is_so, f"records name {len(held)} replicas", less if (count or 0) > len(held) else NOT_CONFIRMED
    )
    is_said = any(re.search(WHY[why], one.text) for one in lines)
    require_proof(is_said, f"no record says {why}", UNDECIDED)
