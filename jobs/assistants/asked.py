"""Whom the tools of an assistant ask: the clusters of a warehouse, or logs that are read in this process."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Protocol

from jobs.engine.run.outcome import report_problem
from jobs.incident.following.clusters import HeldClusters
from jobs.incident.progress import ProgressLine
from jobs.incident.size import require_planned
from jobs.questions.ask import all_answers
from jobs.text import NAME_WIDTH, first_names, shorten_line
from pipeline.core.errors import InputProblem, NothingToRead, PipelineError
from pipeline.views.reading.answers import Answers

# So long an answer stands before the logs are looked at again.
FRESH_SECONDS = 5.0
# They ask of the runs of a warehouse.
OF_RUNS = ("runs", "compare-nights")


class AskedClusters(Protocol):
    """answers: of the cluster that is named, else of all; is_on: the answer is that of the page before, which goes
    on. InputProblem: there is none. left_out: questions that it cannot answer."""

    left_out: tuple[str, ...]

    def answers(self, cluster: str | None, *, is_on: bool = False) -> list[Answers]: ...


class AskedWarehouse:
    """The newest run of each cluster of a warehouse."""

    left_out: tuple[str, ...] = ()

    def __init__(self, warehouse: str) -> None:
        self.warehouse = warehouse

    def answers(self, cluster: str | None, *, is_on: bool = False) -> list[Answers]:
        del is_on
        return all_answers(self.warehouse, cluster, None)


class AskedLogs:
    """Logs, read when the first question comes and again as they grow."""

    left_out: tuple[str, ...] = OF_RUNS

    def __init__(self, held: HeldClusters, clock: Callable[[], float] = time.monotonic) -> None:
        self.held, self.clock = held, clock
        self.looked_at: float | None = None
        self.found: dict[str, Answers] = {}
        self.lock = Lock()

    def answers(self, cluster: str | None, *, is_on: bool = False) -> list[Answers]:
        with self.lock:
            is_old = self.looked_at is None or self.clock() - self.looked_at >= FRESH_SECONDS
            if self.looked_at is None or (is_old and not is_on):
                self.look()
                self.looked_at = self.clock()
        return [self.found[name] for name in self.chosen(cluster)]

    def look(self) -> None:
        """NothingToRead: of no cluster a file is a log of Kafka."""
        progress, settings = ProgressLine(is_terminal=False), self.held.settings
        problems: list[PipelineError] = []
        for cluster_id, candidates in self.held.found().items():
            request = self.held.request(cluster_id, candidates, settings)
            try:
                answer = self.held.look(request, progress, partial(require_planned, settings))
                self.found[cluster_id] = Answers(cluster_id, answer.tables)
            except NothingToRead as problem:
                problems.append(problem)
            except PipelineError as problem:
                report_problem("mcp", problem)
                problems.append(problem)
        if problems and not self.found:
            raise problems[0]

    def chosen(self, cluster: str | None) -> Sequence[str]:
        if cluster is None or cluster in self.found:
            return [cluster] if cluster else [*self.found]
        raise InputProblem(
            expected=f"cluster {shorten_line(cluster, NAME_WIDTH)} in these logs",
            found=f"clusters: {first_names(self.found)}",
            todo="name one of them, or none",
        )


def only_cluster(found: Sequence[Answers]) -> Answers:
    """InputProblem: there are several."""
    if len(found) > 1:
        raise InputProblem(
            expected="cluster, as there are several",
            found=f"none named and the clusters {first_names(one.cluster_id for one in found)}",
            todo="name one of them",
        )
    return found[0]
