"""`kafka-controller-audit incident PATH...`: an answer in seconds from logs alone; nothing is stored."""

import argparse
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from jobs.argument_types import on_format
from jobs.engine.intake.discovery import candidates_by_cluster
from jobs.engine.run.outcome import report_problem
from jobs.incident.clusters import JOB, Clusters, IncidentOptions
from jobs.incident.following.arguments import FollowOptions, on_following
from jobs.incident.following.clusters import HeldClusters
from jobs.incident.following.follow import Follower
from jobs.incident.following.stream import FollowedLogs
from jobs.incident.logs import Logs
from jobs.incident.progress import ProgressLine
from jobs.incident.size import require_candidates
from jobs.incident.tables_out import require_empty
from jobs.layout import WIDTH_HELP
from jobs.metadata.files import split_candidates
from jobs.moments import parse_moment, with_zone
from jobs.parser import Parser
from jobs.questions.catalog import FORMATS
from jobs.questions.question_parsers import parse_question
from jobs.report.command import require_writable_file
from jobs.settings.arguments import on_details, on_settings, settings_of
from jobs.settings.model import Settings
from jobs.terminal import discard_stdout, report_interrupt
from pipeline.core.errors import PipelineError
from pipeline.core.unpacked_files import no_room
from schemas.gold.finding import SEVERITIES

TERMINATED = 143  # as a shell says it of SIGTERM
PATHS_HELP = "folders, files, globs, archives (tar, .gz or .zst, and zip); - is stdin"


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES; 130: interrupted."""
    arguments = incident_parser().parse_args(argv)
    progress = ProgressLine()
    signal.signal(signal.SIGTERM, exit_on_signal)
    try:
        return run_incident(arguments, progress)
    except PipelineError as problem:
        progress.clear()
        return report_problem(JOB, problem)
    except BrokenPipeError:
        return discard_stdout()
    except OSError as problem:
        progress.clear()
        return report_problem(JOB, no_room(problem))
    except KeyboardInterrupt:
        progress.clear()
        return report_interrupt(JOB, "nothing was changed")


def exit_on_signal(*_: object) -> None:
    """What is unpacked is removed, too, when the process is told to stop."""
    raise SystemExit(TERMINATED)


def incident_parser() -> argparse.ArgumentParser:
    arguments = Parser(
        prog=f"kafka-controller-audit {JOB}",
        description="What the controllers did, from logs alone: no warehouse, no Spark, nothing is stored.",
        epilog=WIDTH_HELP,
    )
    arguments.add_argument("paths", nargs="+", metavar="PATH", help=PATHS_HELP)
    arguments.add_argument("--cluster", metavar="NAME", help="the cluster that all these logs belong to")
    arguments.add_argument(
        "--since",
        type=parse_moment,
        metavar="TIME",
        help="show what goes on at or after it: 09:00, -10m, an ISO time",
    )
    arguments.add_argument("--until", type=parse_moment, metavar="TIME", help="show what began before it")
    on_following(arguments)
    on_format(arguments, FORMATS)
    on_details(arguments)
    arguments.add_argument("--show", metavar="F1", help="one finding, with every line that proves it")
    arguments.add_argument(
        "--ask",
        action="append",
        default=[],
        metavar="QUESTION",
        help="answer this instead of the screen, as 'ask' does: --ask 'why-leaderless orders-0'; may be given again",
    )
    arguments.add_argument(
        "--tables", type=Path, metavar="DIR", help="write all tables there as Parquet; a folder that is empty"
    )
    arguments.add_argument(
        "--report", type=Path, metavar="FILE", help="write the answer there, too, as one HTML file to hand on"
    )
    on_settings(arguments, "yes")
    on_files(arguments)
    arguments.add_argument(
        "--fail-on", choices=SEVERITIES, help="exit 8 when a finding that is shown is at least so severe"
    )
    return arguments


def on_files(arguments: argparse.ArgumentParser) -> None:
    """Which files below PATH are read, and by which settings."""
    arguments.add_argument(
        "--conf", type=Path, metavar="FILE", help="settings (conf/kafka-controller-audit.yaml)"
    )
    arguments.add_argument(
        "--no-metadata",
        action="store_true",
        help="leave copies of KRaft's metadata log, and dumps of it, unread",
    )
    arguments.add_argument(
        "--follow-links", action="store_true", default=None, help="also links that lead out of PATH"
    )


def run_incident(arguments: argparse.Namespace, progress: ProgressLine) -> int:
    settings = in_haste(settings_of(arguments))
    if arguments.tables is not None:
        require_empty(arguments.tables)
    if arguments.report is not None:
        require_writable_file(arguments.report, "--report")
    questions = tuple(asked_in_zone(shlex.split(one), settings.zone) for one in arguments.ask)
    asked = IncidentOptions(
        arguments.format,
        arguments.since,
        arguments.until,
        arguments.tables,
        arguments.fail_on,
        questions,
        arguments.show,
        arguments.report,
        arguments.details,
    )
    with TemporaryDirectory(prefix=f"{JOB}-") as folder:
        if arguments.follow:
            followed = FollowedLogs(arguments.paths, settings, Path(folder), progress)
            following = FollowOptions(
                arguments.every, arguments.settle, arguments.window, not arguments.no_metadata
            )
            held = HeldClusters(followed, settings, arguments.cluster, following.window_bytes)
            return Follower(asked, following, held, progress).run()
        logs = Logs(arguments.paths, settings, Path(folder), progress)
        found = candidates_by_cluster(arguments.paths, settings, arguments.cluster, logs.below)
        split = {name: split_candidates(some, arguments.paths) for name, some in found.items()}
        require_candidates([one.logs for one in split.values()], settings)
        metadata = {} if arguments.no_metadata else {name: one.metadata for name, one in split.items()}
        clusters = Clusters(asked, settings, arguments.paths, progress, metadata)
        return clusters.run({name: one.logs for name, one in split.items()})


def asked_in_zone(words: Sequence[str], zone: str) -> argparse.Namespace:
    """A question whose times are of the zone of the logs, unless it names another."""
    given = parse_question(words)
    is_of_another = getattr(given, "zone", None) or zone == "UTC"
    return given if is_of_another else with_zone(argparse.Namespace(**vars(given) | {"zone": zone}))


def in_haste(settings: Settings) -> Settings:
    """All that is there is read, as far as it goes: server.log too unless the settings say otherwise, and last records
    that may still grow."""
    given = {"quiet_seconds": 0, "placement": "driver"}
    is_told = settings.source_of("server_log") != "defaults"
    return settings.model_copy(update=given if is_told else given | {"server_log": True})


if __name__ == "__main__":
    sys.exit(main())
