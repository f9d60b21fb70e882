"""Proves findings about terms of controllers again; knows nothing of what found them."""

import re
from collections.abc import Sequence
from datetime import datetime

from jobs.proof import NOT_CONFIRMED, UNDECIDED, Claim, Line, Unproved, require, require_span, said

ELECTED = re.compile(r"(\d+) (?:successfully elected as|starting become controller)")
EPOCH = re.compile(r"(?:Epoch incremented|ncremented epoch) to (\d+)")
RESIGNING = re.compile(r"\]:? (?:Resigning|Controller resigning, broker id \d+)(?: \(|$)")
READY = re.compile(r"[Rr]eady to serve as the new controller with epoch (\d+)")
FENCED = re.compile(r"Controller (?:moved to another broker when|has already moved when)")
# What findings say:
OUTLIVED = re.compile(r"controller (\d+) .epoch (\d+)\) resigned ([\d.]+) s after the next controller")
ACTIVE = re.compile(r"Becoming the active controller at epoch (\d+)")
VACANT = re.compile(r"In the new epoch (\d+), the leader is \(none\)")
NOBODY = re.compile(
    r"controller for (?:up to ([\d.]+) s|at least ([\d.]+) s|as long as the logs go on)"
    r" after controller (\d+) .epoch (\d+)\)"
)
WROTE = re.compile(
    r"controller (\d+) .epoch (\d+)\) wrote leaders of partitions (\d+) time\(s\) after .* the last ([\d.]+) s after"
)
POWERLESS = re.compile(
    r"controller (\d+) .epoch (\d+)\) held /controller and could write nothing, ZooKeeper refused its epoch (\d+) time"
)
SLOW = re.compile(r"controller (\d+) .epoch (\d+)\) was ready only ([\d.]+) s after its election")


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
    node_id, epoch, seconds = said(OUTLIVED, claim)
    (own, own_at), (after, after_at) = elected(lines, int(epoch)), elected(lines, int(epoch) + 1)
    resigned = [one.at() for one in lines if RESIGNING.search(one.text) and one.node_id() == own]
    resigned_at = min(resigned, default=own_at)
    is_so = own == int(node_id) and own_at < after_at < resigned_at
    require(is_so, f"no record says that controller {node_id} resigned after {after_at}")
    require_span(claim, after_at, resigned_at, seconds)
    return f"elected {own_at}, controller {after} elected {after_at}, resigned {resigned_at}"


def no_controller(claim: Claim, lines: Sequence[Line]) -> str:
    seconds, least, node_id, epoch = said(NOBODY, claim)
    if not seconds:
        return no_leader_of_quorum(claim, lines, least, int(node_id), int(epoch))
    (own, own_at), (_, after_at) = elected(lines, int(epoch)), elected(lines, int(epoch) + 1)
    seen = [one.at() for one in lines if one.node_id() == own and own_at <= one.at() < after_at]
    require(seen and own == int(node_id), f"no record of controller {node_id} is before {after_at}")
    require_span(claim, max(seen), after_at, seconds)
    return f"last line {max(seen)}, next elected {after_at}; that none is between them no record shows"


def no_leader_of_quorum(
    claim: Claim, lines: Sequence[Line], seconds: str | None, node_id: int, epoch: int
) -> str:
    """Of KRaft: the controller was active, one heard that nobody leads, and the next one was active, if any."""
    active = {int(found[1]): one for one in lines if (found := ACTIVE.search(one.text))}
    require(epoch in active and active[epoch].node_id() == node_id, f"no record of controller {node_id}")
    later = [one.at() for number, one in active.items() if number > epoch]
    vacant = [one.at() for one in lines if (found := VACANT.search(one.text)) and int(found[1]) > epoch]
    require(vacant and (later or seconds is None), "no record says that nobody leads, or who led next")
    since, until = min(vacant), min(later, default=None)
    is_between = active[epoch].at() < since and (until is None or since < until)
    require(is_between, f"{since} is not between the two")
    require_span(claim, since, until, seconds)
    return f"heard at {since} that nobody leads, next active {until or 'never'}"


def deposed_controller_wrote(claim: Claim, lines: Sequence[Line]) -> str:
    node_id, epoch, count, seconds = said(WROTE, claim)
    (own, own_at), (_, after_at) = elected(lines, int(epoch)), elected(lines, int(epoch) + 1)
    require(own == int(node_id) and own_at < after_at, f"no record elects controller {node_id} before")
    moves = [line for line in lines if line.move]
    require(0 < len(moves) <= int(count), f"{len(moves)} such records for {count} write(s)")
    for line in moves:
        is_its = (line.move["id"], line.move["epoch"]) == (node_id, epoch)
        is_write = line.move["done"] and line.move["entered"] == "OnlinePartition"
        require(is_its and is_write, f"{line.place()} is no write of controller {node_id} (epoch {epoch})")
        require(line.at() > after_at, f"{line.place()} is not after {after_at}")
    require_span(claim, after_at, max(line.at() for line in moves), seconds)
    return f"{len(moves)} of {count} write(s) stand in records after {after_at}"


def controller_powerless(claim: Claim, lines: Sequence[Line]) -> str:
    node_id, epoch, count = said(POWERLESS, claim)
    own, own_at = elected(lines, int(epoch))
    fenced = [one.at() for one in lines if FENCED.search(one.text) and one.node_id() == own]
    require(own == int(node_id) and fenced, f"no record refuses a write of controller {node_id}")
    require(own_at < min(fenced) and int(count) > 0, f"no record refuses a write after {own_at}")
    later = [one.at() for one in lines if one.at() > min(fenced)]
    require_span(claim, min(fenced), max(later, default=None))
    return f"elected {own_at}, refused {min(fenced)}; that it wrote nothing afterwards no record shows"


def failover_slow(claim: Claim, lines: Sequence[Line]) -> str:
    node_id, epoch, seconds = said(SLOW, claim)
    own, own_at = elected(lines, int(epoch))
    ready = [
        one.at()
        for one in lines
        if (found := READY.search(one.text)) and found[1] == epoch and one.node_id() == own
    ]
    require(ready and own == int(node_id), f"no record says that controller {node_id} was ready")
    require_span(claim, own_at, min(ready), seconds)
    return f"elected {own_at}, ready {min(ready)}"
