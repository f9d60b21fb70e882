"""Names and numbers in findings: to the letter what it was published under, and what Java prints."""

import polars as pl
import pytest
from polars import col, lit

from jobs.text import length_text
from pipeline.gold.finding import with_id
from pipeline.rules.ratio_disagreement.rule import as_java_prints
from pipeline.rules.registry import RULES
from pipeline.rules.shared.wording import (
    duration_text,
    facts_column,
    filled_text,
    plain_decimals,
    rounded_decimals,
)
from pipeline.rules.standing_imbalance.rule import exact_time_text
from schemas.gold.finding import FACTS
from tests.frames import at
from tests.rules.rows import fact_texts

NAMES = pl.DataFrame(
    [
        ("2.6.3-zk-stock", "outage", "broker 1,2", "controller start-up at 1795248819", "1-5"),
        ("c", "illegal_move", "a", "b", None),
    ],
    schema=["cluster_id", "rule", "entity", "root_event", "term_id"],
    orient="row",
)


def test_an_id_stays_what_it_is() -> None:
    """Readers know findings by it: another one would tell all of them anew."""
    assert with_id(NAMES)["finding_id"].to_list() == ["8237a183ef93", "b6c1ed4f1401"]


def test_halves_are_rounded_up_by_the_digits_that_are_printed() -> None:
    ratios = pl.DataFrame({"ratio": [0.285, 0.125, 1 / 3, 2 / 3, 0.0, 1.0, 0.00005, 1e-9]})
    assert ratios.select(rounded_decimals(col("ratio"), 2)).to_series().to_list() == [
        *("0.29", "0.13", "0.33", "0.67", "0.00", "1.00", "0.00", "0.00"),
    ]  # fmt: skip
    assert ratios.select(rounded_decimals(col("ratio"), 4)).to_series().to_list() == [
        *("0.2850", "0.1250", "0.3333", "0.6667", "0.0000", "1.0000", "0.0001", "0.0000"),
    ]  # fmt: skip


def test_lengths_are_told_in_the_units_that_people_read() -> None:
    minute, hour = 60_000, 3_600_000
    told = {
        0: "0 ms", 99: "99 ms", 100: "0.1 s", 1250: "1.3 s", 119_940: "119.9 s",
        2 * minute: "2 min", 30 * minute + 70: "30 min", 34 * minute + 31_500: "34 min 32 s",
        hour - 400: "60 min", hour: "1 h", 14 * hour + 16 * minute: "14 h 16 min",
        48 * hour: "2 d", 479 * hour: "19 d 23 h",
    }  # fmt: skip
    lengths = pl.DataFrame({"ms": [*told]})
    assert lengths.select(duration_text(col("ms"))).to_series().to_list() == [*told.values()]


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.0, "0.0"),
        (1.0, "1.0"),
        (0.001, "0.001"),
        (6 / 7, "0.8571428571428571"),
        (0.00025, "2.5E-4"),
        (0.0001, "1.0E-4"),
        (1 / 1500, "6.666666666666666E-4"),
    ],
)
def test_ratios_read_as_kafka_prints_them(ratio: float, text: str) -> None:
    assert as_java_prints(ratio) == text


def test_a_time_has_the_digits_that_it_needs() -> None:
    times = pl.DataFrame({"time": [at(50), at(50.5), at(50.123), at(0.01)]})
    assert times.select(exact_time_text("time")).to_series().to_list() == [
        "2026-11-21 00:00:50",
        "2026-11-21 00:00:50.5",
        "2026-11-21 00:00:50.123",
        "2026-11-21 00:00:00.01",
    ]


def test_what_is_not_known_reads_null() -> None:
    nothing = pl.DataFrame({"epoch": [None]}, schema={"epoch": pl.Int32})
    assert nothing.select(filled_text("epoch {}", "epoch")).item() == "epoch null"


def test_facts_have_all_digits_and_no_exponent() -> None:
    ratios = pl.DataFrame({"ratio": [0.9285714285714286, 1.0, 0.0, 0.1, 1 / 300_000]})
    assert ratios.select(plain_decimals(col("ratio"))).to_series().to_list() == [
        *("0.9285714285714286", "1", "0", "0.1", "0.0000033333333333333333"),
    ]  # fmt: skip


def test_facts_that_are_not_known_are_null() -> None:
    rows = pl.DataFrame({"topic": ["a", None], "count": [0, 5], "isr": [[2, 1], None]})
    facts = rows.select(
        facts_column(topic="topic", lines_count=col("count"), isr="isr", is_halted=lit(value=True))
    )
    assert [fact_texts(one) for one in facts.to_series()] == [
        {"topic": "a", "lines_count": "0", "isr": "2,1", "is_halted": "true"},
        {"lines_count": "5", "is_halted": "true"},
    ]
    with pytest.raises(KeyError, match="found count; declare"):
        facts_column(count="count")


def test_every_fact_is_declared_and_belongs_to_a_rule() -> None:
    assert list(FACTS) == sorted({name for rule in RULES.values() for name in rule.facts})


def test_screens_tell_lengths_as_sentences_do() -> None:
    every = pl.DataFrame(
        {"ms": [0, 99, 100, 119_999, 120_000, 3_599_500, 3_600_000, 51_362_006, 172_800_000, 10**10]}
    )
    assert [length_text(one) for one in every["ms"]] == every.select(
        duration_text(col("ms"))
    ).to_series().to_list()
