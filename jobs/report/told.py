"""What a page tells of one cluster, asked of its tables once."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import polars as pl
from polars import col

from jobs.questions.finding_lines import unsuppressed_findings
from jobs.questions.window import TablesWithin, Window
from jobs.screen.facts import Facts, gather_facts
from jobs.screen.verdict import verdict_lines
from jobs.text import shorten_line
from pipeline.catalog.tables import SPECS
from pipeline.core.conditions import column_equals, is_in
from pipeline.kafka.wording.events import template_events
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Place, Row, place_of_row

NAME = 300  # of a cluster
SHOWN_RECORDS = 12  # of a finding
SHOWN_FINDINGS = 300  # whose records are looked up


@dataclass(frozen=True)
class ClusterTold:
    """answers: of all of the tables; within: of what the window shows. is_stored: there is a warehouse to ask more of.
    numbers: of findings, by finding_id. masking: how the logs were masked. options: of commands that ask more."""

    answers: Answers
    within: Answers
    facts: Facts
    window: Window
    masking: str
    numbers: Mapping[str, int]
    is_stored: bool
    built: frozenset[str]
    options: tuple[str, ...] = ()

    @property
    def cluster_id(self) -> str:
        return self.answers.cluster_id

    @cached_property
    def verdict(self) -> str:
        unread = self.answers.rows("silver.log_gap", column_equals("kind", "not_read"), ("path",)).height
        said = verdict_lines(self.facts, unread, is_judged="gold.finding" in self.built)
        whole = " ".join(one.strip() for one in said).removeprefix("VERDICT").strip()
        return whole.removesuffix(" (see MOVES)")

    @property
    def first_at(self) -> datetime | None:
        return self.bound(self.window.since, "first_at")

    @property
    def last_at(self) -> datetime | None:
        return self.bound(self.window.until, "last_at")

    def bound(self, given: datetime | None, name: str) -> datetime | None:
        """Of the time that the page tells of."""
        found: datetime | None = self.facts.read[name]
        return found if given is None else given

    @cached_property
    def findings(self) -> list[tuple[int, Row]]:
        """With their numbers."""
        return [(self.numbers[one["finding_id"]], one) for one in self.facts.findings]

    @cached_property
    def known(self) -> int:
        """How many that are known already."""
        return len(self.facts.findings) - len(unsuppressed_findings(self.facts.findings))

    @cached_property
    def lines(self) -> Mapping[Place, Row]:
        """The first records of the first findings, and moves that are shown: path, near, line, raw."""
        places = [
            place for _, one in self.findings[:SHOWN_FINDINGS] for place in one["evidence"][:SHOWN_RECORDS]
        ]
        return self.answers.lines([*places, *self.facts.odd_moves]) if places or self.facts.odd_moves else {}

    @cached_property
    def meanings(self) -> Mapping[Place, str]:
        """What the event of each of these records means."""
        places, known = set(self.lines), template_events()
        offsets, files = sorted({one for _, one in places}), sorted({one for one, _ in places})
        asked = is_in("byte_offset", offsets) & is_in("file_id", files)
        columns = ("file_id", "byte_offset", "event")
        found = self.answers.rows("bronze.log_record", asked, columns).filter(col("event").is_not_null())
        return {
            place_of_row(row): known[row["event"]].meaning
            for row in found.to_dicts()
            if place_of_row(row) in places and row["event"] in known
        }

    def lately(self, end: str, rows: pl.DataFrame) -> pl.DataFrame:
        """Those that had not ended, by that column, before the time that the page tells of."""
        since = self.window.since
        return rows if since is None else rows.filter((col(end) >= since).fill_null(value=True))

    def command(self, words: str) -> str:
        """What tells more, as a shell takes it: of the warehouse; empty where there is none."""
        given = shlex.join(("--cluster", shorten_line(self.cluster_id, NAME), *self.options))
        return f"kafka-controller-audit {words} {given}" if self.is_stored else ""


def cluster_report(
    answers: Answers,
    window: Window,
    masking: str,
    *,
    is_stored: bool,
    built: Sequence[str] = (),
    options: Sequence[str] = (),
) -> ClusterTold:
    """built: the tables that the run has built, where `answers` do not know. Findings of a warehouse have the numbers
    of `show`, others those of the screen beside the page."""
    names = frozenset(built or (one.name for one in SPECS if answers.is_built(one.name)))
    within = Answers(answers.cluster_id, TablesWithin(answers.tables, window))
    facts = gather_facts(within, dict.fromkeys(names, ""), 0, window.since, window.until)
    numbered = answers.findings() if is_stored and window.is_bounded and facts.findings else facts.findings
    numbers = {one["finding_id"]: number for number, one in enumerate(numbered, 1)}
    return ClusterTold(answers, within, facts, window, masking, numbers, is_stored, names, tuple(options))
