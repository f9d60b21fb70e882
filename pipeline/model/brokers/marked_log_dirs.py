"""Log directories that failed, as controllers tell it, and both tellings of one failure as one."""

import polars as pl
from polars import col, lit, when

from pipeline.model.brokers.failed_log_dirs import FOUND, LINE, LISTED, TEXTS
from pipeline.model.brokers.up_signs import with_first_up_sign

BROKER = ("cluster_id", "broker_id")
DECIDED = "log_dir_failed"
REGISTERED = ("registered", "registered_again")
# How long a controller needs for what a broker tells it: its answer to the first orders after a start, a heartbeat.
SHUT_DOWN = "other_broker_lifecycle_manager_shutting_down_because_couldn_t"
SOON = pl.duration(minutes=1)
EARLIER = pl.duration(seconds=5)  # clocks of two nodes


def log_dir_failures_with_marks(own: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """Failures of directories by the brokers' own lines (own: of failed_log_dirs), with the lines of controllers, and
    those that controllers alone tell: without a path."""
    marked = pl.concat([in_kraft(broker_event), in_zookeeper(broker_event)]).with_row_index("mark")
    numbered = with_shutdown(own, broker_event).with_row_index("row")
    pairs = numbered.select("row", *BROKER, "directory_id", "failed_at", "back_at").join(
        marked, on=BROKER, suffix="_marked"
    )
    is_named = (col("directory_id") == col("directory_id_marked")).fill_null(value=False)
    is_soon = col("failed_at_marked") <= col("failed_at") + SOON
    is_unnamed = (col("directory_id").is_null() | col("directory_id_marked").is_null()) & is_soon
    is_within = (col("failed_at_marked") >= col("failed_at") - EARLIER) & (
        col("failed_at_marked") <= pl.coalesce("back_at", "failed_at_marked")
    )
    same = pairs.filter(is_within, is_named | is_unnamed).sort("row", "failed_at_marked")
    told = same.group_by("row", maintain_order=True).agg(
        marked_back_at=col("back_at_marked").first(),
        marked_came_back=col("came_back").first(),
        marked_partitions=merged_lists("partitions"),
        marked_lines=merged_lists("evidence"),
    )
    both = numbered.join(told, on="row", how="left").with_columns(
        back_at=pl.coalesce("back_at", "marked_back_at"),
        came_back=pl.coalesce("came_back", "marked_came_back"),
        partitions=when(col("partitions").list.len() > 0)
        .then("partitions")
        .otherwise(col("marked_partitions").fill_null(lit([], TEXTS))),
        evidence=pl.concat_list(
            "evidence", col("marked_lines").fill_null(pl.lit([], own.schema["evidence"]))
        ),
    )
    alone = marked.join(same.select("mark").unique(), on="mark", how="anti")
    return pl.concat([one.select(*FOUND, "evidence") for one in (both, alone)])


def with_shutdown(own: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """Failures of which the broker could tell no controller (log.dir.failure.timeout.ms) and therefore ended itself.

    Source: BrokerLifecycleManager.OfflineDirBrokerFailureEvent, from 3.8.
    """
    ended = (
        broker_event.filter(col("event") == SHUT_DOWN)
        .sort("logged_at", "file_id", "byte_offset")
        .group_by(
            *BROKER, directory_id=col("reason").str.extract(r"([A-Za-z0-9_-]{22})"), maintain_order=True
        )
        .agg(ended_at="logged_at", ended_lines=LINE)
        .drop_nulls("directory_id")
    )
    numbered = own.with_row_index("row")
    found = (
        numbered.select("row", *BROKER, "directory_id", "failed_at", "back_at")
        .join(ended.explode("ended_at", "ended_lines"), on=[*BROKER, "directory_id"])
        .filter(col("ended_at").is_between("failed_at", pl.coalesce("back_at", "ended_at")))
        .group_by("row", maintain_order=True)
        .agg(ended_line=col("ended_lines").first())
    )
    has_ended = col("ended_line").is_not_null()
    return (
        numbered.join(found, on="row", how="left")
        .sort("row")
        .with_columns(col("is_halted", "is_untold") | has_ended, evidence=with_line("evidence", "ended_line"))
        .select(own.columns)
    )


def with_process_up(lost: pl.DataFrame, signs: pl.DataFrame) -> pl.DataFrame:
    """Failures (FOUND, evidence) that halted their process, of which no line says that they are over, are when a line
    of any log shows the broker up again (signs: of up_signs): it has a directory that it can use, though no line says
    which."""
    numbered = lost.with_row_index("row")
    is_over = col("is_halted") & col("back_at").is_null()
    up = (
        numbered.filter(is_over)
        .select(
            "row", "cluster_id", node_id="broker_id", over_at=pl.coalesce("last_at", "failed_at") + EARLIER
        )
        .pipe(with_first_up_sign, signs, "over_at")
        .filter(col("up_at").is_not_null())
        .select("row", "up_at", "up_line")
    )
    is_up = col("up_at").is_not_null()
    return (
        numbered.join(up, on="row", how="left")
        .sort("row")
        .with_columns(
            back_at=pl.coalesce("back_at", "up_at"),
            came_back=when(is_up).then(lit("up")).otherwise("came_back"),
            evidence=when(is_up).then(pl.concat_list("evidence", "up_line")).otherwise("evidence"),
        )
        .select(lost.columns)
    )


def merged_lists(name: str) -> pl.Expr:
    return col(name).explode(empty_as_null=False, keep_nulls=False).unique(maintain_order=True).implode()


def in_kraft(broker_event: pl.DataFrame) -> pl.DataFrame:
    """One row per directory that a controller marks offline; back with the first later registration that has it.

    Replays of a controller that starts say again what was: a registration is later if its epoch is.
    Source: ReplicationControlManager.handleDirectoriesOffline, ClusterControlManager.replay, from 3.7.
    """
    decided = broker_event.filter(col("step") == DECIDED, col("event") == "directories_changed")
    ids = col("reason").str.extract_all(r"[A-Za-z0-9_-]{22}")
    failed = (
        decided.with_columns(directory_id=ids, failed_at="logged_at", line=LINE)
        .explode("directory_id", keep_nulls=False)
        .sort("failed_at", "file_id", "byte_offset")
    )
    seen = broker_event.filter(col("broker_epoch").is_not_null(), col("broker_id").is_not_null())
    registered = (
        seen.filter(col("step").is_in(REGISTERED), col("log_dirs").is_not_null())
        .sort("logged_at", "file_id", "byte_offset")
        .group_by(*BROKER, "broker_epoch", maintain_order=True)
        .agg(col("log_dirs").first(), at=col("logged_at").first(), back_line=LINE.first())
    )
    known = (
        failed.with_row_index("row").select("row", *BROKER, "failed_at")
        .join(seen.select(*BROKER, "broker_epoch", "logged_at"), on=BROKER)
        .filter(col("logged_at") <= col("failed_at") + EARLIER)
        .group_by("row").agg(epoch=col("broker_epoch").max())
    )  # fmt: skip
    has_it = col("log_dirs").str.contains(col("directory_id"), literal=True)
    back = (
        failed.with_row_index("row").select("row", *BROKER, "directory_id", "failed_at")
        .join(known, on="row")
        .join(registered, on=BROKER)
        .filter(col("broker_epoch") > col("epoch"), col("at") > col("failed_at"), has_it)
        .sort("row", "broker_epoch")
        .group_by("row", maintain_order=True).agg(back_at=col("at").first(), back_line=col("back_line").first())
    )  # fmt: skip
    return (
        failed.with_row_index("row")
        .join(back, on="row", how="left")
        .group_by(*BROKER, "directory_id", "back_at", maintain_order=True)
        .agg(
            failed_at=col("failed_at").first(), lines=col("line").head(1), back_line=col("back_line").first()
        )
        .with_columns(
            came_back=when(col("back_at").is_not_null()).then(lit("loaded")),
            evidence=with_line("lines", "back_line"),
        )
        .pipe(with_all_failure_columns)
    )


def in_zookeeper(broker_event: pl.DataFrame) -> pl.DataFrame:
    """One row per broker whose replicas a controller marks offline; over once the broker is there again and none is
    marked soon after.

    Source: KafkaController.processLeaderAndIsrResponseReceived, from 1.0: it marks those of which the broker says
    KAFKA_STORAGE_ERROR, once for each of its processes and controllers.
    """
    marks = (
        broker_event.filter(col("step") == DECIDED, col("event") != "directories_changed")
        .filter(col("broker_id").is_not_null())
        .with_columns(failed_at="logged_at", line=LINE)
        .sort("failed_at", "file_id", "byte_offset")
    )
    joined_at = (
        broker_event.filter(col("step") == "joined", col("broker_id").is_not_null())
        .sort("logged_at", "file_id", "byte_offset")
        .group_by(*BROKER, "logged_at", maintain_order=True)
        .agg(back_line=LINE.first())
        .rename({"logged_at": "back_at"})
    )
    of_each = joined_at.join(marks.select(*BROKER, "failed_at"), on=BROKER)
    bad = of_each.filter(col("failed_at").is_between("back_at", col("back_at") + SOON))
    good = joined_at.join(bad, on=[*BROKER, "back_at"], how="anti").sort("back_at")
    return (
        marks.join_asof(
            good,
            left_on="failed_at",
            right_on="back_at",
            by=BROKER,
            strategy="forward",
            allow_exact_matches=False,
            coalesce=False,
            check_sortedness=False,
        )
        .group_by(*BROKER, "back_at", maintain_order=True)
        .agg(
            failed_at=col("failed_at").first(),
            partitions=col("partitions")
            .str.extract_all(LISTED)
            .explode(empty_as_null=False, keep_nulls=False)
            .unique()
            .sort()
            .implode(),
            lines=col("line").head(2),
            back_line=col("back_line").first(),
        )
        .with_columns(evidence=with_line("lines", "back_line"))
        .with_columns(came_back=when(col("back_at").is_not_null()).then(lit("started")))
        .pipe(with_all_failure_columns)
    )


def with_line(lines: str, line: str) -> pl.Expr:
    """The list with the line at its end, where there is one."""
    return pl.concat_list(lines, pl.concat_list(line).list.drop_nulls())


def with_all_failure_columns(rows: pl.DataFrame) -> pl.DataFrame:
    """With all columns of failed_log_dirs; what controllers do not say is null, false, or an empty list."""
    empty = {pl.Boolean(): lit(value=False), TEXTS: lit([], TEXTS)}
    missing = {
        name: empty.get(kind, lit(None, kind)) for name, kind in FOUND.items() if name not in rows.columns
    }
    return rows.with_columns(**missing).select(
        *(col(name).cast(kind) for name, kind in FOUND.items()), "evidence"
    )
