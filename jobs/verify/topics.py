"""Proves again what findings say of the lives of topics, from the bytes of their records."""

import re
from collections.abc import Sequence
from datetime import datetime

from jobs.verify.proof import (
    NOT_CONFIRMED,
    UNDECIDED,
    Claim,
    Line,
    Unproved,
    require,
    require_lasted,
    require_span,
)
from jobs.verify.terms import ELECTED

QUEUED = re.compile(r"(?:deletion for topics|to be deleted:|deletions:) (.*?)(?:, initial| \(kafka|$)")
PUT_OFF = re.compile(
    r"(?:Not retrying deletion of topic|Halted deletion of topics) (\S+)"
    r"(?: at this time since it is marked ineligible| due to (?:offline replicas|replica deletion failure"
    r"|topic reassignment in progress)| \(kafka|$)"
)
DELETED = re.compile(r"Deletion of topic (\S+) successfully completed")
NEW = re.compile(r"New topics: \[(.*?)\], deleted topics: \[(.*?)\]")
LISTED = re.compile(r"urrent list of topics in the cluster: ?(.*?) \(kafka")
REPLAYED = re.compile(r"(?:Created topic|Replayed TopicRecord for topic) (\S+) with (?:topic )?ID")
NAME = re.compile(r"[^,\s()]+")
DISABLED = re.compile(r"Removing (\S+) since delete topic is disabled")
# Replicas that are out of reach, or that were not deleted; what a broker answers of a partition.
HELD = re.compile(r"(?:Dead Replicas \(|Deletion failed for replicas )(.*?)(?:\) found|\. Halting)")
REPLICA = re.compile(r"\[Topic=([^,\]]+),Partition=(\d+),Replica=(\d+)\]")
ANSWERED = re.compile(r"([\w.-]+)-\d+(?:=| -> )([A-Z_]+)")
LEADS = re.compile(
    r"become-leader transition for partition \[?(\S+?)(?:-|,)\d+\]?(?= |$)"
    r"|Leader (\S+)-\d+ (?:with topic id \S+ )?starts"
)
MANY = 5  # of so many records about replicas others are left out
# What lines say of a deletion that is put off by this.
WHY = {
    "dead_replica": r"Dead Replicas|offline replicas",
    "replica_deletion_failed": r"Deletion failed for|replica deletion failure",
    "storage_error": r"Dead Replicas|offline replicas|Deletion failed for|replica deletion failure",
    "reassignment": r"topic reassignment in progress",
    "unknown": r"Not retrying deletion|Halted deletion",
}
REFUSED = re.compile(
    r"NewPartition to OnlinePartition failed|failed to change state .* from NewPartition to OnlinePartition"
)
ASSIGNED = re.compile(r"assigned replicas are \[([\d, ]*)\]")
ONLINE = re.compile(r"NewPartition to OnlinePartition")


def named(pattern: re.Pattern[str], lines: Sequence[Line], topic: str, group: int = 1) -> list[datetime]:
    """Times of the lines in which the pattern names the topic."""
    found = ((one, pattern.search(one.text)) for one in lines)
    return [one.at() for one, match in found if match and topic in NAME.findall(match[group] or "")]


def stuck_deletion(claim: Claim, lines: Sequence[Line]) -> str:
    """It was asked for, put off, and ended, if it did; the replicas that it names are those of the lines about them."""
    topic = claim.text("topic")
    queued, put_off, deleted = (named(pattern, lines, topic) for pattern in (QUEUED, PUT_OFF, DELETED))
    require(put_off, f"no record puts off the deletion of topic {topic}")
    removed, absent = named(NEW, lines, topic, 2), missing(lines, topic)
    # Where nothing completes it, the election that begins another life of the metadata.
    elected = [one.at() for one in lines if ELECTED.search(one.text)]
    start, end = min(queued + put_off), max(deleted or removed or absent or elected, default=None)
    require_span(claim, start, end, claim.known_number("lasted_ms"))
    require_replicas(claim, lines, topic)
    return f"begun {start}, put off {min(put_off)}, ended {end or 'never, which no record shows'}"


def require_replicas(claim: Claim, lines: Sequence[Line], topic: str) -> None:
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
    require(error is None or error in answers, f"no broker answers {error} of topic {topic}")
    why = claim.text("blocked_by")
    require(why in WHY, f"{why} puts off no deletion")
    if brokers is None and count is None and not held:
        return
    require(held, f"no record names a replica of topic {topic} that is not deleted", UNDECIDED)
    of_lines = {broker for _, broker in held}
    is_cut = len([one for one in lines if HELD.search(one.whole)]) + len(callbacks) >= MANY
    less = UNDECIDED if is_cut and of_lines <= set(brokers or ()) else NOT_CONFIRMED
    require(set(brokers or ()) == of_lines, f"records name replicas on {sorted(of_lines)}", less)
    may_be_fewer = any("Deletion failed for" in one.text for one in lines)
    is_so = count == len(held) or (may_be_fewer and 0 < (count or 0) < len(held))
    require(is_so, f"records name {len(held)} replicas", less if (count or 0) > len(held) else NOT_CONFIRMED)
    is_said = any(re.search(WHY[why], one.text) for one in lines)
    require(is_said, f"no record says {why}", UNDECIDED)


