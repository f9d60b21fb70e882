"""What every job does around its work: arguments, session, clusters in turn, sentences and exit codes."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from jobs.engine.intake.discovery import candidates_by_cluster, listing_now
from jobs.engine.run.cluster_run import run_cluster
from jobs.engine.run.outcome import Ending, log_stages, report_problem, worst_exit_code
from jobs.engine.run.progress import Progress
from jobs.engine.run.request import RunRequest, RunResult
from jobs.engine.run.results import require_calm_run, require_whole_result
from jobs.moments import asked_moment
from jobs.screen.first_screen import Screen, first_screen
from jobs.screen.summary import Verdict, failed_verdict, verdict_summary
from jobs.settings.arguments import job_parser, require_logs, settings_of
from jobs.settings.model import Settings
from jobs.terminal import print_lines, report_interrupt
from pipeline.core.errors import InputProblem, NothingToRead, PipelineError
from pipeline.core.stored_tables import ReadableTables
from pipeline.store.reading import clusters
from pipeline.store.spark.late_session import LateSession
from pipeline.store.spark.session import late_spark
from pipeline.store.warehouse import ClusterWarehouse
from schemas.gold.finding import SEVERITIES


def run_job(job: str, description: str, argv: Sequence[str] | None) -> int:
    """Runs a job on every cluster found below --logs. One sentence on stderr for what the user can mend."""
    log_stages()
    arguments = job_parser(job, description).parse_args(argv)
    try:
        return run_clusters(job, arguments)
    except KeyboardInterrupt:
        return report_interrupt(job, "what is published stays as it was; the next run goes on from there")


def run_clusters(job: str, arguments: Namespace) -> int:
    """One after the other; the worst exit code."""
    names: list[str] = []
    with Ending(job, arguments.warehouse) as begun:
        require_logs(arguments)
        settings = settings_of(arguments)
        names = names_below(arguments, settings)
        progress = Progress()
        spark = late_spark()
        names = names if not arguments.reparse else with_stored(names, spark, arguments)
    if begun.code:
        return begun.code
    return InTurn(job, arguments, settings, names, spark, progress).run()


@dataclass
class InTurn:
    """Clusters one after the other: none holds back another."""

    job: str
    arguments: Namespace
    settings: Settings
    names: Sequence[str]
    spark: LateSession
    progress: Progress
    codes: list[int] = field(default_factory=list)
    foreign: list[PipelineError] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def run(self) -> int:
        """The worst exit code; of several clusters they are told again in a line each."""
        for cluster_id in self.names:
            self.progress.label = f"{cluster_id} " if len(self.names) > 1 else ""
            self.run_one(cluster_id)
        for nothing in self.foreign:
            code = report_problem(self.job, nothing)
            self.codes += [code] if not self.codes else []
        if lines := verdict_summary(self.verdicts):
            print_lines(lines)
        return worst_exit_code(self.codes)

    def run_one(self, cluster_id: str) -> None:
        request = self.request(cluster_id)
        screens: list[Screen] = []
        published: list[RunResult] = []
        told = partial(publication_text, cluster_id, published)
        with Ending(self.job, self.arguments.warehouse, cluster_id, told) as end:
            try:
                result = run_cluster(
                    self.spark,
                    request,
                    self.progress,
                    partial(
                        print_first_screen, request, screens, published, is_detailed=self.arguments.details
                    ),
                )
            except NothingToRead as problem:
                self.foreign.append(problem)
                return
            require_whole_result(result)
            require_calm_run(self.arguments.fail_on, result, screens[0].severities)
        self.codes.append(end.code)
        self.verdicts.append(
            run_verdict(cluster_id, screens, published) or failed_verdict(cluster_id, end.problem)
        )

    def request(self, cluster_id: str) -> RunRequest:
        given, now = self.arguments, datetime.now(UTC)
        listing = partial(listing_now, given.logs, self.settings, given.cluster, self.names, cluster_id)
        return RunRequest(
            self.job,
            given.warehouse,
            cluster_id,
            listing,
            self.settings,
            asked_moment(given.since, now),
            asked_moment(given.until, now),
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


def names_below(arguments: Namespace, settings: Settings) -> list[str]:
    """Of the clusters that have files below --logs."""
    if not arguments.logs:
        return []
    return list(candidates_by_cluster(arguments.logs, settings, arguments.cluster))


def with_stored(names: Sequence[str], spark: LateSession, arguments: Namespace) -> list[str]:
    """The same behind what is stored, or of that the one that is named. InputProblem: there is nothing."""
    stored = [arguments.cluster] if arguments.cluster else clusters(spark, arguments.warehouse)
    found = list(dict.fromkeys([*stored, *names]))
    if not found:
        raise InputProblem(
            expected=f"a cluster in {arguments.warehouse}, or --logs",
            found="neither",
            todo="check --warehouse",
        )
    return found


def print_first_screen(
    request: RunRequest,
    screens: list[Screen],
    published: list[RunResult],
    store: ClusterWarehouse,
    tables: ReadableTables,
    result: RunResult,
    *,
    is_detailed: bool,
) -> None:
    published.append(result)
    screens.append(first_screen(tables, store.folder, request, result, is_detailed=is_detailed))
    print_lines(screens[-1].text.split("\n"))
