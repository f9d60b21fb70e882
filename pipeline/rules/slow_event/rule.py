"""The rule slow_event."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Limit, Rule, made_of_rows
from pipeline.rules.shared.limits import EVENT
from pipeline.rules.shared.terms import deposed_times
from pipeline.rules.shared.wording import (
    CONTROLLER,
    controller_name,
    count_above_zero,
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    rounded_decimals,
    severity_column,
)
from pipeline.rules.shared.work import with_waiting_work, work_text
from pipeline.rules.slow_event.costs import with_usual_cost

# failover_slow tells of starts; what KRaft says of its events is another rule's.
TOLD_ELSEWHERE = ("Startup", "Resignation", "slow_event", "failed_event", "period")
CASE = ("cluster_id", "term_id", "kind")
# Of fewer partitions the time a partition says nothing.
MANY_PARTITIONS = 20


@made_of_rows("controller_event")
def find(
    controller_event: pl.DataFrame,
    controller_term: pl.DataFrame,
    release_span: pl.DataFrame,
    event_ms: int,
    slow_event_ms: int,
) -> pl.DataFrame:
    """A controller in ZooKeeper mode was busy with one event for long: all others waited, as one thread does all. One
    finding per term and kind, of the longest. What a controller did that was frozen or deposed meanwhile is none.

    Source: ControllerEventManager.ControllerEventThread, from 0.11; the lock of the controller up to 0.10.
    """
    slow = (
        slowest_of_kinds(controller_event, controller_term, min(slow_event_ms, event_ms))
        .pipe(with_waiting_work, controller_event)
        .pipe(with_usual_cost, release_span)
        .sort("cluster_id", "began_at", "work_seq")
    )
    is_long = col("busy_ms") > event_ms
    more = filled_text("; {} more of this kind took long", "others")
    others = when(col("others") > 0).then(more).otherwise(lit(""))
    return slow.select(
        *("cluster_id", "term_id", "certainty", "evidence"),
        *severity_column(when(is_long).then(lit("warning")).otherwise(lit("info"))),
        entity=controller_name(),
        root_event=filled_text("{} at {}", "kind", epoch_millis("began_at")),
        **root_columns(col("kind"), "began_at", "controller_id"),
        valid_from_at="began_at",
        valid_until_at="ended_at",
        sentence=filled_text(
            "{} was busy for {} with {}{}{}{}",
            controller_name(),
            *(duration_text(col("busy_ms")), work_text(), size_text(), "waiting", others),
        ),
        facts=facts_column(
            **CONTROLLER,
            event="kind",
            lasted_ms="busy_ms",
            partitions_count=count_above_zero(col("partitions_count")),
            waiting_count="waiting_count",
            slow_count=col("others") + 1,
        ),
    )


def slowest_of_kinds(
    controller_event: pl.DataFrame, controller_term: pl.DataFrame, least_ms: int
) -> pl.DataFrame:
    """Of each term and kind the event that took longest, with others, how many more took longer than least_ms; those
    of controllers that were, or may have been, deposed by the end of the event are left out."""
    epochs = deposed_times(controller_term)
    is_deposed = (col("deposed_at") <= col("ended_at")).fill_null(value=False)
    return (
        controller_event.filter(col("busy_ms") > least_ms, ~col("kind").is_in(TOLD_ELSEWHERE))
        .join(epochs, on=["cluster_id", "term_id"], how="left")
        .filter(~is_deposed)
        .sort("busy_ms", "work_seq", descending=[True, False])
        .with_columns(others=pl.len().over(CASE).cast(pl.Int64) - 1)
        .unique(CASE, keep="first", maintain_order=True)
    )


def size_text() -> pl.Expr:
    """How many partitions, and how long each took, beside what is usual."""
    each = rounded_decimals(col("busy_ms") / col("partitions_count"), 1)
    usual = when(col("usual_from_ms").is_not_null()).then(
        filled_text(", usual {} to {}", "usual_from_ms", "usual_until_ms")
    )
    said = filled_text(" ({} partitions, {} ms each{})", "partitions_count", each, usual.otherwise(lit("")))
    return when(col("partitions_count") >= MANY_PARTITIONS).then(said).otherwise(lit(""))


RULE = Rule(
    name="slow_event",
    version=1,
    severities=("warning", "info"),
    facts=(
        *("controller_id", "controller_epoch", "event", "lasted_ms", "partitions_count", "waiting_count"),
        "slow_count",
    ),
    find=find,
    limits=(
        EVENT,
        Limit(
            "slow_event_ms",
            1000,
            "ms",
            "An event of a controller that took longer is told; over event_ms it is a warning.",
        ),
    ),
)
