"""What a destination was told of a cluster, and which findings it has to be told now."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from pipeline.views.reading.rows import Row
from schemas.gold.finding import SEVERITIES

FORMAT = 1
LATELY = timedelta(hours=24)
Numbered = tuple[int, Row]
Action = Literal["trigger", "resolve"]


@dataclass(frozen=True)
class Remembered:
    """finding_ids that a destination was told of while they went on, and when they were over, and those that were
    passed over. severity: the least that was asked for when it was told last; None: it was never told."""

    severity: str | None = None
    open: frozenset[str] = frozenset()
    over: frozenset[str] = frozenset()
    passed: frozenset[str] = frozenset()

    def has_told(self, severity: str) -> bool:
        """Whether findings of that severity were told before, so that what is unknown is new."""
        return self.severity is not None and is_at_least_severity(severity, self.severity)


@dataclass
class News:
    """new, over and standing: findings with their numbers; over: told before while they went on; standing: told before,
    and they still go on. passed: how many of the past are not told. after: what is remembered once it was told."""

    new: list[Numbered] = field(default_factory=list)
    over: list[Numbered] = field(default_factory=list)
    standing: list[Numbered] = field(default_factory=list)
    passed: int = 0
    after: Remembered = Remembered()

    def told(self) -> list[Numbered]:
        return [*self.new, *self.over]


@dataclass(frozen=True)
class Taken:
    """What a destination took of one finding: that it is so, or that it is over."""

    action: Action
    finding_id: str


def is_at_least_severity(severity: str, least: str) -> bool:
    return SEVERITIES.index(severity) <= SEVERITIES.index(least)


def is_ended_finding(finding: Row) -> bool:
    return finding["valid_until_at"] is not None or finding["status"] == "retracted"


def news_of(findings: Sequence[Row], before: Remembered, severity: str, last_at: datetime | None) -> News:
    """findings: all, in the order of their numbers, retracted ones too. last_at: the end of the data.

    Where a destination was never told of that severity, what was over a day before the end of the data is passed over,
    for good; and so is what ends while conf knows it already. Ids that no finding has any more are forgotten.
    """
    news = News()
    kept: dict[str, set[str]] = {"open": set(), "over": set(), "passed": set()}
    for number, one in enumerate(findings, 1):
        name, is_known = one["finding_id"], one["suppressed_by"] is not None
        if name in before.open:
            kept["over" if is_ended_finding(one) else "open"].add(name)
            if not is_known:
                (news.over if is_ended_finding(one) else news.standing).append((number, one))
        elif name in before.over or name in before.passed:
            kept["over" if name in before.over else "passed"].add(name)
        elif one["status"] == "retracted" or not is_at_least_severity(one["severity"], severity):
            continue
        elif is_known:
            kept["passed"] |= {name} if is_ended_finding(one) else set()
        elif not before.has_told(one["severity"]) and is_past(one, last_at):
            kept["passed"].add(name)
            news.passed += 1
        else:
            kept["over" if is_ended_finding(one) else "open"].add(name)
            news.new.append((number, one))
    news.after = Remembered(severity, **{name: frozenset(ids) for name, ids in kept.items()})
    return news


def remember_taken(news: News, before: Remembered, taken: Sequence[Taken]) -> Remembered:
    """What is remembered where the destination took that alone, in this order: the rest of the news is told the next
    time."""
    untold = {one["finding_id"] for _, one in news.told()}
    is_open, over = news.after.open - untold | before.open & untold, news.after.over - untold
    for one in taken:
        name = frozenset((one.finding_id,))
        is_open = is_open | name if one.action == "trigger" else is_open - name
        over = over - name if one.action == "trigger" else over | name
    return replace(news.after, open=is_open, over=over)


def is_past(finding: Row, last_at: datetime | None) -> bool:
    until = finding["valid_until_at"]
    return until is not None and last_at is not None and until < last_at - LATELY


def read_remembered(text: str | None, cluster: str, destination: str) -> Remembered | None:
    """As a file says it; nothing where it says nothing of them. None: it is not what `written` writes."""
    if text is None:
        return Remembered()
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        said = parse_remembered_file(text)["clusters"].get(cluster, {}).get(destination)
        if said is None:
            return Remembered()
        if said["severity"] in (None, *SEVERITIES):
            ids = {name: frozenset(map(str, said[name])) for name in ("open", "over", "passed")}
            return Remembered(said["severity"], **ids)
    return None


def write_remembered(text: str | None, cluster: str, destination: str, now: Remembered) -> str:
    """The file with that in it; what it says of others stays, unless it cannot be read."""
    whole: dict[str, Any] = {"format": FORMAT, "clusters": {}}
    with suppress(ValueError, KeyError, TypeError):
        whole = parse_remembered_file(text or "")
    own = {name: sorted(getattr(now, name)) for name in ("open", "over", "passed")}
    told = whole["clusters"].get(cluster)
    others = told if isinstance(told, dict) else {}
    whole["clusters"][cluster] = others | {destination: {"severity": now.severity} | own}
    return json.dumps(whole, sort_keys=True)


def parse_remembered_file(text: str) -> dict[str, Any]:
    """ValueError, KeyError, TypeError: it is not of this format."""
    said = json.loads(text)
    if said["format"] != FORMAT or not isinstance(said["clusters"], dict):
        raise ValueError(said["format"])
    return dict(said)
