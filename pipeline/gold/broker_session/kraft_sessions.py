"""Sessions of brokers among the unfenced ones of a KRaft cluster, by what controllers decide in their term."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.brokers.departures import BROKER
from pipeline.model.lines.evidence import known_lines
from pipeline.model.terms.kraft_terms import decisions_in_effect

BACK = "unfence_granted"
SHUT_DOWN = "shutdown_granted"
GONE = (SHUT_DOWN, "session_timed_out", "fence_granted")
DECISION = ("at", "step", "term_id", "file_id", "byte_offset")
UNKNOWN_BEGIN = "before_data"
# A controller replays what it decides at once.
AT_ONCE = timedelta(seconds=1)


def kraft_sessions(
    broker_event: pl.DataFrame, term: pl.DataFrame, seeds: pl.DataFrame, ended_seeds: pl.DataFrame
) -> pl.DataFrame:
    """One row per session: from the decision to unfence a broker until the one that fences it; one that is unfenced
    once more before was another process by then. What a log that is replayed says again is no decision.

    seeds: rows of gold.broker_session that begin before the time from which on lines are given, the last one of each
    broker among them: one that is fenced may be fenced again. ended_seeds: those of them that end before that time.
    Source: BrokerHeartbeatManager, ReplicationControlManager.handleBrokerFenced, handleBrokerUnfenced, from 2.8.
    """
    is_decision = (col("said_by") == "decision") & col("step").is_in([BACK, *GONE])
    decided = (
        broker_event.filter(is_decision, col("broker_id").is_not_null())
        .pipe(decisions_in_effect, term, broker_event)
        .pipe(with_replayed_broker_epoch, broker_event)
        .select(*BROKER, *DECISION, "broker_epoch")
    )
    every = [decided, seeds_as_unfencings(seeds), seeds_as_departures(ended_seeds)]
    return pl.concat(every, how="diagonal").pipe(with_brokers_from_before_data).pipe(sessions_of_decisions)


def with_replayed_broker_epoch(decided: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """broker_epoch of decisions to unfence: that of the record of it, which that controller replays at once. The line
    itself says an offset at or behind it.

    Source: ClusterControlManager.replay, from 2.8; from 3.3 to 3.5 it says no epoch.
    """
    is_record = (col("said_by") == "replay") & (col("step") == "unfenced")
    by = [*BROKER, "node_id"]
    records = broker_event.filter(is_record).select(*by, replayed_at="logged_at", epoch="broker_epoch")
    found = decided.sort("at").join_asof(
        records.sort("replayed_at"), left_on="at", right_on="replayed_at", by=by, strategy="forward",
        tolerance=AT_ONCE, check_sortedness=False,
    )  # fmt: skip
    said = when(col("step") == BACK).then(pl.coalesce("broker_epoch", "epoch")).otherwise("broker_epoch")
    return found.with_columns(broker_epoch=said)


def seeds_as_unfencings(seeds: pl.DataFrame) -> pl.DataFrame:
    """Seeds as decisions to unfence their brokers."""
    opening = col("evidence").list.first().struct
    return seeds.select(
        *BROKER,
        "term_id",
        "broker_epoch",
        "joined_how",
        at="joined_at",
        step=lit(BACK),
        file_id=opening.field("file_id"),
        byte_offset=opening.field("byte_offset"),
    )


def seeds_as_departures(seeds: pl.DataFrame) -> pl.DataFrame:
    """Seeds as decisions to let their brokers go."""
    closing = col("evidence").list.last().struct
    return seeds.select(
        *BROKER,
        at="left_at",
        step=lit(SHUT_DOWN),
        file_id=closing.field("file_id"),
        byte_offset=closing.field("byte_offset"),
    )


def sort_decisions(decided: pl.DataFrame) -> pl.DataFrame:
    """Of a stranger's seed one line is the begin and the end."""
    is_end = col("step") != BACK
    return decided.sort(*BROKER, "at", "file_id", "byte_offset", is_end, nulls_last=False)


def with_brokers_from_before_data(decided: pl.DataFrame) -> pl.DataFrame:
    """A broker of which the first that is decided is that it is out was in until then."""
    first = sort_decisions(decided).unique(BROKER, keep="first", maintain_order=True)
    before = first.filter(col("step") != BACK).with_columns(
        step=lit(BACK), byte_offset=col("byte_offset") - 1, joined_how=lit(UNKNOWN_BEGIN)
    )
    return pl.concat([decided, before])


@needs_rows_of("decided")
def sessions_of_decisions(decided: pl.DataFrame) -> pl.DataFrame:
    """Decisions to unfence a broker, each with the next decision about it. Who is unfenced twice was fenced in between:
    a controller refuses another process while the session of the one before is valid, and prints whom it fences.

    Source: ClusterControlManager.registerBroker, from 2.8.
    """
    step = col("step")
    was_in = (step.shift(1).over(BROKER) == BACK).fill_null(value=False)
    joined_how = when("was_in").then(lit("bounced")).otherwise(lit("joined"))
    is_stranger = (col("joined_how") == UNKNOWN_BEGIN).fill_null(value=False)
    ends = (col(name).shift(-1).over(BROKER).alias(f"end_{name}") for name in DECISION)
    left_how = (
        when(col("end_step") == SHUT_DOWN)
        .then(lit("controlled"))
        .when(col("end_step") == BACK)
        .then(lit("bounced"))
        .when(col("end_step").is_not_null())
        .then(lit("uncontrolled"))
    )
    is_bounced = (col("end_step") == BACK).fill_null(value=False)
    return (
        sort_decisions(decided)
        .with_columns(was_in.alias("was_in"), *ends)
        .filter(step == BACK)
        .with_columns(own_file_id=when(~is_stranger).then("file_id"))
        .select(
            *BROKER,
            "broker_epoch",
            "term_id",
            mode=lit("kraft"),
            joined_at="at",
            joined_how=pl.coalesce("joined_how", joined_how),
            left_at="end_at",
            left_how=left_how,
            left_term_id="end_term_id",
            left_event_seq=lit(None, pl.Int64),
            certainty=when(is_bounced).then(lit("undetermined")).otherwise(lit("proved")),
            evidence=known_lines(("own_file_id", "byte_offset"), ("end_file_id", "end_byte_offset")),
        )
    )
