"""What `incident --follow` says of a cluster: what goes on when it begins, then each change in a line."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from jobs.incident.following.settled import Change, Settled
from jobs.layout import wrap_text
from jobs.questions.finding_lines import SEVERITY, unsuppressed_findings
from jobs.questions.nodes import last_controller_text
from jobs.questions.reasons import SHORT
from jobs.screen.facts import Facts
from jobs.text import clock_by, length_text, shorten_line
from pipeline.views.reading.rows import Row
from schemas.gold.finding import SEVERITIES

FINDING, PARTITION, BROKER, CONTROLLER = "finding", "partition", "broker", "controller"
BEGINS = {FINDING: "valid_from_at", PARTITION: "noticed_at", BROKER: "left_at"}
LONG_AGO = datetime.min.replace(tzinfo=UTC)
UNTOLD = "not known"  # as last_controller_text says it
IN_DOUBT = "undetermined"
SHOWN_NAMES = 8
HANG = 11
Key = tuple[str, str]
Line = dict[str, Any]


@dataclass
class ClusterNews:
    """What was told of a cluster. seconds: as Settled takes it. rows: by key what it is, as it was seen last; left:
    rule and entity of findings whose lines are held no more; lost: what left the answer with its lines, and the begin
    of the window then."""

    cluster_id: str
    seconds: float
    settled: Settled = field(init=False)
    rows: dict[Key, Row] = field(default_factory=dict)
    now: dict[Key, Any] = field(default_factory=dict)
    left: set[tuple[str, str | None]] = field(default_factory=set)
    lost: dict[Key, datetime] = field(default_factory=dict)
    begun_at: float | None = None
    is_begun: bool = False

    def __post_init__(self) -> None:
        self.settled = Settled(self.seconds)

    def take(self, facts: Facts, from_at: datetime | None) -> None:
        """A new answer. from_at: records before it are held no more; what began by then and is gone from the answer may
        go on."""
        before, self.now = self.now, values_by_key(facts)
        if from_at is not None:
            gone = [key for key in before if is_unknown(self.now.get(key)) and not is_unknown(before[key])]
            self.lost |= {key: from_at for key in gone if begin_of(key, self.rows.get(key)) <= from_at}
        self.lost = {key: at for key, at in self.lost.items() if is_unknown(self.now.get(key))}
        self.rows |= rows_by_key(facts)

    def lines(self, facts: Facts, at: float, unread: int, from_at: datetime | None) -> Iterator[Line]:
        """What is to be told: change, time of the data, sentence. at: as Settled takes it; from_at: records before it
        are held no more."""
        self.begun_at = at if self.begun_at is None else self.begun_at
        changes = self.settled.settle(self.now, at)
        if not self.is_begun:
            if at - self.begun_at < self.seconds:
                return
            self.is_begun = True
            yield news_line("FOLLOWING", facts.read["last_at"], self.begin_text(unread))
            changes = [one for one in changes if not is_over(one.after)]
        lost = [one for one in changes if is_unknown(one.after) and one.key in self.lost]
        yield from self.finding_lines(changes, facts, from_at)
        yield from self.state_lines([one for one in changes if one not in lost], facts)
        yield from self.lost_lines([one for one in lost if one.key[0] != FINDING], facts)
        self.rows = {
            key: row for key, row in self.rows.items() if key in self.now or key in self.settled.told
        }
        self.lost = {key: since for key, since in self.lost.items() if key in self.settled.told}

    def begin_text(self, unread: int) -> str:
        """What is found so far, which is told again only where it goes on."""
        found = [value for key, value in self.settled.told.items() if key[0] == FINDING]
        counts = Counter(severity for severity, _ in found)
        named = ", ".join(f"{counts[one]} {one}" for one in SEVERITIES if counts[one]) or "nothing found"
        still = f", {len(found) - sum(map(is_over, found))} of them open" if found else ""
        return f"so far {named}{still}{f'; {unread} files could not be read' if unread else ''}"

    def finding_lines(
        self, changes: Sequence[Change], facts: Facts, from_at: datetime | None
    ) -> Iterator[Line]:
        """The worst first."""
        found = [(one, self.rows[one.key]) for one in changes if one.key[0] == FINDING]
        for change, row in sorted(
            found, key=lambda one: (SEVERITIES.index(one[1]["severity"]), one[1]["valid_from_at"])
        ):
            is_old = from_at is not None and row["valid_from_at"] <= from_at
            name = (row["rule"], row["entity"])
            if change.key in self.lost:
                self.left.add(name)
                if not is_over(change.before) and not self.goes_on(name):
                    yield lost_finding_line(row, self.lost[change.key], facts.read["last_at"])
            elif not (is_old and change.before is None and name in self.left):
                yield finding_news_line(change, row, facts.read["last_at"])

    def goes_on(self, name: tuple[str, str | None]) -> bool:
        """Whether a finding of this rule and entity is open still, as what is held tells it."""
        found = (key for key, value in self.now.items() if key[0] == FINDING and not is_over(value))
        return any((self.rows[key]["rule"], self.rows[key]["entity"]) == name for key in found)

    def lost_lines(self, changes: Sequence[Change], facts: Facts) -> Iterator[Line]:
        """Of what was told and left with its lines nobody knows whether it goes on: that it is over is not told."""
        if changes:
            last, since = facts.read["last_at"], min(self.lost[one.key] for one in changes)
            names = shown_names([lost_name_of(one) for one in changes])
            yield news_line("UNKNOWN", last, f"{names}: {lost_text(since, last)}")

    def state_lines(self, changes: Sequence[Change], facts: Facts) -> Iterator[Line]:
        last = facts.read["last_at"]
        for change in changes:
            if change.key[0] == CONTROLLER:
                before = f", before: {change.before}" if change.before else ""
                yield news_line("CONTROLLER", last, f"{change.after or 'not known'}{before}")
        for kind, more, over, what in (
            (PARTITION, "OFFLINE", "SERVED", "without a leader"),
            (BROKER, "GONE", "BACK", "gone"),
        ):
            of_kind = [one for one in changes if one.key[0] == kind]
            left = sum(key[0] == kind for key in self.settled.told)
            for word, keys in (
                (more, [one.key for one in of_kind if one.after is not None]),
                (over, [one.key for one in of_kind if one.after is None]),
            ):
                if keys:
                    names = [self.name_of(key, last if word == more else None) for key in keys]
                    yield news_line(word, last, f"{shown_names(names)}; now {what}: {left:,}")

    def name_of(self, key: Key, last: datetime | None) -> str:
        """last: the end of the data, where it is told since when."""
        row, name = self.rows[key], key[1]
        if key[0] == PARTITION:
            return name if last is None else f"{name} since {clock_by(row['noticed_at'], last)}"
        reason = SHORT.get(row["end_reason"] or "")
        since = (
            ""
            if last is None
            else f" since {clock_by(row['left_at'], last)}{f' ({reason})' if reason else ''}"
        )
        return f"broker {name}{since}"


def rows_by_key(facts: Facts) -> dict[Key, Row]:
    found = {(FINDING, one["finding_id"]): one for one in unsuppressed_findings(facts.findings)}
    found |= {
        (PARTITION, partition_name_of(one)): one for one in facts.leaderless if one["certainty"] != IN_DOUBT
    }
    return found | {(BROKER, str(one["broker_id"])): one for one in facts.gone}


def partition_name_of(outage: Row) -> str:
    return shorten_line(f"{outage['topic']}-{outage['partition']}", 60)


def values_by_key(facts: Facts) -> dict[Key, Any]:
    """What is told again once it is another: of a finding severity and whether it is over; of a controller who."""
    values: dict[Key, Any] = {
        key: (row["severity"], row["valid_until_at"] is not None) if key[0] == FINDING else True
        for key, row in rows_by_key(facts).items()
    }
    return values | {(CONTROLLER, ""): last_controller_text(facts.terms, facts.findings, facts.in_office)}


def begin_of(key: Key, row: Row | None) -> datetime:
    """Of a controller, of which no row is kept: as long ago as can be."""
    return row[BEGINS[key[0]]] if row else LONG_AGO


def is_unknown(value: Any) -> bool:
    return value is None or value == UNTOLD


def lost_name_of(change: Change) -> str:
    kind, name = change.key
    return name if kind == PARTITION else f"{kind} {name or change.before}"


def lost_text(since: datetime, last: datetime | None) -> str:
    return f"its lines are held no more, not known since {clock_by(since, last)}"


def lost_finding_line(row: Row, since: datetime, last: datetime | None) -> Line:
    sentence = f"{SEVERITY[row['severity']]} {shorten_line(row['sentence'], 400)}: {lost_text(since, last)}"
    return news_line("UNKNOWN", last, sentence) | finding_fields(row)


def finding_fields(row: Row) -> Line:
    return {name: row[name] for name in ("rule", "severity", "finding_id")}


def is_over(value: Any) -> bool:
    return isinstance(value, tuple) and value[1]


def finding_news_line(change: Change, row: Row, last: datetime | None) -> Line:
    """RETRACTED: what came since says otherwise."""
    sentence = f"{SEVERITY[row['severity']]} {shorten_line(row['sentence'], 400)}"
    told = finding_fields(row)
    if change.after is None:
        return news_line("RETRACTED", last, f"{sentence}: what came since says otherwise") | told
    _, is_past = change.after
    until, since = row["valid_until_at"], row["valid_from_at"]
    if is_past and change.before is not None and not is_over(change.before):
        took = length_text(int((until - since).total_seconds() * 1000))
        return news_line("OVER", until, f"{sentence}  [after {took}]") | told
    word = "NEW" if change.before is None else "NOW"
    return news_line(word, since, f"{sentence}{'' if is_past else '  OPEN'}") | told


def news_line(change: str, at: datetime | None, sentence: str) -> Line:
    return {"change": change, "at": at, "sentence": sentence}


def shown_names(names: Sequence[str]) -> str:
    left = len(names) - SHOWN_NAMES
    return ", ".join([*names[:SHOWN_NAMES], *([f"{left:,} more"] if left > 0 else [])])


def news_text(line: Line, last: datetime | None, label: str) -> list[str]:
    """09:00:28.231 OFFLINE    orders-0 since 09:00:20.117; now without a leader: 1"""
    clock = "-" if line["at"] is None else clock_by(line["at"], last)
    return wrap_text(f"{clock} {label}{line['change']:<10} {line['sentence']}", HANG)
