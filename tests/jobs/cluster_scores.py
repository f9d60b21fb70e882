"""Context and gauges of a lab cluster, sampled against what its truth says."""

import json
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from pipeline.views.context.context_rows import Context, context_at
from pipeline.views.gauges.gauge_steps import GaugeWindow
from pipeline.views.gauges.gauge_values import gauges_in_window
from pipeline.views.reading.answers import Answers
from pipeline.views.terms.tenures import read_terms
from tests.jobs.answering import answers_of_logs
from tests.jobs.cluster_truth import SETS, STEP_MS, Score, Series, Value, changes, score, uncommitted

# What the sets can change at.
TIMES = {
    "gold.controller_term": ("elected_at", "ended_at", "superseded_at"),
    "gold.broker_session": ("joined_at", "left_at"),
    "gold.topic_lifecycle": ("first_seen_at", "created_at", "deletion_requested_at", "ended_at"),
    "gold.reassignment": ("started_at", "ended_at"),
}
BEGIN_MS, END_MS = 2_000, 1_500  # of the run, left out


@dataclass(frozen=True)
class Compared:
    folder: Path

    @cached_property
    def answers(self) -> Answers:
        return answers_of_logs(self.folder)

    @cached_property
    def truth(self) -> list[tuple[int, dict[str, Value]]]:
        return changes(self.folder)

    @cached_property
    def unsure(self) -> list[tuple[int, int]]:
        return uncommitted(self.folder)

    def period(self) -> range:
        """From the first controller on, or the first topic of the metadata log, where a cluster was migrated to it."""
        run = json.loads((self.folder / "truth" / "run.json").read_text())
        first_ms = ms(read_terms(self.answers)["began_at"].min())
        if "migration" in self.folder.name:
            first_ms = next(at for at, held in self.truth if held["topic"])
        return range(first_ms + BEGIN_MS, run["end_ms"] - END_MS, STEP_MS)

    def contexts(self) -> list[tuple[int, Context]]:
        """At each time at which something may change."""
        times = {at for name, columns in TIMES.items() for at in self.times(name, columns)}
        return [(ms(at), context_at(self.answers, at)) for at in sorted(times)]

    def silently_wrong(self) -> dict[str, int]:
        """Samples of sets that are wrong while the context does not say that something is not told."""
        held = self.contexts()
        doubted = Series([(at, bool(one.doubts)) for at, one in held], before=True)
        found = {}
        for name in SETS:
            true = Series([(at, values[name]) for at, values in self.truth], frozenset())
            ours = Series([(at, keys(one, name)) for at, one in held], frozenset())
            period = [at for at in self.period() if not doubted.at(at)]
            found[name] = score(true, ours, period, self.unsure).wrong
        return found

    def sets(self) -> dict[str, Score]:
        told = self.contexts()
        return {name: self.scored(name, [(at, keys(held, name)) for at, held in told]) for name in SETS}

    def times(self, name: str, columns: tuple[str, ...]) -> list[datetime]:
        rows = self.answers.rows(name, None, columns)
        return [at for column in columns for at in rows[column].drop_nulls()]

    def scored(self, name: str, told: list[tuple[int, Value]]) -> Score:
        true = Series([(at, held[name]) for at, held in self.truth], frozenset())
        return score(true, Series(told, frozenset()), self.period(), self.unsure)

    def gauges(self) -> dict[str, Score]:
        """Until the end of the logs; those that are one per node are left out."""
        read = self.answers.read()
        period = [one for one in self.period() if one <= ms(read["last_at"])]
        named = [
            one
            for one in gauges_in_window(self.answers, GaugeWindow(read["first_at"], read["last_at"]))
            if one.node is None
        ]
        return {
            one.name: score(
                Series([(at, held[one.name]) for at, held in self.truth], 0),
                Series([(ms(at), value) for at, value in one.steps.rows()], None),
                period,
                self.unsure,
            )
            for one in named
            if one.name in self.truth[0][1]
        }


def keys(held: Context, part: str) -> Value:
    return frozenset(one["key"] for one in held.parts[part])


def ms(at: object) -> int:
    assert isinstance(at, datetime)
    return round(at.timestamp() * 1000)
