"""Lines that begin and end reassignments, numbered by the attempt that they belong to."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import LINE
from pipeline.model.terms.kraft_terms import kraft_terms, with_decided, with_kraft_term

NAME = ("cluster_id", "topic", "partition")
ATTEMPT = (*NAME, "attempt")
RECORD = "partition_assignment_change"  # of KRaft's metadata log
UPDATING = "reassignment_assignment_updating"  # from 2.4: from what to what
CONTINUED = ("listed", "resumed")  # what a controller finds when it starts (up to 2.3)
LED = ("leader_kept", "leader_dead", "leader_not_in_target")
DONE = ("removed", "listed_as_done")
AT_ONCE = pl.duration(seconds=5)
TOPIC_GONE, WIPED, FORGOTTEN = "topic_deleted", "wiped", "forgotten"
ERROR, REJECTED = "error", "rejected"
# Why a controller takes a request out of ZooKeeper without moving anything.
DROPPED = ("topic_deleting", "unknown_partition")
IS_OPENER, IS_CLOSER = "is_opener", "is_closer"
ALL_IN_SYNC = "all_in_sync"


def reassignment_steps(
    reassignment_event: pl.DataFrame, controller_line: pl.DataFrame, term: pl.DataFrame
) -> pl.DataFrame:
    """Rows of reassignment_event that name a partition, with at and term_id. Of KRaft those of the controller in
    office: every standby, and each process as it starts, prints the records of the log again."""
    named = reassignment_event.drop_nulls(("topic", "partition", "logged_at"))
    is_of_kraft = col("event").is_in([RECORD, "reassignment_completed", "reassignment_rejected"])
    own = controller_line.select(*LINE, "term_id").unique(LINE)
    of_zookeeper = named.filter(~is_of_kraft).with_columns(at="logged_at").join(own, on=LINE, how="left")
    of_kraft = (
        named.filter(is_of_kraft)
        .with_columns(at="logged_at")
        .drop("controller_epoch")
        .pipe(with_decided, controller_line, kraft_terms(term))
        .filter("is_decided")
        .pipe(with_kraft_term, kraft_terms(term))
    )
    columns = [*named.columns, "at", "term_id"]
    return pl.concat([of_zookeeper.select(columns), of_kraft.select(columns)])


def with_topic_and_list_ends(
    rows: pl.DataFrame, topic_ends: pl.DataFrame, lists: pl.DataFrame
) -> pl.DataFrame:
    """The same with rows of what ends an attempt and names no partition: the end of its topic (cluster_id, topic, at,
    step), and a controller's list at its start (cluster_id, at, LINE) that has a partition no more, though its topic is
    there: it lists topics just before."""
    begun = rows.filter(col("step").is_in(["started", *CONTINUED]), col("event") != UPDATING)
    names = rows.select(NAME).unique()
    gone = names.join(topic_ends, on=["cluster_id", "topic"], how="inner")
    listed = rows.filter(col("step").is_in([*CONTINUED, "listed_as_done"])).select(*NAME, *LINE)
    forgotten = (
        begun.select(NAME).unique()
        .join(lists, on="cluster_id", how="inner")
        .join(listed, on=[*NAME, *LINE], how="anti")
        .join(gone.select(*NAME, gone_at="at"), on=NAME, how="left")
        .filter(~col("gone_at").is_between(col("at") - AT_ONCE, col("at")).fill_null(value=False))
        .drop("gone_at").unique([*NAME, *LINE])
        .with_columns(step=lit(FORGOTTEN))
    )  # fmt: skip
    return pl.concat([rows, gone, forgotten], how="diagonal")


def not_begun(ordered: pl.DataFrame) -> pl.DataFrame:
    """Of marked rows those that say that an attempt is not made, while none is going on that they end."""
    marks = ordered.filter(col(IS_OPENER) | col(IS_CLOSER) | (col("step") == "skipped"))
    is_going_on = when(IS_OPENER).then(lit(value=True)).when(IS_CLOSER).then(lit(value=False))
    was = is_going_on.forward_fill().shift(1).over(NAME).fill_null(value=False)
    has_assignments = (col("event") == UPDATING).any().over("cluster_id")
    own_form = when(has_assignments).then(lit("assignment")).otherwise(lit("znode"))
    return marks.with_columns(is_going_on=was, form=pl.coalesce("form", own_form)).filter(
        col("step") == "skipped", ~(col(IS_CLOSER) & col("is_going_on"))
    )


def number_attempts(ordered: pl.DataFrame) -> pl.DataFrame:
    """Marked rows of attempts with attempt, their number in the partition. What comes behind the end of one belongs to
    none."""
    marks = ordered.filter(col(IS_OPENER) | col(IS_CLOSER))
    was_open = col(IS_OPENER).shift(1).over(NAME).fill_null(value=False)
    before = when(IS_OPENER).then("target_replicas").shift(1).over(NAME)
    is_other = (col("target_replicas") != before).fill_null(value=False) | (col("event") == UPDATING)
    is_end_alone = col(IS_CLOSER) & ~was_open & (col("reason") == ERROR)
    is_new = (col(IS_OPENER) & (~was_open | is_other)) | is_end_alone
    begun = marks.with_columns(is_new=is_new).select("row", "is_new")
    is_after_end = (col(IS_CLOSER).cast(pl.Int64).cum_sum() - col(IS_CLOSER).cast(pl.Int64)).over(ATTEMPT) > 0
    return (
        ordered.join(begun, on="row", how="left", maintain_order="left")
        .with_columns(attempt=col("is_new").fill_null(value=False).cast(pl.Int64).cum_sum().over(NAME))
        .with_columns(is_over=is_after_end)
        .filter(col("attempt") > 0, ~col("is_over"))
        .drop("is_over")
    )


def mark_attempt_bounds(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows in their order (row) with form, is_opener and is_closer: the line begins an attempt, or drives it on, and
    ends it; adding and removing: as the records of KRaft leave them, where null says that they stay as they are.

    The assignment without replicas that are added or removed ends an attempt once its leader was looked at: Kafka
    writes it before that too, where it cancels one or brings replicas into another order. One with such replicas begins
    one where the line before it, which is of DEBUG, is not there.
    """
    step, is_record = col("step"), col("event") == RECORD
    lists = ("adding_replicas", "removing_replicas")
    has_lists = pl.any_horizontal(col(name).is_not_null() for name in lists)
    is_moving = pl.any_horizontal((col(name).list.len() > 0).fill_null(value=False) for name in lists)
    begins = step.is_in(["started", "overridden", *CONTINUED])
    anchor = when(begins | (step == "cancelled")).then(lit("begun")).when(step.is_in(LED)).then(lit("led"))
    is_led = col("anchor") == "led"
    is_written = (step == "assignment_updated") & has_lists & ~is_moving & is_led
    is_dropped = (step == "skipped") & col("reason").is_in(DROPPED) & (col("form") == "znode")
    is_removed = step.is_in(DONE) & (col("form") == "znode")
    closes = (
        (is_record & ~is_moving) | is_written | is_removed | is_dropped
        | ((step == "failed") & (col("reason") == ERROR)) | step.is_in([TOPIC_GONE, WIPED])
        | ((step == FORGOTTEN) & (col("form") == "znode"))
    )  # fmt: skip
    is_told = (step == "assignment_updated") & is_moving
    is_refusal = (step == "skipped") & (col("reason") == REJECTED)
    form = (
        when(is_record | is_refusal).then(lit("kraft"))
        .when(is_told | (begins & (col("event") == UPDATING))).then(lit("assignment"))
        .when(begins).then(lit("znode"))
    )  # fmt: skip
    return (
        rows.with_columns(is_late=step.is_in([TOPIC_GONE, WIPED]))
        .sort(*NAME, "at", "is_late", "file_id", "byte_offset")
        .with_row_index("row")
        .with_columns(anchor=anchor.forward_fill().over(NAME), form=form.forward_fill().over(NAME))
        .with_columns(
            is_opener=(begins | is_told | (is_record & is_moving)).fill_null(value=False),
            is_closer=closes.fill_null(value=False),
            adding=when(is_record).then("adding_replicas").forward_fill().over(NAME),
            removing=when(is_record).then("removing_replicas").forward_fill().over(NAME),
        )
        .drop("is_late", "anchor")
    )
