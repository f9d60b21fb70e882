"""The rule broker_fenced."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.span_join import rows_in_spans
from pipeline.model.lines.evidence import LINE, LINES_TYPE, known_lines
from pipeline.rules.broker_fenced.afterwards import with_offset, with_process, with_unfencing, with_watch
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.causes import because_clause, cause_facts, is_known, with_cause_lines
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
from schemas.end_reasons import SIGNALLED

BROKER = ("cluster_id", "broker_id")
FILE = ("cluster_id", "file_id")
TIMED_OUT = "session_timed_out"
CHANGED = "handleBrokerFenced"  # the trigger of the line that counts what a fence changed
AT_ONCE = timedelta(seconds=1)  # lines of one decision
# A broker is fenced so long after what ended it, or first left something without a leader.
SOON = timedelta(seconds=30)
# Rules that tell a departure with more of what it did.
OF_ONE_EVENT = ("outage", "unclean_shutdown", "log_dir_failed", "fatal_fault")
OF_SEVERAL = ("broker_flapping",)


@made_of_rows("broker_session")
def find(
    broker_session: pl.DataFrame,
    broker_event: pl.DataFrame,
    election_event: pl.DataFrame,
    controller_term: pl.DataFrame,
    earlier: pl.DataFrame,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """A KRaft controller fenced a broker of which it heard no heartbeat for its session: a warning, and told, no more,
    where the broker had asked to be shut down, or its process was told to stop, or may have been.

    earlier: findings of OF_ONE_EVENT and OF_SEVERAL. No finding: a fence that one of them tells; one that may be of a
    broker that had left before the logs begin, as its line is the first of it and no line says that it changed a
    partition (from 4.0 a broker that was shut down is fenced once more).
    Source: ReplicationControlManager.maybeFenceStaleBroker, handleBrokerFenced, from 2.8.
    """
    fenced = (
        fenced_sessions(broker_session, broker_event)
        .pipe(with_changed, election_event)
        .filter((col("changed") > 0).fill_null(value=False) | (col("joined_how") != "before_data"))
        .pipe(without_reported_fences, earlier)
        .pipe(with_unfencing, broker_session, broker_event)
        .pipe(with_offset, "back_line", "back_offset", broker_event)
        .pipe(with_watch, controller_term, data_end)
        .pipe(with_process, broker_event)
    )
    is_ordered = col("shutdown_requested_at").list.len().gt(0) | (col("end_reason") == SIGNALLED).fill_null(
        value=False
    )
    # Its next process was there by then: when that before ended, and how, stands in lines that are missing.
    is_late = (col("registered_at") <= col("left_at") + AT_ONCE) & (col("certainty") == "undetermined")
    is_untold = is_late.fill_null(value=False) & ~is_known()
    lasted_ms = epoch_millis("back_at") - epoch_millis("left_at")
    is_back = col("back_at").is_not_null()
    until = when(is_back).then(
        filled_text(" to {} ({})", clock_time("back_at", "left_at"), duration_text(lasted_ms))
    )
    still = when("is_watched").then(lit(", still so at the end of the data"))
    end = until.otherwise(still.otherwise(lit(", until when no line tells")))
    asked = when(is_ordered).then(lit(", though it was being shut down")).otherwise(lit(""))
    changed = (
        when(col("changed") > 0)
        .then(filled_text("; {} changed leader or ISR", counted_noun("changed", "partition")))
        .otherwise(lit(""))
    )
    return fenced.select(
        "cluster_id",
        *severity_column(when(is_ordered | is_untold).then(lit("info")).otherwise(lit("warning"))),
        entity=broker_name(),
        root_event=filled_text("broker left at {}", epoch_millis("left_at")),
        **root_columns("broker left", "left_at", "broker_id"),
        term_id="left_term_id",
        valid_from_at="left_at",
        valid_until_at=when(is_back).then("back_at").when(~col("is_watched")).then("left_at"),
        sentence=filled_text(
            "{} was fenced from {}{}: the controller heard nothing of it for its session{}{}{}{}",
            *(
                broker_name(),
                clock_time("left_at", "left_at"),
                end,
                asked,
                because_clause("left_at"),
                changed,
                process_after_fence_text(),
            ),
        ),
        facts=facts_column(
            broker_id="broker_id",
            changed_count=when(col("changed") > 0).then("changed"),
            lasted_ms=lasted_ms,
            is_same_process=when(is_back).then("is_same_process"),
            **cause_facts(),
        ),
        certainty=lit("proved"),
        evidence=with_cause_lines(fence_evidence_lines()),
    )


def fence_evidence_lines() -> pl.Expr:
    """The fence, what it changed, and where it is told how it ended: its end and what shows which process it was."""
    is_back = col("back_at").is_not_null()
    ends = (when(is_back).then(name).fill_null(lit([], LINES_TYPE)) for name in ("back_line", "process_line"))
    return pl.concat_list("lines", *ends).list.unique(maintain_order=True)


def process_after_fence_text() -> pl.Expr:
    """Whether the same process was there again; empty where its own server.log says more, or no line tells."""
    lived = lit("; its process lived on: it was frozen or cut off, not stopped")
    another = filled_text("; another process of it registered at {}", clock_time("registered_at", "left_at"))
    is_same = when(~is_known()).then("is_same_process")
    return when(is_same).then(lived).when(~is_same).then(another).otherwise(lit(""))


def fenced_sessions(broker_session: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """Stays in KRaft that the controller in office ended as it heard nothing, with fence, that line."""
    timed_out = broker_event.filter(col("said_by") == "decision", col("step") == TIMED_OUT)
    lines = timed_out.select(*BROKER, *LINE, fenced_epoch="broker_epoch")
    last = col("evidence").list.last().struct
    first_line = when(col("evidence").list.len() > 1).then(col("evidence").list.head(1))
    return (
        broker_session.filter(col("mode") == "kraft", col("left_how") == "uncontrolled")
        .with_columns(**{name: last.field(name) for name in LINE})
        .join(lines, on=[*BROKER, *LINE], how="inner")
        .with_columns(lines=known_lines(LINE), own_line=first_line)
        .pipe(with_offset, "own_line", "own_offset", broker_event)
    )


@needs_rows_of("fenced")
def with_changed(fenced: pl.DataFrame, election_event: pl.DataFrame) -> pl.DataFrame:
    """changed: partitions of which the fence changed leader or ISR, as the next line of that controller says; null: it
    says nothing of it. Its line stands behind that of the fence in lines."""
    batches = election_event.filter(col("step") == "batch", col("trigger") == CHANGED).select(
        *FILE, "logged_at", offset="byte_offset", changed="partition_count", changed_line=known_lines(LINE)
    )
    next_at = col("byte_offset").shift(-1).over(*FILE, order_by="byte_offset")
    is_its_own = (col("offset") < col("next_at")).fill_null(value=True)
    is_its_own &= col("logged_at") - col("left_at") <= AT_ONCE
    found = (
        fenced.with_columns(next_at=next_at)
        .sort("byte_offset")
        .join_asof(
            batches.sort("offset"), left_on="byte_offset", right_on="offset", by=FILE, strategy="forward",
            coalesce=False, check_sortedness=False,
        )
        .with_columns(when(is_its_own).then(name).alias(name) for name in ("changed", "changed_line"))
    )  # fmt: skip
    return found.with_columns(lines=append_column_lines("changed_line")).drop(
        "offset", "next_at", "logged_at"
    )


def append_column_lines(name: str) -> pl.Expr:
    """lines and behind them those of a column, where there are some."""
    return pl.concat_list("lines", col(name).fill_null(lit([], LINES_TYPE)))


@needs_rows_of("fenced")
def without_reported_fences(fenced: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Fences that no other finding tells: one event by its begin, several departures by their time."""
    fact = col("facts").struct.field
    only = pl.coalesce(fact("broker_id"), fact("node_id"))
    ids = pl.coalesce(fact("broker_ids"), pl.concat_list(only))
    is_several = col("rule").is_in(OF_SEVERAL)
    spans = told.filter(col("rule").is_in([*OF_ONE_EVENT, *OF_SEVERAL])).select(
        "cluster_id",
        from_at=when(col("rule") == "unclean_shutdown").then("root_at").otherwise("valid_from_at") - AT_ONCE,
        until_at=when(is_several).then("valid_until_at").otherwise(col("valid_from_at")),
        is_several=is_several,
        broker_id=ids,
    )
    spans = spans.explode("broker_id").with_columns(
        until_at=when("is_several")
        .then("until_at")
        .otherwise(pl.max_horizontal("from_at", "until_at") + SOON),
    )
    found = rows_in_spans(
        spans.drop_nulls("broker_id"), fenced.select(*BROKER, "left_at"), BROKER, ("from_at", "until_at"),
        "left_at", closed="both",
    )  # fmt: skip
    return fenced.join(found.select(*BROKER, "left_at"), on=[*BROKER, "left_at"], how="anti")


RULE = Rule(
    name="broker_fenced",
    version=1,
    severities=("warning", "info"),
    facts=("broker_id", "changed_count", "lasted_ms", "is_same_process", "end_reasons", "first_sign_ms"),
    find=find,
    after=("outage", "log_dir_failed", "broker_flapping", "unclean_shutdown", "fatal_fault"),
)
