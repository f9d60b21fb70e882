"""Proves findings about terms of controllers again; knows nothing of what found them."""

import re
from collections.abc import Sequence
from datetime import datetime

from jobs.verify.proof import NOT_CONFIRMED, UNDECIDED, Claim, Line, Unproved, millis, require, require_span

ELECTED = re.compile(r"(\d+) (?:successfully elected as|starting become controller)")
EPOCH = re.compile(r"(?:Epoch incremented|ncremented epoch) to (\d+)")
RENOUNCING = re.compile(r"Renouncing (?:the )?leadership")
RESIGNING = re.compile(r"\]:? (?:Resigning|Controller resigning, broker id \d+)(?: \(|$)")
READY = re.compile(r"[Rr]eady to serve as the new controller with epoch (\d+)")
FENCED = re.compile(r"Controller (?:moved to another broker when|has already moved when)")
ACTIVE = re.compile(r"Becoming the active controller at epoch (\d+)")
FAILED = re.compile(r"rror (?:processing event|while invoking listener for processed event) (\w+)")
FAILED_OTHERWISE = re.compile(
    r"Error while (?:handling (broker changes|new topic|add partitions)|moving some (partitions|replicas) to )"
    r"|Error when processing (Alter)(?:Isr|Partition)"
)
OTHERWISE = {
    "Alter": "AlterPartition",
    "partitions": "moves of partitions",
    "replicas": "moves of replicas",
    "broker changes": "BrokerChange",
    "new topic": "TopicChange",
    "add partitions": "PartitionModifications",
}
KEPT = 5  # so many records a finding keeps
VACANT = re.compile(r"In the new epoch (\d+), the leader is \(none\)")
HEARD = re.compile(r"In the new epoch (\d+), the leader is (\d+)\.")
STATE = re.compile(r"Completed transition to (?:Leader(?:State)?|FollowerState)\(.*?\bepoch=(\d+)")


def controller_of(claim: Claim) -> tuple[int, int]:
    """Its id and epoch."""
    return claim.number("controller_id"), claim.number("controller_epoch")


def elected(lines: Sequence[Line], epoch: int) -> tuple[int, datetime]:
    """Who was elected with that epoch, and when. Up to 2.0 the epoch stands on a later line of that controller."""
    for line in lines:
        if found := ELECTED.search(line.text):
            later = [one for one in lines if one.node_id() == int(found[1]) and one.at() >= line.at()]
            epochs = [number[1] for one in sorted(later, key=Line.at) if (number := EPOCH.search(one.text))]
            if epochs[:1] == [str(epoch)]:
                require(line.record.node_id in (None, int(found[1])), f"{line.place()} is of another node")
                return int(found[1]), line.at()
    is_named = any(re.search(rf"epoch(?:=| | to ){epoch}\b", line.text) for line in lines)
    raise Unproved(UNDECIDED if is_named else NOT_CONFIRMED, f"no record elects one with epoch {epoch}")


def controller_outlived(claim: Claim, lines: Sequence[Line]) -> str:
    node_id, epoch = controller_of(claim)
    if any(ACTIVE.search(line.text) for line in lines):
        return outlived_in_kraft(claim, lines)
    (own, own_at), (after, after_at) = elected(lines, epoch), elected(lines, epoch + 1)
    resigned = [one.at() for one in lines if RESIGNING.search(one.text) and one.node_id() == own]
    resigned_at = min(resigned, default=own_at)
    is_so = own == node_id and own_at < after_at < resigned_at
    require(is_so, f"no record says that controller {node_id} resigned after {after_at}")
    require_span(claim, after_at, resigned_at, claim.number("late_ms"))
    return f"elected {own_at}, controller {after} elected {after_at}, resigned {resigned_at}"


def outlived_in_kraft(claim: Claim, lines: Sequence[Line]) -> str:
    """Of KRaft, where an epoch may be nobody's: both were active, and the first renounced after the second was."""
    node_id, epoch = controller_of(claim)
    active = {int(found[1]): one for one in lines if (found := ACTIVE.search(one.text))}
    require(epoch in active and active[epoch].node_id() == node_id, f"no record of controller {node_id}")
    after_at = min((one.at() for number, one in active.items() if number > epoch), default=None)
    gave_up = [one.at() for one in lines if RENOUNCING.search(one.text) and one.node_id() == node_id]
    is_so = after_at is not None and bool(gave_up) and active[epoch].at() < after_at < min(gave_up)
    require(is_so, f"no record says that controller {node_id} gave up after the next one was active")
    if after_at is not None:
        require_span(claim, after_at, min(gave_up), claim.number("late_ms"))
    return f"active {active[epoch].at()}, the next one {after_at}, gave up {min(gave_up)}"


def no_controller(claim: Claim, lines: Sequence[Line]) -> str:
    at_most_ms = claim.known_number("at_most_ms")
    if at_most_ms is None:
        return no_leader_of_quorum(claim, lines)
    node_id, epoch = controller_of(claim)
    active = {int(found[1]): one for one in lines if (found := ACTIVE.search(one.text))}
    if epoch in active:
        own, own_at = active[epoch].node_id(), active[epoch].at()
        after_at = min((one.at() for number, one in active.items() if number > epoch), default=own_at)
    else:
        (own, own_at), (_, after_at) = elected(lines, epoch), elected(lines, epoch + 1)
    seen = [one.at() for one in lines if one.node_id() == own and own_at <= one.at() < after_at]
    require(seen and own == node_id, f"no record of controller {node_id} is before {after_at}")
    require_span(claim, max(seen), after_at, at_most_ms)
    return f"last line {max(seen)}, next elected {after_at}; that none is between them no record shows"


