"""Which findings are news to whom."""

from datetime import UTC, datetime, timedelta
from typing import Any

from jobs.notify.remembered import (
    Remembered,
    Taken,
    news_of,
    read_remembered,
    remember_taken,
    write_remembered,
)
from pipeline.views.reading.rows import Row

END = datetime(2026, 11, 21, tzinfo=UTC)
NEVER = Remembered()


def finding(name: str, hours_ago: float | None = None, **given: Any) -> Row:
    """hours_ago: that it was over, before the end of the data; None: it goes on."""
    until = None if hours_ago is None else END - timedelta(hours=hours_ago)
    told = {"finding_id": name, "severity": "warning", "status": "new", "suppressed_by": None}
    return told | {"valid_until_at": until} | given


def told(
    findings: list[Row], before: Remembered, severity: str = "warning"
) -> tuple[str, str, int, Remembered]:
    """Ids that are new, ids that are over."""
    news = news_of(findings, before, severity, END)
    new, over = ("".join(one["finding_id"] for _, one in some) for some in (news.new, news.over))
    return new, over, news.passed, news.after


def test_the_first_time_what_was_over_a_day_before_is_passed_over() -> None:
    findings = [
        finding("a"),
        finding("b", 23, status="resolved"),
        finding("c", 25, status="new"),
        finding("d", severity="info"),
    ]
    new, over, passed, after = told(findings, NEVER)
    assert (new, over, passed) == ("ab", "", 1)
    assert after == Remembered("warning", frozenset("a"), frozenset("b"), frozenset("c"))
    assert told(findings, after) == ("", "", 0, after)
    # It is news later on, however old: logs that came late, or nights in which nothing could be sent.
    late = finding("e", 1000, status="resolved")
    assert told([*findings, late], after)[0] == "e"


def test_what_was_not_asked_for_before_is_asked_for_as_the_first_time() -> None:
    first = told([finding("a", severity="critical")], NEVER, "critical")[-1]
    findings = [
        finding("a", severity="critical"),
        finding("b", 25),
        finding("c"),
        finding("d", 25, severity="critical"),
    ]
    assert told(findings, first)[:3] == ("cd", "", 1)


def test_the_end_is_told_once_and_what_comes_again_is_not() -> None:
    after = told([finding("a"), finding("b"), finding("c")], NEVER)[-1]
    ended = [
        finding("a", 0, severity="info"),
        finding("b", status="retracted"),
        finding("c", 0, suppressed_by="known"),
    ]
    new, over, _, after = told(ended, after)
    assert (new, over) == ("", "ab") and after.over == frozenset("abc")
    assert told(ended, after)[:2] == ("", "") == told([finding("a"), finding("b")], after)[:2]


def test_what_is_known_or_retracted_is_not_sent() -> None:
    findings = [
        finding("a", suppressed_by="known"),
        finding("b", 1, suppressed_by="known"),
        finding("c", status="retracted"),
    ]
    new, over, passed, after = told(findings, Remembered("warning"))
    assert (new, over, passed, after.passed) == ("", "", 0, frozenset("b"))
    # What goes on when it is known no more is sent, and what is found again.
    assert told([finding("a"), finding("b", 1), finding("c")], after)[0] == "ac"


def test_what_gets_worse_is_sent_and_what_is_gone_is_forgotten() -> None:
    after = told([finding("a", severity="info"), finding("b")], NEVER)[-1]
    assert told([finding("a", severity="critical")], after)[::3] == (
        "a",
        Remembered("warning", frozenset("a")),
    )


def test_a_file_keeps_what_others_were_told() -> None:
    one, two = Remembered("info", frozenset("ab"), frozenset("c")), Remembered("critical")
    text = None
    for cluster, destination, now in (("x", "1", one), ("x", "2", two), ("y", "1", two), ("x", "2", one)):
        text = write_remembered(text, cluster, destination, now)
    assert [read_remembered(text, *asked) for asked in (("x", "1"), ("x", "2"), ("y", "1"))] == [
        one,
        one,
        two,
    ]
    assert read_remembered(text, "y", "2") == NEVER == read_remembered(None, "x", "1")
    assert read_remembered('{"format": 1, "clusters": {"x": {"1": {"severity": "fatal"}}}}', "x", "1") is None


def taken(words: str) -> list[Taken]:
    """+a: that a is so; -a: that it is over."""
    return [Taken("trigger" if one[0] == "+" else "resolve", one[1:]) for one in words.split()]


def test_of_what_was_taken_in_part_the_rest_is_news_the_next_time() -> None:
    """a was told and is over, b and d are new and over by now, c is new; e was passed over, x was told to be over."""
    before = Remembered("warning", frozenset("a"), frozenset("x"), frozenset("e"))
    findings = [finding(name, None if name == "c" else 1, status="new") for name in "abcdex"]
    news = news_of(findings, before, "warning", END)
    after = [remember_taken(news, before, taken(words)) for words in ("", "+b", "+b -b +c -a")]
    assert [told(findings, one)[:2] for one in after] == [("bcd", "a"), ("cd", "ab"), ("d", "")]
    assert [one.passed for one in after] == [frozenset("e")] * 3
    assert remember_taken(news, before, taken("+b -b +c +d -d -a")) == news.after
