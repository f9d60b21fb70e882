"""Pairs of lines about a broker's process in KRaft, joined by its incarnation: one of both cannot be before the other.

What a day's lines say alone: a night has no more at hand.
"""

import polars as pl
from polars import col, lit

from pipeline.core.made_of import needs_rows_of

PAIR = (
    "cluster_id",
    "controller_id",
    "broker_id",
    "evidence",
    "told_at",
    "is_high",
    "bound_ms",
    "at",
    "method",
)
PROCESS = ("cluster_id", "broker_id", "incarnation_id", "day")
REPLAYED = ("registered", "registered_again")
LINE = pl.struct("file_id", "byte_offset")


def bounds_of_registrations(broker_event: pl.DataFrame) -> pl.DataFrame:
    """One row per pair (PAIR). A broker names its incarnation before a controller replays it (low), and has its answer
    after the active controller said that it registers it (high, from 3.9); so have the other controllers replayed it.
    Before a controller grants a shutdown the broker asked for it (low).

    Source: BrokerLifecycleManager; ClusterControlManager.registerBroker, replay; BrokerHeartbeatManager, 2.8 to 4.4.
    """
    lines = broker_event.with_columns(day=col("logged_at").dt.date(), line=LINE)
    begun, done = brokers_processes(lines)
    replayed = first_of_controllers(lines.filter((col("said_by") == "replay") & col("step").is_in(REPLAYED)))
    asked = first_of_controllers(lines.filter(col("step") == "registration_requested"))
    # Two that say it: one of them was in office no more.
    asked = asked.unique(PROCESS, keep="none")
    others = replayed.rename({"controller_id": "broker_node", "at": "own_at", "line": "own_line"})
    of_controllers = (
        asked.join(others, on=list(PROCESS)).drop("broker_id").rename({"broker_node": "broker_id"})
    )
    return pl.concat(
        [
            replayed.join(begun, on=list(PROCESS)).pipe(as_pairs, is_high=False, method="registrations"),
            asked.join(done, on=list(PROCESS)).pipe(as_pairs, is_high=True, method="registrations"),
            of_controllers.pipe(as_pairs, is_high=True, method="replays"),
            shutdowns(lines).pipe(as_pairs, is_high=False, method="shutdowns"),
        ]
    )


def brokers_processes(lines: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Where a broker names its incarnation, and where it is registered as that."""
    own = (
        lines.filter((col("said_by") == "broker") & col("step").is_in(["starting", "registered"]))
        .sort("cluster_id", "broker_id", "logged_at", "file_id", "byte_offset")
        .with_columns(col("incarnation_id").forward_fill().over("cluster_id", "broker_id", "day"))
        .drop_nulls("incarnation_id")
        .select(*PROCESS, "step", own_at="logged_at", own_line="line")
    )
    once = [
        own.filter(col("step") == step).unique(PROCESS, keep="none") for step in ("starting", "registered")
    ]
    return once[0].drop("step"), once[1].drop("step")


@needs_rows_of("lines")
def first_of_controllers(lines: pl.DataFrame) -> pl.DataFrame:
    """Of each controller the first line about each process."""
    return (
        lines.drop_nulls(["incarnation_id", "controller_id", "broker_id"])
        .sort("logged_at", "file_id", "byte_offset")
        .group_by(*PROCESS, "controller_id", maintain_order=True)
        .agg(at=col("logged_at").first(), line=col("line").first())
    )


def shutdowns(lines: pl.DataFrame) -> pl.DataFrame:
    """A controlled shutdown, where the lines of both tell of one that day, and of the one process behind it."""
    is_own = col("said_by") == "broker"
    asked = once_a_day(lines.filter(is_own), "shutdown_requested", ("starting",), ("cluster_id", "broker_id"))
    granted = once_a_day(
        lines.filter(~is_own),
        "controlled_shutdown_granted",
        REPLAYED,
        ("cluster_id", "broker_id", "controller_id"),
    )
    return granted.join(asked.rename({"at": "own_at", "line": "own_line"}), on=list(PROCESS))


@needs_rows_of("lines")
def once_a_day(lines: pl.DataFrame, step: str, begins: tuple[str, ...], by: tuple[str, ...]) -> pl.DataFrame:
    is_step, is_begin = col("step") == step, col("step").is_in(begins) & col("incarnation_id").is_not_null()
    at = col("logged_at").filter(is_step)
    return (
        lines.filter(is_step | is_begin)
        .group_by(*by, "day")
        .agg(
            steps=is_step.sum(),
            processes=col("incarnation_id").filter(is_begin).n_unique(),
            incarnation_id=col("incarnation_id").filter(is_begin).first(),
            at=at.first(),
            line=col("line").filter(is_step).first(),
            begins_at=col("logged_at").filter(is_begin).min(),
        )
        .filter((col("steps") == 1) & (col("processes") == 1) & (col("at") < col("begins_at")))
        .drop("steps", "processes", "begins_at")
    )


@needs_rows_of("rows")
def as_pairs(rows: pl.DataFrame, *, is_high: bool, method: str) -> pl.DataFrame:
    return rows.with_columns(
        evidence=pl.concat_list("own_line", "line"),
        told_at="at",
        is_high=lit(is_high),
        bound_ms=(col("own_at") - col("at")).dt.total_milliseconds(),
        method=lit(method),
    ).select(PAIR)
