"""Reassignments whose end may stand in lines that are missing."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.reassignment.marks import FORGOTTEN
from pipeline.model.terms.kraft_terms import kraft_terms, unseen_of
from pipeline.model.terms.missing_terms import TAIL
from pipeline.model.terms.succession import LIFE, unseen_stretches


def with_unseen_term_doubt(found: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Adds is_in_doubt: it goes on as far as lines tell, and after its last line there was a term without any. Of one
    that a controller does not list as it starts nobody knows the end where there was such a term before that: it may
    have been done in it (outcome: lines_missing)."""
    unseen = pl.concat(
        [
            missing_epochs(term),
            unseen_stretches(term).select("cluster_id", unseen_at="from_at"),
            terms_of_others(term),
            torn_terms(term),
            unseen_of(kraft_terms(term)).select("cluster_id", unseen_at="from_at"),
        ]
    )
    is_by_then = (col("unseen_at") < col("ended_at")).fill_null(value=False)
    is_untold = (col("outcome") == FORGOTTEN) & is_by_then
    is_going_on = (col("outcome") == "in_progress") & col("unseen_at").is_not_null()
    return (
        found.with_row_index("row_no")
        .sort("last_at")
        .join_asof(
            unseen.drop_nulls("unseen_at").sort("unseen_at"), left_on="last_at", right_on="unseen_at",
            by="cluster_id", strategy="forward", check_sortedness=False,
        )
        .sort("row_no")
        .with_columns(
            is_in_doubt=is_going_on, outcome=when(is_untold).then(lit("lines_missing")).otherwise("outcome")
        )
        .drop("row_no", "unseen_at")
    )  # fmt: skip


def terms_of_others(term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, unseen_at) of terms of ZooKeeper mode that other nodes alone name: since when."""
    is_own = col("elected_at").is_not_null() | col("told_from_at").is_not_null()
    return term.filter(col("mode") == "zookeeper", ~is_own).select("cluster_id", unseen_at="first_seen_at")


def with_unseen_end(found: pl.DataFrame, intervals: pl.DataFrame) -> pl.DataFrame:
    """Attempts with is_in_doubt also where one goes on as far as lines tell, though the partition is assigned to its
    target alone behind its last line, or in KRaft adds and removes no replica any more (intervals: of
    gold.partition_timeline): it ended in lines that are missing."""
    partition = ("cluster_id", "topic", "partition")
    stated = intervals.filter(
        col("replicas").is_not_null(), ~col("is_assignment_stale").fill_null(value=True)
    )
    last = (
        stated.sort("valid_from_at", "interval_seq")
        .unique(partition, keep="last", maintain_order=True)
        .select(*partition, stated_replicas="replicas", stated_at="valid_from_at")
    )
    of_kraft = intervals.filter(col("topic_id").is_not_null(), col("adding_replicas").is_not_null())
    moving = (
        of_kraft.sort("valid_from_at", "interval_seq")
        .unique(partition, keep="last", maintain_order=True)
        .select(
            *partition,
            moving_count=pl.sum_horizontal(col("adding_replicas", "removing_replicas").list.len()),
            moving_at="valid_from_at",
        )
    )
    is_target = col("stated_replicas") == col("target_replicas")
    is_moved = (
        (col("stated_at") > col("last_at")) & is_target & (col("original_replicas") != col("target_replicas"))
    )
    is_over = (col("moving_at") > col("last_at")) & (col("moving_count") == 0)
    is_ended = is_moved.fill_null(value=False) | is_over.fill_null(value=False)
    is_going_on = col("outcome") == "in_progress"
    return (
        found.join(last, on=partition, how="left", maintain_order="left")
        .join(moving, on=partition, how="left", maintain_order="left")
        .with_columns(col("is_in_doubt") | (is_going_on & is_ended).fill_null(value=False))
        .drop("stated_replicas", "stated_at", "moving_count", "moving_at")
    )


def torn_terms(term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, unseen_at) of terms of ZooKeeper mode that other nodes name behind the last line of their own
    controller: since that line."""
    is_torn = col("last_seen_at") > col("told_until_at") + TAIL
    return term.filter(col("mode") == "zookeeper", is_torn).select("cluster_id", unseen_at="told_until_at")


def missing_epochs(term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, unseen_at) of each term of ZooKeeper mode that follows epochs of which none is known: when it
    began, until which they were."""
    in_turn = term.filter(col("mode") == "zookeeper").sort(*LIFE, "controller_epoch")
    is_gap = col("controller_epoch") > col("controller_epoch").shift(1).over(LIFE) + 1
    return in_turn.filter(is_gap).select("cluster_id", unseen_at="first_seen_at")
