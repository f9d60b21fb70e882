"""Log directories that failed, by the lines of their own broker: since when, what lay there, when each was back."""

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import TIME

NODE = ("cluster_id", "node_id")
LINE = pl.struct("file_id", "byte_offset")
TEXTS = pl.List(pl.String)
# The directory is out of service, or its process with it. A checkpoint that is not written is none of them by itself.
FAILING = (
    *("failed", "stopping", "logs_stopping", "partitions_offline", "stopped", "unusable", "not_told"),
    *("all_failed", "none_usable", "metadata_dir_failed", "unreadable", "halting"),
)
HALTED = ("all_failed", "none_usable", "metadata_dir_failed", "halting")
HALTED_BY_DISK = ("broker_halted_io", "broker_halted_for_dir")
LOADED, EMPTY = ("clean", "unclean"), ("empty", "created", "not_formatted")
NOT_NAMED = ""  # the directory of a process that an I/O error halted, up to 0.11
KEPT = 8  # lines of a failure: a process that halts at every start says the same for days
LISTED = r"[^\s,\[\]()]+-\d+"  # orders-0
ID = r"([A-Za-z0-9_-]{22})"
FOUND = {
    "cluster_id": pl.String(),
    "broker_id": pl.Int32(),
    "log_dir": pl.String(),
    "directory_id": pl.String(),
    "failed_at": TIME,
    "last_at": TIME,
    "back_at": TIME,
    "came_back": pl.String(),
    "is_at_start": pl.Boolean(),
    "is_halted": pl.Boolean(),
    "is_untold": pl.Boolean(),
    "event": pl.String(),
    "exception_class": pl.String(),
    "exception_message": pl.String(),
    "partitions": TEXTS,
    "future_partitions": TEXTS,
}


def failed_log_dirs(node_event: pl.DataFrame) -> pl.DataFrame:
    """(FOUND, evidence): one row per broker, directory and failure. A failure goes on over starts that fail with the
    directory again; it ends with the first start of the broker without a line that says so.

    came_back: loaded, or empty: a new directory, whose replicas have to be copied anew; left_out: that start loads
    other directories only; started: up to 2.5 no start says which ones it loads. null: it has not.
    Source: LogDirFailureChannel.maybeAddOfflineLogDir is called for every operation that fails, the first one of a
    directory makes ReplicaManager.handleLogDirFailure stop it, from 1.0; LogManager.loadLogs, from 2.6.
    """
    lines = of_lives(node_event)
    started = (
        lines.filter(col("step") == "started")
        .group_by(*NODE, "life", maintain_order=True)
        .agg(started_at=col("logged_at").first(), started_line=LINE.first())
    )
    failing = with_dirs(lines).join(started, on=[*NODE, "life"], how="left", nulls_equal=True)
    at_start = (col("life") > 0) & (col("started_at").is_null() | (col("logged_at") < col("started_at")))
    told = failing.with_columns(is_at_start=at_start)
    episodes = told.join(
        next_good_lives(told, started), on=[*NODE, "log_dir", "life"], how="left", nulls_equal=True
    )
    return with_log_dir_return(log_dir_failures(episodes), lines, started)


def of_lives(node_event: pl.DataFrame) -> pl.DataFrame:
    """Lines of disks and processes in order, with the number of the process of their node; 0: one that began before."""
    area, step = col("area"), col("step")
    is_start = (
        (area == "process") & step.is_in(["starting", "handlers_registered"]) & col("component").is_null()
    )
    of_process = (area == "process") & (is_start | (step == "started") | col("event").is_in(HALTED_BY_DISK))
    return (
        node_event.filter((area == "disk") | of_process, col("node_id").is_not_null())
        .sort(*NODE, "logged_at", "file_id", "byte_offset")
        .with_columns(life=is_start.cast(pl.Int64).cum_sum().over(NODE))
    )


