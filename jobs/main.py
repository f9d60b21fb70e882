"""What every job does around its work: arguments, session, clusters in turn, sentences and exit codes."""

import logging
from argparse import Namespace
from collections.abc import Sequence
from functools import partial

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from jobs.intake.discovery import candidates_by_cluster, listing_now
from jobs.run.cluster_run import run_cluster
from jobs.run.outcome import UNEXPECTED, log_stages, not_written, said, worst
from jobs.run.progress import Progress
from jobs.run.request import RunRequest, RunResult
from jobs.run.results import require_calm, require_whole
from jobs.screen.first_screen import Screen, first_screen
from jobs.settings.arguments import parser, require_logs, settings_of
from jobs.settings.model import Settings
from jobs.terminal import interrupted, say
from pipeline.core.errors import (
    InputProblem,
    NothingToRead,
    PipelineError,
)
from pipeline.core.stored_tables import ReadableTables
from pipeline.store.late_session import LateSession
from pipeline.store.reading import clusters
from pipeline.store.session import late_spark
from pipeline.store.warehouse import ClusterWarehouse

log = logging.getLogger("kafka_controller_audit")


def run_job(job: str, description: str, argv: Sequence[str] | None) -> int:
    """Runs a job on every cluster found below --logs. One sentence on stderr for what the user can mend."""
    log_stages()
    arguments = parser(job, description).parse_args(argv)
    try:
        return run_clusters(job, arguments)
    except KeyboardInterrupt:
        return interrupted(job, "what is published stays as it was; the next run goes on from there")


def run_clusters(job: str, arguments: Namespace) -> int:
    """One after the other; the worst exit code."""
    try:
        require_logs(arguments)
        settings = settings_of(arguments)
        names = names_below(arguments, settings)
        progress = Progress()
        spark = late_spark()
        names = names if not arguments.reparse else with_stored(names, spark, arguments)
    except PipelineError as problem:
        return said(job, problem)
    codes = []
    foreign: list[PipelineError] = []
    published: list[RunResult] = []
    for cluster_id in names:
        progress.label = f"{cluster_id} " if len(names) > 1 else ""
        request = RunRequest(
            job,
            arguments.warehouse,
            cluster_id,
            partial(listing_now, arguments.logs, settings, arguments.cluster, names, cluster_id),
            settings,
            arguments.since,
            arguments.until,
            arguments.wait,
            is_reparsing=arguments.reparse,
        )
        try:
            published.clear()
            screens: list[Screen] = []
            result = run_cluster(spark, request, progress, partial(shown, request, screens, published))
            require_whole(result)
            require_calm(arguments.fail_on, result, screens[0].severities)
            codes.append(0)
        except NothingToRead as problem:
            foreign.append(problem)
        except PipelineError as problem:
            codes.append(said(job, problem))
        except OSError as problem:
            what = "it was published before" if published else f"nothing of {cluster_id} is published"
            codes.append(said(job, not_written(problem, what)))
        except (Py4JError, PySparkException):
            what = "after it was published" if published else "and nothing of it is published"
            log.exception("%s: cluster %s failed, %s", job, cluster_id, what)
            codes.append(UNEXPECTED)
    for nothing in foreign:
        code = said(job, nothing)
        codes += [code] if not codes else []
    return worst(codes)


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


def shown(
    request: RunRequest,
    screens: list[Screen],
    published: list[RunResult],
    store: ClusterWarehouse,
    tables: ReadableTables,
    result: RunResult,
) -> None:
    published.append(result)
    screens.append(first_screen(tables, store.folder, request, result))
    say(screens[-1].text.split("\n"))
