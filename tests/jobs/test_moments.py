"""Times that people give: one parser for every command."""

import argparse
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from jobs import cli
from jobs.moments import asked_moment, joined_lengths, parse_moment
from jobs.parser import Parser
from jobs.questions.catalog import QUESTIONS
from jobs.questions.taken import TAKES
from pipeline.core.errors import InputProblem
from tests.golden import unpacked

LAST = datetime(2026, 11, 21, 9, 0, 26, tzinfo=UTC)
ASKED = datetime(2026, 11, 21, 9, 0, 13, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")  # an hour before UTC in November


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21T09:00:13", ASKED),
        ("2026-11-21 09:00:13", ASKED),
        ("2026-11-21T10:00:13+01:00", ASKED),
        ("2026-11-21", ASKED.replace(hour=0, second=0)),
        ("09:00:13", ASKED),
        ("09:00:13Z", ASKED),
        ("10:00:13+01:00", ASKED),
        ("-13s", ASKED),
        ("13s ago", ASKED),
        ("0m13s ago", ASKED),
        ("-1h30m", LAST - timedelta(minutes=90)),
        ("10 min ago", LAST - timedelta(minutes=10)),
        ("2d ago", LAST - timedelta(days=2)),
        ("1.5h ago", LAST - timedelta(minutes=90)),
        ("yesterday 22:00", datetime(2026, 11, 20, 22, 0, tzinfo=UTC)),
        ("yesterday", datetime(2026, 11, 20, tzinfo=UTC)),
        ("today 08:30", ASKED.replace(hour=8, minute=30, second=0)),
        (str(int(ASKED.timestamp())), ASKED),
        (str(int(ASKED.timestamp() * 1000)), ASKED),
    ],
)
def test_a_time_is_told_in_many_ways(text: str, expected: datetime) -> None:
    assert asked_moment(parse_moment(text), LAST) == expected


@pytest.mark.parametrize(
    ("text", "hours"), [("2026-11-21T09:00:13", 1), ("09:00:13", 1), ("09:00:13Z", 0), ("-13s", 0)]
)
def test_the_zone_of_the_logs_is_that_of_times_that_name_none(text: str, hours: int) -> None:
    parser = Parser(prog="x")
    parser.add_argument("--zone")
    parser.add_argument("--at", type=parse_moment)
    given = parser.parse_args(["--at", text, "--zone", "Europe/Berlin"])
    assert asked_moment(given.at, LAST) == ASKED - timedelta(hours=hours)


def test_a_zone_that_is_none_is_left_to_the_settings() -> None:
    parser = Parser(prog="x")
    parser.add_argument("--zone")
    parser.add_argument("--at", type=parse_moment)
    for zone in ("Mars/Phobos", "../etc/passwd", "Nowhere"):
        given = parser.parse_args(["--at", "09:00:13", "--zone", zone])
        assert (given.zone, asked_moment(given.at, LAST)) == (zone, ASKED)


def test_the_last_day_is_that_of_the_zone() -> None:
    """At 23:30 UTC it is tomorrow in Berlin."""
    parser = Parser(prog="x")
    parser.add_argument("--zone")
    parser.add_argument("--at", type=parse_moment)
    given = parser.parse_args(["--at", "00:10", "--zone", "Europe/Berlin"])
    last = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
    assert asked_moment(given.at, last) == datetime(2026, 11, 22, 0, 10, tzinfo=BERLIN)


@pytest.mark.parametrize(
    "text", ["", "noon", "10", "-", "ago", "10x ago", "yesterday noon", "2026-13-01", "1e9", "²"]
)
def test_what_is_no_time_is_refused_with_all_forms(text: str) -> None:
    with pytest.raises(
        argparse.ArgumentTypeError, match=r"expected a time such as .* '10m ago' before its end"
    ):
        parse_moment(text)


def test_a_time_outside_of_the_calendar_is_refused() -> None:
    for text in ("999999999999d ago", "0001-01-01T00:00:00+14:00"):
        with pytest.raises(argparse.ArgumentTypeError, match="expected a time such as"):
            parse_moment(text)
    with pytest.raises(InputProblem, match="a time of the years 1 to 9999"):
        asked_moment(parse_moment("900000d ago"), LAST)


@pytest.mark.parametrize("place", ["before", "behind"])
def test_a_question_of_a_warehouse_takes_a_zone(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of, zone = ["--warehouse", str(unpacked(tmp_path))], ["--zone", "Europe/Berlin"]
    asked = ["who-was-controller", "--at", "01:00:05"]
    words = ["ask", *zone, *of, *asked] if place == "before" else ["ask", *asked, *of, *zone]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    assert "who-was-controller --at 01:00:05 --zone Europe/Berlin" in said
    assert "At 2026-11-21 00:00:05.000 UTC the controller was broker 1" in said
    with pytest.raises(SystemExit):
        cli.main(["brokers", *of, "--at", "01:00:05", "--zone", "Mars/Base"])
    assert "expected a zone such as UTC or Europe/Berlin, found 'Mars/Base'" in capsys.readouterr().err


def test_a_length_is_no_flag() -> None:
    assert joined_lengths(["--since", "-10m", "--until", "-1m", "--cluster", "-x"]) == [
        "--since=-10m", "--until=-1m", "--cluster", "-x",
    ]  # fmt: skip
    assert joined_lengths(["-10m", "--at"]) == ["-10m", "--at"]


def test_each_question_takes_its_times_so() -> None:
    times = {name for one in QUESTIONS.values() for name in one.takes if name in {"at", "since", "until"}}
    assert times and all(TAKES[name].parse is parse_moment for name in times)
