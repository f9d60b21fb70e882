"""The rule standing_imbalance."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Limit, Rule, made_of_rows
from pipeline.rules.shared.waiting import HALTING
from pipeline.rules.shared.wording import (
    NO_TERM,
    broker_name,
    facts_column,
    filled_text,
    root_columns,
    rounded_decimals,
    severity_column,
)

HALTED = "; a reassignment was open most of that time: up to 3.3 that stops automatic balancing (KAFKA-10149)"
NOT_ENABLED = "; auto.leader.rebalance.enable=false: nothing moves leaders back"


@made_of_rows("imbalance_breach")
def find(imbalance_breach: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """A breach that outlasted the checks that a finding allows, while its broker was live and in the ISR of what it
    should lead; a warning while it stands. A reassignment is said to hold it back unless all nodes run 3.4 or later."""
    halting = pl.element().is_in(HALTING).any()
    halted = release_span.group_by("cluster_id").agg(is_halting=col("releases").list.agg(halting).any())
    is_decided = col("certainty") != "undetermined"
    may_halt = col("is_halting").fill_null(value=True) & (col("why") == "reassignment_in_progress")
    is_disabled = col("why") == "auto_rebalance_disabled"
    severity = when(col("balanced_at").is_null()).then(lit("warning")).otherwise(lit("info"))
    found = imbalance_breach.filter(col("is_standing") & is_decided)
    return found.join(halted, on="cluster_id", how="left", maintain_order="left").select(
        *("cluster_id", "certainty", "evidence"),
        *severity_column(severity),
        entity=broker_name(),
        root_event=filled_text("breach since {}", exact_time_text("breached_at")),
        **root_columns("breach", "breached_at", "broker_id"),
        term_id=NO_TERM,
        valid_from_at="breached_at",
        valid_until_at="balanced_at",
        sentence=filled_text(
            "{} leads too few: {} of its {} preferred partitions are led elsewhere, ratio {} over {}{}",
            *(broker_name(), "led_elsewhere_count", "preferred_count"),
            *(rounded_decimals(col("max_ratio"), 4), rounded_decimals(col("threshold_ratio"), 2)),
            when(is_disabled).then(lit(NOT_ENABLED)).when(may_halt).then(lit(HALTED)).otherwise(lit("")),
        ),
        facts=facts_column(
            broker_id="broker_id",
            led_elsewhere_count="led_elsewhere_count",
            preferred_count="preferred_count",
            imbalance_ratio="max_ratio",
            threshold_ratio="threshold_ratio",
            is_auto_rebalance_enabled=when(is_disabled).then(lit(value=False)),
        ),
    )


def exact_time_text(name: str) -> pl.Expr:
    """A time in UTC with as many digits of its second as it has: 2026-11-21 08:00:00.5."""
    text = col(name).dt.strftime("%Y-%m-%d %H:%M:%S%.f")
    return text.str.replace(r"(\.\d+?)0+$", "${1}")


RULE = Rule(
    name="standing_imbalance",
    version=3,
    severities=("warning", "info"),
    facts=(
        "broker_id",
        "led_elsewhere_count",
        "preferred_count",
        "imbalance_ratio",
        "threshold_ratio",
        "is_auto_rebalance_enabled",
    ),
    find=find,
    limits=(
        Limit(
            "imbalance_checks",
            2,
            "times",
            "An imbalance is a finding once it has outlasted so many of Kafka's checks.",
        ),
    ),
)
