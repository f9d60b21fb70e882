"""The rule stated_imbalance."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    broker_name,
    clock_time,
    facts_column,
    filled_text,
    plain_decimals,
    root_columns,
    rounded_decimals,
    severity_column,
)

BROKER = ("cluster_id", "controller_id", "broker_id")
# A check finds a broker over the limit that the next one mends; one more may be late.
LEAST_CHECKS = 3


@made_of_rows("imbalance_check")
def find(imbalance_check: pl.DataFrame, imbalance_breach: pl.DataFrame) -> pl.DataFrame:
    """Kafka printed ratios over its limit in several checks one after another, and what its controller knew cannot be
    told, as the logs begin within its term: told as Kafka says it.

    Not of a broker of which a breach of that time is decided (standing_imbalance), nor of a deposed controller.
    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9: it moves leaders back where it can.
    """
    streaks = over_in_a_row(imbalance_check).filter(col("checks_count") >= LEAST_CHECKS, "is_untold")
    is_decided = col("is_standing") & (col("certainty") != "undetermined")
    decided = imbalance_breach.filter(is_decided).select(
        "cluster_id", "broker_id", "breached_at", "balanced_at"
    )
    is_before_end = (col("from_at") <= col("balanced_at")).fill_null(value=True)
    told = streaks.join(decided, on=["cluster_id", "broker_id"]).filter(
        is_before_end, col("until_at") >= col("breached_at")
    )
    found = streaks.join(told, on=[*BROKER, "from_at"], how="anti")
    is_none, is_open = col("least_ratio") == 1, col("over_at").is_null()
    share = when(is_none).then(lit("none")).otherwise(lit("too few"))
    ratio = (
        when(is_none)
        .then(lit("1.0"))
        .otherwise(filled_text("up to {}", rounded_decimals(col("kafka_ratio"), 4)))
    )
    why = when(is_none).then(lit(": it is or was down, or cannot be elected")).otherwise(lit(""))
    severity = when(is_open).then(lit("warning")).otherwise(lit("info"))
    return found.select(
        *("cluster_id", "term_id"),
        *severity_column(severity),
        entity=broker_name(),
        root_event=filled_text(
            "controller {}, {}", "controller_id", col("from_at").dt.strftime("%Y-%m-%d %H:%M:%S%.3f")
        ),
        **root_columns("controller", "from_at", "controller_id"),
        valid_from_at="from_at",
        valid_until_at="over_at",
        sentence=filled_text(
            "Kafka itself says: {} leads {} of the partitions it should (ratio {} > {}) in {} checks from {} to {}{}",
            *(broker_name(), share, ratio, plain_decimals(col("threshold_ratio")), "checks_count"),
            *(clock_time(name, "from_at") for name in ("from_at", "until_at")),
            why,
        ),
        facts=facts_column(
            broker_id="broker_id",
            controller_id="controller_id",
            kafka_ratio="kafka_ratio",
            threshold_ratio="threshold_ratio",
            checks_count="checks_count",
        ),
        certainty=lit("proved"),
        evidence=pl.concat_list("first_line", "highest_line", "last_line", "over_line").list.unique(
            maintain_order=True
        ),
    )


def over_in_a_row(imbalance_check: pl.DataFrame) -> pl.DataFrame:
    """One row per checks in a row of one controller in which a broker is over the limit. is_untold: of none it is known
    what the controller knew. over_at: the next check, in which it is over it no more."""
    following = {"over_at": "checked_at", "over_line": "line"}
    highest = col("line").sort_by("kafka_ratio", descending=True, maintain_order=True).first()
    return (
        imbalance_check.filter(~col("is_stale").fill_null(value=False))
        .with_columns(line=known_lines(LINE))
        .sort("checked_at", *LINE)
        .with_columns(
            *(col(of).shift(-1).over(BROKER).alias(name) for name, of in following.items()),
            streak=(~col("is_over")).cast(pl.Int64).cum_sum().over(BROKER),
        )
        .filter("is_over")
        .group_by(*BROKER, "streak", maintain_order=True)
        .agg(
            col("term_id").drop_nulls().first(),
            col("threshold_ratio", "over_at", "over_line").last(),
            from_at=col("checked_at").first(),
            until_at=col("checked_at").last(),
            kafka_ratio=col("kafka_ratio").max(),
            least_ratio=col("kafka_ratio").min(),
            checks_count=pl.len(),
            is_untold=col("is_equal").is_null().all(),
            first_line=col("line").first(),
            highest_line=highest,
            last_line=col("line").last(),
        )
        .with_columns(col("over_line").fill_null(NO_LINES))
    )


RULE = Rule(
    name="stated_imbalance",
    version=1,
    severities=("warning", "info"),
    facts=("broker_id", "controller_id", "kafka_ratio", "threshold_ratio", "checks_count"),
    find=find,
)
