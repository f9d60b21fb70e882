"""Runs of each node's process and how each ended, from silver.node_event."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.kafka.wording.releases import bits, members
from pipeline.model.lines.evidence import LINE, NO_LINES, line
from schemas.end_reasons import (
    CLEAN,
    DISK,
    FAULT,
    KILLED,
    MISSING,
    NOT_BACK,
    SIGNALLED,
    START,
    STOPPED,
    UNKNOWN,
)
from schemas.silver.process_run import SPEC

NODE = ("cluster_id", "node_id")
RUN = (*NODE, "run_seq")
# From 2.3 a process registers its handlers of signals before all else; of the parts that start each says so once.
FIRST_OF_ALL, STARTING = "handlers_registered", "starting"
ONE_START = timedelta(seconds=60)  # a start is through with its first lines by then
ONE_PROCESS = timedelta(minutes=10)  # a KRaft broker may wait for its controller before it starts
REGISTERED = ("broker_registered_in_zk", "broker_reregistered")
# What ends a process, by the event that says so.
DECISIVE = {
    "process_signal": SIGNALLED,
    "server_start_failed": START,
    "server_exiting": START,
    "logs_loading_failed": START,
    "fatal_fault": FAULT,
    "broker_halted_io": DISK,
    "broker_halted_for_dir": DISK,
    "log_dirs_all_failed": DISK,
    "log_dirs_none_usable": DISK,
    "metadata_dir_failed": DISK,
}
STOPPING = "server_shutting_down"
WITHOUT_SIGNAL = members(bits("0.8.0", "0.11.0"))
REPEATED = "failed"  # connections that fail go on for hours, and say nothing of their node


def build(node_event: pl.DataFrame, release_span: pl.DataFrame, source_file: pl.DataFrame) -> pl.DataFrame:
    """One row per run of which a line of server.log is there.

    Killed is a run that has no line of its end, is followed by a start, and of whose log no line is missing before
    that: the file of the start began earlier, or an hour before at most. A start that finds its directories clean
    (2.6) contradicts it. That it finds them unclean is the evidence where it says so: of new, empty ones it does, too.
    Source: LoggingSignalHandler, kafka.Kafka, KafkaServer, BrokerServer, ControllerServer, LogManager.loadLogs,
    LogManager.handleLogDirFailure, ReplicaManager, ProcessTerminatingFaultHandler.
    """
    said = node_event.filter(col("step") != REPEATED, col("node_id").is_not_null()).pipe(with_run)
    return (
        runs(said)
        .join(ends(said, release_span), on=RUN, how="left")
        .sort(RUN)
        .pipe(with_next_start, said, source_file)
        .pipe(with_reason)
        .select(SPEC.columns)
    )


def with_run(said: pl.DataFrame) -> pl.DataFrame:
    """Lines in their order with run_seq. A start begins a run, but where handlers of signals were registered just
    before, or another part of the process started: a node in KRaft mode may have a broker and a controller."""
    is_start = (col("area") == "process") & (col("step") == STARTING)
    is_first = col("step") == FIRST_OF_ALL
    part = when(is_start).then(col("component").fill_null(""))

    def last(value: pl.Expr) -> pl.Expr:
        return value.shift(1).forward_fill().over(NODE)

    has_handlers = (col("logged_at") - last(when(is_first).then("logged_at")) <= ONE_PROCESS).fill_null(
        value=False
    )
    is_near = col("logged_at") - last(when(is_start).then("logged_at")) <= ONE_START
    is_other_part = (is_near & (part != last(part))).fill_null(value=False)
    begins = is_first | (is_start & ~has_handlers & ~is_other_part)
    ordered = said.sort(*NODE, "logged_at", *LINE).with_columns(begins=begins)
    return ordered.with_columns(run_seq=col("begins").cast(pl.Int32).cum_sum().over(NODE))


def runs(said: pl.DataFrame) -> pl.DataFrame:
    """One row per run that has a line."""
    begins = col("begins")
    has_loaded = (col("area") == "disk") & col("step").is_in(["clean", "unclean", "empty"])
    is_in_service = (col("step") == "started") | (col("event").is_in(REGISTERED))
    return said.group_by(RUN).agg(
        started_at=col("logged_at").filter(begins).first(),
        start_line=line().filter(begins).head(1),
        start_file=col("file_id").filter(begins).first(),
        last_line_at=col("logged_at").max(),
        in_service_at=col("logged_at").filter(is_in_service).first(),
        has_loaded=has_loaded.any() | (col("step") == "started").any(),
    )


def ends(said: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """(RUN, told_reason, told_at, told_detail, told_lines, is_stopping): the first line of each run that ends it; that
    it shuts down tells no reason but up to 0.11, where no signal is printed."""
    detail = pl.coalesce("detail", "exception_message", "log_dir", "exception_class")
    told = said.filter(col("event").is_in([*DECISIVE, STOPPING])).pipe(with_silent_signals, release_span)
    decisive = col("reason").is_not_null()
    return told.group_by(RUN, maintain_order=True).agg(
        told_reason=col("reason").filter(decisive).first(),
        told_at=col("logged_at").filter(decisive).first(),
        told_detail=detail.filter(decisive).first(),
        told_lines=line().filter(decisive).head(1),
        stopping_at=col("logged_at").first(),
        stopping_lines=line().head(1),
    )


def with_silent_signals(told: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """Lines with reason, what they tell; null: nothing."""
    is_old = col("releases").list.eval(pl.element().is_in(WITHOUT_SIGNAL)).list.all()
    spans = release_span.filter(col("node_id").is_not_null()).select(
        *NODE, "valid_from_at", is_without_signal=is_old
    )
    is_silent = (col("event") == STOPPING) & col("is_without_signal").fill_null(value=False)
    reason = col("event").replace_strict(DECISIVE, default=None, return_dtype=pl.String)
    return (
        told.sort("logged_at", *LINE)
        .join_asof(
            spans.sort("valid_from_at"), left_on="logged_at", right_on="valid_from_at", by=NODE,
            check_sortedness=False,
        )
        .with_columns(reason=when(is_silent).then(lit(SIGNALLED)).otherwise(reason))
    )  # fmt: skip


def with_next_start(found: pl.DataFrame, said: pl.DataFrame, source_file: pl.DataFrame) -> pl.DataFrame:
    """Runs in their order with what the next start says: next_started_at, next_line, unclean_line (of directories that
    are not new), is_clean; and is_complete: no line between is missing."""
    own = said.select(*RUN, "file_id").unique().group_by(RUN).agg(files="file_id")
    following = [
        col(name).shift(-1).over(NODE).alias(f"next_{name}")
        for name in ("started_at", "start_line", "start_file", "unclean_lines", "unclean_at", "is_clean")
    ]
    is_same_file = pl.col("files").list.contains(pl.col("next_start_file"))
    return (
        found.join(directories(said), on=RUN, how="left")
        .join(own, on=RUN, how="left")
        .sort(RUN)
        .with_columns(following)
        .pipe(with_continued, source_file)
        .with_columns(is_complete=(is_same_file | col("is_continued")).fill_null(value=False))
    )


def directories(said: pl.DataFrame) -> pl.DataFrame:
    """(RUN, unclean_lines, unclean_at, is_clean): the first directory that a start finds unclean, one that an earlier
    line of the node names and that is not new; and whether it finds one that was shut down in order."""
    disks = said.filter(col("area") == "disk", col("log_dir").is_not_null())
    named = disks.group_by(*NODE, "log_dir").agg(first_seq=col("run_seq").min())
    new = disks.filter(col("step").is_in(["created", "empty"])).select(*RUN, "log_dir").unique()
    states = disks.filter(col("step").is_in(["clean", "unclean"])).join(named, on=[*NODE, "log_dir"])
    is_known = (col("step") == "unclean") & (col("first_seq") < col("run_seq"))
    unclean = (
        states.filter(is_known)
        .join(new, on=[*RUN, "log_dir"], how="anti")
        .sort("logged_at", *LINE)
        .group_by(RUN, maintain_order=True)
        .agg(unclean_lines=line().head(1), unclean_at=col("logged_at").first())
    )
    clean = states.group_by(RUN).agg(is_clean=(col("step") == "clean").any())
    return clean.join(unclean, on=RUN, how="left")


def with_continued(found: pl.DataFrame, source_file: pl.DataFrame) -> pl.DataFrame:
    """is_continued: the file of the next start began before it, or another file of the node's server.log goes on until
    the hour before it: logs roll by the hour, or later."""
    files = (
        source_file.filter(col("log").is_in(["server", "mixed"]))
        .group_by("cluster_id", "file_id")
        .agg(
            node_id=col("node_id").drop_nulls().first(),
            first_at=col("first_logged_at").min(),
            last_at=col("last_logged_at").max(),
        )
    )
    start_at = col("next_started_at")
    began = files.select("cluster_id", next_start_file="file_id", began_at="first_at")
    is_hour_before = col("last_at").dt.truncate("1h") >= start_at.dt.truncate("1h") - pl.duration(hours=1)
    rolled = (
        found.filter(start_at.is_not_null())
        .select(*RUN, "next_started_at", "next_start_file")
        .join(files.drop_nulls("node_id"), on=NODE)
        .filter(col("file_id") != col("next_start_file"), col("first_at") < start_at, is_hour_before)
        .select(*RUN, is_rolled=lit(value=True))
        .unique()
    )
    has_begun = start_at - col("began_at") > ONE_START
    return (
        found.join(began, on=["cluster_id", "next_start_file"], how="left")
        .join(rolled, on=RUN, how="left")
        .sort(RUN)
        .with_columns(is_continued=has_begun | col("is_rolled").fill_null(value=False))
    )


def with_reason(found: pl.DataFrame) -> pl.DataFrame:
    """end_reason and what proves it."""
    is_told, is_stopping = col("told_reason").is_not_null(), col("stopping_at").is_not_null()
    is_over = col("next_started_at").is_not_null()
    is_contradicted = col("next_is_clean").fill_null(value=False) & col("has_loaded")
    is_silent = is_over & ~is_told & ~is_stopping
    is_killed = is_silent & col("is_complete") & ~is_contradicted
    why = (
        when(is_told | is_killed).then(lit(None, pl.String))
        .when(is_stopping).then(lit(STOPPED))
        .when(~is_over).then(lit(NOT_BACK))
        .when(is_contradicted).then(lit(CLEAN))
        .otherwise(lit(MISSING))
    )  # fmt: skip
    next_lines = pl.coalesce("next_unclean_lines", "next_start_line")
    own = (
        when(is_told)
        .then("told_lines")
        .when(is_killed)
        .then(next_lines)
        .when(is_stopping)
        .then("stopping_lines")
    )
    at = when(is_told).then("told_at").when(is_killed).then(pl.coalesce("next_unclean_at", "next_started_at"))
    certainty = when(is_told).then(lit("proved")).when(is_killed).then(lit("inferred"))
    return found.with_columns(
        end_reason=when(is_told)
        .then("told_reason")
        .when(is_killed)
        .then(lit(KILLED))
        .otherwise(when(is_over | is_stopping).then(lit(UNKNOWN))),
        end_at=at.when(is_stopping).then("stopping_at"),
        end_detail="told_detail",
        unknown_why=why,
        certainty=certainty.otherwise(lit("undetermined")),
        evidence=pl.concat_list(
            col("start_line").fill_null(NO_LINES), own.otherwise(NO_LINES).fill_null(NO_LINES)
        ),
    )
