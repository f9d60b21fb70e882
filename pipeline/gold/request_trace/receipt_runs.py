"""Lines of brokers about requests, in runs of lines that are alike but for their place, their time and their topic."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.partial import apart

RECEIVER = ("cluster_id", "broker_id", "controller_id")
STEPS = ("received", "started", "applied", "unchanged", "ignored", "refused", "failed")
# A broker prints each once a request, or once a request and partition, with the request's own epoch.
ONCE = (
    "broker_leader_and_isr_request",
    "broker_leader_and_isr_received",
    "broker_stop_replica_request",
    "broker_stop_replica_received",
    "broker_metadata_summary",
    "broker_metadata_cached",
    "broker_metadata_deleted",
)
# The broker goes on without this partition: its leader is not there yet.
LEADER_UNAVAILABLE = "broker_become_follower_leader_unavailable"
STORAGE = (
    "broker_stop_replica_storage_error",
    "broker_become_leader_storage_error",
    "broker_become_follower_storage_error",
)
OF_FILE = (*RECEIVER, "file_id")
ALIKE = (
    *(*OF_FILE, "correlation_id", "controller_epoch", "event", "step", "request", "is_delete"),
    *("partition_count", "elapsed_ms"),
)
NAMED = ("event", "topic", "partition")


@needs_rows_of("control_request")
def receipt_run(control_request: pl.DataFrame) -> pl.DataFrame:
    """What brokers say of requests of which they print the id: one row per run of lines of some topics that are alike
    (ALIKE) and no other line of these topics, or of none, about the controller's requests stands between them in the
    file.

    Columns: ALIKE; is_repeated: a line that a broker prints once a request says the same of the same id again; topic,
    partition: where is_repeated; byte_offsets, logged_ats: of each line, in order. What is repeated is a run of one
    line.
    """
    return runs_of_lines(control_request).filter(~col("is_whole")).drop("is_whole")


@apart
def whole_receipt(control_request: pl.DataFrame) -> pl.DataFrame:
    """The same of lines of no topic, each a run of one line. Columns of receipt_run()."""
    return runs_of_lines(control_request.filter(col("topic").is_null())).drop("is_whole")


def runs_of_lines(control_request: pl.DataFrame) -> pl.DataFrame:
    """Rows of receipt_run(), and with is_whole each line that is of no topic."""
    is_of_broker = col("step").is_in(STEPS) & col("event").str.starts_with("broker_")
    lines = control_request.filter(
        is_of_broker & col("correlation_id").is_not_null() & col("controller_id").is_not_null()
    ).select(*ALIKE, "topic", "partition", "logged_at", "byte_offset", is_whole=col("topic").is_null())
    marked = with_repeated(lines.sort(*OF_FILE, "byte_offset"))
    is_alone = col("is_whole") | col("is_repeated")
    return (
        marked.with_columns(alone_no=when(is_alone).then("line_no"))
        .with_columns(run=pl.struct(*ALIKE, "alone_no").rle_id())
        .with_columns(when("is_repeated").then(name).alias(name) for name in ("topic", "partition"))
        .group_by("run", maintain_order=True)
        .agg(
            col(*ALIKE, "is_whole", "is_repeated", "topic", "partition").first(),
            byte_offsets="byte_offset",
            logged_ats="logged_at",
        )
        .drop("run")
    )


def with_repeated(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines in order with line_no and is_repeated: a line that is printed once may say the same of the same request
    again. It does not where an id between the two is lower than the one before, as these topics alone show it in a
    file; between files that is asked of the last ids of the one and the first of the other."""
    run = (col("correlation_id") < col("correlation_id").shift(1)).fill_null(value=False).cum_sum()
    alike = (*RECEIVER, "correlation_id", *NAMED)
    is_once, is_first, is_last = col("event").is_in(ONCE), col("run") == 0, col("is_last")
    numbered = (
        lines.with_row_index("line_no")
        .with_columns(run=run.over(OF_FILE))
        .with_columns(is_last=col("run") == col("run").max().over(OF_FILE))
    )
    at_edges = numbered.filter(is_once & (is_first | is_last))
    again = at_edges.filter(pl.struct(alike).is_duplicated()).filter(
        (is_first.any() & is_last.any() & (col("file_id").n_unique() > 1)).over(alike)
    )
    in_file = pl.struct(*alike, "file_id", "run").is_duplicated()
    between = col("line_no").is_in(again["line_no"].implode())
    return numbered.with_columns(is_repeated=is_once & (in_file | between)).drop("run", "is_last")