def missing(lines: Sequence[Line], topic: str) -> list[datetime]:
    """Times of lists of topics that do not have it."""
    found = ((one, LISTED.search(one.text)) for one in lines)
    return [one.at() for one, match in found if match and topic not in NAME.findall(match[1])]


def created(lines: Sequence[Line], topic: str) -> datetime:
    at = named(NEW, lines, topic) + named(REPLAYED, lines, topic)
    require(at, f"no record creates topic {topic}")
    return min(at)


def topic_without_leader_since_creation(claim: Claim, lines: Sequence[Line]) -> str:
    topic, lasted_ms = claim.text("topic"), claim.known_number("lasted_ms")
    refused = [one for one in lines if REFUSED.search(one.text)]
    if refused:
        return refused_leader(claim, refused, lines)
    start = created(lines, topic)
    online = [
        one.at() for one in lines if ONLINE.search(one.text) and f"{topic}-" in one.text.replace(",", "-")
    ]
    ended = named(DELETED, lines, topic) + named(NEW, lines, topic, 2) + missing(lines, topic)
    require_span(claim, start, min(online or ended, default=None), lasted_ms)
    raise Unproved(
        UNDECIDED,
        f"created {start}; that no broker of partition {claim.number('partition')} was live rests on more records",
    )


def refused_leader(claim: Claim, refused: Sequence[Line], lines: Sequence[Line]) -> str:
    """The controller says that this partition got no leader, and of which brokers; it came online when it says."""
    names = {one.move.get("partition") for one in lines}
    require(names == {claim.partition()}, f"the records are of {names}")
    found = ASSIGNED.search(refused[0].whole)
    ids = re.findall(r"\d+", found[1]) if found else []
    require(ids == (claim.known_broker_ids("broker_ids") or []), f"by the records its replicas are on {ids}")
    start, online = refused[0].at(), [one.at() for one in lines if one not in refused]
    if claim.valid_until_at is not None and not online:
        raise Unproved(UNDECIDED, f"refused {start}; that it was over then rests on other records")
    require_span(claim, start, min(online, default=None), claim.known_number("lasted_ms"))
    return f"refused a leader {start}; that it got none before no record shows"


def slow_creation(claim: Claim, lines: Sequence[Line]) -> str:
    topic = claim.text("topic")
    start = created(lines, topic)
    found = ((one, LEADS.search(one.text)) for one in lines)
    led = [one.at() for one, match in found if match and topic in (match[1], match[2])]
    require(led, f"no record says that a broker leads a partition of {topic}")
    require_span(claim, start, max(led), claim.number("lasted_ms"))
    return f"created {start}, led {max(led)}; that all others were led before it no record shows"


def topic_vanished(claim: Claim, lines: Sequence[Line]) -> str:
    topic, controller = claim.text("topic"), claim.number("controller_id")
    asked, absent = named(QUEUED, lines, topic), missing(lines, topic)
    require(asked, f"no record asks for the deletion of topic {topic}")
    require(absent, f"no list of topics is without {topic}")
    require(min(asked) < min(absent), "they are in another order")
    by = [one.node_id() for one in lines if LISTED.search(one.text)]
    require(controller in by, f"the list is of controller {by}")
    require_span(claim, min(absent), min(absent))
    return f"asked for {min(asked)}, missing {min(absent)}; that no line completes it no record shows"


def topic_removed_by_hand(claim: Claim, lines: Sequence[Line]) -> str:
    topic = claim.text("topic")
    removed = named(NEW, lines, topic, 2)
    require(removed, f"no record says that topic {topic} is gone")
    require_span(claim, removed[0], removed[0])
    return f"gone {removed[0]}"


def deletion_disabled(claim: Claim, lines: Sequence[Line]) -> str:
    topic = claim.text("topic")
    found = ((one, DISABLED.search(one.text)) for one in lines)
    dropped = [one.at() for one, match in found if match and topic in re.split(r"[/,()]", match[1])]
    require(dropped, f"no record drops a request to delete topic {topic}")
    require_span(claim, dropped[0], dropped[0])
    return f"dropped {dropped[0]}"


def recreated_at_once(claim: Claim, lines: Sequence[Line]) -> str:
    topic = claim.text("topic")
    deleted = named(DELETED, lines, topic)
    require(deleted, f"no record completes the deletion of topic {topic}")
    start = created(lines, topic)
    require_span(claim, max(deleted), start)
    require_lasted(max(deleted), start, claim.number("lasted_ms"))
    require(not any("TopicIdReplicaAssignment" in one.whole for one in lines), "its topics have ids")
    return f"deleted {max(deleted)}, created {start}"