def with_dirs(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines of a failure, one row a directory: a line that lists all of them is of each, one that names none of the
    directory before it."""
    listed = when(col("step").is_in(["all_failed", "none_usable"])).then(
        col("detail").str.strip_chars("[] ").str.split(",").list.eval(pl.element().str.strip_chars())
    )
    return (
        lines.filter(col("step").is_in(FAILING))
        .with_columns(log_dir=pl.coalesce(listed, pl.concat_list("log_dir")))
        .explode("log_dir")
        .with_columns(log_dir=pl.coalesce("log_dir", col("log_dir").forward_fill().over(*NODE, "life")))
        .with_columns(col("log_dir").fill_null(NOT_NAMED))
    )


def next_good_lives(failing: pl.DataFrame, started: pl.DataFrame) -> pl.DataFrame:
    """(NODE, log_dir, life, good_life): the next process after it that started, and had it by then."""
    of_dir = (*NODE, "log_dir")
    bad = failing.filter("is_at_start").select(*of_dir, "life").unique()
    good = (
        failing.select(of_dir)
        .unique()
        .join(started.select(*NODE, "life"), on=NODE)
        .join(bad, on=[*of_dir, "life"], how="anti")
        .with_columns(good_life="life")
    )
    return (
        failing.select(*of_dir, "life")
        .unique()
        .sort("life")
        .join_asof(
            good.sort("life"),
            on="life",
            by=of_dir,
            strategy="forward",
            allow_exact_matches=False,
            check_sortedness=False,
        )
    )


def log_dir_failures(episodes: pl.DataFrame) -> pl.DataFrame:
    """One row per directory and failure. An identity that cannot be read is one only if the broker started without."""
    step, at = col("step"), col("logged_at")
    is_start_failure = ((step == "unreadable") & col("started_at").is_null()).all()
    halted_at = at.filter(step.is_in(HALTED)).min()
    why = ("event", "exception_class", "exception_message")
    is_cause = step.is_in(["failed", "unusable", "halting"]) & col("exception_class").is_not_null()
    is_kept = step.is_in(["stopping", "partitions_offline", "not_told", *HALTED]) | (
        pl.int_range(pl.len()) == 0
    )
    lists = col("detail").filter(step == "partitions_offline")
    return (
        episodes.group_by(*NODE, "log_dir", "good_life", maintain_order=True)
        .agg(
            *(col(name).filter(is_cause).first() for name in why),
            is_start_failure=is_start_failure,
            failed_at=at.first(),
            last_at=at.last(),
            directory_id=col("detail").filter(step == "stopping").str.extract(ID).first(),
            is_at_start=col("is_at_start").first(),
            is_halted=(halted_at - at.first() <= pl.duration(minutes=1)).fill_null(value=False),
            is_untold=(step == "not_told").any(),
            partitions=names_in(lists),
            future_partitions=names_in(col("future_partitions")),
            lines=LINE.filter(is_kept).head(KEPT),
        )
        .filter(~col("is_start_failure"))
    )


def names_in(texts: pl.Expr) -> pl.Expr:
    """The partitions in all of the texts of a group, each once."""
    return (
        texts.str.extract_all(LISTED).explode(empty_as_null=False, keep_nulls=False).unique().sort().implode()
    )


def with_log_dir_return(found: pl.DataFrame, lines: pl.DataFrame, started: pl.DataFrame) -> pl.DataFrame:
    step = col("step")
    loading = lines.filter(step.is_in([*LOADED, *EMPTY]), col("log_dir").is_not_null()).rename(
        {"life": "good_life"}
    )
    of_dir = loading.group_by(*NODE, "log_dir", "good_life").agg(
        is_empty=step.is_in(EMPTY).any(), loading_line=LINE.first()
    )
    of_life = loading.filter(step.is_in([*LOADED, "empty"])).select(*NODE, "good_life").unique()
    return (
        found.join(started.rename({"life": "good_life"}), on=[*NODE, "good_life"], how="left")
        .join(of_dir, on=[*NODE, "log_dir", "good_life"], how="left")
        .join(of_life.with_columns(is_told=lit(value=True)), on=[*NODE, "good_life"], how="left")
        .with_columns(
            came_back=when(col("started_at").is_not_null()).then(
                when("is_empty").then(lit("empty"))
                .when(col("loading_line").is_not_null()).then(lit("loaded"))
                .when(col("is_told") & (col("log_dir") != NOT_NAMED)).then(lit("left_out"))
                .otherwise(lit("started"))
            ),
            back_at="started_at",
            broker_id="node_id",
            log_dir=col("log_dir").replace(NOT_NAMED, None),
            evidence=pl.concat_list("lines", *(line_as_list(name) for name in ("loading_line", "started_line"))),
        )
        .select(*(col(name).cast(kind) for name, kind in FOUND.items()), "evidence")
    )  # fmt: skip


def line_as_list(name: str) -> pl.Expr:
    """The line in a list, an empty one where there is none."""
    return pl.concat_list(name).list.drop_nulls()
