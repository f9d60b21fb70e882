"""Runs of each node's process and how each ended, from what it says of itself and of its connections."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.reach import Reach
from pipeline.model.brokers.given_up import is_abandoned_shutdown_line
from pipeline.model.brokers.silent_signals import without_signal
from pipeline.model.lines.evidence import LINE, NO_LINES, evidence_line
from pipeline.silver.process_run.next_start import NODE, ONE_START, RUN, with_next_start
from schemas.end_reasons import (
    CLEAN,
    DISK,
    FAULT,
    GAVE_UP,
    KILLED,
    MISSING,
    NOT_BACK,
    SIGNALLED,
    START,
    STOPPED,
    UNKNOWN,
)
from schemas.silver.process_run import SPEC

# From 2.3 a process registers its handlers of signals before all else; of the parts that start each says so once.
FIRST_OF_ALL, STARTING = "handlers_registered", "starting"
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
# What a process prints only as it stops: that it does is certain, though the line that says why may be missing.
AMID_STOP = (
    *(STOPPING, "server_shut_down", "server_shutdown_failed", "server_halting"),
    *("raft_shutdown_started", "raft_shutdown_done", "raft_client_stopped"),
)
REACH = Reach.NODE


def build(
    node_event: pl.DataFrame,
    connection_event: pl.DataFrame,
    release_span: pl.DataFrame,
    source_file: pl.DataFrame,
    lost_segment: pl.DataFrame,
    process_before: pl.DataFrame,
) -> pl.DataFrame:
    """One row per run of which a line of server.log is there that is of one node.

    Of a server.log that several nodes wrote no run is known: what begins one, and a signal that ends it, name no node.
    connection_event: since a day before the first run that is asked for ended; of a run that goes on its row in
    process_before tells when it said something before.

    Killed is a run that has no line of its end, is followed by a start, and of whose log no line is missing before
    that: the file of the start began earlier, or an hour before at most. A start that finds its directories clean
    (2.6) contradicts it. That it finds them unclean is the evidence where it says so: of new, empty ones it does, too.
    Source: LoggingSignalHandler, kafka.Kafka, KafkaServer, BrokerServer, ControllerServer, LogManager.loadLogs,
    LogManager.handleLogDirFailure, ReplicaManager, ProcessTerminatingFaultHandler.
    """
    shared = source_file.filter(col("is_shared").fill_null(value=False))
    lines = pl.concat([node_event, connection_event], how="diagonal").join(
        shared, on=["cluster_id", "file_id"], how="anti"
    )
    said = lines.filter(col("node_id").is_not_null()).pipe(with_run_seq)
    return (
        runs_with_lines(said)
        .pipe(with_lines_before, process_before)
        .join(run_ends(said, release_span), on=RUN, how="left")
        .sort(RUN)
        .pipe(with_next_start, said, source_file, lost_segment)
        .pipe(with_run_end_reason)
        .select(SPEC.columns)
    )


def with_run_seq(said: pl.DataFrame) -> pl.DataFrame:
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


def runs_with_lines(said: pl.DataFrame) -> pl.DataFrame:
    """One row per run that has a line."""
    begins = col("begins")
    has_loaded = (col("area") == "disk") & col("step").is_in(["clean", "unclean", "empty"])
    is_in_service = (col("step") == "started") | (col("event").is_in(REGISTERED))
    return said.group_by(RUN).agg(
        started_at=col("logged_at").filter(begins).first(),
        start_line=evidence_line().filter(begins).head(1),
        start_file=col("file_id").filter(begins).first(),
        first_line_at=col("logged_at").min(),
        last_line_at=col("logged_at").max(),
        in_service_at=col("logged_at").filter(is_in_service).first(),
        has_loaded=has_loaded.any() | (col("step") == "started").any(),
    )


def with_lines_before(found: pl.DataFrame, process_before: pl.DataFrame) -> pl.DataFrame:
    """With the first and last line that runs had, as their rows of before say."""
    known = process_before.select(
        *RUN, "started_at", known_first_at="first_line_at", known_last_at="last_line_at"
    )
    return (
        found.join(known, on=[*RUN, "started_at"], how="left", nulls_equal=True)
        .with_columns(
            first_line_at=pl.min_horizontal("first_line_at", "known_first_at"),
            last_line_at=pl.max_horizontal("last_line_at", "known_last_at"),
        )
        .drop("known_first_at", "known_last_at")
    )


def run_ends(said: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """(RUN, told_reason, told_at, told_detail, told_lines; stopping_at, stopping_lines, is_stop_whole): the first line
    of each run that ends it, and the first one that says that it stops, which tells no reason but up to 0.11, where no
    signal is printed. is_stop_whole: the stop is there from its begin on."""
    detail = pl.coalesce("detail", "exception_message", "log_dir", "exception_class")
    is_of_end = col("event").is_in([*DECISIVE, *AMID_STOP]) | (col("area") == "shutdown")
    up = said.group_by(RUN).agg(up_at=col("logged_at").filter(col("step") == "started").max())
    # What went wrong in a start that came up all the same ended nothing.
    is_over_it = ((col("reason") == START) & (col("up_at") >= col("logged_at"))).fill_null(value=False)
    told = (
        said.filter(is_of_end)
        .pipe(with_silent_signals, release_span)
        .join(up, on=RUN, how="left", maintain_order="left")
        .with_columns(reason=when(~is_over_it).then("reason"))
    )
    decisive, is_stop = col("reason").is_not_null(), ~col("event").is_in([*DECISIVE])
    is_signalled = (col("reason").filter(decisive).first() == SIGNALLED) & is_abandoned_shutdown_line().any()
    told_detail = detail.filter(decisive).first()
    given_up = pl.concat_str(told_detail, lit(GAVE_UP), separator="; ", ignore_nulls=True)
    return told.group_by(RUN, maintain_order=True).agg(
        told_reason=col("reason").filter(decisive).first(),
        told_at=col("logged_at").filter(decisive).first(),
        told_detail=when(is_signalled).then(given_up).otherwise(told_detail),
        told_lines=evidence_line().filter(decisive).head(1),
        stopping_at=col("logged_at").filter(is_stop).first(),
        stopping_lines=evidence_line().filter(is_stop).head(1),
        is_stop_whole=(col("event") == STOPPING).any(),
    )


def with_silent_signals(told: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """Lines with reason, what they tell; null: nothing."""
    spans = without_signal(release_span)
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


def with_run_end_reason(found: pl.DataFrame) -> pl.DataFrame:
    """end_reason and what proves it."""
    is_told, is_stopping = col("told_reason").is_not_null(), col("stopping_at").is_not_null()
    is_over = col("next_started_at").is_not_null()
    is_contradicted = col("next_is_clean").fill_null(value=False) & col("has_loaded")
    is_silent = is_over & ~is_told & ~is_stopping
    is_killed = is_silent & col("is_complete") & ~is_contradicted
    why = (
        when(is_told | is_killed).then(lit(None, pl.String))
        .when(is_stopping & col("is_stop_whole")).then(lit(STOPPED))
        .when(is_stopping).then(lit(MISSING))
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