def no_leader_of_quorum(claim: Claim, lines: Sequence[Line]) -> str:
    """Of KRaft: the controller was active, or others name it as leader; one heard that nobody leads; and who led next,
    if any."""
    node_id, epoch = controller_of(claim)
    at_least_ms = claim.known_number("at_least_ms")
    led = leaders(lines)
    require(epoch in led and led[epoch][0] == node_id, f"no record of controller {node_id}")
    later = [at for number, (_, at) in led.items() if number > epoch]
    vacant = [one.at() for one in lines if (found := VACANT.search(one.text)) and int(found[1]) > epoch]
    is_told = vacant and (later or at_least_ms is None)
    require(is_told, "no record says that nobody leads, or who led next")
    since, until = min(vacant), min(later, default=None)
    is_between = led[epoch][1] < since and (until is None or since < until)
    require(is_between, f"{since} is not between the two")
    require_span(claim, since, until, at_least_ms)
    return f"heard at {since} that nobody leads, next active {until or 'never'}"


def leaders(lines: Sequence[Line]) -> dict[int, tuple[int | None, datetime]]:
    """By epoch of a quorum who led it, and when it said so, or another one heard of it first."""
    found: dict[int, tuple[int | None, datetime]] = {}
    for line in sorted(lines, key=Line.at):
        if heard := HEARD.search(line.text):
            found.setdefault(int(heard[1]), (int(heard[2]), line.at()))
        elif state := STATE.search(line.text):
            found.setdefault(int(state[1]), (None, line.at()))
    active = {int(one[1]): (line.node_id(), line.at()) for line in lines if (one := ACTIVE.search(line.text))}
    return found | active


def deposed_controller_wrote(claim: Claim, lines: Sequence[Line]) -> str:
    node_id, epoch = controller_of(claim)
    count = claim.number("writes_count")
    (own, own_at), (_, after_at) = elected(lines, epoch), elected(lines, epoch + 1)
    require(own == node_id and own_at < after_at, f"no record elects controller {node_id} before")
    moves = [line for line in lines if line.move]
    require(0 < len(moves) <= count, f"{len(moves)} such records for {count} write(s)")
    for line in moves:
        is_its = (line.move["id"], line.move["epoch"]) == (str(node_id), str(epoch))
        is_write = line.move["done"] and line.move["entered"] == "OnlinePartition"
        require(is_its and is_write, f"{line.place()} is no write of controller {node_id} (epoch {epoch})")
        require(line.at() > after_at, f"{line.place()} is not after {after_at}")
    require_span(claim, after_at, max(line.at() for line in moves), claim.number("late_ms"))
    return f"{len(moves)} of {count} write(s) stand in records after {after_at}"


def controller_powerless(claim: Claim, lines: Sequence[Line]) -> str:
    node_id, epoch = controller_of(claim)
    own, own_at = elected(lines, epoch)
    fenced = [one.at() for one in lines if FENCED.search(one.text) and one.node_id() == own]
    require(own == node_id and fenced, f"no record refuses a write of controller {node_id}")
    is_after = own_at < min(fenced) and claim.number("refused_count") > 0
    require(is_after, f"no record refuses a write after {own_at}")
    later = [one.at() for one in lines if one.at() > min(fenced)]
    until = max(later, default=None)
    if claim.valid_until_at is None:
        behind = [one for one in lines if one.at() > min(fenced)]
        goes_on = all(one.node_id() == own and not RESIGNING.search(one.text) for one in behind)
        require(goes_on, f"by the records it ended at {until}")
        until = None
    require_span(claim, min(fenced), until)
    lasted_ms = claim.known_number("lasted_ms")
    if until and lasted_ms is not None:
        # It ends earlier if another one was elected before it resigned.
        longest_ms = millis(until) - millis(min(fenced))
        require(lasted_ms <= longest_ms, f"by the records it was {longest_ms} ms at most")
    return f"elected {own_at}, refused {min(fenced)}; that it wrote nothing afterwards no record shows"


def failover_slow(claim: Claim, lines: Sequence[Line]) -> str:
    node_id, epoch = controller_of(claim)
    own, own_at = elected(lines, epoch)
    ready = [
        one.at()
        for one in lines
        if (found := READY.search(one.text)) and int(found[1]) == epoch and one.node_id() == own
    ]
    require(ready and own == node_id, f"no record says that controller {node_id} was ready")
    require_span(claim, own_at, min(ready), claim.number("lasted_ms"))
    return f"elected {own_at}, ready {min(ready)}"


def event_failed(claim: Claim, lines: Sequence[Line]) -> str:
    node_id, count, event = claim.number("controller_id"), claim.number("failures_count"), claim.text("event")
    require(len(lines) == min(count, KEPT), f"{len(lines)} such records for {count} failures")
    raised = claim.known("exception_class")
    for line in lines:
        require(line.node_id() == node_id, f"{line.place()} is of controller {line.node_id()}")
        said, other = FAILED.search(line.text), FAILED_OTHERWISE.search(line.text)
        name = said[1] if said else OTHERWISE[other[1] or other[2] or other[3]] if other else None
        require(name == event, f"{line.place()} does not say that it failed to handle {event}")
        is_raised = raised is None or re.search(rf"\n{re.escape(raised)}\b", line.whole)
        require(is_raised, f"{line.place()} has no {raised}")
    require(claim.valid_from_at == lines[0].at(), f"the first record is of {lines[0].at()}")
    is_last = len(lines) < count or claim.valid_until_at == lines[-1].at()
    require(is_last, f"the last record is of {lines[-1].at()}")
    return f"{event} failed {count} times, first {lines[0].at()}"
