"""What controllers' lines say of partitions, one after another: state, leader, ISR, assignment, deletion."""

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.model.partitions.listed_topics import ends_by_lists
from pipeline.model.partitions.topic_lives import ENDED, GONE, PARTITION_ORDER, QUEUED, with_topic_life

REASSIGNED = "reassignment_assignment_updated"
SENT = ("leader_and_isr_sent", "update_metadata_sent")
LEADER_EVENTS = (
    "partition_transition",
    "replica_removed_from_isr",
    "isr_updated",
    "alter_partition_updated",
    *SENT,
    "reassignment_leader_and_isr_sent",
)
ASSIGNMENT_EVENTS = (
    "partition_transition",
    "topic_change",
    "partitions_to_be_added",
    REASSIGNED,
    *SENT,
)
NEW = "NewPartition"
BEING_DELETED = -2
# An epoch after all others: the end of an era comes after what is said in its last millisecond.
LAST = 2**31 - 1
PARTITION = ("cluster_id", "topic", "topic_life", "partition")
MOVING = ("adding_replicas", "removing_replicas")
STATED = ("state", "leader", "isr", "replicas", "leader_epoch", *MOVING)
TRACKED = (*STATED, "is_deleting")
LINE_KEY = ("cluster_id", "file_id", "byte_offset", "topic", "partition")


