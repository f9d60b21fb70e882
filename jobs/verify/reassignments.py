"""Proves again what findings say of reassignments, from the bytes of their records."""

import re
from collections.abc import Sequence

from jobs.verify.brokers import is_gone
from jobs.verify.partitions import NOBODY, name_of, names
from jobs.verify.proof import UNDECIDED, Claim, Line, Unproved, require
from jobs.verify.terms import FENCED

# Source: KafkaController.onPartitionReassignment, updateCurrentReassignment; ReplicationControlManager.replay.
NAMED = re.compile(r"(?:[Nn]ew replicas |-> \w+\()([\d, ]+)")
ASSIGNED = re.compile(r"\breplicas=\[?([\d, ]+)")
LEAVING = re.compile(r"removingReplicas=\[?([\d, ]*)")
ID = re.compile(r"\d+")
FAILED, SKIPPED = "Error completing reassignment", "Skipping reassignment"
SAID = {
    "no_leader": NOBODY,
    "quorum_lost": re.compile(r"leader is \(none\)"),
    "controller_powerless": FENCED,
}
IGNORED = re.compile(
    r"\[Broker id=(\d+)\] Ignoring StopReplica request \(delete=true\).* matches the current leader epoch"
)
IN_SYNC = re.compile(
    r"completed the ongoing partition reassignment\. isr: \[[^\]]*\] -> \[([^\]]*)\], "
    r"replicaSet: \[[^\]]*\] -> \[([^\]]*)\]"
)
BEHIND = re.compile(r"Replica\(s\) ([\d,]+) still need to catch up")


def stuck_reassignment(claim: Claim, lines: Sequence[Line]) -> str:
    """The first record begins it, others tell who has not caught up, or is gone."""
    topic, number = claim.text("topic"), claim.number("partition")
    require(is_about(lines[0], topic, number), f"{lines[0].place()} does not name {topic}-{number}")
    require(claim.valid_from_at == lines[0].at(), f"the first record is of {lines[0].at()}")
    require(claim.number("partitions_count") > 0, "it is of no partition")
    target = claim.broker_ids("target_replicas")
    require(target in aims(lines[0]), f"{lines[0].place()} does not aim at {', '.join(target)}")
    if lagging := claim.known_broker_ids("lagging_replicas"):
        own = [line for line in lines if names(line, topic, number)]
        said = [sorted(found[1].split(",")) for line in own if (found := BEHIND.search(line.text))]
        require(sorted(lagging) in said, f"no record says that {', '.join(lagging)} have not caught up")
    missing, waiting_for = claim.known_broker_ids("broker_ids") or [], claim.text("waiting_for")
    if waiting_for == "adding_and_removing":
        never_ends(lines, topic, number, missing)
        raise Unproved(UNDECIDED, f"begun {lines[0].at()}; that no line ends it no record shows")
    for broker in missing:
        require(any(is_gone(line, broker) for line in lines), f"no record says that broker {broker} is gone")
    if waiting_for in SAID and not missing:
        require(
            any(says(line, waiting_for, topic, number) for line in lines), f"no record says {waiting_for}"
        )
    else:
        cause = "broker_lagging" if lagging else "broker_gone" if missing else "unknown"
        require(waiting_for == cause or (missing and waiting_for == "no_leader"), f"it waits for {cause}")
    raise Unproved(UNDECIDED, f"begun {lines[0].at()}; that no line ends it no record shows")


def never_ends(lines: Sequence[Line], topic: str, number: int, brokers: Sequence[str]) -> None:
    """A record says that it goes on while every replica is in sync; the first one takes the brokers away."""
    said = [found for line in lines if names(line, topic, number) and (found := IN_SYNC.search(line.text))]
    is_whole = any(set(ID.findall(one[2])) <= set(ID.findall(one[1])) for one in said)
    require(is_whole, f"no record says that {topic}-{number} goes on while every replica is in sync")
    leaving = [broker for found in LEAVING.findall(lines[0].text) for broker in ID.findall(found)]
    for broker in brokers:
        require(broker in leaving, f"{lines[0].place()} does not take broker {broker} away")


def reassignment_failed(claim: Claim, lines: Sequence[Line]) -> str:
    """The first record begins it; the last one says that it failed. That a controller does not list it any more is what
    no record says."""
    topic, number = claim.text("topic"), claim.number("partition")
    require(is_about(lines[0], topic, number), f"{lines[0].place()} does not name {topic}-{number}")
    require(claim.valid_from_at == lines[0].at(), f"the first record is of {lines[0].at()}")
    target = claim.broker_ids("target_replicas")
    require(target in aims(lines[0]), f"{lines[0].place()} does not aim at {', '.join(target)}")
    if claim.text("reason") == "forgotten":
        raise Unproved(UNDECIDED, f"begun {lines[0].at()}; that a controller has it no more no record shows")
    last = lines[-1]
    require(
        is_about(last, topic, number) and FAILED in last.text, f"{last.place()} does not say that it failed"
    )
    require(
        claim.text("reason") == "error" and claim.valid_until_at == last.at(), f"it failed at {last.at()}"
    )
    return f"begun {lines[0].at()}, failed {last.at()}"


def reassignment_skipped(claim: Claim, lines: Sequence[Line]) -> str:
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


def replica_left_on_disk(claim: Claim, lines: Sequence[Line]) -> str:
    """The first record begins it; each of the brokers says that it ignores the request to delete the replica."""
    topic, number = claim.text("topic"), claim.number("partition")
    require(is_about(lines[0], topic, number), f"{lines[0].place()} does not name {topic}-{number}")
    require(claim.valid_from_at == lines[0].at(), f"the first record is of {lines[0].at()}")
    own = [line for line in lines if names(line, topic, number)]
    said = {found[1]: line for line in own if (found := IGNORED.search(line.text))}
    for broker in claim.broker_ids("broker_ids"):
        require(broker in said, f"no record of broker {broker} ignores that {topic}-{number} is deleted")
    return f"ignored {', '.join(str(line.at()) for line in said.values())}"


def aims(line: Line) -> list[list[str]]:
    """Lists of replicas that it may aim at: as named, or as assigned at last without those that are being removed."""
    lists = [ID.findall(found[1]) for found in NAMED.finditer(line.text)]
    assigned, leaving = (pattern.findall(line.text) for pattern in (ASSIGNED, LEAVING))
    if assigned:
        gone = ID.findall(leaving[-1]) if leaving else []
        lists.append([one for one in ID.findall(assigned[-1]) if one not in gone])
    return lists


def says(line: Line, waiting_for: str, topic: str, number: int) -> bool:
    is_own = waiting_for != "no_leader" or is_about(line, topic, number)
    is_listed = re.search(rf"{name_of(topic, number)} -> OfflinePartition\b", line.whole) is not None
    return (is_own and SAID[waiting_for].search(line.whole) is not None) or is_listed


def is_about(line: Line, topic: str, number: int) -> bool:
    """It names the partition; in KRaft its number in a record, and the topic behind it."""
    in_record = rf"partitionId={number}\b.* for topic {re.escape(topic)}(?![\w.-])"
    return names(line, topic, number) or re.search(in_record, line.text) is not None
