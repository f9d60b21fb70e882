"""When brokers were out of service in KRaft mode, from silver.broker_event."""

import polars as pl
from polars import col, when

from pipeline.model.brokers.outage_bounds import kraft_silence
from pipeline.model.settings import SessionLimit
from pipeline.model.terms.kraft_terms import decisions_in_effect
from schemas.silver.broker_absence import SPEC

SILENT = "session_timed_out"
FENCED = (SILENT, "fence_granted", "shutdown_granted")
LEAVING = "controlled_shutdown_granted"
DISK = "log_dir_failed"  # from 3.7: a broker with several log directories goes on without one
BACK = "unfence_granted"


def build(broker_event: pl.DataFrame, term: pl.DataFrame, session_limit: SessionLimit) -> pl.DataFrame:
    """One row per decision of a controller in its term.

    silent_from_at: a controller that takes over waits for the time-out anew, as did the one before it, whose end is not
    before the next one's election but for a moment.
    A log directory that failed is out until the broker is unfenced again, as a new process: its return has no line.
    Source: BrokerHeartbeatManager, ReplicationControlManager, from 2.8; handleDirectoriesOffline, from 3.7.
    """
    step, at = col("step"), col("at")
    is_decision = (col("said_by") == "decision") & step.is_in([*FENCED, LEAVING, DISK, BACK])
    decisions = broker_event.filter(is_decision & col("broker_id").is_not_null())
    elected = term.select("cluster_id", "term_id", "elected_at")
    silence = kraft_silence(session_limit)
    is_watched = col("elected_at") + silence < at
    heard_at = when(is_watched).then(at).otherwise(pl.min_horizontal(at, "elected_at"))
    next_back = when(step == BACK).then(at).backward_fill()
    return (
        decisions_in_effect(decisions, term, broker_event)
        .join(elected, on=["cluster_id", "term_id"], how="left")
        .sort("at", "file_id", "byte_offset")
        .with_columns(
            back_at=next_back.over("cluster_id", "broker_id"),
            silent_from_at=when(step == SILENT).then(heard_at - silence),
            is_fence=step != LEAVING,
            is_partial=step == DISK,
            out_at=at,
        )
        .filter(step != BACK)
        .select(SPEC.columns)
    )
