"""Starts of nodes that failed, each with the cause that its lines name."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.kafka.wording.failed_starts import NOT_TOLD
from pipeline.model.brokers.unnamed_nodes import has_id, number_unnamed_nodes
from pipeline.model.lines.evidence import LINE, known_lines
from pipeline.model.lines.exception_causes import with_exception_causes

NODE = ("cluster_id", "node_id")
ATTEMPT = (*NODE, "attempt")
BEGINS = ("handlers_registered", "starting")
# The process comes up or ends: what starts after one of these lines is another one.
ENDS = (
    "started",
    "start_failed",
    "exiting",
    "halting",
    "fatal_fault",
    "signalled",
    "shutting_down",
    "shut_down",
)
# Only a start that fails prints them.
DECISIVE = ("start_failed", "exiting")
OUTCOMES = ("started", *DECISIVE)
# The broker gives up as initial.broker.registration.timeout.ms is over.
GAVE_UP = "other_broker_lifecycle_manager_shutting_down_because_we_were"
OF_EVENT = {
    GAVE_UP: "registration_timed_out",
    "broker_id_generation_failed": "id_not_generated",
    "server_migration_catch_up_failed": "migration_not_caught_up",
}
# What ends a start that has not come up yet; of several the first counts.
OF_STEP = {
    "none_usable": "no_log_dir",
    "all_failed": "no_log_dir",
    "metadata_dir_failed": "no_log_dir",
    "logs_not_loaded": "logs_not_loaded",
    "fatal_fault": "fatal_fault",
    "wait_timed_out": "wait_in_vain",
    "wait_failed": "wait_in_vain",
}
RANKS = {name: rank for rank, name in enumerate((*OF_EVENT.values(), *dict.fromkeys(OF_STEP.values())), 1)}
# A process that fails to start has printed its last line by then.
ENDING = timedelta(seconds=60)
TAKEN = ("cause_fields", "detail", "exception", *LINE)


def start_lines(node_event: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """Lines that may tell of starts, by node in turn: with attempt, the number of the process on its node, and cause,
    what its exception names. Of nodes that nobody names: pipeline.model.brokers.unnamed_nodes."""
    is_own = col("area").is_in(("process", "disk")) | (col("step") == "owned_by_other")
    is_registering = (col("said_by") == "broker") & (col("step") == "registration_failed")
    registering = broker_event.filter(is_registering | (col("event") == GAVE_UP))
    class_name = col("exception_class").str.extract(r"(\w+)$")
    lines = (
        pl.concat([node_event.filter(is_own), registering.with_columns(detail="reason")], how="diagonal")
        .pipe(number_unnamed_nodes)
        .pipe(with_exception_causes)
        .with_columns(
            line=known_lines(LINE),
            exception=pl.concat_str(
                class_name, "exception_message", separator=": ", ignore_nulls=True
            ).replace("", None),
        )
        .sort(*NODE, "logged_at", *LINE)
    )
    step = col("step")
    before, outcome = (
        when(step.is_in(names)).then("step").forward_fill().shift().over(NODE)
        for names in ((*BEGINS, *ENDS), (*BEGINS, *OUTCOMES))
    )
    is_first = (step == "starting") & ~before.is_in(BEGINS)
    # Of settings that are refused nothing stands before the line that the process ends.
    is_only = step.is_in(DECISIVE) & (outcome == "started")
    begins = (step == "handlers_registered") | is_first | is_only | before.is_in(("exiting", "halting"))
    return lines.with_columns(attempt=begins.fill_null(value=False).cast(pl.Int64).cum_sum().over(NODE))


def start_failures(lines: pl.DataFrame) -> pl.DataFrame:
    """One row per start that failed: failed_at, cause, TAKEN of the line that names it (why_line),
    lines: it and one that says that it was a start; error: with which the
    controller refused it; owner_session, owner_line: who held its id; begin_at, over_at: of the attempt, with what it
    prints as it ends; prints_starts: its logs would show a start that comes up.

    Only server_started proves a start (STARTING -> STARTED is printed of one that failed, too). No failure: a start
    whose end is in no log, one that a signal ended, and what happens to a node that is up. Several nodes may write the
    file of an unnamed one: there only a line counts that nothing but a failed start prints.
    """
    step = col("step")
    by_step = step.replace_strict(OF_STEP, default=None, return_dtype=pl.String)
    by_event = col("event").replace_strict(OF_EVENT, default=by_step, return_dtype=pl.String)
    is_named = (col("area") == "process") & col("cause").is_not_null()
    why = when(is_named).then("cause").otherwise(by_event)
    rank = when(is_named).then(0).otherwise(by_event.replace_strict(RANKS, default=len(RANKS) + 1))
    has_begun = step.is_in(BEGINS).any()
    said = lines.with_columns(
        why=why,
        rank=rank,
        is_stopped=(step == "signalled").cum_max().over(ATTEMPT),
        is_start=(step.is_in(DECISIVE).any() | (has_begun & has_id().all())).over(ATTEMPT),
        is_up=(step == "started").any().over(ATTEMPT),
        prints_starts=has_begun.over(NODE),
    )
    is_failing = col("why").is_not_null() | step.is_in(DECISIVE)
    # That it was a start, where the line that says why does not tell.
    start_line = (
        col("line").filter(step.is_in(DECISIVE)).first(),
        col("line").filter(step.is_in(BEGINS)).last(),
    )
    failing_at = when(is_failing).then("logged_at").min().over(ATTEMPT)
    of_attempt = (
        said.with_columns(failing_at=failing_at)
        .group_by(ATTEMPT, maintain_order=True)
        .agg(
            start_line=pl.coalesce(*start_line),
            owner_session=col("owner_session_id").drop_nulls().first(),
            owner_line=col("line").filter(step == "owned_by_other").first(),
            error=col("detail").filter(step == "registration_failed").drop_nulls().last(),
            begin_at=col("logged_at").filter(step.is_in(BEGINS)).first(),
            over_at=col("logged_at").filter(col("logged_at") <= col("failing_at") + ENDING).max(),
        )
    )
    is_refused = (col("cause") == "registration_timed_out") & col("error").is_not_null()
    return (
        said.filter(is_failing, "is_start", ~col("is_up"), ~col("is_stopped"))
        .sort(*ATTEMPT, "rank", "logged_at", *LINE)
        .group_by(ATTEMPT, maintain_order=True)
        .agg(
            *(col(name).first() for name in TAKEN),
            col("prints_starts").first(),
            failed_at=col("logged_at").first(),
            cause=pl.coalesce(col("why").first(), lit(NOT_TOLD)),
            why_line=col("line").first(),
            is_alone=step.first().is_in(DECISIVE),
        )
        .join(of_attempt, on=ATTEMPT)
        .with_columns(
            cause=when(is_refused).then(lit("registration_refused")).otherwise("cause"),
            lines=when("is_alone").then("why_line").otherwise(pl.concat_list("why_line", "start_line")),
            begin_at=pl.coalesce("begin_at", col("failed_at") - ENDING),
        )
        .sort("failed_at")
    )