def lines_of_brokers(runs: pl.DataFrame) -> pl.DataFrame:
    """Of runs of lines, of topics and of none: rows of lines of one request that no line of another one of the
    controller parts, in the order in which each broker wrote them: file by file, as files begin.

    Where runs overlap that are not surely of one request each line is a row. Columns: RECEIVER, correlation_id;
    file_id, byte_offset, place (ordinal by broker), logged_at of the first line; last_at, of the last one; is_once,
    is_repeated, NAMED, once_epoch (of lines that are printed once); and what is added up by request.
    """
    runs = runs.with_columns(
        is_once=col("event").is_in(ONCE),
        byte_offset=col("byte_offsets").list.first(),
        last_offset=col("byte_offsets").list.last(),
    )
    begins = runs.group_by("file_id").agg(file_at=col("logged_ats").list.min().min())
    return (
        runs.pipe(with_overlaps)
        .pipe(parted_runs)
        .group_by("overlap", "line_no", maintain_order=True)
        .agg(**of_lines())
        .drop("overlap", "line_no")
        .join(begins, on="file_id", how="left")
        .sort("cluster_id", "broker_id", "file_at", "file_id", "byte_offset")
        .with_columns(place=pl.int_range(pl.len(), dtype=pl.Int64).over("cluster_id", "broker_id"))
    )


def with_overlaps(runs: pl.DataFrame) -> pl.DataFrame:
    """In order of first lines, with overlap, a number for runs that reach into one another, and is_one: all of them are
    of one request, as far as ids, epochs and repeated lines tell, and the first line is one of those that tell."""
    reached = col("last_offset").cum_max().shift(1).over(OF_FILE)
    once_epoch = when("is_once").then("controller_epoch")
    is_one = (
        (col("correlation_id").n_unique() == 1)
        & (col("request").n_unique() == 1)
        & (once_epoch.drop_nulls().n_unique() <= 1)
        & ~col("is_repeated").any()
        & (col("is_once").first() | ~col("is_once").any())
    )
    return (
        runs.sort(*OF_FILE, "byte_offset", "last_offset", descending=False)
        .with_columns(overlap=(col("byte_offset") > reached).fill_null(value=True).cum_sum())
        .with_columns(is_one=((pl.len() == 1) | is_one).over("overlap"))
    )


def parted_runs(runs: pl.DataFrame) -> pl.DataFrame:
    """Runs with first_at, last_at, earliest_at, latest_at and count of their lines; line by line, with line_no, where
    they are not surely of one request."""
    at = col("logged_ats").list
    whole = runs.filter("is_one").with_columns(
        line_no=lit(None, pl.UInt32),
        first_at=at.first(),
        last_at=at.last(),
        earliest_at=at.min(),
        latest_at=at.max(),
        count=at.len().cast(pl.Int64),
    )
    lines = (
        runs.filter(~col("is_one"))
        .drop("byte_offset")
        .explode("byte_offsets", "logged_ats")
        .rename({"byte_offsets": "byte_offset"})
        .sort(*OF_FILE, "byte_offset")
        .with_row_index("line_no")
        .with_columns(
            *(col("logged_ats").alias(name) for name in ("first_at", "last_at", "earliest_at", "latest_at")),
            last_offset="byte_offset",
            count=lit(1, pl.Int64),
        )
    )
    kept = [name for name in whole.columns if name not in {"byte_offsets", "logged_ats"}]
    return pl.concat([whole.select(kept), lines.select(kept)])


def of_lines() -> dict[str, pl.Expr]:
    """What rows of lines of one request in order say of it."""
    step, event, count, latest_at = col("step"), col("event"), col("count"), col("latest_at")
    is_unavailable = event == LEADER_UNAVAILABLE
    is_failed = (step == "failed") & ~is_unavailable
    is_ignored = (step == "ignored") | is_unavailable
    counted = when(col("request") == "UPDATE_METADATA").then(lit("applied")).otherwise(lit("received"))
    first = (
        "cluster_id",
        "broker_id",
        "controller_id",
        "correlation_id",
        "file_id",
        "byte_offset",
        "request",
    )
    return {
        **{name: col(name).first() for name in (*first, *NAMED, "is_repeated")},
        "logged_at": col("first_at").first(),
        "last_at": col("last_at").get(col("last_offset").arg_max()),
        "is_once": col("is_once").any(),
        "once_epoch": col("controller_epoch").filter("is_once").drop_nulls().first(),
        "is_delete": col("is_delete").any(),
        "controller_epoch": col("controller_epoch").max(),
        "printed_count": col("partition_count").drop_nulls().first(),
        "told_count": count.filter(step == counted).sum(),
        "received_at": col("earliest_at").min(),
        "applied_at": latest_at.filter(step == "applied").max(),
        "unchanged_at": latest_at.filter(step == "unchanged").max(),
        "elapsed_ms": col("elapsed_ms").drop_nulls().first(),
        "ignored_count": count.filter(is_ignored).sum(),
        "failed_count": count.filter(is_failed).sum(),
        "lines_count": count.sum(),
        "failing": pl.struct("file_id", "byte_offset").filter(is_failed).first(),
        "failed_at": col("earliest_at").filter(is_failed).min(),
        "is_refused": (step == "refused").any(),
        "is_storage_error": event.is_in(STORAGE).any(),
    }
