"""What is a finding of leader imbalance, and its sentence."""

import polars as pl
import pytest
from polars import col, lit

from pipeline.rules.ratio_disagreement.rule import find as ratio_disagreement
from pipeline.rules.standing_imbalance.rule import find as standing_imbalance
from schemas.gold import imbalance_breach, imbalance_check
from schemas.silver import release_span
from tests.frames import frame
from tests.rules.rows import fact_texts

BREACHES = """
    cluster_id | broker_id | breached_at | balanced_at | max_ratio | led_elsewhere_count | preferred_count | threshold_ratio | is_standing | why                     | certainty
    c          | 1         | 50          | 70          | 0.5       | 2                   | 4               | 0.1             | false       | preferred_not_in_isr    | inferred
    c          | 1         | 90          |             | 0.25      | 1                   | 4               | 0.1             | true        | not_rebalanced          | inferred
    c          | 3         | 100         | 300         | 0.5       | 1                   | 2               | 0.1             | true        | auto_rebalance_disabled | undetermined
"""
CHECKS = """
    cluster_id | term_id | controller_id | broker_id | checked_at | kafka_ratio | imbalance_ratio | is_equal | only_kafka
    c          | 1-2     | 2             | 1         | 7          | 1           | 1               | true     | []
    c          | 1-2     | 2             | 2         | 8          | 0.05        | 0               | false    | [a-1]
    c          | 1-2     | 2             | 3         | 9          | 0.5         |                 |          |
"""


def breaches() -> pl.DataFrame:
    return frame(imbalance_breach.SPEC, BREACHES)


def releases(*known: str) -> pl.DataFrame:
    """That the nodes of c may run."""
    spans = frame(release_span.SPEC, "cluster_id | node_id\nc | 1")
    return spans.with_columns(releases=lit(list(known), pl.List(pl.String))).head(len(known))


@pytest.mark.parametrize(
    ("known", "is_said"), [((), True), (("3.3.2",), True), (("3.3.2", "3.4.0"), True), (("3.9.1",), False)]
)
def test_a_reassignment_that_holds_balancing_back_is_said(known: tuple[str, ...], is_said: object) -> None:
    held = breaches().with_columns(why=lit("reassignment_in_progress"))
    (row,) = standing_imbalance(held, releases(*known)).to_dicts()
    said = (
        "; a reassignment was open most of that time: up to 3.3 that stops automatic balancing (KAFKA-10149)"
    )
    assert row["sentence"].endswith(said if is_said else "over 0.10")


def test_only_what_outlasts_the_checks_is_a_finding() -> None:
    """And only where enough is known; where nothing moves leaders back, the sentence says so."""
    said = "leads too few: 1 of its 4 preferred partitions are led elsewhere, ratio 0.2500 over 0.10"
    found = standing_imbalance(breaches(), releases())
    assert found.select("sentence", "severity").rows() == [(f"broker 1 {said}", "warning")]
    assert [fact_texts(one) for one in found["facts"]] == [
        {
            "broker_id": "1", "led_elsewhere_count": "1", "preferred_count": "4",
            "imbalance_ratio": "0.25", "threshold_ratio": "0.1",
        }
    ]  # fmt: skip
    sure = breaches().with_columns(certainty=lit("inferred")).filter(col("broker_id") == 3)
    (row,) = standing_imbalance(sure, releases()).to_dicts()
    assert row["severity"] == "info"
    assert fact_texts(row["facts"])["is_auto_rebalance_enabled"] == "false"
    assert row["sentence"].endswith("; auto.leader.rebalance.enable=false: nothing moves leaders back")


def test_another_ratio_than_kafka_prints_is_a_finding() -> None:
    found = ratio_disagreement(frame(imbalance_check.SPEC, CHECKS))
    assert found["sentence"].to_list() == [
        "controller 2 (epoch 2) printed imbalance ratio 0.05 for broker 2, its own lines give 0.0 (1 check so)"
        "; Kafka alone counts 1: a-1"
    ]
    assert [fact_texts(one) for one in found["facts"]] == [
        {
            "controller_id": "2", "controller_epoch": "2", "broker_id": "2", "kafka_ratio": "0.05",
            "imbalance_ratio": "0.0", "lines_count": "1", "only_kafka_count": "1", "only_kafka": "a-1",
        }
    ]  # fmt: skip
