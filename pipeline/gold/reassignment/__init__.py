"""Reassignments of partitions: attempts put together from what controllers print of them."""

import polars as pl
from polars import col, lit, when

from pipeline.core.incremental import Incremental
from pipeline.core.made_of import made_of
from pipeline.core.reach import Reach
from pipeline.core.span import Span
from pipeline.gold.reassignment.attempts import (
    NO_STEPS,
    reassignment_attempts,
    refused_attempts,
    with_attempt_outcome,
    with_replicas,
    with_steps,
)
from pipeline.gold.reassignment.doubts import with_unseen_end, with_unseen_term_doubt
from pipeline.gold.reassignment.leftovers import with_leftovers
from pipeline.gold.reassignment.marks import (
    CONTINUED,
    TOPIC_GONE,
    WIPED,
    mark_attempt_bounds,
    not_begun,
    number_attempts,
    reassignment_steps,
    with_topic_and_list_ends,
)
from pipeline.gold.reassignment.step_lines import lines_of_attempt_steps
from pipeline.gold.reassignment.waiting import with_waiting
from pipeline.model.lines.evidence import LINE
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.partitions.topic_lives import BEGINS_A_LIFE
from schemas.gold.reassignment import SPEC

TOLD = ("completed", "cancelled", "overridden", "skipped", "failed")
LIST = "reassignment_resumed_list"
REACH = Reach.PARTITION


@made_of(SPEC, "reassignment_event")
def build(
    reassignment_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    partition_timeline: pl.DataFrame,
    broker_session: pl.DataFrame,
    controller_term: pl.DataFrame,
    replica_transition: pl.DataFrame,
    leader_and_isr: pl.DataFrame,
    control_request: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per attempt that begins as the span begins or later: no earlier one is of a row that counts.

    Refusals have rows of their own. A change of KRaft in one step, another order or a replica less, has no line.
    Source: KafkaController.onPartitionReassignment, 0.8.1 to 3.9;
    ReplicationControlManager.alterPartitionReassignments, replay(PartitionChangeRecord), from 2.8.
    """
    # Lines of before may be given: those of the same segments.
    reassignment_event = reassignment_event.filter(span.since("logged_at"))
    rows = reassignment_steps(reassignment_event, controller_line, term)
    lists = lists_at_start(controller_line.filter(span.since("logged_at")))
    ordered = mark_attempt_bounds(with_topic_and_list_ends(rows, topic_ends(partition_timeline), lists))
    of_attempts = number_attempts(ordered)
    intervals = whole_intervals(partition_timeline)
    found = (
        reassignment_attempts(of_attempts)
        .pipe(with_attempt_outcome)
        .pipe(with_replicas, intervals)
        .pipe(with_unseen_term_doubt, term)
        .pipe(with_unseen_end, intervals)
    )
    refused = refused_attempts(not_begun(ordered)).pipe(with_replicas, intervals)
    others = lines_of_attempt_steps(found, rows, replica_transition, leader_and_isr, control_request)
    return (
        pl.concat([found.pipe(with_steps, of_attempts, others), refused], how="diagonal")
        .pipe(with_leftovers, control_request)
        .pipe(with_waiting, broker_session, partition_timeline, controller_term)
        .with_columns(
            copy_ms=millis_between_columns("started_at", "caught_up_at"),
            switch_ms=when(col("outcome") == "completed").then(
                millis_between_columns("caught_up_at", "ended_at")
            ),
            total_ms=millis_between_columns("started_at", "ended_at"),
            asked_from_at=pl.coalesce("asked_from_at", "started_at"),
            steps=pl.coalesce("steps", NO_STEPS).cast(pl.Map(pl.String, pl.Int64)),
            certainty=reassignment_certainty(),
        )
    )


def reassignment_certainty() -> pl.Expr:
    """Proved where lines say how it began and ended; that it goes on, or ended with its topic, follows from them. That
    it goes on is undetermined where a later controller has no lines."""
    is_told = ~col("opened_by").is_in(CONTINUED) & col("outcome").is_in(TOLD)
    return (
        when((col("outcome") == "lines_missing") | col("is_in_doubt")).then(lit("undetermined"))
        .when(is_told).then(lit("proved")).otherwise(lit("inferred"))
    )  # fmt: skip


def millis_between_columns(begin: str, end: str) -> pl.Expr:
    return col(end).dt.epoch("ms") - col(begin).dt.epoch("ms")


def topic_ends(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, topic, at, step) of the ends of lives of topics."""
    until_at = col("valid_until_at")
    is_wiped = col("ended_by").is_in(BEGINS_A_LIFE) & (until_at == until_at.max())
    last = partition_timeline.group_by("cluster_id", "topic", "topic_life").agg(
        is_open=until_at.is_null().any(),
        at=until_at.max(),
        step=when(is_wiped.any()).then(lit(WIPED)).otherwise(lit(TOPIC_GONE)),
    )
    return last.filter(~col("is_open")).select("cluster_id", "topic", "at", "step")


def lists_at_start(controller_line: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, at, LINE) of lines in which a controller that starts lists what is being moved, be it nothing: the
    first of their event in a term; up to 1.0 those that are done already, and those it resumes, follow."""
    lists = controller_line.filter(col("event") == LIST).sort("cluster_id", "term_id", "seq")
    first = lists.unique(["cluster_id", "term_id"], keep="first", maintain_order=True)
    return first.select("cluster_id", *LINE, at="logged_at")


INCREMENTAL = Incremental(ordered_by="ended_at", lookback_days=0, begun_by="asked_from_at")
