"""The rule ratio_disagreement."""

from decimal import Decimal

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    broker_name,
    count_above_zero,
    counted_noun,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

NAMES_SHOWN = 3
GROUP = ("cluster_id", "term_id", "controller_id", "broker_id")
LEAST_PLAIN = 0.001


@made_of_rows("imbalance_check")
def find(imbalance_check: pl.DataFrame) -> pl.DataFrame:
    """Kafka printed another ratio than its own lines give, and all of them were read: ours, or its, is wrong. One
    finding per controller, term and broker.

    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9.
    """
    first = ("checked_at", "kafka_ratio", "imbalance_ratio", "only_kafka", "evidence")
    found = (
        imbalance_check.filter(~col("is_equal"))
        .sort(first)
        .group_by(GROUP, maintain_order=True)
        .agg(col(first).first(), valid_until_at=col("checked_at").max(), lines=pl.len())
    )
    said = found.with_columns(
        java_double_texts(found["kafka_ratio"]).alias("kafka_prints"),
        java_double_texts(found["imbalance_ratio"]).alias("lines_give"),
    )
    epoch = col("term_id").str.extract(r"^\d+-(\d+)$")
    controller = filled_text("controller {} (epoch {})", "controller_id", epoch)
    shown = col("only_kafka").list.head(NAMES_SHOWN)
    names = shown.list.join(", ")
    count = col("only_kafka").list.len()
    also = when(count > 0).then(filled_text("; Kafka alone counts {}: {}", count, names)).otherwise(lit(""))
    return said.select(
        *("cluster_id", "term_id", "valid_until_at", "evidence"),
        *severity_column("warning"),
        entity=broker_name(),
        root_event=controller,
        **root_columns("controller", broker_id="controller_id"),
        valid_from_at="checked_at",
        sentence=filled_text(
            "{} printed imbalance ratio {} for broker {}, its own lines give {} ({} so){}",
            *(
                controller,
                "kafka_prints",
                "broker_id",
                col("lines_give").fill_null("none"),
                counted_noun("lines", "check"),
                also,
            ),
        ),
        facts=facts_column(
            controller_id="controller_id",
            controller_epoch=epoch,
            broker_id="broker_id",
            kafka_ratio="kafka_ratio",
            imbalance_ratio="imbalance_ratio",
            lines_count="lines",
            only_kafka_count=count_above_zero(count),
            only_kafka=when(count > 0).then(shown),
        ),
        certainty=lit("proved"),
    )


def java_double_texts(ratios: pl.Series) -> pl.Series:
    """Shares as Java prints a double."""
    texts = [None if ratio is None else as_java_prints(ratio) for ratio in ratios]
    return pl.Series(ratios.name, texts, pl.String)


def as_java_prints(ratio: float) -> str:
    """A share between 0 and 1: below a thousandth it has an exponent, 2.5E-4."""
    if ratio == 0 or ratio >= LEAST_PLAIN:
        return repr(ratio)
    exact = Decimal(repr(ratio))
    first, *others = exact.normalize().as_tuple().digits
    return f"{first}.{''.join(map(str, others)) or '0'}E{exact.adjusted()}"


RULE = Rule(
    name="ratio_disagreement",
    version=1,
    severities=("warning",),
    facts=(
        "controller_id",
        "controller_epoch",
        "broker_id",
        "kafka_ratio",
        "imbalance_ratio",
        "lines_count",
        "only_kafka_count",
        "only_kafka",
    ),
    find=find,
)
