"""A job on one cluster: its run, its first screen, and how it ends; what it says goes where the caller wants it."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, Self

from jobs.engine.intake.discovery import listing_now
from jobs.engine.run.locked_run import run_cluster
from jobs.engine.run.outcome import Ending, print_problem, problem_text
from jobs.engine.run.progress import Progress
from jobs.engine.run.request import RunRequest, RunResult
from jobs.engine.run.results import require_calm_run, require_whole_result
from jobs.screen.first_screen import Screen, first_screen
from jobs.screen.summary import Verdict, failed_verdict
from jobs.settings.model import Settings
from jobs.terminal import print_lines
from pipeline.core.errors import NothingToRead
from pipeline.core.stored_tables import ReadableTables
from pipeline.store.spark.late_session import LateSession
from pipeline.store.warehouse import ClusterWarehouse
from schemas.gold.finding import SEVERITIES


class Telling(Protocol):
    """Who hears what a job says of a cluster."""

    def screen(self, lines: Sequence[str]) -> None: ...

    def problem(self, sentence: str) -> None: ...


class Printed:
    """On stdout and stderr, at once."""

    def screen(self, lines: Sequence[str]) -> None:
        print_lines(lines)

    def problem(self, sentence: str) -> None:
        print_problem(sentence)


@dataclass
class Kept:
    """In the order in which it was said, until it is told."""

    screens: list[Sequence[str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def screen(self, lines: Sequence[str]) -> None:
        self.screens.append(lines)

    def problem(self, sentence: str) -> None:
        self.problems.append(sentence)

    def tell(self, to: Telling) -> None:
        for lines in self.screens:
            to.screen(lines)
        for sentence in self.problems:
            to.problem(sentence)


@dataclass(frozen=True)
class ClusterOutcome:
    """code: None where the cluster has nothing to read, which `nothing` says and `nothing_code` is of. verdict: for the
    summary of several clusters."""

    code: int | None
    verdict: Verdict | None = None
    nothing: str = ""
    nothing_code: int = 0


@dataclass(frozen=True)
class ClusterJob:
    """names: the clusters that the job runs on, of which this is one."""

    job: str
    arguments: Namespace
    settings: Settings
    names: Sequence[str]
    cluster_id: str

    @property
    def label(self) -> str:
        return f"{self.cluster_id} " if len(self.names) > 1 else ""

    def with_arguments(self, **other: object) -> Self:
        return replace(self, arguments=Namespace(**vars(self.arguments) | other))

    def with_patience(self, seconds: float) -> Self:
        """It waits so long at least for another run on its cluster."""
        return self.with_arguments(wait=max(self.arguments.wait, seconds))

    def run(self, spark: LateSession, progress: Progress, to: Telling) -> ClusterOutcome:
        """NeedsSpark: it asked a session for Spark that has none."""
        request = self.request()
        screens: list[Screen] = []
        published: list[RunResult] = []
        told = partial(publication_text, self.cluster_id, published)
        with Ending(self.job, self.arguments.warehouse, self.cluster_id, told, tell=to.problem) as end:
            try:
                result = run_cluster(
                    spark,
                    request,
                    progress,
                    partial(
                        tell_first_screen, request, screens, published, to, is_detailed=self.arguments.details
                    ),
                )
            except NothingToRead as problem:
                return ClusterOutcome(None, None, problem_text(self.job, problem), problem.exit_code)
            require_whole_result(result)
            require_calm_run(self.arguments.fail_on, result, screens[0].severities)
        verdict = run_verdict(self.cluster_id, screens, published)
        return ClusterOutcome(end.code, verdict or failed_verdict(self.cluster_id, end.problem))

    def request(self) -> RunRequest:
        given = self.arguments
        listing = partial(listing_now, given.logs, self.settings, given.cluster, self.names, self.cluster_id)
        return RunRequest(
            self.job,
            given.warehouse,
            self.cluster_id,
            listing,
            self.settings,
            given.since,
            given.until,
            given.wait,
            is_reparsing=given.reparse,
        )


def run_verdict(cluster_id: str, screens: Sequence[Screen], published: Sequence[RunResult]) -> Verdict | None:
    """None: it was not told."""
    if not screens:
        return None
    counts = {one: published[0].counts.get(f"findings:{one}", 0) for one in SEVERITIES}
    return Verdict(cluster_id, screens[0].verdict, counts)


def publication_text(cluster_id: str, published: Sequence[RunResult]) -> str:
    return f"{cluster_id} was published before" if published else f"nothing of {cluster_id} is published"


def tell_first_screen(
    request: RunRequest,
    screens: list[Screen],
    published: list[RunResult],
    to: Telling,
    store: ClusterWarehouse,
    tables: ReadableTables,
    result: RunResult,
    *,
    is_detailed: bool,
) -> None:
    published.append(result)
    screens.append(first_screen(tables, store.folder, request, result, is_detailed=is_detailed))
    to.screen(screens[-1].text.split("\n"))
