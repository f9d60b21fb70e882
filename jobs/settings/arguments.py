"""The arguments that all jobs share, those that are settings among them."""

import argparse
import math
from pathlib import Path

from jobs.argument_types import parse_seconds
from jobs.layout import WIDTH_HELP
from jobs.moments import parse_moment
from jobs.parser import Parser
from jobs.settings.load import load_settings
from jobs.settings.model import Settings
from pipeline.core.errors import SettingsError
from schemas.gold.finding import SEVERITIES

# Flags that are settings, of those that a job has.
FLAGS = ("cluster", "zone", "server_log", "server_properties", "follow_links", "placement")


def job_parser(job: str, description: str) -> argparse.ArgumentParser:
    """Flags of every job; those of a setting stand before the file's and the environment's."""
    arguments = Parser(prog=f"kafka-controller-audit {job}", description=description, epilog=WIDTH_HELP)
    arguments.add_argument(
        "--logs",
        action="append",
        default=[],
        metavar="PATH",
        help="folder, file or glob; any URI; may be given again",
    )
    on_warehouse(arguments)
    arguments.add_argument("--cluster", metavar="NAME", help="the cluster that all these logs belong to")
    arguments.add_argument(
        "--since",
        type=parse_moment,
        metavar="TIME",
        help="only files with records from it on: 09:00, -2d, an ISO time",
    )
    arguments.add_argument(
        "--until", type=parse_moment, metavar="TIME", help="only files with records before it"
    )
    on_settings(arguments)
    arguments.add_argument(
        "--reparse",
        action="store_true",
        help="understand all stored records anew from their bytes, without the files",
    )
    arguments.add_argument(
        "--follow-links", action="store_true", default=None, help="also links that lead out of --logs"
    )
    arguments.add_argument(
        "--placement",
        choices=("driver", "executors"),
        help="where the logs are read (by the size of what is new)",
    )
    arguments.add_argument(
        "--fail-on", choices=SEVERITIES, help="exit 8 when a finding is at least so severe"
    )
    on_details(arguments)
    return arguments


def on_details(arguments: argparse.ArgumentParser) -> None:
    """How much the first screen tells."""
    arguments.add_argument(
        "--details",
        action="store_true",
        help="each finding whole, terms, outages, brokers and moves as tables",
    )


def on_settings(arguments: argparse.ArgumentParser, server_log: str = "of KRaft clusters") -> None:
    """Settings that change results and may be given without a file of settings. server_log: of whom it is read where
    nobody says."""
    arguments.add_argument("--zone", metavar="AREA/CITY", help="time zone of the brokers' local times (UTC)")
    arguments.add_argument(
        "--server-properties", metavar="FILE", help="a server.properties: its limits of leader imbalance"
    )
    arguments.add_argument(
        "--server-log",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=f"read server.log too (default: {server_log})",
    )


def on_warehouse(arguments: argparse.ArgumentParser) -> None:
    """`--warehouse`, `--conf`, `--wait`: what all that write into a warehouse take."""
    arguments.add_argument(
        "--warehouse", default="warehouse", metavar="URI", help="folder of the Delta tables (warehouse)"
    )
    arguments.add_argument(
        "--conf", type=Path, metavar="FILE", help="settings (conf/kafka-controller-audit.yaml)"
    )
    arguments.add_argument(
        "--wait",
        type=parse_seconds,
        nargs="?",
        const=math.inf,
        default=0.0,
        metavar="SECONDS",
        help="wait for another run on the cluster, so long or as long as it takes, where it would be exit code 6",
    )


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings in force; SettingsError says which one is wrong."""
    given = vars(arguments)
    flags = {key: given[key] for key in FLAGS if given.get(key) is not None}
    return load_settings(arguments.conf, flags)


def require_logs(arguments: argparse.Namespace) -> None:
    if not arguments.logs and not arguments.reparse:
        raise SettingsError(
            expected="--logs with the folder of Kafka's logs",
            found="no --logs",
            todo="give it, e.g. --logs /var/log/kafka",
        )
