"""Epochs of a KRaft quorum, as controllers hear of them in controller.log: who leads which, and races without one."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.wording import millis
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines

HEARD, ACTIVE = "controller_observed_leader", "controller_active"
# Votes are split now and then: two or three epochs in a second or two are how Raft elects.
LEAST_EPOCHS, LEAST_MS = 5, 10_000
# An election takes a second or two: who is silent for longer prints nothing more.
STILL_MS = 60_000
LIFE = ("cluster_id", "life")
RUN = (*LIFE, "run")
EPOCH = "controller_epoch"


def heard(
    controller_event: pl.DataFrame, controller_term: pl.DataFrame, states: pl.DataFrame
) -> pl.DataFrame:
    """(LIFE, EPOCH, at, by_id, is_led, LINE): who leads which epoch, as controllers hear it, or say of themselves; of
    epochs whose leader none of them names by states (led_states), then without by_id."""
    is_active = col("event") == ACTIVE
    elected = controller_term.filter(col("mode") == "kraft", col("elected_at").is_not_null())
    begun = elected.group_by(LIFE).agg(from_at=col("elected_at").min())
    first = begun.group_by("cluster_id").agg(first_life=col("life").min())
    said = controller_event.filter((is_active | (col("event") == HEARD)) & col(EPOCH).is_not_null()).select(
        *("cluster_id", EPOCH, *LINE),
        at="logged_at",
        by_id=pl.coalesce("node_id", "controller_id"),
        is_led=is_active | col("active_controller_id").is_not_null(),
    )
    unheard = states.join(said.filter("is_led"), on=["cluster_id", EPOCH], how="anti")
    return (
        pl.concat([said, unheard.with_columns(by_id=lit(None, pl.Int32)).select(said.columns)])
        .sort("at")
        .join_asof(
            begun.sort("from_at"), left_on="at", right_on="from_at", by="cluster_id", check_sortedness=False
        )
        .join(first, on="cluster_id", how="left")
        .with_columns(life=pl.coalesce("life", "first_life", lit(1)).cast(pl.Int32))
    )


def by_epoch(said: pl.DataFrame) -> pl.DataFrame:
    """One row per epoch that controllers heard of: at, line, by_ids; of one that is led, who leads it first."""
    in_turn = said.sort("at", *LINE)
    known = in_turn.group_by("cluster_id").agg(nodes_count=col("by_id").drop_nulls().n_unique())
    is_led = col("is_led").any()
    first_led = col("is_led") | ~is_led
    return (
        in_turn.group_by(*LIFE, EPOCH, maintain_order=True)
        .agg(
            *(col(name).filter(first_led).first() for name in ("at", *LINE)),
            is_led=is_led,
            by_ids=col("by_id").unique(),
        )
        .join(known, on="cluster_id")
        .with_columns(line=known_lines(LINE))
        .sort(*LIFE, EPOCH)
    )


def races(epochs: pl.DataFrame) -> pl.DataFrame:
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
    is_long = end_at.dt.epoch("ms") - millis("from_at") >= LEAST_MS
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


def with_begin(found: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """since_at, begin_line, term_id: when the leader before renounced, as it heard of the first epoch without one
    (is_begun); else when that was heard of first."""
    ended = controller_term.filter(col("mode") == "kraft", col("ended_how") == "renounced").select(
        *(*LIFE, "term_id"),
        led_epoch=EPOCH,
        ended_at="ended_at",
        end_line=col("lines").map.get("ended").fill_null(NO_LINES),
    )
    is_begun = (millis("from_at") - millis("ended_at")).is_between(0, STILL_MS).fill_null(value=False)
    return (
        found.join(ended, on=[*LIFE, "led_epoch"], how="left")
        .with_columns(is_begun=is_begun)
        .with_columns(
            since_at=when("is_begun").then("ended_at").otherwise("from_at"),
            begin_line=when("is_begun").then("end_line").otherwise("first_line"),
        )
    )
