"""All tables in the order in which they are built: the signature of a table's build is its wiring."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from pyspark.sql import DataFrame

from pipeline.gold import controller_term, finding, leader_imbalance, partition_timeline, transition_audit
from pipeline.silver import (
    assignment,
    broker_event,
    control_request,
    controller_event,
    controller_line,
    election_event,
    imbalance_observation,
    leader_and_isr,
    log_gap,
    partition_transition,
    reassignment_event,
    release_span,
    replica_transition,
    state_dump,
    term,
    topic_event,
    wording_seen,
)
from schemas.bronze import file_sighting, log_record, source_file
from schemas.ops import quality_result
from schemas.spec import TableSpec


class Refresh(Enum):
    """What a run writes of a table."""

    LOADED = "written by the loading of segments"
    SEGMENTS = "rows of the run's segments are appended"
    WHOLE = "built anew from the tables it stands on"
    RUN = "rows about the run are appended"


@dataclass(frozen=True)
class Table:
    spec: TableSpec
    refresh: Refresh
    build: Callable[..., DataFrame] | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Short names of the tables and other frames that build takes."""
        return tuple(inspect.signature(self.build).parameters) if self.build else ()


def built(module: object, refresh: Refresh) -> Table:
    return Table(module.SPEC, refresh, module.build)  # type: ignore[attr-defined]


TABLES: tuple[Table, ...] = (
    Table(log_record.SPEC, Refresh.LOADED),
    Table(source_file.SPEC, Refresh.LOADED),
    Table(file_sighting.SPEC, Refresh.RUN),
    built(replica_transition, Refresh.SEGMENTS),
    built(partition_transition, Refresh.SEGMENTS),
    built(leader_and_isr, Refresh.SEGMENTS),
    built(imbalance_observation, Refresh.SEGMENTS),
    built(topic_event, Refresh.SEGMENTS),
    built(assignment, Refresh.SEGMENTS),
    built(control_request, Refresh.SEGMENTS),
    built(controller_event, Refresh.SEGMENTS),
    built(broker_event, Refresh.SEGMENTS),
    built(reassignment_event, Refresh.SEGMENTS),
    built(election_event, Refresh.SEGMENTS),
    built(state_dump, Refresh.SEGMENTS),
    built(wording_seen, Refresh.SEGMENTS),
    built(term, Refresh.WHOLE),
    built(release_span, Refresh.WHOLE),
    built(controller_line, Refresh.WHOLE),
    built(log_gap, Refresh.WHOLE),
    built(controller_term, Refresh.WHOLE),
    built(transition_audit, Refresh.WHOLE),
    built(partition_timeline, Refresh.WHOLE),
    built(leader_imbalance, Refresh.WHOLE),
    built(finding, Refresh.WHOLE),
    Table(quality_result.SPEC, Refresh.RUN),
)
BY_NAME = {table.spec.name: table for table in TABLES}
BY_SHORT_NAME = {table.spec.table: table for table in TABLES}
SPECS: tuple[TableSpec, ...] = tuple(table.spec for table in TABLES)

JOBS: dict[str, tuple[str, ...]] = {
    "ingest": ("silver.term", "silver.release_span", "silver.controller_line", "silver.log_gap"),
    "replay": ("silver.term", "silver.controller_line", "gold.controller_term", "gold.transition_audit"),
    "imbalance": (
        "silver.term",
        "silver.controller_line",
        "gold.partition_timeline",
        "gold.leader_imbalance",
    ),
    "nightly": tuple(table.spec.name for table in TABLES if table.refresh is Refresh.WHOLE),
}
