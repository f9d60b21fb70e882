"""Epochs of a KRaft quorum, as controllers hear of them in controller.log: who leads which, and races without one."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.evidence import NO_LINES
from pipeline.rules.shared.wording import epoch_millis

HEARD, ACTIVE = "controller_observed_leader", "controller_active"
# Votes are split now and then: two or three epochs in a second or two are how Raft elects.
LEAST_EPOCHS, LEAST_MS = 5, 10_000
# An election takes a second or two: who is silent for longer prints nothing more.
STILL_MS = 60_000
LIFE = ("cluster_id", "life")
RUN = (*LIFE, "run")
EPOCH = "controller_epoch"


@needs_rows_of("epochs")
def leaderless_epoch_runs(epochs: pl.DataFrame) -> pl.DataFrame:
    """Epochs in a row without a leader, where they are many: RUN, first_epoch, last_epoch, last_at; led_epoch:
    the one before that has a leader; over_at, over_line: when the next one has."""
    is_led, of_life = col("is_led"), col("is_led").cast(pl.Int64)
    runs = epochs.with_columns(
        run=of_life.cum_sum().over(LIFE),
        led_epoch=when(is_led).then(EPOCH).forward_fill().over(LIFE),
        over_at=when(is_led).then("at").backward_fill().over(LIFE),
        over_line=when(is_led).then("line").backward_fill().over(LIFE),
    ).filter(~is_led)
    end_at = pl.coalesce("over_at", "last_at")
    is_long = end_at.dt.epoch("ms") - epoch_millis("from_at") >= LEAST_MS
    return (
        runs.group_by(RUN, maintain_order=True)
        .agg(
            col("led_epoch", "over_at", "over_line", "nodes_count").first(),
            first_epoch=col(EPOCH).first(),
            last_epoch=col(EPOCH).last(),
            epochs_count=pl.len(),
            from_at=col("at").first(),
            last_at=col("at").max(),
            heard_count=col("by_ids").explode().drop_nulls().n_unique(),
            first_line=col("line").first(),
            last_line=col("line").last(),
        )
        .filter(is_long, col("epochs_count") >= LEAST_EPOCHS)
        .filter(col("heard_count") >= pl.min_horizontal("nodes_count", lit(2)))
        .with_columns(col("over_line").fill_null(NO_LINES))
    )
