"""From which day on a night judges anew."""

from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import SparkSession

from jobs.cutting import Cut
from jobs.day_of_cut import changed_terms_at, with_day
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.days import begin_of_day
from pipeline.kafka.acting import SEQ_BITS
from tests.tables import table

TERMS = """
    cluster_id | term_id | replica_machine | is_trace_seen | elected_at | first_seen_at
    c          | 1-1     | {machine}       | true          | 10         | 10
    c          | 1-2     | R2              | true          | 90000      | 90000
"""
LINES = """
    cluster_id | term_id | ordered_at | level   | log
    c          | 1-1     | 260000     | {level} | state-change
    c          | 1-2     | 260000     | TRACE   | state-change
"""
MIDNIGHT = datetime(2026, 11, 21, tzinfo=UTC)


def summary(term_id: str, day: int, end_second: int, trace_second: int | None) -> str:
    end, trace = (str(seq_at(second)) if second else "" for second in (end_second, trace_second))
    return f"c | {term_id} | {day * 86_400} | {end} | {trace}"


def seq_at(second: int) -> int:
    return int((MIDNIGHT + timedelta(seconds=second)).timestamp() * 1000) << SEQ_BITS


# case | machine of the first term before | level of its new line | its last line at TRACE | the day that is judged first
CASES: list[tuple[str, str, str, int | None, int]] = [
    ("nothing changed", "R2", "INFO", 50, 3),
    ("always at TRACE", "R2", "TRACE", 100_000, 3),
    ("TRACE again after others", "R2", "TRACE", 95_000, 1),
    ("never at TRACE before", "R2", "TRACE", None, 3),
    ("another machine", "R1", "INFO", 50, 0),
]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("machine", "level", "traced", "day"), [one[1:] for one in CASES], ids=[one[0] for one in CASES]
)
def test_the_day_of_the_cut(
    spark: SparkSession, machine: str, level: str, traced: int | None, day: int
) -> None:
    rows = [
        summary("1-1", 0, 50, 50 if traced else None),
        summary("1-1", 1, 100_000, traced),
        summary("1-2", 2, 1, 1),
    ]
    summaries = "\n".join(["cluster_id | term_id | day_at | end_seq | last_trace_seq", *rows])
    texts = [
        ("term", TERMS.format(machine="R2")),
        ("term", TERMS.format(machine=machine)),
        ("controller_line", LINES.format(level=level)),
        ("replay_summary", summaries),
    ]
    at = MIDNIGHT + timedelta(seconds=260_000)
    terms, terms_before, *others = (table(spark, BY_SHORT_NAME[name].spec, text) for name, text in texts)
    found = with_day(Cut(at), changed_terms_at(terms, terms_before), terms, *others)
    assert found.day_at == MIDNIGHT + timedelta(days=day)
    assert begin_of_day(at) == MIDNIGHT + timedelta(days=3)
