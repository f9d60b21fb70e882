"""The gauges of the controller's event manager: what lines tell, at least, minute by minute."""

import argparse
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from jobs.questions import gauges as question
from pipeline.core.stretches import TIME
from pipeline.views.gauges.event_manager import (
    BUSY,
    TOOK,
    WAITED,
    busy_minutes,
    event_manager_steps,
    pieces_of_acting_terms,
    processing_periods,
    waited_minutes,
)
from pipeline.views.gauges.gauge_steps import GaugeWindow
from pipeline.views.reading.answers import Answers
from pipeline.views.terms.tenures import read_terms

BEGIN = datetime(2026, 11, 21, 8, tzinfo=UTC)
TIMES = ("began_at", "ended_at", "until_at", "superseded_at")
TYPES: dict[str, pl.DataType] = {
    "waited_ms": pl.Int64(), "waited_by": pl.String(), "longest_gap_ms": pl.Int64(), "slowest_ms": pl.Float64()
}  # fmt: skip


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def piece(seq: int, begin: float, end: float, **said: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(TYPES) | {"term_id": "1-1", "kind": "BrokerChange"}
    return nothing | {"work_seq": seq, "began_at": at(begin), "ended_at": at(end)} | said


def pieces(*rows: dict[str, Any], superseded: float | None = None) -> pl.DataFrame:
    ends = {"until_at": None, "superseded_at": None if superseded is None else at(superseded)}
    terms = pl.DataFrame(
        [{"term_id": "1-1", "mode": "zookeeper"} | ends], schema_overrides=dict.fromkeys(TIMES[2:], TIME)
    )
    return pieces_of_acting_terms(
        pl.DataFrame(list(rows), schema_overrides=TYPES | dict.fromkeys(TIMES[:2], TIME)), terms
    )


def spans(found: pl.DataFrame) -> list[tuple[int, int, int]]:
    return sorted(
        (round((begin - BEGIN).total_seconds()), round((end - BEGIN).total_seconds()), weight)
        for begin, end, weight in found.iter_rows()
    )


def test_work_counts_in_each_minute_that_it_goes_on_in() -> None:
    found = busy_minutes(pieces(piece(1, 10, 16), piece(2, 48, 135)))
    assert spans(found) == [(0, 60, 30), (60, 120, 100), (120, 180, 25)]


def test_work_of_a_controller_that_was_deposed_does_not_count() -> None:
    found = busy_minutes(pieces(piece(1, 10, 50), piece(2, 55, 58), superseded=16))
    assert spans(found) == [(0, 60, 10)]


def test_an_event_waited_as_long_as_another_is_shown_in_work() -> None:
    """It was due at 20 s; of the ten seconds until the other one ended three are silent."""
    check = piece(2, 31, 32, waited_ms=11_000, waited_by="timer")
    assert spans(waited_minutes(pieces(piece(1, 10, 30, longest_gap_ms=3_000), check))) == [(0, 60, 7_000)]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(piece(1, 1, 2), id="a process that stood still"),
        pytest.param(piece(1, 19, 30, longest_gap_ms=10_500), id="one that stood still within a piece"),
    ],
)
def test_a_timer_is_late_in_no_queue(before: dict[str, Any]) -> None:
    check = piece(2, 31, 32, waited_ms=11_000, waited_by="timer")
    assert waited_minutes(pieces(before, check)).is_empty()


def test_answers_tell_the_longest_wait_and_clocks_of_brokers_none() -> None:
    by = [("answer", 40), ("answer", 90), ("shutdown", 5_000)]
    rows = [piece(seq, 5 + seq, 5.5 + seq, waited_by=how, waited_ms=ms) for seq, (how, ms) in enumerate(by)]
    assert spans(waited_minutes(pieces(*rows))) == [(0, 60, 90)]


def test_periods_of_two_controllers_do_not_add_up() -> None:
    rows = [
        piece(1, 5, 65, kind="period", slowest_ms=147.16),
        piece(2, 50, 110, kind="period", slowest_ms=20.0),
        piece(3, 60, 61, kind="slow_event"),
    ]
    frame = pl.DataFrame(rows, schema_overrides=TYPES | dict.fromkeys(TIMES[:2], TIME))
    assert spans(processing_periods(frame)) == [(5, 50, 147), (50, 110, 20)]


def test_nothing_is_told_while_nobody_is_in_office(sample_answers: Answers) -> None:
    read = sample_answers.read()
    window = GaugeWindow(read["first_at"], read["last_at"])
    found = event_manager_steps(sample_answers, read_terms(sample_answers), window)
    assert set(found) == {BUSY, WAITED}
    assert TOOK not in found and found[BUSY]["value"].null_count() > 0 and found[BUSY]["value"].max()


def test_names_are_kafkas_where_kafka_has_one(
    sample_answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = argparse.Namespace(at=None, since=None, until=None, every=60)
    as_json = argparse.Namespace(**vars(given), format="json")
    told = json.loads("\n".join(question.show_gauges(as_json, sample_answers)))["gauges"]
    beans = {one["name"]: (one["bean"], one["metric"]) for one in told}
    assert beans[BUSY] == (None, "kafka_controller_audit_event_thread_busy_percent")
    assert beans[WAITED] == (
        "kafka.controller:type=ControllerEventManager,name=EventQueueTimeMs",
        "kafka_controller_controllereventmanager_eventqueuetimems",
    )
    monkeypatch.setenv("COLUMNS", "80")
    lines = question.show_gauges(argparse.Namespace(**vars(given), format="text"), sample_answers)
    # In the table of what moved, not in the list of all steps.
    assert sum(BUSY in line for line in lines) == 1
    assert all(len(line) <= 80 for line in lines)
