"""What a controller says of its own term: the steps of its start, and the lines that end it."""

import polars as pl
from polars import col, when

from pipeline.model.terms.term_steps import (
    LEAVING,
    RESIGNED,
    SAID,
    STARTED,
    TERM,
    WITHOUT_OFFICE,
    first_step_time_and_line,
    is_before_restart,
    steps_in_terms,
)

STOPPED = ("thread_stopping", "thread_shut_down", "stopped")
EXPIRED = ("session_expired", "session_expired_in_office")
# Source: KafkaController.onControllerFailover (elect up to 2.0) to the start of the scheduler, 0.8.2 to 3.9.
STARTUP = (
    *("elected", "failover_started", "registering_handlers", "reading_epoch", "epoch_read", "incrementing_epoch"),
    *("epoch_incremented", "deleting_log_dir_notifications", "deleting_isr_notifications"),
    *("initializing_context", "context_loaded", "fetching_topic_deletions", "initializing_deletion_manager"),
    *("deletion_manager_initialized", "sending_update_metadata"),
    *("replica_machine_initializing", "replica_machine_online", "replica_machine_offline"),
    *("replica_machine_started", "partition_machine_initializing", "partition_machine_online"),
    *("partition_machine_started", "ready", "scheduler_started"),
)  # fmt: skip

MARKS = {
    "ready": ("ready",),
    "resigning": LEAVING,
    "forced": ("forced",),
    "failed": ("election_failed",),
    "fenced": ("fenced",),
}
ENDS = ("resigned", *STARTED, *STOPPED, *EXPIRED)
TOLD = (*STARTUP, *(step for steps in MARKS.values() for step in steps), *ENDS)
SERVING = {"serving_at": ("scheduler_started",), "resigned_at": ("resigned",)}


def self_reported_steps(term: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """One row per term that has such lines, from the one that elects on, before the node is elected again: when and
    where it first said each thing, and the steps of its start.

    <mark>_line: a list of one line, empty where it has none. What a process says that started anew later is null.
    stopped_without_at: the broker stopped in order, and held no office any more.
    is_end_alone: no line says that it begins to resign, only that it has.
    epoch_line: up to 2.0 the line that tells the epoch, after the one that elects.
    """
    said = steps_in_terms(term, controller_step, TOLD, ["step", "event", "detail"])
    of_process = [when(is_before_restart(name)).then(name).alias(name) for name in SERVING]
    for mark in MARKS:
        at, place = f"{mark}_at", f"{mark}_line"
        of_process += [when(is_before_restart(at)).then(name).alias(name) for name in (at, place)]
    found = said.group_by(TERM).agg(first_step_lines()).with_columns(of_process)
    return found.join(steps_of_start(said, found), on=TERM, how="left").with_columns(
        last_step=when(col("ready_at").is_null()).then("last_step")
    )


def first_step_lines() -> list[pl.Expr]:
    step = col("step")
    found = []
    for mark, steps in MARKS.items():
        at, place = first_step_time_and_line(*steps)
        found += [at.alias(f"{mark}_at"), place.alias(f"{mark}_line")]
    times = {"restarted_at": STARTED, "stopped_at": STOPPED, "expired_at": EXPIRED} | SERVING
    times |= {"stopped_without_at": (WITHOUT_OFFICE,)}
    found += [first_step_time_and_line(*steps)[0].alias(name) for name, steps in times.items()]
    zk_version = col("detail").filter(step == "elected").min()
    return [
        *found,
        first_step_time_and_line("epoch_incremented")[1].alias("epoch_line"),
        (step == "fenced").sum().alias("fenced_count"),
        col("event").filter(step == "renounced").first().alias("renounced_by"),
        (col("event").filter(step.is_in(LEAVING)).first() == RESIGNED).alias("is_end_alone"),
        zk_version.cast(pl.Int32, strict=False).alias("epoch_zk_version"),
    ]


def steps_of_start(said: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """(TERM, steps, last_step): how long each step of the start took, ms, until the line of the next one; the last one
    has no end."""
    at, until = col(SAID[0]), pl.coalesce("serving_at", "ready_at")
    is_of_start = col("step").is_in(STARTUP) & col("elected_at").is_not_null() & (col("mode") == "zookeeper")
    begun = (
        said.filter(is_of_start)
        .join(found.select(*TERM, until=until), on=TERM, how="left")
        .filter((at <= col("until")).fill_null(value=True))
        .sort(*TERM, *SAID)
    )
    last = begun.group_by(TERM).agg(last_step=col("step").last())
    ms = at.dt.epoch("ms")
    steps = (
        begun.with_columns(ms=ms.shift(-1).over(TERM) - ms)
        .drop_nulls("ms")
        .group_by(*TERM, "step", maintain_order=True)
        .agg(col("ms").sum())
        .group_by(TERM)
        .agg(steps=pl.struct(key="step", value="ms"))
    )
    return last.join(steps.with_columns(col("steps").cast(pl.Map(pl.String, pl.Int64))), on=TERM, how="left")