def partition_statements(
    leader_and_isr: pl.DataFrame,
    partition_transition: pl.DataFrame,
    assignment: pl.DataFrame,
    topic_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    deletion_before: pl.DataFrame,
    before: pl.DataFrame,
    mentioned: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """One row per line and partition that it states something of, or whose topic it deletes, in its place.

    Of the lines that are given. deletion_before: as with_topic_life() has it. before: (PARTITION, life, at, is_there)
    of partitions that were there before them. mentioned: (file_id, byte_offset, event, topic, partition, ...) of lines
    that name partitions and state nothing: rows all the same, with their further columns.
    Columns: PARTITION, TRACKED and partition_epoch (null: not said), event, cause, term_id, life, logged_at, and the
    place: PARTITION_ORDER and event_seq.
    """
    lines = lines_with_term_order(controller_line)
    said = stated_by_lines(leader_and_isr, partition_transition, assignment)
    if mentioned is not None:
        said = pl.concat([said, mentioned], how="diagonal")
    lived = with_topic_life(said, topic_event, lines, term, deletion_before)
    return with_partition_ends(lived, lines, term, topic_event, before)


def life_in_term_id() -> pl.Expr:
    """Of a term_id: which life of the cluster's metadata."""
    return col("term_id").str.extract(r"^(\d+)-", 1).cast(pl.Int32)


def epoch_in_term_id() -> pl.Expr:
    """Of a term_id: the controller epoch."""
    return col("term_id").str.extract(r"^\d+-(-?\d+)$", 1).cast(pl.Int32)


def partitions_known_before(intervals: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(PARTITION, life, at, is_there) of intervals of gold.partition_timeline, as partition_statements() wants it.
    is_there: it goes on as the span begins."""
    is_over = span.before("valid_until_at").fill_null(value=False)
    return intervals.select(*PARTITION, life=life_in_term_id(), at="valid_from_at", is_there=~is_over)


def stated_by_lines(
    leader_and_isr: pl.DataFrame, partition_transition: pl.DataFrame, assignment: pl.DataFrame
) -> pl.DataFrame:
    """What each line says of a partition: state, leader, ISR, assignment, what of it is being moved (from 2.4), and
    that its topic is being deleted; null where it does not say. One that is New is not.

    Source: ControllerBrokerRequestBatch.addUpdateMetadataRequestForBrokers, LeaderDuringDelete, 0.8.2 to 3.9.
    """
    is_being_deleted = (col("leader") == BEING_DELETED).fill_null(value=False)
    is_leader = col("event").is_in(LEADER_EVENTS) & ~is_being_deleted
    is_assigned = col("event").is_in(ASSIGNMENT_EVENTS) & (col("replicas").list.len() > 0)
    said = leader_and_isr.filter(col("teller") == "controller").select(
        *LINE_KEY,
        "event",
        when(is_leader).then(col("leader", "isr", "leader_epoch", "partition_epoch")),
        when(is_assigned).then("replicas"),
        is_deleting=when(is_being_deleted).then(lit(value=True)),
    )
    moved = partition_transition.select(
        *LINE_KEY,
        *("leader", "isr", "leader_epoch", "replicas"),
        event=lit("partition_transition"),
        state="to_state",
        is_deleting=when(col("to_state") == NEW).then(lit(value=False)),
        is_failed=(col("outcome") == "failed").fill_null(value=False),
    )
    is_move = (col("event") == REASSIGNED) & col("topic").is_not_null()
    moving = assignment.filter(is_move).select(*LINE_KEY, "event", *MOVING)
    both = pl.concat([said, moved, moving], how="diagonal")
    says_something = pl.any_horizontal(col(TRACKED).is_not_null())
    return (
        of_each_line(both)
        .filter(says_something, ~col("is_failed").fill_null(value=False))
        .drop("cluster_id", "is_failed")
    )


def of_each_line(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per line and partition: the greatest of what several rows say. Most lines say it once."""
    is_repeated = rows.select(LINE_KEY).is_duplicated()
    lists = [name for name, kind in rows.schema.items() if isinstance(kind, pl.List)]
    scalars = [name for name in rows.columns if name not in (*LINE_KEY, *lists)]
    greatest = rows.filter(is_repeated).group_by(LINE_KEY).agg(col(scalars).max(), col(lists).sort().last())
    return pl.concat([rows.filter(~is_repeated), greatest], how="diagonal")


def lines_with_term_order(controller_line: pl.DataFrame) -> pl.DataFrame:
    """Order over all terms: (at, controller_epoch, seq)."""
    terms = (
        controller_line.select("term_id")
        .unique()
        .with_columns(life=life_in_term_id(), controller_epoch=epoch_in_term_id())
    )
    return controller_line.select(
        *("cluster_id", "file_id", "byte_offset", "term_id", "seq", "event_seq", "cause", "logged_at"),
        line_event="event",
        at="ordered_at",
    ).join(terms, on="term_id", how="left")


def with_partition_ends(
    lived: pl.DataFrame,
    lines: pl.DataFrame,
    term: pl.DataFrame,
    topic_event: pl.DataFrame,
    before: pl.DataFrame,
) -> pl.DataFrame:
    """Deletions and new eras as statements on every partition that they are about: is_deleting once its topic is
    queued, and the moves that end it. So does the list of topics of a controller that starts and does not name it.

    A controller that starts lists the deletions that it found before it says anything of their partitions: those are
    being deleted from that list on, if they are known first in its term and on its day.
    From 2.6 on moves to NonExistentPartition are not printed at the level as shipped.
    """
    is_statement = col("step").is_null()
    said = lived.filter(is_statement).drop("step")
    own = (*PARTITION, "life", "at")
    known = pl.concat([said.select(*own, "term_id"), before.select(own)], how="diagonal")
    partitions = known.group_by(*PARTITION, "life").agg(
        known_from_at=col("at").min(), known_in=col("term_id").sort_by("at").first()
    )
    is_listed_before = (
        (col("step") == QUEUED)
        & (col("known_in") == col("term_id"))
        & (col("known_from_at").dt.date() == col("at").dt.date())
    )
    place = (*PARTITION_ORDER, "event_seq", "term_id", "cause")
    of_topic = (
        lived.filter(~is_statement)
        .select(*PARTITION[:3], "event", "step", *place)
        .join(partitions, on=PARTITION[:3])
        .filter((col("known_from_at") <= col("at")) | is_listed_before.fill_null(value=False))
        .drop("known_from_at", "known_in")
    )
    is_queued = col("step") == QUEUED
    queued = of_topic.filter(is_queued).drop("step").with_columns(is_deleting=lit(value=True))
    deleted = of_topic.filter(col("step").is_in(ENDED)).drop("step")
    ends = (
        deleted,
        ends_by_later_life(partitions, lines, term, before),
        ends_by_lists(lived, before, partitions, lines, topic_event),
    )
    ended = pl.concat(ends, how="diagonal")
    return pl.concat([said, ended.with_columns(state=lit(GONE)), queued], how="diagonal")


def ends_by_later_life(
    partitions: pl.DataFrame, lines: pl.DataFrame, term: pl.DataFrame, before: pl.DataFrame
) -> pl.DataFrame:
    """The end of each partition where a later life of the metadata begins: at its first line."""
    of_era = ("cluster_id", "era")
    last = lines.group_by("cluster_id", "life").agg(last_at=col("at").max())
    kraft = term.group_by("cluster_id", era="life").agg(is_kraft=(col("mode") == "kraft").any())
    begun = (
        era_first_lines(lines)
        .join(kraft, on=of_era, how="left")
        .join(before.select("cluster_id", era="life"), on=of_era, how="anti")
    )
    # A KRaft quorum begins beside the old controller, a wiped cluster after it.
    at = when("is_kraft").then(pl.max_horizontal("begun_at", "last_at")).otherwise("begun_at")
    return (
        partitions.join(last, on=["cluster_id", "life"], how="left")
        .join(begun, on="cluster_id")
        .filter(col("era") > col("life"))
        .with_columns(at=at, controller_epoch=lit(LAST, pl.Int32))
        .drop("era", "begun_at", "last_at", "known_from_at", "known_in", "is_kraft")
    )


def era_first_lines(lines: pl.DataFrame) -> pl.DataFrame:
    """The first line of each era of a cluster: (cluster_id, era, event, begun_at, place)."""
    return (
        lines.filter(col("at") == col("at").min().over("cluster_id", "life"))
        .sort("seq", "file_id", "byte_offset")
        .unique(["cluster_id", "life"], keep="first", maintain_order=True)
        .select(
            *("cluster_id", "file_id", "byte_offset", "term_id", "seq", "event_seq", "cause"),
            era="life",
            event="line_event",
            begun_at="at",
        )
    )
