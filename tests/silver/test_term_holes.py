"""A KRaft term of which no line proves that it goes on, after days of which no log is there."""

from datetime import timedelta

import polars as pl
import pytest
from polars import col

from pipeline.model.terms.kraft_terms import decisions_in_effect, kraft_terms, with_kraft_term
from tests.chain import built
from tests.rows import records_in

ACTIVE = "[2026-11-{}] INFO [QuorumController id={}] Becoming the active controller at epoch {}, next write offset 1. (org.apache.kafka.controller.QuorumController)"
PERIOD = "[2026-11-{}] INFO [QuorumController id={}] In the last 60000 ms period, there were no controller events completed. (org.apache.kafka.controller.EventPerformanceMonitor)"
HEARS = "[2026-11-{}] INFO [QuorumController id={}] In the new epoch 5, the leader is 1. (org.apache.kafka.controller.QuorumController)"
RENOUNCED = "[2026-11-{}] WARN [QuorumController id={}] Renouncing the leadership due to a metadata log event. We were the leader at epoch {}, but in the new epoch 7, the leader is {}. Reverting to last stable offset 4226. (org.apache.kafka.controller.QuorumController)"
FAILED = "[2026-11-{}] INFO [QuorumController id={}] writeNoOpRecord: event failed with NotControllerException in 50000000 microseconds. (org.apache.kafka.controller.QuorumController)"
LATER = "09 00:02:00,000"
NIGHT = "09 00:00:01,000"


def records(*files: str) -> pl.DataFrame:
    """Each text is another file of one log: another node's number tells them apart."""
    return records_in({(node, "controller"): f"{text}\n" for node, text in enumerate(files, start=1)})


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # A file after days.
        ((ACTIVE.format(NIGHT, 1, 5), PERIOD.format("12 00:00:00,000", 2)), ["2026-11-12"]),
        # Less than a day.
        ((ACTIVE.format(NIGHT, 1, 5), HEARS.format("09 23:00:00,000", 2)), [None]),
        # But another one acts in office, of which no line tells that it was elected.
        ((ACTIVE.format(NIGHT, 1, 5), PERIOD.format("09 23:00:00,000", 2)), ["2026-11-09"]),
        # The same after it has heard of the one that is known.
        (
            (
                ACTIVE.format(NIGHT, 1, 5),
                "\n".join((HEARS.format(NIGHT, 2), PERIOD.format("09 23:00:00,000", 2))),
            ),
            ["2026-11-09"],
        ),
        # Who was deposed, and has not heard of it, goes on.
        (
            (
                "\n".join((ACTIVE.format(NIGHT, 1, 5), PERIOD.format("09 23:00:00,000", 1))),
                ACTIVE.format("09 22:00:00,000", 2, 6),
            ),
            [None, None],
        ),
        # A process that had nothing to say in its own file.
        (("\n".join((ACTIVE.format(NIGHT, 1, 5), PERIOD.format("12 00:00:00,000", 1))),), [None]),
        # Another node of the quorum has lines of that time.
        (
            (
                ACTIVE.format(NIGHT, 1, 5),
                HEARS.format("12 00:00:00,000", 2),
                "\n".join((HEARS.format(NIGHT, 3), HEARS.format("12 00:00:00,000", 3))),
            ),
            [None],
        ),
        # The first line after it elects the next one.
        ((ACTIVE.format(NIGHT, 1, 5), ACTIVE.format("12 00:00:00,000", 2, 6)), ["2026-11-12", None]),
    ],
)  # fmt: skip
def test_a_term_is_proved_until_the_logs_have_a_hole(files: tuple[str, ...], expected: list[str]) -> None:
    found = built(records(*files), "term")["term"].sort("controller_epoch")
    days = found["unproved_from_at"].dt.to_string("%Y-%m-%d").to_list()
    assert days == expected


def test_after_a_hole_it_is_not_known_who_is_in_office() -> None:
    lines = records(ACTIVE.format(NIGHT, 1, 5), PERIOD.format("12 06:00:00,000", 2))
    term = built(lines, "term")["term"]
    first = term["unproved_from_at"][0]
    hours = [first - timedelta(days=2), first - timedelta(hours=1), first, first + timedelta(days=1)]
    asked = pl.DataFrame({"cluster_id": [term["cluster_id"][0]] * 4, "at": hours}).with_columns(
        col("at").cast(pl.Datetime("us", "UTC"))
    )
    terms = kraft_terms(term)
    assert with_kraft_term(asked, terms).sort("at")["term_id"].to_list() == ["1-5", None, None, None]
    unseen = terms.filter("is_unseen").select("from_at", "next_at")
    assert unseen.rows() == [(first.replace(hour=0), first)]
    decided = asked.select("cluster_id", logged_at="at", node_id=pl.lit(2), controller_id=pl.lit(2))
    counted = decisions_in_effect(decided, term)
    assert counted["at"].sort().to_list() == hours[1:]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # Another one leads, of which nothing is read: also what it gives up is not committed.
        (
            (ACTIVE.format(NIGHT, 1, 5), RENOUNCED.format(LATER, 1, 5, 2), FAILED.format(LATER, 1)),
            [("1-5", "00:01:10", "00:02:00")],
        ),
        # Nobody is said to lead.
        ((ACTIVE.format(NIGHT, 1, 5), RENOUNCED.format(LATER, 1, 5, "(none)")), [("1-5", None, None)]),
        # The election of its own term was not read either.
        (
            (ACTIVE.format(NIGHT, 1, 3), RENOUNCED.format(LATER, 1, 5, 2), FAILED.format(LATER, 1)),
            [("1-3", None, None), ("1-5", "00:01:10", "00:02:00")],
        ),
        # It was deposed before, and hears of it.
        (
            (ACTIVE.format(NIGHT, 2, 7), RENOUNCED.format(LATER, 1, 5, 2), FAILED.format(LATER, 1)),
            [("1-7", None, None)],
        ),
    ],
)  # fmt: skip
def test_who_gave_up_is_followed_by_one_that_nobody_saw(
    lines: tuple[str, ...], expected: list[tuple[str, str | None, str | None]]
) -> None:
    term = built(records("\n".join(lines)), "term")["term"].sort("controller_epoch")
    times = (col(name).dt.to_string("%H:%M:%S") for name in ("void_from_at", "unproved_from_at"))
    assert term.select("term_id", *times).rows() == expected


def test_what_follows_a_term_that_was_given_up_is_unseen() -> None:
    lines = (ACTIVE.format(NIGHT, 1, 5), RENOUNCED.format(LATER, 1, 5, 2), FAILED.format(LATER, 1))
    terms = kraft_terms(built(records("\n".join(lines)), "term")["term"])
    begins = terms.select(col("from_at").dt.to_string("%H:%M:%S"), "term_id", "is_unseen").rows()
    assert begins == [("00:00:01", "1-5", False), ("00:01:10", None, True)]
