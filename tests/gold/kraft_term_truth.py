"""Terms of KRaft controllers as gold.controller_term tells them against what Raft prints into server.log, which no
table reads, and the signals that were sent to the processes."""

import gzip
import json
import math
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tests.gold.truth import ms
from tests.lab import Row, zone_of

LED = re.compile(
    r"^\[([^\]]*)\] INFO \[Raft\S* (?:id|nodeId)=(\d+)\] Completed transition to Leader\(.*?epoch=(\d+)", re.M
)
ACTIVE_MS = 1000  # from the election by Raft until the controller is active, at most
SENT_MS = 100  # from a signal to its effect
BY_ITSELF = ("renounced", "event_failed")
ENDS: dict[str | None, tuple[str, ...]] = {
    "SIGKILL": ("process_end",),
    "SIGTERM": ("process_end", *BY_ITSELF),
    "SIGSTOP": BY_ITSELF,
    None: BY_ITSELF,
}


class Leader(NamedTuple):
    """Of one Raft epoch."""

    epoch: int
    node: int
    at_ms: int


def leaders(cluster: Path) -> list[Leader]:
    zone, found = ZoneInfo(zone_of(cluster)), dict[int, Leader]()
    for path in sorted(cluster.glob("*/server.log*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for match in LED.finditer(data.decode(errors="replace")):
            at = datetime.strptime(match[1], "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=zone)
            found[int(match[3])] = Leader(int(match[3]), int(match[2]), round(at.timestamp() * 1000))
    return [found[epoch] for epoch in sorted(found)]


def signals(cluster: Path, node: int) -> list[tuple[int, str]]:
    """(time in ms, name) of what was sent to the process of a node."""
    actions = map(json.loads, (cluster / "truth" / "actions.jsonl").read_text().splitlines())
    sent = (one for one in actions if one["kind"] == "signal" and one["args"].get("node") == node)
    return [(one["start_ms"], one["args"]["signal"]) for one in sent]


def judged(cluster: Path, rows: list[Row]) -> Iterator[tuple[str, str, str]]:
    """(kind, outcome, what) of each election, end and time without a leader."""
    told = {row["controller_epoch"]: row for row in rows if row["mode"] == "kraft"}
    true = leaders(cluster)
    for number, leader in enumerate(true):
        row, what = told.pop(leader.epoch, None), f"epoch {leader.epoch}"
        until = true[number + 1].at_ms if number + 1 < len(true) else None
        hit = next((one for one in signals(cluster, leader.node) if is_in_term(one[0], leader, until)), None)
        if row is None:
            over_at = min(one for one in (hit and hit[0], until, math.inf) if one is not None)
            yield "election", "never active" if over_at - leader.at_ms < ACTIVE_MS else "missed", what
            continue
        yield "election", election(row, leader), what
        if until is not None:
            yield "end", end(row, hit), f"{what} {hit}: {row['ended_how']} {row['ended_at']}"
            yield "vacancy", vacancy(row, hit, until), f"{what} {hit}: {row['vacant_from_at']}"
    yield from (("election", "wrong", f"epoch {epoch} had no leader") for epoch in told)


def election(row: Row, leader: Leader) -> str:
    if row["controller_id"] != leader.node:
        return "wrong"
    if row["elected_at"] is None:
        return "undetermined"
    return "right" if 0 <= ms(row["elected_at"]) - leader.at_ms <= ACTIVE_MS else "wrong"


def is_in_term(at_ms: int, leader: Leader, until_ms: int | None) -> bool:
    return leader.at_ms < at_ms and (until_ms is None or at_ms < until_ms)


def end(row: Row, hit: tuple[int, str] | None) -> str:
    """A process that was killed has no line after; one that stood still is told to end after it goes on."""
    how, at = row["ended_how"], row["ended_at"]
    if how in (None, "superseded_unseen"):
        return "undetermined"
    if how not in ENDS[hit[1] if hit else None]:
        return "wrong"
    is_late = hit is not None and at is not None and ms(at) - hit[0] > SENT_MS
    fits = {"process_end": not (is_late and hit and hit[1] == "SIGKILL")}
    return "right" if fits.get(how, hit is None or is_late or hit[1] == "SIGTERM") else "wrong"


def vacancy(row: Row, hit: tuple[int, str] | None, until_ms: int) -> str:
    """From the loss of the leader, not before, until the next one."""
    if row["vacant_from_at"] is None:
        return "undetermined"
    since = hit[0] if hit else ms(row["elected_at"] or row["last_act_at"])
    return "right" if since <= ms(row["vacant_from_at"]) < until_ms + ACTIVE_MS else "wrong"
