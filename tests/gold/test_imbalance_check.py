"""Kafka's own ratio lines against the view of the controller that printed them, with what came of each check."""

from decimal import ROUND_HALF_UP, Decimal
from random import Random
from typing import Any

import polars as pl
import pytest
from polars import col

from pipeline.core.expectations import broken_rows, expectation_of
from pipeline.gold.imbalance_check.verdicts import with_ratio
from schemas.gold.imbalance_check import SPEC
from tests.chain import built_of_many

# Controller 1 stands still from second 3 to 9; controller 2 moves a-0 to broker 2, and back; a-2 has no broker 3.
CONTROLLER_1 = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,010] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 2) (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] New topics: [Set(a)], deleted topics: [Set()], new partition replica assignment [Map(a-0 -> Vector(1, 2), a-1 -> Vector(2, 1), a-2 -> Vector(3, 2))] (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] TRACE [Controller id=1] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,001] TRACE [Controller id=1] Leader imbalance ratio for broker 1 is 0.0 (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,002] TRACE [Controller id=1] Leader imbalance ratio for broker 3 is 1.0 (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] TRACE [Controller id=1] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,001] TRACE [Controller id=1] Leader imbalance ratio for broker 1 is 0.0 (kafka.controller.KafkaController)
"""
STATE_CHANGE_1 = """
    [2026-11-21 00:00:02,002] TRACE [Controller id=1 epoch=1] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:02,002] TRACE [Controller id=1 epoch=1] Changed partition a-1 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:02,002] TRACE [Controller id=1 epoch=1] Changed partition a-2 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2), zkVersion=0) (state.change.logger)
"""
CONTROLLER_2 = """
    [2026-11-21 00:00:05,000] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 2 and epoch zk version is now 2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,010] INFO [Controller id=2] Currently active brokers in the cluster: Set(1, 2) (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,000] TRACE [Controller id=2] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,001] TRACE [Controller id=2] Leader imbalance ratio for broker 1 is 1.0 (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,002] INFO [Controller id=2] Starting preferred replica leader election for partitions a-0 (kafka.controller.KafkaController)
    [2026-11-21 00:00:07,010] TRACE [Controller id=2] Leader imbalance ratio for broker 2 is 0.05 (kafka.controller.KafkaController)
"""
STATE_CHANGE_2 = """
    [2026-11-21 00:00:06,000] TRACE [Controller id=2 epoch=2] Changed partition a-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=1, isr=List(2), zkVersion=1) (state.change.logger)
    [2026-11-21 00:00:07,005] TRACE [Controller id=2 epoch=2] Changed partition a-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=2, isr=List(2, 1), zkVersion=2) (state.change.logger)
"""
LOGS = {
    (1, "controller"): CONTROLLER_1,
    (1, "state-change"): STATE_CHANGE_1,
    (2, "controller"): CONTROLLER_2,
    (2, "state-change"): STATE_CHANGE_2,
}
Logs = dict[tuple[int, str], str]
# Each broker's own limit: nothing is over that of controller 2, and of 1 what it printed before each check counts.
SERVER: Logs = {
    (1, "server"): """
    [2026-11-21 00:00:00,500] INFO Property leader.imbalance.per.broker.percentage is overridden to 99 (kafka.utils.VerifiableProperties)
    [2026-11-21 00:00:03,003] INFO Property leader.imbalance.per.broker.percentage is overridden to 100 (kafka.utils.VerifiableProperties)
""",
    (2, "server"): """
    [2026-11-21 00:00:08,000] INFO Property leader.imbalance.per.broker.percentage is overridden to 100 (kafka.utils.VerifiableProperties)
