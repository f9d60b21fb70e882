"""Steps in the life of controllers, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.core.incremental import Incremental
from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.texts import epoch_in_text, first_match, number_in_text
from schemas.silver.controller_step import SPEC

RENOUNCING, FAILED = "Renouncing leadership", "controller_event_failed"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line about a controller's own life.

    A KRaft controller also renounces inside an event that failed; the line says so behind the cause. It says how long
    the event took, until it failed or was found not to be committed: in microseconds.
    Source: KafkaController, ZookeeperLeaderElector, 0.8.2 to 3.9; QuorumController, from 2.8; QuorumState.
    """
    clauses = (
        printed_field(name).str.contains(RENOUNCING, literal=True)
        for name in ("renounce_clause", "message_clause")
    )
    is_renouncing = pl.any_horizontal(*clauses)
    leader = pl.coalesce(printed_field("active_controller_id"), printed_field("quorum_leader"))
    return (
        family_records(log_record, "controller_step")
        .with_columns(
            area=when(is_renouncing).then(lit("end")).otherwise("kind"),
            step=when(is_renouncing).then(lit("renounced")).otherwise("step"),
            controller_id=pl.coalesce("controller_id", "broker_id"),
            controller_epoch=pl.coalesce(*possible_epochs()),
            active_controller_id=number_in_text(first_match(leader, r"(\d+)")),
            detail=field_text().replace("", None),
            began_at=event_begin(),
        )
        .select(SPEC.columns)
    )


def event_begin() -> pl.Expr:
    """As times are printed to the millisecond, the begin is not after that."""
    took_us = number_in_text(pl.coalesce(printed_field("duration_us"), printed_field("delta_us")), pl.Int64())
    began = col("logged_at") - pl.duration(microseconds=took_us)
    return when(took_us >= 0, col("event") == FAILED).then(began.dt.truncate("1ms"))


def possible_epochs() -> tuple[pl.Expr, ...]:
    """Where the epoch may stand, the one that a renouncing controller led first."""
    quorum = when(col("kind") == "quorum").then(field_text())
    return (
        epoch_in_text(printed_field("claim_epoch")),
        col("controller_epoch"),
        epoch_in_text(first_match(printed_field("at_epoch_clause"), r"(\d+)")),
        epoch_in_text(first_match(quorum, r"\bepoch=(\d+)")),
    )


INCREMENTAL = Incremental(is_taken_whole=True)
