"""Which replicas were in service as a partition in KRaft mode got a leader, and whether that is known."""

from datetime import UTC, datetime

import polars as pl
from polars import col, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.brokers.candidates import NO_IDS
from pipeline.model.terms.kraft_terms import kraft_terms, unseen_of

BROKER = ("cluster_id", "broker_id")
NEVER = datetime(9999, 12, 31, tzinfo=UTC)


@needs_rows_of("found")
def with_service(found: pl.DataFrame, broker_absence: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """able: the assigned replicas that were in service as it was decided (elected_at), in order, by the decisions of
    controllers in office; is_out_known: since the last term of which no line was read there was a decision about each
    replica; has_disk_out: a log directory of one of them has failed, and whether this replica lay there is not told
    here."""
    missed = missed_terms(term)
    rows = (
        found.sort("elected_at")
        .join_asof(
            missed, left_on="elected_at", right_on="missed_from_at", by="cluster_id", coalesce=False,
            check_sortedness=False,
        )
        .with_row_index("row")
    )  # fmt: skip
    is_missed = col("missed_from_at").is_not_null()
    # Of an empty list of replicas nothing is told, and nothing is to be told.
    is_assigned = col("replicas").is_not_null()
    is_sure = col("is_each_told").fill_null(is_assigned)
    able = when(is_assigned).then(col("able").fill_null(NO_IDS))
    return (
        rows.join(of_replicas(rows, broker_absence), on="row", how="left")
        .with_columns(
            able=able,
            is_out_known=~is_missed | is_sure,
            has_disk_out=col("has_disk_out").fill_null(value=False),
        )
        .select(*found.columns, "able", "is_out_known", "has_disk_out")
    )


def of_replicas(rows: pl.DataFrame, broker_absence: pl.DataFrame) -> pl.DataFrame:
    """(row, able, is_each_told, has_disk_out): what is told of the replicas of each row that has some."""
    replicas = (
        rows.select("row", "cluster_id", "elected_at", "read_from_at", broker_id="replicas")
        .explode("broker_id")
        .filter(col("broker_id").is_not_null())
    )
    whole = broker_absence.filter(~col("is_partial"))
    out = (
        whole.sort("out_at")
        .with_columns(back_at=col("back_at").fill_null(NEVER).cum_max().over(BROKER))
        .select(*BROKER, "back_at", from_at="out_at")
    )
    decided = (
        pl.concat([whole.select(*BROKER, decided_at=name) for name in ("out_at", "back_at")])
        .filter(col("decided_at").is_not_null())
        .sort("decided_at")
    )
    disks = (
        broker_absence.filter("is_partial")
        .sort("out_at")
        .select(*BROKER, repaired_at=col("back_at").fill_null(NEVER), failed_at="out_at")
    )
    is_out = (col("back_at") > col("elected_at")).fill_null(value=False)
    is_disk_out = (col("repaired_at") > col("elected_at")).fill_null(value=False)
    is_told = (col("decided_at") >= col("read_from_at")).fill_null(value=False)
    return (
        replicas.with_row_index("replica")
        .pipe(with_last_broker_time, out, "from_at")
        .pipe(with_last_broker_time, disks, "failed_at")
        .pipe(with_last_broker_time, decided, "decided_at")
        .sort("replica")
        .group_by("row")
        .agg(
            able=col("broker_id").filter(~is_out).unique(maintain_order=True),
            is_each_told=is_told.all(),
            has_disk_out=is_disk_out.any(),
        )
    )


def with_last_broker_time(replicas: pl.DataFrame, times: pl.DataFrame, at: str) -> pl.DataFrame:
    """Replicas with the last of these times of their broker."""
    return replicas.sort("elected_at").join_asof(
        times, left_on="elected_at", right_on=at, by=BROKER, coalesce=False, check_sortedness=False
    )


def missed_terms(term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, missed_from_at, read_from_at): when terms of which no line was read began, and when the last of
    those that began by then ended."""
    return (
        unseen_of(kraft_terms(term))
        .filter(col("from_at").is_not_null())
        .sort("from_at")
        .select(
            "cluster_id",
            missed_from_at="from_at",
            read_from_at=col("next_at").fill_null(NEVER).cum_max().over("cluster_id"),
        )
    )
