"""What an answer shows of a time: the tables tell of all of the logs, the view of them is cut."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl
import pyarrow as pa
from polars import col

from jobs.moments import Moment, asked_moment
from jobs.text import format_count
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import Condition
from pipeline.core.errors import SettingsError
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import ReadableTables, select_from_memory
from pipeline.views.reading.answers import Answers
from schemas.gold import finding
from schemas.spec import TableSpec

# Begin and end of what a row tells.
SPANS = {
    "gold.finding": ("valid_from_at", "valid_until_at"),
    "gold.partition_timeline": ("valid_from_at", "valid_until_at"),
    "gold.leader_imbalance": ("valid_from_at", "valid_until_at"),
    "gold.partition_outage": ("noticed_at", "ended_at"),
    "gold.imbalance_breach": ("breached_at", "balanced_at"),
}
TERMS = "gold.controller_term"
BEGINS = {
    TERMS: "elected_at",
    "gold.leader_election": "elected_at",
    "gold.imbalance_check": "checked_at",
    "gold.replay_check": "logged_at",
    "gold.controller_event": "began_at",
    "gold.transition_audit": "logged_at",
    "gold.topic_lifecycle": "first_seen_at",
    "gold.reassignment": "asked_from_at",
    "gold.broker_session": "left_at",
}
LINES = "logged_at"  # of tables of single lines
# Of these the row that holds then is asked for as the one that holds at the end.
STATES = ("gold.partition_timeline", "gold.leader_imbalance")


@dataclass(frozen=True)
class Window:
    """From since on, and before until; None: no bound."""

    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_bounded(self) -> bool:
        return self.since is not None or self.until is not None

    def require_forward(self) -> None:
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise SettingsError(
                expected="--until after --since",
                found=f"{day_clock(self.since)} and {day_clock(self.until)} UTC",
                todo="give them in the order of time",
            )

    def beyond(self, first: datetime | None, last: datetime | None) -> str | None:
        """Why nothing can be told of it, in words: no data are of that time. first and last: of the data."""
        if first is None or last is None:
            return None
        if self.since is not None and self.since > last:
            return f"the data end before {day_clock(self.since)} UTC"
        if self.until is not None and self.until <= first:
            return f"the data begin only at {day_clock(first)} UTC"
        return None

    def said(self, tables: ReadableTables, cut: ReadableTables) -> list[str]:
        """A line on what is shown of all findings."""
        if not self.is_bounded:
            return []
        shown, known = (one.read(finding.SPEC, None, ("finding_id",)).num_rows for one in (cut, tables))
        bounds = [f"since {day_clock(self.since)}"] if self.since else []
        bounds += [f"until {day_clock(self.until)}"] if self.until else []
        return [
            f"SHOWN    {' '.join(bounds)} UTC: {shown} of {format_count(known, 'finding')}; judged by all that was read"
        ]


def asked_window(since: Moment, until: Moment, answers: Answers) -> Window:
    """What was given of a cluster's time. SettingsError: it ends before it begins."""
    last = answers.last_at() or datetime.now(UTC)
    window = Window(asked_moment(since, last), asked_moment(until, last))
    window.require_forward()
    return window


@dataclass(frozen=True)
class TablesWithin:
    """Rows that tell of the window; of findings those that it touches."""

    tables: ReadableTables
    window: Window

    def has_rows(self, spec: TableSpec) -> bool:
        return self.tables.has_rows(spec)

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        wanted = columns or spec.columns
        is_of_lines = spec.layer == "silver" and LINES in spec.columns
        if not self.window.is_bounded or not (is_of_lines or spec.name in {*SPANS, *BEGINS}):
            return self.tables.read(spec, condition, wanted)
        return select_from_memory(self.cut(spec, frame_of(self.tables.read(spec))), condition, wanted)

    def cut(self, spec: TableSpec, rows: pl.DataFrame) -> pl.DataFrame:
        since, until = self.window.since, self.window.until
        begin, end = SPANS.get(spec.name, (BEGINS.get(spec.name, LINES), None))
        if until is not None and spec.name == TERMS:
            # One of which no election was read began after those before it.
            rows = rows.sort("life", "controller_epoch")
            rows = rows.filter((col(begin).forward_fill() < until).fill_null(value=True))
        elif until is not None:
            rows = rows.filter((col(begin) < until).fill_null(value=True))
        if until is not None and end is not None and spec.name in STATES:
            rows = rows.with_columns(pl.when(col(end) <= until).then(end).alias(end))
        if since is not None and end is not None and spec.name == finding.SPEC.name:
            rows = rows.filter((col(end) >= since).fill_null(value=True))
        return rows
