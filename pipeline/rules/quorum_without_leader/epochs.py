"""Epochs of a KRaft quorum, as controllers hear of them in controller.log: who leads which, and races without one."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.rules.shared.quorum_epochs import ACTIVE, EPOCH, HEARD, LIFE, STILL_MS
from pipeline.rules.shared.wording import epoch_millis


def reported_leaders(
    controller_step: pl.DataFrame, controller_term: pl.DataFrame, states: pl.DataFrame
) -> pl.DataFrame:
    """(LIFE, EPOCH, at, by_id, is_led, LINE): who leads which epoch, as controllers hear it, or say of themselves; of
    epochs whose leader none of them names by states (led_states), then without by_id."""
    is_active = col("event") == ACTIVE
    elected = controller_term.filter(col("mode") == "kraft", col("elected_at").is_not_null())
    begun = elected.group_by(LIFE).agg(from_at=col("elected_at").min())
    first = begun.group_by("cluster_id").agg(first_life=col("life").min())
    said = controller_step.filter((is_active | (col("event") == HEARD)) & col(EPOCH).is_not_null()).select(
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


@needs_rows_of("said")
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


@needs_rows_of("found")
def with_leaderless_begin(found: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """since_at, begin_line, term_id: when the leader before renounced, as it heard of the first epoch without one
    (is_begun); else when that was heard of first."""
    ended = controller_term.filter(col("mode") == "kraft", col("ended_how") == "renounced").select(
        *(*LIFE, "term_id"),
        led_epoch=EPOCH,
        ended_at="ended_at",
        end_line=col("lines").map.get("ended").fill_null(NO_LINES),
    )
    is_begun = (
        (epoch_millis("from_at") - epoch_millis("ended_at")).is_between(0, STILL_MS).fill_null(value=False)
    )
    return (
        found.join(ended, on=[*LIFE, "led_epoch"], how="left")
        .with_columns(is_begun=is_begun)
        .with_columns(
            since_at=when("is_begun").then("ended_at").otherwise("from_at"),
            begin_line=when("is_begun").then("end_line").otherwise("first_line"),
        )
    )
