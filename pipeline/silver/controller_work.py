"""Lines that begin and end the pieces of work of controllers, from bronze.log_record."""

import polars as pl
from polars import col, element, lit, when

from pipeline.kafka.wording.work import WorkLine, kinds_of_work, work_lines
from pipeline.model.lines.families import NOT_TAKEN, printed_field
from pipeline.model.lines.texts import (
    DOUBLE,
    EMPTY_COLLECTION,
    LONG,
    all_matches,
    assignment_entries,
    broker_list,
    first_match,
    listed_partitions,
    number_in_text,
)
from schemas.silver.controller_work import SPEC

# More names than these say no more of a piece of work.
NAMED = 10
MICROS = 1000
SLOW, FAILED, PERIOD = (
    "controller_performance_slow",
    "controller_event_failed",
    "controller_performance_period",
)
BROKERS = ("new_broker_ids", "dead_broker_ids", "bounced_broker_ids", "broker_ids")
TOPICS = ("new_topics", "deleted_topics", "topics")
COLUMNS = {"broker_id": col("broker_id").cast(pl.String), "topic": col("topic")}
NO_NAMES = lit([], pl.List(pl.String))


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line of work.tsv that is no other thread's.

    Source: KafkaController, ControllerEventManager, 0.8.2 to 3.9; EventPerformanceMonitor, from 4.0; QuorumController.
    """
    rows = [one for one in work_lines() if one.part != "aside"]
    events = sorted({one.event for one in rows})
    lines = log_record.drop(NOT_TAKEN, strict=False).filter(
        col("event").is_in(events), col("logged_at").is_not_null()
    )
    found = pl.concat([lines.filter(is_line_of_work(one)).pipe(with_part_of_work, one) for one in rows])
    took_ms = milliseconds_taken()
    name = first_match(pl.coalesce(printed_field("event"), printed_field("name")), r"^([A-Za-z_]\w*)")
    return found.with_columns(
        has_end=is_end_printed(),
        subject_count=col("subject").list.len().cast(pl.Int64),
        subject=col("subject").list.head(NAMED),
        occasion=occasion_of_line(),
        asked_by=pl.coalesce(printed_field("election_trigger"), when(is_timed_check()).then(lit("timer"))),
        took_ms=took_ms,
        began_at=when(col("part") == "says").then(begin_of_event(took_ms)),
        event_name=when(col("part") == "says").then(name),
        event_count=when(col("event") == PERIOD).then(number_in_text(printed_field("num_events"), LONG)),
        average_ms=when(col("event") == PERIOD).then(decimal_text("avg_ms")),
    ).select(SPEC.columns)  # fmt: skip


def is_end_printed() -> pl.Expr:
    """From 2.2 on the line about brokers lists those that bounced, and the epochs of all follow at the end."""
    is_older = (col("event") == "broker_change") & ~col("template").str.contains("bounced", literal=True)
    return col("kind").is_in(kinds_of_work("ends")) & ~is_older


def is_timed_check() -> pl.Expr:
    """From 0.11 on the timer of the next check counts from the end of the last."""
    is_check = (col("event") == "imbalance_check") & col("template").str.contains("auto leader", literal=True)
    return is_check | (col("event") == "auto_preferred_election")


def begin_of_event(took_ms: pl.Expr) -> pl.Expr:
    """When it began what a line of KRaft tells of: as times are printed to the millisecond, not after that."""
    period_ms = number_in_text(printed_field("period_ms"), DOUBLE)
    micros = (pl.coalesce(period_ms, took_ms, lit(0.0)) * MICROS).cast(pl.Int64, strict=False)
    return (col("logged_at") - pl.duration(microseconds=micros)).dt.truncate("1ms")


def is_line_of_work(one: WorkLine) -> pl.Expr:
    return (col("event") == one.event) & col("template").str.contains(one.wording, literal=True)


def with_part_of_work(lines: pl.DataFrame, one: WorkLine) -> pl.DataFrame:
    """Adds part, kind and subject, all that the line names."""
    named = pl.concat_list(*map(subject_names, one.subject)) if one.subject else lit(None, pl.List(pl.String))
    return lines.with_columns(part=lit(one.part), kind=lit(one.kind), subject=named)


def subject_names(field: str) -> pl.Expr:
    """What a field names: brokers, topics or partitions."""
    text = printed_field(field)
    if field in COLUMNS:
        names = pl.concat_list(COLUMNS[field])
    elif field == "partition":
        names = pl.concat_list(pl.concat_str("topic", lit("-"), "partition"))
    elif field in BROKERS:
        names = broker_list(text).list.eval(element().cast(pl.String))
    elif field in TOPICS:
        inside = text.str.replace_all(r"^\s*\w+\(|\)\s*$", "").str.replace(r"^/.*/", "")
        names = all_matches(inside, r"[^,\s\[\]]+")
    elif field == "replica_assignment":
        names = assignment_entries(text).list.eval(partition_text())
    else:
        names = listed_partitions(text).list.eval(partition_text())
    return names.fill_null([]).list.eval(element().drop_nulls())


def partition_text() -> pl.Expr:
    parts = element().struct
    return pl.concat_str(parts.field("topic"), lit("-"), parts.field("partition"))


def occasion_of_line() -> pl.Expr:
    """What the line of a broker or topic change lists, from which only what is not empty counts."""

    def is_said(field: str) -> pl.Expr:
        text = printed_field(field)
        return text.is_not_null() & ~text.str.contains(EMPTY_COLLECTION)

    came, went, bounced = (is_said(f"{one}_broker_ids") for one in ("new", "dead", "bounced"))
    event = col("event")
    return (
        when(event == "broker_change").then(
            when(came & went).then(lit("arrival and departure"))
            .when(came).then(lit("arrival"))
            .when(went).then(lit("departure"))
            .when(bounced).then(lit("bounce"))
            .otherwise(lit("nothing"))
        )
        .when(event == "topic_change").then(
            when(is_said("new_topics")).then(lit("creation"))
            .when(is_said("deleted_topics")).then(lit("removal"))
            .otherwise(lit("nothing"))
        )
        .when(event.is_in(["topic_deletion_fired", "preferred_election_started"]), col("subject").list.len() == 0)
        .then(lit("nothing"))
    )  # fmt: skip


def milliseconds_taken() -> pl.Expr:
    """How long the event of KRaft took that the line tells of; of a period its slowest."""
    micros = number_in_text(pl.coalesce(printed_field("duration_us"), printed_field("delta_us")), LONG)
    return (
        when(col("event") == SLOW).then(number_in_text(printed_field("duration_ms"), DOUBLE))
        .when(col("event") == PERIOD).then(decimal_text("slowest_ms"))
        .when(col("event") == FAILED, micros >= 0).then(micros / MICROS)
    )  # fmt: skip


def decimal_text(field: str) -> pl.Expr:
    """A number with decimals, whose sign follows the locale; null for NaN."""
    return number_in_text(printed_field(field).str.replace(",", ".", literal=True), DOUBLE).fill_nan(None)
