"""How sure a life of a topic is: what a controller of which no line was read may have done is not known."""

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import open_end
from pipeline.gold.topic_lifecycle.zookeeper_lives import VANISHED, WIPED
from pipeline.model.terms.succession import unseen_stretches

AT_ONCE = pl.duration(seconds=10)
WAITING = ("requested", "in_progress", "put_off")


def with_life_certainty(lives: pl.DataFrame, term: pl.DataFrame, replayed: pl.DataFrame) -> pl.DataFrame:
    """undetermined: of a deletion of which no line tells the end, where a controller was in office since its last line
    of which none was read; and of a life in KRaft that ends within AT_ONCE of its first line, none of them of the
    controller in office: a process that starts prints once more what was long before; so is one whose end such a
    process alone prints (replayed: of replayed_removals)."""
    is_waiting = col("ended_at").is_null() & col("deletion_state").is_in(WAITING)
    is_vanished = col("ended_how") == VANISHED
    last_at = pl.coalesce(
        col("deletion_lines").list.last().struct.field("at"), "deletion_requested_at", "first_seen_at"
    )
    # What is not read follows the last line that names the epoch of the controller before, not its last line of all.
    in_office = (
        term.filter((col("mode") == "zookeeper") & col("elected_at").is_not_null())
        .sort("elected_at")
        .select("cluster_id", begun_at="elected_at")
    )
    unread = unseen_stretches(term).select("cluster_id", "from_at").sort("from_at")
    is_unread = (col("from_at") < open_end("ended_at")).fill_null(value=False)
    is_at_once = (col("ended_at") - col("first_seen_at") < AT_ONCE).fill_null(value=False)
    is_replayed = (col("mode") == "kraft") & col("created_at").is_null() & is_at_once
    is_replayed |= (col("ended_how") == "deleted") & col("is_end_replayed")
    is_implied = is_vanished | (col("ended_how") == WIPED) | (col("created_how") == "lines_missing")
    return (
        lives.join(replayed.with_columns(is_end_replayed=True), on=list(replayed.columns), how="left")
        .with_columns(col("is_end_replayed").fill_null(value=False), last_at=last_at)
        .sort("last_at")
        .join_asof(
            in_office, left_on="last_at", right_on="begun_at", by="cluster_id", check_sortedness=False
        )
        .with_columns(last_at=pl.coalesce("begun_at", "last_at"))
        .sort("last_at")
        .join_asof(
            unread, left_on="last_at", right_on="from_at", by="cluster_id", strategy="forward", check_sortedness=False
        )
        .with_columns(
            certainty=when(((is_waiting | is_vanished) & is_unread) | is_replayed).then(lit("undetermined"))
            .when(is_implied).then(lit("inferred"))
            .otherwise(lit("proved"))
        )
    )  # fmt: skip
