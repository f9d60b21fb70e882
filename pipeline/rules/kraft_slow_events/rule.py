"""The rule kraft_slow_events."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.limits import EVENT
from pipeline.rules.shared.wording import (
    CONTROLLER,
    controller_name,
    counted_noun,
    duration_text,
    facts_column,
    filled_text,
    kept_evidence,
    root_columns,
    severity_column,
)
from pipeline.rules.shared.work import TERM


@made_of_rows("controller_event")
def find(controller_event: pl.DataFrame, controller_term: pl.DataFrame, event_ms: int) -> pl.DataFrame:
    """A KRaft controller called events of its own exceptionally slow, from 4.0: one finding per term, the worst first.

    Source: EventPerformanceMonitor.doObserveEvent: from controller.performance.always.log.threshold.ms on.
    """
    slow = (
        controller_event.filter(col("kind") == "slow_event")
        .sort("busy_ms", "work_seq", descending=[True, False])
        .group_by(TERM, maintain_order=True)
        .agg(
            slow_count=pl.len().cast(pl.Int64),
            event=col("event_name").first(),
            lasted_ms=col("busy_ms").first(),
            valid_from_at=col("began_at").min(),
            valid_until_at=col("ended_at").max(),
            evidence=kept_evidence(),
        )
        .join(controller_term.select(*TERM, "controller_id", "controller_epoch"), on=list(TERM))
        .sort(TERM)
    )
    is_long = col("lasted_ms") > event_ms
    return slow.select(
        *("cluster_id", "term_id", "valid_from_at", "valid_until_at", "evidence"),
        *severity_column(when(is_long).then(lit("warning")).otherwise(lit("info"))),
        entity=controller_name(),
        root_event=filled_text("slow events of {}", controller_name()),
        **root_columns("slow events", broker_id="controller_id"),
        sentence=filled_text(
            "{} printed {}, the worst {} with {}",
            *(controller_name(), counted_noun("slow_count", "exceptionally slow event"), "event"),
            duration_text(col("lasted_ms")),
        ),
        facts=facts_column(**CONTROLLER, event="event", lasted_ms="lasted_ms", slow_count="slow_count"),
        certainty=lit("proved"),
    )


RULE = Rule(
    name="kraft_slow_events",
    version=1,
    severities=("warning", "info"),
    facts=("controller_id", "controller_epoch", "event", "lasted_ms", "slow_count"),
    find=find,
    limits=(EVENT,),
)
