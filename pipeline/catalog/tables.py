"""All tables in the order in which they are built: the signature of a table's build is its wiring."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

import polars as pl

from pipeline.core.packed_rows import RowKernel
from pipeline.gold import (
    broker_session,
    controller_term,
    evidence,
    finding,
    imbalance_breach,
    imbalance_check,
    leader_election,
    leader_imbalance,
    partition_outage,
    partition_timeline,
    reassignment,
    replay_check,
    topic_lifecycle,
    transition_audit,
)
from pipeline.silver import (
    assignment,
    broker_absence,
    broker_event,
    broker_setting,
    config_event,
    connection_event,
    control_request,
    controller_event,
    controller_line,
    deletion_replica,
    election_event,
    imbalance_observation,
    leader_and_isr,
    log_gap,
    node_event,
    partition_state,
    partition_transition,
    process_run,
    reassignment_event,
    release_span,
    replica_offset,
    replica_transition,
    state_dump,
    term,
    topic_event,
    wording_seen,
)
from pipeline.state import controller_day, partition_view, replay_summary
from schemas.bronze import duplicate_record, file_sighting, log_record, lost_segment, source_file
from schemas.ops import quality_result
from schemas.spec import TableSpec


class Refresh(Enum):
    """What a run writes of a table."""

    LOADED = "written by the loading of segments"
    APPEND = "rows of the run's segments are appended; each follows from single records"
    INCREMENTAL = "rows from the start on are replaced: the earliest time that what is new changes"
    FULL = "built anew from the tables it stands on"
    RUN = "rows about the run are appended"
    REPAIRED = "rows are appended by repair alone: what the warehouse has lost of what was read"


# No build gives these rows again.
KEPT = frozenset({Refresh.LOADED, Refresh.RUN, Refresh.REPAIRED})
A_DAY = 1440  # of minutes: a table that takes what is kept by days begins with one


@dataclass(frozen=True)
class CatalogTable:
    """ordered_by: of an INCREMENTAL table the column that the start is held against. lookback_days: of one that is
    built by whole days in UTC, how many before that of the start. begun_by: its rows rest on all that was since they
    began, which this column says: inputs begin with the first row that reaches the start. lookback_minutes: inputs
    begin so many minutes earlier, as rows rest on what was said just before them. merged: of rows that add up, what
    makes those of all records of those that parts of the records gave. taken: of such rows by segments, what makes
    those that kernels take: the same however nights cut the files."""

    spec: TableSpec
    refresh: Refresh
    build: Callable[..., pl.DataFrame] | None = None
    ordered_by: str = ""
    lookback_days: int | None = None
    begun_by: str = ""
    lookback_minutes: int = 0
    merged: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    taken: Callable[[pl.DataFrame], pl.DataFrame] | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Short names of the tables and other things that build takes."""
        return tuple(inspect.signature(self.build).parameters) if self.build else ()

    @property
    def row_kernel(self) -> RowKernel:
        """The build of a table by segments."""
        if self.build is None or self.refresh is not Refresh.APPEND:
            raise TypeError(f"{self.spec.name} does not follow from single records")
        return RowKernel(self.spec.name, self.build, self.spec)


def table_of_kernel(kernel: ModuleType, refresh: Refresh, ordered_by: str = "", **given: Any) -> CatalogTable:
    """The table of a kernel: its declaration stands under the same name in schemas."""
    declaration = import_module(kernel.__name__.replace("pipeline.", "schemas."))
    return CatalogTable(declaration.SPEC, refresh, kernel.build, ordered_by, **given)


