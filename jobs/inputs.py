"""What builds take: tables, settings as frames, and what has to be known of the time before the cut."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from jobs.before import (
    deletion_before,
    imbalance_before,
    reaching,
    reaching_rows,
    reassignment_before,
    sessions_before,
    summary_before,
    timeline_before,
)
from jobs.cutting import BEFORE, lines_before, segments_at
from jobs.settings import Settings
from jobs.settings_frames import audit_limits, balancing_settings, release_settings, session_limits
from pipeline.catalog.tables import (
    BY_SHORT_NAME,
    DELETIONS,
    IMBALANCES,
    OUTAGES,
    REASSIGNMENTS,
    SESSIONS,
    SUMMARY,
    TIMELINE,
)
from pipeline.store.delta import stretches_of, with_later_columns
from pipeline.store.rows import brought, collect_rows, small
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import log_record, source_file
from schemas.gold import (
    broker_session,
    finding,
    leader_imbalance,
    partition_outage,
    partition_timeline,
    replay_summary,
)
from schemas.silver import (
    controller_event,
    controller_line,
    leader_and_isr,
    partition_state,
    partition_transition,
    reassignment_event,
    term,
    topic_event,
)
from schemas.spec import TableSpec

MOST_STRETCHES = 50
# A row per term of a controller, per stretch of a node with one release, per gap.
FEW_ROWS = ("term", "release_span", "controller_term", "log_gap")
MOST_ROWS = 20_000


@dataclass(frozen=True)
class Inputs:
    """Reads at the heads, which under the lock are the run's own. versions_before: as the run found the tables."""

    store: ClusterWarehouse
    settings: Settings
    versions_before: Mapping[str, int]
    segments: dict[datetime, Column] = field(default_factory=dict)
    few: dict[tuple[str, int | datetime | None], DataFrame] = field(default_factory=dict)

    def of(self, name: str, cut: datetime | None) -> Any:
        """What a build takes by that name: a table at its head, settings as a frame, or what was before the cut."""
        store, settings, read = self.store, self.settings, self.store.delta.read
        made: dict[str, Callable[[], Any]] = {
            "balancing_setting": lambda: balancing_settings(store.spark, settings, store.cluster_id),
            "audit_limit": lambda: audit_limits(self.ends(), settings, store.cluster_id),
            "release_setting": lambda: release_settings(store.spark, settings, store.cluster_id),
            "published_finding": lambda: with_later_columns(
                finding.SPEC, read(finding.SPEC, self.versions_before.get(finding.SPEC.name, 0))
            ),
            "line_before": lambda: self.line_before(cut),
            SUMMARY: lambda: summary_before(read(replay_summary.SPEC), read(controller_line.SPEC), cut),
            DELETIONS: lambda: deletion_before(read(topic_event.SPEC), read(controller_line.SPEC), cut),
            TIMELINE: lambda: timeline_before(read(partition_timeline.SPEC), self.said(cut), cut),
            "session_limit": lambda: session_limits(store.spark, settings, store.cluster_id),
            SESSIONS: lambda: sessions_before(read(broker_session.SPEC), cut),
            OUTAGES: lambda: reaching_rows(read(partition_outage.SPEC), "noticed_at", "ended_at", cut),
            IMBALANCES: lambda: imbalance_before(read(leader_imbalance.SPEC), cut),
            REASSIGNMENTS: lambda: reassignment_before(read(reassignment_event.SPEC), cut),
            "modes": lambda: modes(read(term.SPEC)),
        }
        if name in FEW_ROWS:
            return self.at_hand(BY_SHORT_NAME[name].spec)
        return made[name]() if name in made else store.delta.read(BY_SHORT_NAME[name].spec)

    def at_hand(self, spec: TableSpec, version: int | None = None) -> DataFrame:
        """A table of few rows, at its head if no version is given, as rows that the driver has: plans name it often,
        and each look at it would be a job."""
        delta = self.store.delta
        key = (spec.name, delta.head(spec) if version is None else version)
        if key not in self.few:
            self.few[key] = small(delta.read(spec, version), MOST_ROWS)
        return self.few[key]

    def from_cut(self, spec: TableSpec, rows: DataFrame, ordered_by: str | None, cut: datetime) -> DataFrame:
        """Those of the table's rows that may reach the cut: of a table that is ordered by no column those of segments.

        What a small night and the days before it left is few rows, which many plans name: see `at_hand`.
        """
        key = (spec.name, cut)
        if key not in self.few:
            tail = rows.where(reaching(ordered_by, cut)) if ordered_by else self.of_segments(rows, cut)
            self.few[key] = small(tail, MOST_ROWS)
        return self.few[key]

    def of_segments(self, rows: DataFrame, cut: datetime) -> DataFrame:
        """The rows of the segments that may hold lines from the cut on."""
        if cut not in self.segments:
            found = collect_rows(segments_at(self.store.delta.read(source_file.SPEC), cut))
            self.segments[cut] = is_among([row["load_seq"] for row in found])
        return rows.where(self.segments[cut])

    def ends(self) -> DataFrame:
        """(cluster_id, last_logged_at): the end of the data."""
        last = F.max("last_logged_at").alias("last_logged_at")
        found = self.store.delta.read(source_file.SPEC).groupBy("cluster_id").agg(last)
        return brought(found)[1]

    def said(self, cut: datetime | None) -> list[DataFrame]:
        """What lines from the cut on state of partitions."""
        specs = (leader_and_isr.SPEC, partition_transition.SPEC, partition_state.SPEC)
        tables = [self.store.delta.read(spec) for spec in specs]
        return tables if cut is None else [self.of_segments(rows, cut) for rows in tables]

    def line_before(self, cut: datetime | None) -> DataFrame:
        read = self.store.delta.read
        specs = (controller_line, term, controller_event, log_record, source_file)
        tables = [read(one.SPEC) for one in specs]
        rows = [] if cut is None else lines_before(*tables, cut=cut)
        return self.store.spark.createDataFrame(rows, BEFORE)


def is_among(load_seqs: Sequence[int]) -> Column:
    """Whether a row is of these segments: a condition on stretches of numbers, which skips files, prunes row groups
    and adds no join to the plan."""
    number = F.col("load_seq")
    stretches = list(stretches_of(load_seqs))
    if not stretches:
        return F.lit(False)
    if len(stretches) <= MOST_STRETCHES:
        return reduce(Column.__or__, (number.between(*ends) for ends in stretches))
    return number.between(stretches[0][0], stretches[-1][1]) & number.isin(*sorted(load_seqs))


def modes(terms: DataFrame) -> frozenset[str]:
    """How the cluster kept its metadata in these terms: zookeeper, kraft or, where it was migrated or no term tells,
    both."""
    found = frozenset(row["mode"] for row in collect_rows(terms.select("mode").distinct()))
    return found or frozenset({"zookeeper", "kraft"})
