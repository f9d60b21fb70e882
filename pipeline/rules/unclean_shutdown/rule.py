"""The rule unclean_shutdown."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.model.brokers.end_reasons import CLOCKS
from pipeline.model.brokers.given_up import is_abandoned_shutdown_line
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    broker_name,
    clock_time,
    counted_noun,
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

BROKER = ("cluster_id", "broker_id")
# Who gave up goes at once, and its session ends after its time-out at the latest.
GONE_BY = timedelta(minutes=2)


@made_of_rows("broker_session")
def find(broker_session: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """A broker asked to be shut down and was gone before all that others could lead was theirs: the shutdown was cut
    short, no other replica was in sync, or no controller answered, so that it gave up, as its server.log says.

    node_event: its lines of a controlled shutdown that it gave up.
    """
    has_asked = col("shutdown_requested_at").list.len() > 0
    has_unmoved = col("unmoved_count") > 0
    is_given_up = col("given_up_at").is_not_null()
    cut_short = (
        broker_session.pipe(with_abandoned_shutdown, node_event)
        .filter(has_asked | is_given_up, ~col("is_clean") & has_unmoved)
        .with_columns(
            asked_at=pl.min_horizontal(
                "left_at", pl.coalesce(col("shutdown_requested_at").list.first(), "begun_at", "given_up_at")
            )
        )
    )
    led_count = pl.max_horizontal("led_before_count", "unmoved_count")
    lasted_ms = epoch_millis("left_at") - epoch_millis("asked_at")
    given_up = filled_text(
        "; it gave up its controlled shutdown at {}", clock_time("given_up_at", "asked_at")
    )
    return cut_short.select(
        *("cluster_id", "certainty"),
        *severity_column("warning"),
        entity=broker_name(),
        root_event=filled_text("broker left at {}", epoch_millis("left_at")),
        **root_columns("broker left", "left_at", "broker_id"),
        term_id="left_term_id",
        valid_from_at="asked_at",
        valid_until_at="left_at",
        sentence=filled_text(
            "{} was shut down within {} and left {} of {} that it led without a leader; they have other replicas{}",
            *(broker_name(), duration_text(lasted_ms), "unmoved_count", counted_noun(led_count, "partition")),
            when(is_given_up).then(given_up).otherwise(lit("")),
        ),
        facts=facts_column(
            broker_id="broker_id",
            unmoved_count="unmoved_count",
            led_count=led_count,
            lasted_ms=lasted_ms,
            is_given_up=when(is_given_up).then(lit(value=True)),
        ),
        evidence=pl.concat_list("evidence", col("given_up_line").fill_null(NO_LINES)),
    )


def with_abandoned_shutdown(broker_session: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """given_up_at, given_up_line: the broker's own line that its controlled shutdown came to nothing, soon before it
    was noticed that it had left; begun_at: when it says that this shutdown began; null: none."""
    own = node_event.filter(col("area") == "shutdown", col("node_id").is_not_null()).sort("logged_at", *LINE)
    begun_at = when(col("step") == "asked").then("logged_at").forward_fill().over("cluster_id", "node_id")
    lines = (
        own.with_columns(begun_at=begun_at)
        .filter(is_abandoned_shutdown_line())
        .select(
            "cluster_id",
            "begun_at",
            broker_id="node_id",
            given_up_at="logged_at",
            given_up_line=known_lines(LINE),
        )
    )
    soon_at = col("left_at") + CLOCKS
    is_its_own = (col("given_up_at") >= pl.max_horizontal("joined_at", soon_at - GONE_BY)).fill_null(
        value=False
    )
    told = ("begun_at", "given_up_at", "given_up_line")
    return (
        broker_session.with_columns(soon_at=soon_at)
        .sort("soon_at")
        .join_asof(
            lines,
            left_on="soon_at",
            right_on="given_up_at",
            by=BROKER,
            check_sortedness=False,
            coalesce=False,
        )
        .with_columns(when(is_its_own).then(name).alias(name) for name in told)
        .drop("soon_at")
    )


RULE = Rule(
    name="unclean_shutdown",
    version=2,
    severities=("warning",),
    facts=("broker_id", "unmoved_count", "led_count", "lasted_ms", "is_given_up"),
    find=find,
)
