"""What every job does around its work: arguments, session, its clusters, sentences and exit codes."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from jobs.cluster_job import ClusterJob, ClusterOutcome, Printed
from jobs.engine.intake.discovery import Candidate, candidates_by_cluster
from jobs.engine.run.outcome import Ending, log_stages, print_problem, worst_exit_code
from jobs.engine.run.progress import Progress
from jobs.fleet import LocalProcesses, Place, clusters_at_once, run_side_by_side
from jobs.fleet_on_executors import executor_tasks
from jobs.moments import asked_moment
from jobs.screen.summary import Verdict, verdict_summary
from jobs.settings.arguments import job_parser, require_logs, settings_of
from jobs.settings.model import Settings
from jobs.terminal import print_lines, report_interrupt
from pipeline.core.errors import InputProblem
from pipeline.store.reading import clusters
from pipeline.store.spark.late_session import LateSession
from pipeline.store.spark.session import late_spark


def run_job(job: str, description: str, argv: Sequence[str] | None) -> int:
    """Runs a job on every cluster found below --logs. One sentence on stderr for what the user can mend."""
    log_stages()
    arguments, now = job_parser(job, description).parse_args(argv), datetime.now(UTC)
    arguments.since, arguments.until = (asked_moment(one, now) for one in (arguments.since, arguments.until))
    try:
        return run_clusters(job, arguments)
    except KeyboardInterrupt:
        return report_interrupt(job, "what is published stays as it was; the next run goes on from there")


def run_clusters(job: str, arguments: Namespace) -> int:
    """The worst exit code."""
    with Ending(job, arguments.warehouse) as begun:
        require_logs(arguments)
        settings = settings_of(arguments)
        files = files_below(arguments, settings)
        progress = Progress()
        spark = late_spark()
        names = [*files] if not arguments.reparse else with_stored([*files], spark, arguments)
    if begun.code:
        return begun.code
    return FleetRun(job, arguments, settings, names, files, spark, progress).run()


@dataclass
class FleetRun:
    """The clusters of a run: none holds back another. files: of each below --logs."""

    job: str
    arguments: Namespace
    settings: Settings
    names: Sequence[str]
    files: Mapping[str, Sequence[Candidate]]
    spark: LateSession
    progress: Progress
    codes: list[int] = field(default_factory=list)
    nothing: list[ClusterOutcome] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def run(self) -> int:
        """The worst exit code; of several clusters they are told again in a line each."""
        jobs = [ClusterJob(self.job, self.arguments, self.settings, self.names, one) for one in self.names]
        for one in self.side_by_side(jobs) if self.is_small_first() else jobs:
            self.progress.label = one.label
            self.note(one.run(self.spark, self.progress, Printed()))
        for nothing in self.nothing:
            print_problem(nothing.nothing)
            self.codes += [nothing.nothing_code] if not self.codes else []
        if lines := verdict_summary(self.verdicts):
            print_lines(lines)
        return worst_exit_code(self.codes)

    def is_small_first(self) -> bool:
        """True if clusters may be run without Spark beside each other: it is needed where the warehouse is elsewhere,
        or what is stored is understood anew."""
        is_asked = self.arguments.reparse or self.settings.placement == "executors"
        return len(self.names) > 1 and not is_asked and self.spark.is_local(self.arguments.warehouse)

    def side_by_side(self, jobs: Sequence[ClusterJob]) -> Sequence[ClusterJob]:
        """Runs and tells, in order, those that can be run so. The others."""
        wanted = self.settings.limits.clusters_at_once
        if wanted == 1:
            return jobs
        place = executor_tasks(self.spark, self.arguments, self.files, wanted)
        if place is not None:
            self.progress.stage("clusters", f"{len(jobs)}, tasks of executors")
            return self.those_left(jobs, place)
        at_once = min(clusters_at_once(wanted), len(jobs))
        if at_once == 1:
            return jobs
        self.progress.stage("clusters", f"{len(jobs)}, {at_once} at once")
        return self.those_left(jobs, LocalProcesses(at_once))

    def those_left(self, jobs: Sequence[ClusterJob], place: Place) -> Sequence[ClusterJob]:
        rest = []
        for one, done in run_side_by_side(jobs, place, self.progress):
            if done is None:
                rest.append(one)
                continue
            outcome, kept = done
            kept.tell(Printed())
            self.note(outcome)
        return rest

    def note(self, outcome: ClusterOutcome) -> None:
        if outcome.code is None:
            self.nothing.append(outcome)
            return
        self.codes.append(outcome.code)
        self.verdicts += [outcome.verdict] if outcome.verdict is not None else []


def files_below(arguments: Namespace, settings: Settings) -> Mapping[str, Sequence[Candidate]]:
    """By cluster those below --logs."""
    if not arguments.logs:
        return {}
    return candidates_by_cluster(arguments.logs, settings, arguments.cluster)


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
