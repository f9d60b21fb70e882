"""From when on each table of a run is built: the dirty day, an earlier one of which verdicts change, and lookbacks."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
from polars import col

from jobs.incremental.at_hand import AtHand
from jobs.incremental.carried_state import KEPT_IN
from jobs.incremental.dirty_days import (
    LATE,
    begin_of_day,
    dirty_at,
    earliest_changed_interval,
    earliest_changed_reason,
    earliest_time,
    first_deposed_day,
    judged_at,
)
from jobs.incremental.ends_before import LATEST, ended_since, sessions_without_final_reason, unanswered_since
from jobs.incremental.night import Night
from jobs.incremental.terms_before import summary_before
from pipeline.catalog.tables import BY_NAME, BY_SHORT_NAME, OF_DAYS, CatalogTable, Refresh
from pipeline.core.conditions import column_before, column_reaching
from pipeline.gold.broker_session import with_session_ends
from pipeline.gold.leader_election.election_lines import TRYING
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.partitions.statements import PARTITION
from schemas.gold import broker_session, controller_term, imbalance_check, leader_election, partition_timeline
from schemas.silver import broker_setting, controller_line, log_gap, release_span, term
from schemas.spec import TableSpec

# Of tables whose rows are judged by all that their controller knew: the events of such lines.
JUDGED_BY_VIEW = {imbalance_check.SPEC.name: ("imbalance_ratio",), leader_election.SPEC.name: TRYING}
# Tables of which the rows of before are compared with those of now.
DIMENSIONS = (term.SPEC, broker_setting.SPEC, log_gap.SPEC, release_span.SPEC)
LINES = BY_SHORT_NAME["controller_line"]
A_DAY, NEVER = timedelta(days=1), datetime(9999, 1, 1, tzinfo=UTC)
# What an interval of a partition says that other tables rest on.
TOLD = (
    "state",
    "leader",
    "leader_epoch",
    "partition_epoch",
    "is_isr_stale",
    "is_assignment_stale",
    "certainty",
)


class Starts:
    """Days of one run. Before any table is written it keeps the dimensions as they were."""

    def __init__(self, night: Night, at_hand: AtHand) -> None:
        self.night, self.at_hand = night, at_hand
        self.earlier = {spec.name: at_hand.stored(spec) for spec in DIMENSIONS}
        self.dirty_from: datetime | None = None
        self.judged_from: datetime | None = None
        self.reasons_from: datetime | None = None
        self.is_dirty_known = self.is_judged_known = False

    @property
    def is_by_days(self) -> bool:
        """False if the lines of controllers are built from everything, and so what stands on them."""
        return controller_line.SPEC.name in self.night.fresh

    def look(self, table: CatalogTable) -> None:
        """Finds the days that the table asks for, once the tables that they follow from are built."""
        if table.refresh is not Refresh.INCREMENTAL or not self.is_by_days:
            return
        if not self.is_dirty_known:
            self.find_dirty_day()
        if table.lookback_days is not None and not self.is_judged_known:
            self.find_judged_day()
        if table.spec == broker_session.SPEC:
            self.find_reasons_day(table)

    def find_dirty_day(self) -> None:
        seen = self.at_hand.whole(BY_SHORT_NAME["wording_seen"])
        seen_before = seen.filter((~self.night.is_of_run()).polars())
        dimensions = (self.versions(term.SPEC), self.versions(broker_setting.SPEC))
        at = dirty_at(self.segments(), *dimensions, (seen, seen_before))
        self.dirty_from = None if at is None else begin_of_day(at - LATE)
        self.is_dirty_known = True

    def find_judged_day(self) -> None:
        """The dirty day, or an earlier one of which its lines change verdicts."""
        self.is_judged_known = True
        if self.dirty_from is None:
            return
        lines, terms = self.at_hand.since(LINES, self.dirty_from), self.at_hand.whole(BY_SHORT_NAME["term"])
        summaries = summary_before(self.at_hand, self.dirty_from)
        dimensions = (self.versions(log_gap.SPEC), self.versions(release_span.SPEC))
        at = judged_at(lines, summaries, terms, *dimensions)
        self.judged_from = self.dirty_from if at is None else min(self.dirty_from, begin_of_day(at))

    def find_reasons_day(self, table: CatalogTable) -> None:
        """The first day before the start of the table of which lines since then say why a broker had left."""
        start = self.start_of(table)
        if start is not None:
            stored = sessions_without_final_reason(self.at_hand, start)
            runs, events = (self.at_hand.whole(BY_SHORT_NAME[name]) for name in ("process_run", "node_event"))
            lines = self.at_hand.since(BY_SHORT_NAME["connection_event"], start - LATEST)
            at = earliest_changed_reason(stored, with_session_ends(stored, runs, events, lines))
            self.reasons_from = None if at is None else begin_of_day(at)

    def versions(self, spec: TableSpec) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The rows of a dimension now, and as they were."""
        return self.at_hand.whole(BY_NAME[spec.name]), self.earlier[spec.name]

    def is_lowered(self, table: CatalogTable, rows: pl.DataFrame, given: Mapping[str, Any]) -> bool:
        """True if rows of the table tell of the time before its start something else than what is stored: it is built
        anew, from the day of the first of them on, and so are all that follow. given: what its kernel took."""
        start = self.start_of(table)
        if table.spec != partition_timeline.SPEC or start is None:
            return False
        now, before_it = (whole_intervals(one) for one in (rows, given["timeline_before"]))
        at = earliest_changed_interval(now, before_it, PARTITION, TOLD, start)
        if at is not None:
            self.judged_from = begin_of_day(at)
        return at is not None

    def segments(self) -> pl.DataFrame:
        """All of bronze.source_file and those that were taken out, with status: old, new or gone."""
        night = self.night
        is_new = (col("load_seq") > night.before) | col("load_seq").is_in(sorted(night.derived))
        status = pl.when(is_new).then(pl.lit("new")).otherwise(pl.lit("old"))
        gone = night.gone.with_columns(status=pl.lit("gone"))
        return pl.concat([self.at_hand.source_files().with_columns(status=status), gone])

    def is_untouched(self, table: CatalogTable) -> bool:
        """True if nothing that the run brings changes a row of a table that is built by days."""
        is_tail = table.refresh is Refresh.INCREMENTAL and self.night.is_fresh(table)
        return is_tail and self.is_by_days and self.dirty_from is None

    def start_of(self, table: CatalogTable) -> datetime | None:
        """From when on, by its `ordered_by`, the run builds a table; None: all of it, or the rows of its segments."""
        kept_in = {spec.name for name, spec in KEPT_IN.items() if name in table.inputs}
        carries_on = kept_in <= self.night.fresh
        if table.refresh is not Refresh.INCREMENTAL or not self.night.is_fresh(table) or not carries_on:
            return None
        if table.lookback_days is None or self.judged_from is None:
            return self.dirty_from
        start = self.judged_from - timedelta(days=table.lookback_days)
        is_told_late = table.spec == broker_session.SPEC and self.reasons_from is not None
        return min(start, self.reasons_from or start) if is_told_late else start

    def begin_of(self, table: CatalogTable) -> datetime | None:
        """Where the inputs of a table begin: at its start, or with its first row that reaches it; earlier where what
        was said before it counts, and where terms are judged of which nothing is kept."""
        if table.refresh is Refresh.FULL:
            return self.begin_of_days(table)
        start = self.start_of(table)
        if start is None:
            return None
        begin = start
        if table.begun_by:
            reaches = column_before(table.begun_by, start) & column_reaching(table.ordered_by, start)
            first = self.at_hand.stored(table.spec, reaches)[table.begun_by].min()
            begin = min(start, first) if isinstance(first, datetime) else start
        begin -= timedelta(minutes=table.lookback_minutes)
        return min(begin, self.first_deposed_day(table, begin) or begin)

    def begin_of_days(self, table: CatalogTable) -> datetime | None:
        """From when on a table that is built whole takes lines of OF_DAYS; None: all, as nothing of it is kept."""
        if not OF_DAYS.intersection(table.inputs) or not (self.is_by_days and self.night.is_fresh(table)):
            return None
        changed = earliest_time(self.dirty_from, self.judged_from)
        if changed is None:
            return NEVER
        if table.spec == controller_term.SPEC:
            return earliest_time(changed, ended_since(self.at_hand, changed - A_DAY))
        return earliest_time(changed, unanswered_since(self.at_hand, changed))

    def first_deposed_day(self, table: CatalogTable, begin: datetime) -> datetime | None:
        """Begin of the first day of the terms that a table judges though they had a successor before: of these no table
        keeps what they knew."""
        events = JUDGED_BY_VIEW.get(table.spec.name)
        if events is None:
            return None
        terms, lines = self.at_hand.whole(BY_SHORT_NAME["term"]), self.at_hand.since(LINES, begin)
        return first_deposed_day(terms, lines, events, begin)