""",
}
# (term, broker): ratio, equal, stale, triggered, moved, what came of it
EXPECTED = {
    ("1-1", 1, 3): (0.0, True, False, False, 0, "none_needed"),
    ("1-1", 3, 3): (1.0, True, False, False, 0, "preferred_down"),
    ("1-2", 1, 7): (1.0, True, False, True, 1, "rebalanced"),
    ("1-2", 2, 7): (0.0, False, False, False, 0, "none_needed"),
    ("1-1", 1, 9): (0.0, True, True, False, 0, "none_needed"),
}
SAID = ("imbalance_ratio", "is_equal", "is_stale", "is_triggered", "moved_count", "follow_up")
# Before each ratio of controller 2 stands what it lists: for broker 1 nothing (a-0 is missing), for broker 2 one more.
LISTED = CONTROLLER_2.replace(
    "    [2026-11-21 00:00:07,001] TRACE",
    "    [2026-11-21 00:00:07,001] DEBUG [Controller id=2] Topics not in preferred replica for broker 1 Map() "
    "(kafka.controller.KafkaController)\n    [2026-11-21 00:00:07,001] TRACE",
).replace(
    "    [2026-11-21 00:00:07,010] TRACE",
    "    [2026-11-21 00:00:07,009] DEBUG [Controller id=2] Topics not in preferred replica for broker 2 "
    "Map(a-1 -> Vector(2, 1)) (kafka.controller.KafkaController)\n    [2026-11-21 00:00:07,010] TRACE",
)
AGREED = CONTROLLER_1.replace(
    "    [2026-11-21 00:00:03,002] TRACE",
    "    [2026-11-21 00:00:03,002] DEBUG [Controller id=1] Topics not in preferred replica for broker 3 "
    "Map(a-2 -> Vector(3, 2)) (kafka.controller.KafkaController)\n    [2026-11-21 00:00:03,002] TRACE",
)
LISTS = {(1, "controller"): AGREED, (2, "controller"): LISTED}


UNSEEN = "\n".join(CONTROLLER_2.strip().splitlines()[1:])  # without its election
STORIES: dict[str, Logs] = {
    "whole": LOGS,
    "listed": LOGS | LISTS,
    "limited": LOGS | SERVER,
    "without-the-first": {place: text for place, text in LOGS.items() if place[0] != 1},
    "unseen": LOGS | {(2, "controller"): UNSEEN},
}
Told = dict[tuple[str, int, int], tuple[Any, ...]]


@pytest.fixture(scope="module")
def checks() -> pl.DataFrame:
    """gold.imbalance_check of all stories."""
    found: pl.DataFrame = built_of_many(STORIES, "imbalance_check")["imbalance_check"]
    return found


def of(checks: pl.DataFrame, story: str) -> list[dict[str, Any]]:
    return checks.filter(col("cluster_id") == story).sort("checked_at").to_dicts()


def told(checks: pl.DataFrame, story: str, *names: str) -> Told:
    """By term, broker and second."""
    return {
        (row["term_id"], row["broker_id"], row["checked_at"].second): tuple(row[name] for name in names)
        for row in of(checks, story)
    }


def test_declarations_hold(checks: pl.DataFrame) -> None:
    assert broken_rows(checks, expectation_of(SPEC)).rows() == []


def test_each_controller_by_its_own_view(checks: pl.DataFrame) -> None:
    """Of broker 2 Kafka prints what the lines before do not give: as all terms were seen, that is unequal."""
    assert told(checks, "whole", *SAID) == EXPECTED


def test_which_partitions_differ(checks: pl.DataFrame) -> None:
    """By what stands in Kafka's list before the ratio; the ratios are what they were."""
    assert told(checks, "listed", *SAID) == EXPECTED
    rows = of(checks, "listed")
    assert [len(row["evidence"]) for row in rows if row["listed_count"] is not None] == [2, 2, 2]
    assert told(checks, "listed", "listed_count", "only_kafka", "only_ours_count") == {
        ("1-1", 1, 3): (None, None, None),
        ("1-1", 3, 3): (1, [], 0),
        ("1-2", 1, 7): (0, [], 1),
        ("1-2", 2, 7): (1, ["a-1"], 0),
        ("1-1", 1, 9): (None, None, None),
    }


def test_the_limit_is_what_the_controller_printed_before(checks: pl.DataFrame) -> None:
    expected = EXPECTED | {("1-2", 1, 7): (1.0, True, False, True, 1, "none_needed")}
    assert told(checks, "limited", *SAID) == expected


def test_without_the_first_controller_nothing_is_decided(checks: pl.DataFrame) -> None:
    assert {one[1] for one in told(checks, "without-the-first", *SAID).values()} == {None}


def test_a_controller_whose_election_is_not_there(checks: pl.DataFrame) -> None:
    """state-change.log says whose term it is: a ratio whose partitions it names is Kafka's, of another one not all are
    known."""
    rows = [row for row in of(checks, "unseen") if row["controller_id"] == 2]
    shown = ("kafka_ratio", "imbalance_ratio", "is_equal", "is_over", "reason")
    assert [tuple(row[name] for name in shown) for row in rows] == [
        (1.0, 1.0, True, True, None),
        (0.05, 0.0, None, False, "beginning_missing"),
    ]


def as_java_prints(ratio: float) -> str:
    """Six decimals of the shortest digits of the double, halves up."""
    return str(Decimal(repr(ratio)).quantize(Decimal("0.000001"), ROUND_HALF_UP))


def same(preferred: int, elsewhere: int, printed: str) -> bool:
    row = {
        "term_id": "1-1", "preferred": preferred, "elsewhere": elsewhere, "moved": 0, "listed": None, "agreed": None,
        "printed": printed, "kafka_ratio": float(printed.replace(",", ".")),
    }  # fmt: skip
    found: bool = with_ratio(pl.DataFrame([row]))["is_same"].item()
    return found


# (preferred, led elsewhere, as printed)
EQUAL = (
    (3, 1, "0.333333"),
    (3, 1, "0,333333"),
    (3, 1, "0.3333333333333333"),
    (3, 2, "0.666667"),
    (128, 1, "0.007813"),
    (7, 0, "0.000000"),
    (7, 7, "1.000000"),
)
UNEQUAL = (
    (3, 1, "0.333334"),
    (3, 1, "0.33333333"),
    (3, 1, "0.3333333333333334"),
    (128, 1, "0.007812"),
    (0, 0, "0.0"),
    (0, 0, "0.000000"),
)


def test_a_ratio_is_kafkas_to_the_last_bit_or_up_to_0_10_2_by_what_it_prints() -> None:
    assert [one for one in EQUAL if not same(*one)] == []
    assert [one for one in UNEQUAL if same(*one)] == []


def test_six_decimals_are_those_of_java() -> None:
    random = Random(20261121)  # noqa: S311  no secrets are drawn
    halves = [(2**power, one) for power in range(7, 20) for one in (1, 3, 2**power - 1)]
    drawn = [(size, random.randint(0, size)) for size in random.sample(range(1, 1_000_000), 500)]
    pairs = [*halves, *drawn]
    rows = pl.DataFrame(pairs, schema=["preferred", "elsewhere"], orient="row").with_columns(
        term_id=pl.lit("1-1"), moved=0, listed=0, agreed=0, kafka_ratio=2.0,
        printed=pl.Series([as_java_prints(elsewhere / preferred) for preferred, elsewhere in pairs]),
    )  # fmt: skip
    assert with_ratio(rows)["is_same"].all()
    one_more = rows.with_columns(elsewhere=col("elsewhere") + col("preferred") // 2 + 1)
    assert not with_ratio(one_more)["is_same"].any()
