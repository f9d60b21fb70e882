"""What a proof of a finding stands on: its records, read anew, and sentences of why it holds or does not."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

CONFIRMED, NOT_CONFIRMED, UNDECIDED = "confirmed", "not confirmed", "cannot be decided"

# What lines say. Of 0.8 to 0.11: 'Controller 1 epoch 5', '[t,0]'; from 1.0: '[Controller id=1 epoch=5]', 't-0'.
HEAD = re.compile(
    r"\[?(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{1,6}))? ?(Z|[+-]\d\d:?\d\d)?\]?"
    r" (?:\[[^\]]*\] )?(?:- )?\[?(TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b"
)
MOVE = re.compile(
    r"(?P<new>\[)?Controller(?: id=| )(?P<id>\d+)(?: epoch[= ](?P<epoch>\d+))?\]? (?:Controller \d+ epoch \d+ )?"
    r"(?:(?P<done>[Cc]hanged)|[Ii]nitiated state change|failed to change state)(?: state| of replica (?P<replica>\d+))*"
    r"(?: for)? partition (?P<partition>\S+)(?: state)? from (?P<left>\w+) to (?P<entered>\w+)"
)
THING = ("partition", "replica")
NODE = re.compile(
    r"\[(?:Quorum)?Controller(?: id=| )(\d+)(?: epoch=\d+)?\]|(\d+) successfully elected as|controllerId=(\d+)\]"
)
# Brokers that left, and brokers that are there, as a controller lists them.
GONE = re.compile(r"(?:deleted brokers:|failure callback for|bounced brokers:) ?([\d, ]*)")
LIVE = re.compile(r"(?:urrently active brokers in the cluster|live brokers): ?(?:\w+\()?([\d, ]*)")
# What a KRaft controller decides of one broker.
FENCED = re.compile(
    r"Fencing broker (\d+)(?: at epoch \d+)? because its session has timed out"
    r"|Unfenced broker (\d+) has requested and been granted (?:a controlled|an immediate) shutdown"
    r"|Unfenced broker (\d+) has requested and been granted fencing"
    r"|The request from broker (\d+) to shut down has been granted"
)

Claim = Mapping[str, Any]  # a row of gold.finding; its times have a zone


class Record(NamedTuple):
    path: str
    byte_offset: int
    node_id: int | None
    zone: str  # of local times in it
    raw: bytes | None  # its bytes, null where they are not kept


class Line(NamedTuple):
    record: Record
    whole: str
    text: str  # the first line of the record
    head: re.Match[str] | None
    move: Mapping[str, str | None]  # groups of MOVE, partition as t-0

    def at(self) -> datetime:
        """UTC. Undecided without a head, and in the hour that a local clock repeats."""
        if self.head:
            day, clock, fraction, zone, _ = self.head.groups()
            at = datetime.fromisoformat(f"{day}T{clock}.{(fraction or '').ljust(6, '0')}{zone or ''}")
            at = at if zone else at.replace(tzinfo=ZoneInfo(self.record.zone))
            if zone or at.utcoffset() == at.replace(fold=1).utcoffset():
                return at.astimezone(UTC)
        raise Unproved(UNDECIDED, f"no time is read from {self.place()}")

    def place(self) -> str:
        return f"{self.record.path}, byte {self.record.byte_offset}"

    def node_id(self) -> int | None:
        found = NODE.search(self.text)
        return int(found[1] or found[2] or found[3]) if found else self.record.node_id


class Unproved(Exception):
    """args: outcome and sentence."""


def require(holds: object, otherwise: str, outcome: str = NOT_CONFIRMED) -> None:
    if not holds:
        raise Unproved(outcome, otherwise)


def line_of(record: Record) -> Line:
    require(record.raw is not None, "the text of a record is not kept", UNDECIDED)
    whole = (record.raw or b"").decode(errors="replace")
    text = whole.split("\n")[0].rstrip("\r")
    move = MOVE.search(text)
    words = move.groupdict() | {"partition": dashed(move["partition"])} if move else {}
    return Line(record, whole, text, HEAD.search(text), words)


def dashed(partition: str) -> str:
    """[orders,0] and 'orders, partition 0' as orders-0."""
    return re.sub(r"(?:,|, partition )(\d+)$", r"-\1", partition.strip("[]"))


def said(pattern: re.Pattern[str], claim: Claim) -> tuple[str, ...]:
    found = pattern.search(claim["sentence"])
    require(found, "its sentence has another wording than is known here", UNDECIDED)
    return tuple(found.groups()) if found else ()


def require_span(claim: Claim, start: datetime, end: datetime | None, tenths: str | None = None) -> None:
    held = (claim["valid_from_at"], claim["valid_until_at"])
    require(held == (start, end), f"by the records it held from {start} until {end}")
    seconds = (end - start).total_seconds() if end and tenths else 0.0
    require(abs(seconds - float(tenths or 0)) <= 0.0501, f"by the records it was {seconds:.3f} s")


def listed(pattern: re.Pattern[str], line: Line) -> list[str]:
    return [one for found in pattern.finditer(line.whole) for one in re.findall(r"\d+", found[1] or "")]


def gone(line: Line) -> list[str]:
    """Brokers of which the line says that they are gone, or lead nothing any more."""
    fenced = FENCED.search(line.text)
    return [*listed(GONE, line), *(one for one in (fenced.groups() if fenced else ()) if one)]
