"""What a proof of a finding stands on: its records, read anew, and sentences of why it holds or does not."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

CONFIRMED, NOT_CONFIRMED, UNDECIDED = "confirmed", "not confirmed", "cannot be decided"
UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# What lines say. Of 0.8 to 0.11: 'Controller 1 epoch 5', '[t,0]'; from 1.0: '[Controller id=1 epoch=5]', 't-0'.
LEVEL = r"(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)"
HEAD = re.compile(
    rf"(?:\[(?P<first>{LEVEL}) *\] )?"
    r"\[?(?P<day>\d{4}([-/])\d\d\3\d\d)[ T](?P<clock>\d\d:\d\d:\d\d)"
    r"(?:[.,](?P<fraction>\d{1,6}))? ?(?P<zone>Z|[+-]\d\d:?\d\d)?\]?"
    rf"(?(first)| (?:\[[^\]]*\] )?(?:- )?\[?(?P<level>{LEVEL})\b)"
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


Fact = str | int | float | bool | list[Any] | None


class Claim(NamedTuple):
    """What a finding claims. facts: by name, as column facts of gold.finding has them; null or left out: not known."""

    rule: str
    facts: Mapping[str, Fact]
    valid_from_at: datetime  # UTC
    valid_until_at: datetime | None

    def known(self, name: str) -> str | None:
        """The text of a fact that not every finding of its rule carries: as a line has it, true or false."""
        value = self.facts.get(name)
        if value is None or isinstance(value, list):
            return None
        return str(value).lower() if isinstance(value, bool) else str(value)

    def structs(self, name: str) -> list[dict[str, Any]]:
        """Of a list of structs; empty where it is not known."""
        value = self.facts.get(name)
        return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []

    def texts(self, name: str) -> list[str]:
        """Of a list, each as a line has it; empty where it is not known."""
        value = self.facts.get(name)
        return [str(one) for one in value] if isinstance(value, list) else []

    def text(self, name: str) -> str:
        found = self.known(name)
        if found is None:
            raise Unproved(UNDECIDED, f"it carries no fact {name}")
        return found

    def number(self, name: str) -> int:
        value = self.facts.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise Unproved(UNDECIDED, self.without(name, "number"))

    def known_number(self, name: str) -> int | None:
        return None if self.facts.get(name) is None else self.number(name)

    def ratio(self, name: str) -> float:
        value = self.facts.get(name)
        if isinstance(value, int | float):
            return float(value)
        raise Unproved(UNDECIDED, self.without(name, "number"))

    def broker_ids(self, name: str) -> list[str]:
        """Of a list, or the one that it is, as lines have them."""
        value = self.facts.get(name)
        if isinstance(value, list):
            return self.texts(name)
        if value is not None:
            return [self.text(name)]
        raise Unproved(UNDECIDED, f"it carries no fact {name}")

    def known_broker_ids(self, name: str) -> list[str] | None:
        return None if self.facts.get(name) is None else self.broker_ids(name)

    def without(self, name: str, kind: str) -> str:
        has = self.facts.get(name) is not None
        return f"its fact {name} is no {kind}" if has else f"it carries no fact {name}"

    def partition(self) -> str:
        """As Kafka names it: orders-0."""
        return f"{self.text('topic')}-{self.text('partition')}"


class Record(NamedTuple):
    path: str
    byte_offset: int
    node_id: int | None
    zone: str  # of local times in it
    raw: bytes | None  # its bytes, null where they are not kept


class ProofLine(NamedTuple):
    record: Record
    whole: str
    text: str  # the first line of the record
    head: re.Match[str] | None
    move: Mapping[str, str | None]  # groups of MOVE, partition as t-0

    def at(self) -> datetime:
        """UTC. Undecided without a head, and in the hour that a local clock repeats."""
        if self.head:
            day, clock, fraction, zone = self.head.group("day", "clock", "fraction", "zone")
            day = day.replace("/", "-")
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


def require_proof(holds: object, otherwise: str, outcome: str = NOT_CONFIRMED) -> None:
    if not holds:
        raise Unproved(outcome, otherwise)


def line_of(record: Record) -> ProofLine:
    require_proof(record.raw is not None, "the text of a record is not kept", UNDECIDED)
    whole = (record.raw or b"").decode(errors="replace")
    text = whole.split("\n")[0].rstrip("\r")
    move = MOVE.search(text)
    words = move.groupdict() | {"partition": dashed_partition_name(move["partition"])} if move else {}
    return ProofLine(record, whole, text, HEAD.search(text), words)


def dashed_partition_name(partition: str) -> str:
    """[orders,0] and 'orders, partition 0' as orders-0."""
    return re.sub(r"(?:,|, partition )(\d+)$", r"-\1", partition.strip("[]"))


def require_span(claim: Claim, start: datetime, end: datetime | None, lasted_ms: int | None = None) -> None:
    """Its interval is that of the records. lasted_ms: how long it claims to have been so; None: it does not say."""
    held = (claim.valid_from_at, claim.valid_until_at)
    require_proof(held == (start, end), f"by the records it held from {start} until {end}")
    if lasted_ms is not None:
        require_proof(end, "by the records it has no end")
        require_lasted(start, end or start, lasted_ms)


def require_lasted(start: datetime, end: datetime, lasted_ms: int) -> None:
    found = proof_millis(end) - proof_millis(start)
    require_proof(found == lasted_ms, f"by the records it was {found} ms")


def proof_millis(at: datetime) -> int:
    """Since 1970; what is below a millisecond is cut off."""
    return (at - UNIX_EPOCH) // timedelta(milliseconds=1)


def listed_ids(pattern: re.Pattern[str], line: ProofLine) -> list[str]:
    return [one for found in pattern.finditer(line.whole) for one in re.findall(r"\d+", found[1] or "")]


def is_without(line: ProofLine, broker: str) -> bool:
    """It lists the brokers that are alive, none of them included, and not this one."""
    return LIVE.search(line.whole) is not None and broker not in listed_ids(LIVE, line)


def gone_broker_ids(line: ProofLine) -> list[str]:
    """Brokers of which the line says that they are gone, or lead nothing any more."""
    fenced = FENCED.search(line.text)
    return [*listed_ids(GONE, line), *(one for one in (fenced.groups() if fenced else ()) if one)]
