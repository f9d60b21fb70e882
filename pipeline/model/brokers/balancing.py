"""What a broker goes by in automatic leader balancing: by settings, by its own server.log, or by Kafka's default."""

from dataclasses import asdict
from typing import Any

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.settings import BalancingSetting
from schemas.silver.broker_setting import ENABLE, INTERVAL, PER_BROKER

# Kafka's defaults. Source: KafkaConfig, 0.8.2 to 4.3; up to 0.8.1 auto.leader.rebalance.enable was false.
THRESHOLD_RATIO, CHECK_SECONDS, IS_ENABLED = 0.1, 300, True
DEFAULTS = {
    "threshold_ratio": THRESHOLD_RATIO, "check_interval_seconds": CHECK_SECONDS, "is_auto_rebalance_enabled": IS_ENABLED
}  # fmt: skip
TYPES = {
    "threshold_ratio": pl.Float64(),
    "check_interval_seconds": pl.Int64(),
    "is_auto_rebalance_enabled": pl.Boolean(),
}
NAMES = {
    "threshold_ratio": PER_BROKER,
    "check_interval_seconds": INTERVAL,
    "is_auto_rebalance_enabled": ENABLE,
}
RATIO = "threshold_ratio"
PRINTED, DEFAULT = "server.log", "default"
LINE = ("logged_at", "file_id", "byte_offset")
# What a cast of text to a boolean takes, in any case.
TRUE, FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")


def with_balancing_settings(
    rows: pl.DataFrame,
    broker: str,
    balancing_setting: BalancingSetting,
    broker_setting: pl.DataFrame,
    at: str | None = None,
) -> pl.DataFrame:
    """Adds what the broker of that column goes by (DEFAULTS) and limit_source, who says its threshold_ratio.

    balancing_setting: what conf and given files say; it counts before broker_setting. Of what a broker printed counts
    the newest not after the time of the column `at`, the earliest where all are later; the newest where no column is
    given. The earliest, held before it was printed, is no source where it is Kafka's default: a list that comes
    tonight then leaves the rows of earlier days as they are.
    """
    found = rows.join(named_broker_settings(balancing_setting, broker), on=broker, how="left")
    for name in DEFAULTS:
        found = with_printed(found, broker, printed_broker_settings(broker_setting, name), name, at)
    general = balancing_setting.cluster
    is_named = col("is_named").fill_null(value=False)

    def said(name: str, kind: pl.DataType) -> pl.Expr:
        return when(is_named).then(f"own_{name}").otherwise(lit(getattr(general, name), kind))

    ratio = said(RATIO, TYPES[RATIO])
    source = (
        when(ratio.is_not_null())
        .then(said("source", pl.String()))
        .when(is_source(at))
        .then(lit(PRINTED))
        .otherwise(lit(DEFAULT))
    )
    given = {
        name: pl.coalesce(said(name, TYPES[name]), f"held_{name}", lit(default, TYPES[name]))
        for name, default in DEFAULTS.items()
    }
    return found.select(*rows.columns, **given, limit_source=source)


def named_broker_settings(balancing_setting: BalancingSetting, broker: str) -> pl.DataFrame:
    """(broker, own_... per setting, own_source, is_named) of the brokers that are named; one counts as a whole."""
    kinds = TYPES | {"source": pl.String()}
    named: list[dict[str, Any]] = [
        {broker: broker_id} | {f"own_{name}": value for name, value in asdict(one).items()}
        for broker_id, one in balancing_setting.brokers
    ]
    schema = {broker: pl.Int32()} | {f"own_{name}": kind for name, kind in kinds.items()}
    return pl.DataFrame(named, schema=schema).with_columns(is_named=True)


def is_source(at: str | None) -> pl.Expr:
    """True if a printed threshold_ratio is told as such: from when on it was printed, or as it is not the default."""
    held = col(f"held_{RATIO}")
    if at is None:
        return held.is_not_null()
    is_other = held != DEFAULTS[RATIO]
    return held.is_not_null() & (col(f"is_printed_{RATIO}") | is_other)


@needs_rows_of("broker_setting")
def printed_broker_settings(broker_setting: pl.DataFrame, name: str) -> pl.DataFrame:
    """(cluster_id, node_id, logged_at, value): what brokers printed of a setting, in order; the last of each moment."""
    lines = broker_setting.filter(col("name") == NAMES[name], col("node_id").is_not_null())
    return (
        lines.sort(LINE)
        .unique(["cluster_id", "node_id", "logged_at"], keep="last", maintain_order=True)
        .select("cluster_id", "node_id", "logged_at", value=typed_setting_value(name))
    )


def with_printed(
    rows: pl.DataFrame, broker: str, lines: pl.DataFrame, name: str, at: str | None
) -> pl.DataFrame:
    """Adds held_NAME, the value that held, null where the broker printed none; and with `at` is_printed_NAME: True if
    the broker had printed it by then."""
    by = ["cluster_id", broker]
    of_broker = lines.rename({"node_id": broker})
    held, is_printed = f"held_{name}", f"is_printed_{name}"
    ends = of_broker.group_by(by, maintain_order=True).agg(
        earliest=col("value").first(), newest=col("value").last()
    )
    found = rows.join(ends, on=by, how="left")
    if at is None:
        return found.rename({"newest": held}).drop("earliest")
    timed = of_broker.rename({"logged_at": "printed_at"}).filter(col("printed_at").is_not_null())
    until_then = found.sort(at).join_asof(
        timed, left_on=at, right_on="printed_at", by=by, strategy="backward", check_sortedness=False
    )
    was_printed = col("printed_at").is_not_null()
    return until_then.with_columns(
        when(was_printed).then("value").otherwise("earliest").alias(held), was_printed.alias(is_printed)
    ).drop("earliest", "newest", "value", "printed_at")


@needs_rows_of("broker_setting")
def changed_at(broker_setting: pl.DataFrame, broker: str) -> pl.DataFrame:
    """(cluster_id, broker, limits_changed_at: times) at which a broker prints another value than before."""
    of_name = ("cluster_id", "node_id", "name")
    is_other = col("value").shift(1).over(of_name) != col("value")
    return (
        broker_setting.filter(col("node_id").is_not_null(), col("name").is_in(list(NAMES.values())))
        .sort(LINE)
        .filter(is_other)
        .group_by("cluster_id", col("node_id").alias(broker))
        .agg(limits_changed_at=col("logged_at").unique().drop_nulls())
    )


def typed_setting_value(name: str) -> pl.Expr:
    """A value as printed in the type of the setting; null where it is none of that type."""
    text = col("value").str.strip_chars()
    if name == RATIO:
        return text.cast(pl.Int32, strict=False).cast(pl.Float64) / 100
    if TYPES[name] == pl.Boolean():
        word = text.str.to_lowercase()
        return when(word.is_in(TRUE)).then(lit(value=True)).when(word.is_in(FALSE)).then(lit(value=False))
    return text.cast(TYPES[name], strict=False)