TABLES: tuple[CatalogTable, ...] = (
    CatalogTable(log_record.SPEC, Refresh.LOADED),
    CatalogTable(source_file.SPEC, Refresh.LOADED),
    CatalogTable(duplicate_record.SPEC, Refresh.LOADED),
    CatalogTable(lost_segment.SPEC, Refresh.REPAIRED),
    CatalogTable(file_sighting.SPEC, Refresh.RUN),
    table_of_kernel(
        wording_seen, Refresh.APPEND, merged=wording_seen.merge_partial_rows, taken=wording_seen.of_files
    ),
    table_of_kernel(controller_event, Refresh.APPEND),
    table_of_kernel(replica_transition, Refresh.APPEND),
    table_of_kernel(partition_transition, Refresh.APPEND),
    table_of_kernel(leader_and_isr, Refresh.APPEND),
    table_of_kernel(partition_state, Refresh.APPEND),
    table_of_kernel(replica_offset, Refresh.APPEND),
    table_of_kernel(imbalance_observation, Refresh.APPEND),
    table_of_kernel(topic_event, Refresh.APPEND),
    table_of_kernel(deletion_replica, Refresh.APPEND),
    table_of_kernel(assignment, Refresh.APPEND),
    table_of_kernel(control_request, Refresh.APPEND),
    table_of_kernel(broker_event, Refresh.APPEND),
    table_of_kernel(reassignment_event, Refresh.APPEND),
    table_of_kernel(election_event, Refresh.APPEND),
    table_of_kernel(state_dump, Refresh.APPEND),
    table_of_kernel(broker_setting, Refresh.APPEND),
    table_of_kernel(config_event, Refresh.APPEND),
    table_of_kernel(node_event, Refresh.APPEND),
    table_of_kernel(connection_event, Refresh.APPEND),
    table_of_kernel(release_span, Refresh.FULL),
    table_of_kernel(term, Refresh.FULL),
    table_of_kernel(broker_absence, Refresh.FULL),
    table_of_kernel(controller_line, Refresh.INCREMENTAL, ordered_by="ordered_at"),
    table_of_kernel(log_gap, Refresh.FULL),
    table_of_kernel(
        process_run,
        Refresh.INCREMENTAL,
        ordered_by="next_started_at",
        lookback_days=1,
    ),
    table_of_kernel(controller_day, Refresh.INCREMENTAL, ordered_by="day_at", lookback_days=0),
    table_of_kernel(controller_term, Refresh.FULL),
    table_of_kernel(transition_audit, Refresh.INCREMENTAL, ordered_by="ordered_at", lookback_days=0),
    table_of_kernel(replay_summary, Refresh.INCREMENTAL, ordered_by="day_at", lookback_days=0),
    table_of_kernel(replay_check, Refresh.INCREMENTAL, ordered_by="day_at", lookback_days=1),
    table_of_kernel(evidence, Refresh.FULL),
    table_of_kernel(partition_timeline, Refresh.INCREMENTAL, ordered_by="valid_until_at", lookback_days=0),
    table_of_kernel(partition_view, Refresh.INCREMENTAL, ordered_by="day_at", lookback_days=0),
    table_of_kernel(
        broker_session, Refresh.INCREMENTAL, ordered_by="left_at", lookback_days=0, lookback_minutes=1
    ),
    table_of_kernel(topic_lifecycle, Refresh.INCREMENTAL, ordered_by="ended_at", lookback_days=0),
    table_of_kernel(partition_outage, Refresh.INCREMENTAL, ordered_by="ended_at", lookback_days=0),
    table_of_kernel(leader_imbalance, Refresh.INCREMENTAL, ordered_by="valid_until_at", lookback_days=0),
    table_of_kernel(
        imbalance_check, Refresh.INCREMENTAL, ordered_by="checked_at", lookback_days=1, lookback_minutes=A_DAY
    ),
    table_of_kernel(
        leader_election, Refresh.INCREMENTAL, ordered_by="elected_at", lookback_days=1, lookback_minutes=A_DAY
    ),
    table_of_kernel(
        reassignment,
        Refresh.INCREMENTAL,
        ordered_by="ended_at",
        lookback_days=0,
        begun_by="asked_from_at",
    ),
    table_of_kernel(
        imbalance_breach,
        Refresh.INCREMENTAL,
        ordered_by="balanced_at",
        lookback_days=1,
        begun_by="breached_at",
    ),
    table_of_kernel(finding, Refresh.FULL),
    CatalogTable(quality_result.SPEC, Refresh.RUN),
)
BY_NAME = {table.spec.name: table for table in TABLES}
BY_SHORT_NAME = {table.spec.table: table for table in TABLES}
SPECS: tuple[TableSpec, ...] = tuple(table.spec for table in TABLES)

# What kernels take of single records besides tables.
EXTRACTS = {"controller_record": RowKernel("controller_record", controller_line.controller_record)}
RECORDS = frozenset({log_record.SPEC.table, *EXTRACTS})

# What tables take of the days that are built anew and the day before them, also those that are built whole: beside it
# they take what they had found before.
OF_DAYS = frozenset({"connection_event"})
LIMITS = "audit_limit"
SETTINGS = ("balancing_setting", LIMITS, "release_setting", "session_limit")
# What a broker said long ago of itself holds until it says otherwise, who left long ago may still be away, why it left
# may be told long before or after, who resigned stays resigned, and which nodes have logs is told by all of them: also
# builds by days take all of it.
LASTING = frozenset(
    {"broker_setting", "broker_session", "controller_event", "node_event", "process_run", "wording_seen"}
)


def stands_on(name: str) -> frozenset[str]:
    """Short names of all that a table is built from, directly or not, itself included."""
    table = BY_SHORT_NAME.get(name)
    inputs = table.inputs if table else ()
    return frozenset({name}).union(*(stands_on(one) for one in inputs))


def wanted_by(*goals: str) -> tuple[str, ...]:
    """Names of the tables that are built for these, in the order of building."""
    needed = frozenset[str]().union(*(stands_on(goal) for goal in goals))
    return tuple(one.spec.name for one in TABLES if one.build is not None and one.spec.table in needed)


SEGMENTED = tuple(one.spec.table for one in TABLES if one.refresh is Refresh.APPEND)
JOBS: dict[str, tuple[str, ...]] = {
    "ingest": wanted_by(*SEGMENTED, "controller_line", "log_gap"),
    "replay": wanted_by(*SEGMENTED, "controller_term", "replay_check", "replay_summary", "evidence"),
    "imbalance": wanted_by(
        *SEGMENTED, "imbalance_breach", "partition_outage", "partition_view", "controller_day"
    ),
    "nightly": wanted_by(*(one.spec.table for one in TABLES)),
}
