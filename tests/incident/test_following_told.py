"""What `incident --follow` says of a change, and what it leaves unsaid."""

from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

from jobs.incident.following.told import ClusterNews, news_text
from jobs.screen.facts import Facts

BEGIN = datetime(2026, 11, 21, 9, tzinfo=UTC)
TERM = {"controller_id": 2, "controller_epoch": 8, "ended_at": None, "superseded_at": None}


def at(seconds: int) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def finding(name: str, since: int = 0, until: int | None = None, severity: str = "warning") -> dict[str, Any]:
    times = {"valid_from_at": at(since), "valid_until_at": None if until is None else at(until)}
    said = {"rule": "outage", "entity": "e", "severity": severity, "sentence": f"{name} is so"}
    return {"finding_id": name, "suppressed_by": None, **times, **said}


def offline(topic: str) -> dict[str, Any]:
    return {"topic": topic, "partition": 0, "certainty": "proved", "noticed_at": at(1)}


def facts_of(
    last: int, *findings: dict[str, Any], leaderless: Any = (), gone: Any = (), terms: Any = (TERM,)
) -> Facts:
    told: dict[str, Any] = dict.fromkeys(one.name for one in fields(Facts))
    given = {"findings": [*findings], "leaderless": [*leaderless], "gone": [*gone], "terms": [*terms]}
    return Facts(**told | given | {"read": {"last_at": at(last)}})


class Told:
    """The lines of one answer after the other, a second each."""

    def __init__(self, settle: float = 0) -> None:
        self.news, self.seconds = ClusterNews("c", settle), 0

    def said(self, facts: Facts, from_at: datetime | None = None) -> list[str]:
        self.news.take(facts, from_at)
        self.seconds += 1
        lines = self.news.lines(facts, self.seconds, 0, from_at)
        return [" ".join(" ".join(news_text(one, facts.read["last_at"], "")).split()) for one in lines]


def test_what_is_open_is_told_when_it_begins_and_each_change_after() -> None:
    told = Told()
    assert told.said(facts_of(5, finding("old", 0, 3), finding("a", 1))) == [
        "09:00:05.000 FOLLOWING so far 2 warning, 1 of them open",
        "09:00:01.000 NEW WARN a is so OPEN",
        "09:00:05.000 CONTROLLER 2 (epoch 8)",
    ]
    assert told.said(facts_of(6, finding("old", 0, 3), finding("a", 1))) == []
    worse = facts_of(7, finding("old", 0, 3), finding("a", 1, severity="critical"))
    assert told.said(worse) == ["09:00:01.000 NOW CRIT a is so OPEN"]
    assert told.said(facts_of(9, finding("a", 1, 8, "critical"), finding("b", 2, 4, "info"))) == [
        "09:00:08.000 OVER CRIT a is so [after 7.0 s]",
        "09:00:09.000 RETRACTED WARN old is so: what came since says otherwise",
        "09:00:02.000 NEW INFO b is so",
    ]


def test_partitions_and_brokers_are_told_together() -> None:
    told, gone = Told(), {"broker_id": 3, "left_at": at(1), "end_reason": None}
    told.said(facts_of(1))
    assert told.said(facts_of(2, leaderless=[offline("a"), offline("b")], gone=[gone], terms=())) == [
        "09:00:02.000 CONTROLLER not known, before: 2 (epoch 8)",
        "09:00:02.000 OFFLINE a-0 since 09:00:01.000, b-0 since 09:00:01.000; now without a leader: 2",
        "09:00:02.000 GONE broker 3 since 09:00:01.000; now gone: 1",
    ]
    assert told.said(facts_of(3, leaderless=[offline("b")])) == [
        "09:00:03.000 CONTROLLER 2 (epoch 8), before: not known",
        "09:00:03.000 SERVED a-0; now without a leader: 1",
        "09:00:03.000 BACK broker 3; now gone: 0",
    ]
    in_doubt = offline("b") | {"certainty": "undetermined"}
    assert told.said(facts_of(4, leaderless=[in_doubt])) == [
        "09:00:04.000 SERVED b-0; now without a leader: 0"
    ]


def test_nothing_is_told_before_it_has_stood() -> None:
    told = Told(settle=2)
    assert told.said(facts_of(1, finding("a"))) == told.said(facts_of(2)) == []
    assert [one.split()[1] for one in told.said(facts_of(3, finding("b")))] == ["FOLLOWING", "CONTROLLER"]
    assert told.said(facts_of(4, finding("b"))) == []
    assert told.said(facts_of(5, finding("b"))) == ["09:00:00.000 NEW WARN b is so OPEN"]


def test_what_leaves_the_window_is_not_taken_back() -> None:
    told = Told()
    told.said(facts_of(5, finding("a", 1)))
    assert told.said(facts_of(6, finding("as cut", 3)), from_at=at(3)) == []
    assert told.said(facts_of(7, finding("as cut", 3), finding("b", 4)), from_at=at(3)) == [
        "09:00:04.000 NEW WARN b is so OPEN"
    ]


def test_what_leaves_with_its_lines_is_not_known_and_not_over() -> None:
    told, gone = Told(settle=1), {"broker_id": 3, "left_at": at(1), "end_reason": None}
    told.said(facts_of(4, finding("a", 1), finding("past", 1, 2), leaderless=[offline("t")], gone=[gone]))
    told.said(facts_of(5, finding("a", 1), finding("past", 1, 2), leaderless=[offline("t")], gone=[gone]))
    assert told.said(facts_of(20, terms=()), from_at=at(9)) == []
    assert told.said(facts_of(30, terms=()), from_at=at(15)) == [
        "09:00:30.000 UNKNOWN WARN a is so: its lines are held no more, not known since 09:00:09.000",
        "09:00:30.000 UNKNOWN controller 2 (epoch 8), t-0, broker 3: its lines are held no more, not known since "
        "09:00:09.000",
    ]
    assert told.said(facts_of(40, terms=()), from_at=at(15)) == []


def test_what_was_over_before_its_lines_left_is_over() -> None:
    told = Told(settle=1)
    told.said(facts_of(5, leaderless=[offline("t")]))
    told.said(facts_of(6, leaderless=[offline("t")]))
    told.said(facts_of(7), from_at=at(0))
    assert told.said(facts_of(9), from_at=at(3)) == ["09:00:09.000 SERVED t-0; now without a leader: 0"]
