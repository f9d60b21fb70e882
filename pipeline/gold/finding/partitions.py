"""Rules on leadership of brokers."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.wording import (
    NO_TERM,
    broker_name,
    decimals,
    facts,
    plain,
    root,
    rule,
    words,
)

NOT_ENABLED = "; auto.leader.rebalance.enable=false: nothing moves leaders back"


def standing_imbalance(imbalance_breach: pl.DataFrame) -> pl.DataFrame:
    """A breach that outlasted the checks that a finding allows, while its broker was live and in the ISR of what it
    should lead; a warning while it stands."""
    is_decided = col("certainty") != "undetermined"
    is_disabled = col("why") == "auto_rebalance_disabled"
    severity = when(col("balanced_at").is_null()).then(lit("warning")).otherwise(lit("info"))
    return imbalance_breach.filter(col("is_standing") & is_decided).select(
        *("cluster_id", "certainty", "evidence"),
        *rule("standing_imbalance", severity, 2),
        entity=broker_name(),
        root_event=words("breach since {}", clock("breached_at")),
        **root("breach", "breached_at", "broker_id"),
        term_id=NO_TERM,
        valid_from_at="breached_at",
        valid_until_at="balanced_at",
        sentence=words(
            "{} leads too few: {} of its {} preferred partitions are led elsewhere, ratio {} over {}{}",
            *(broker_name(), "led_elsewhere_count", "preferred_count"),
            *(decimals(col("max_ratio"), 4), decimals(col("threshold_ratio"), 2)),
            when(is_disabled).then(lit(NOT_ENABLED)).otherwise(lit("")),
        ),
        facts=facts(
            broker_id="broker_id",
            led_elsewhere_count="led_elsewhere_count",
            preferred_count="preferred_count",
            imbalance_ratio=plain(col("max_ratio")),
            threshold_ratio=plain(col("threshold_ratio")),
            is_auto_rebalance_enabled=when(is_disabled).then(lit("false")),
        ),
    )


def clock(name: str) -> pl.Expr:
    """A time in UTC with as many digits of its second as it has: 2026-11-21 08:00:00.5."""
    text = col(name).dt.strftime("%Y-%m-%d %H:%M:%S%.f")
    return text.str.replace(r"(\.\d+?)0+$", "${1}")
