"""The rule controller_stalled."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Limit, Rule, made_of_rows
from pipeline.rules.shared.terms import deposed_times
from pipeline.rules.shared.wording import (
    CONTROLLER,
    controller_name,
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)
from pipeline.rules.shared.work import PIECE, TERM

OUTLIVED = "controller_outlived"


@made_of_rows("controller_event")
def find(
    controller_event: pl.DataFrame, controller_term: pl.DataFrame, earlier: pl.DataFrame, stalled_ms: int
) -> pl.DataFrame:
    """A controller's own check of leader balance came late, and nothing else kept it busy: it stood still, frozen or
    waiting for ZooKeeper. One finding per check. Where another controller was elected meanwhile, or may have
    been, it is told as info: what that meant is the matter of other rules; where one outlived its term, it is said
    there.

    Source: KafkaController.scheduleAutoLeaderRebalanceTask, from 0.11.
    """
    terms = deposed_times(controller_term)
    outlived = earlier.filter(col("rule") == OUTLIVED).select("cluster_id", "term_id")
    waited = controller_event.filter(col("waited_by") == "timer", col("waited_ms") > stalled_ms).with_columns(
        due_at=col("began_at") - pl.duration(milliseconds="waited_ms")
    )
    late = (
        waited.join(terms, on=list(TERM), how="left")
        .join(outlived, on=list(TERM), how="anti")
        .join(busy_meanwhile(waited, controller_event), on=list(PIECE), how="left")
        .filter(col("busy_then_ms").fill_null(0) * 2 < col("waited_ms"))
        .sort("cluster_id", "began_at", "work_seq")
    )
    is_deposed = (col("deposed_at") <= col("began_at")).fill_null(value=False)
    return late.select(
        *("cluster_id", "term_id", "evidence"),
        *severity_column(when(is_deposed).then(lit("info")).otherwise(lit("warning"))),
        entity=controller_name(),
        root_event=filled_text("stalled at {}", epoch_millis("began_at")),
        **root_columns("controller stalled", "due_at", "controller_id"),
        valid_from_at="due_at",
        valid_until_at="began_at",
        sentence=filled_text(
            "{} did nothing for {}: its check of leader balance came that late",
            controller_name(),
            duration_text(col("waited_ms")),
        ),
        facts=facts_column(**CONTROLLER, lasted_ms="waited_ms"),
        certainty=lit("inferred"),
    )


def busy_meanwhile(waited: pl.DataFrame, controller_event: pl.DataFrame) -> pl.DataFrame:
    """(PIECE, busy_then_ms): how long the controller was busy with something else while a check of its own waited.

    waited: checks that came late, each held against all pieces of its term. Of all checks that would be the square of
    what a term has, which may last for months.
    """
    waiting = waited.select(*PIECE, until_at="began_at", since_at="due_at")
    others = controller_event.select(
        *TERM, other_seq="work_seq", other_from="began_at", other_until="ended_at"
    )
    both = waiting.join(others, on=list(TERM)).filter(
        col("other_seq") < col("work_seq"), col("other_until") > col("since_at")
    )
    overlap = pl.min_horizontal("other_until", "until_at") - pl.max_horizontal("other_from", "since_at")
    return both.group_by(PIECE).agg(busy_then_ms=overlap.dt.total_milliseconds().clip(0).sum())


RULE = Rule(
    name="controller_stalled",
    version=1,
    severities=("warning", "info"),
    facts=("controller_id", "controller_epoch", "lasted_ms"),
    find=find,
    after=(OUTLIVED,),
    limits=(
        Limit(
            "stalled_ms",
            3000,
            "ms",
            "A controller whose own check of leader balance comes that late, with nothing else in work, stood still.",
        ),
    ),
)
