"""Logs of four small clusters, and a job on each: of b a file cannot be read, d has no log of Kafka."""

import os
from argparse import Namespace
from pathlib import Path
from typing import Any

from jobs.cluster_job import ClusterJob, ClusterOutcome
from jobs.settings.arguments import job_parser, settings_of
from tests.jobs.small_logs import lines_of, write

NAMES = ("a", "b", "c", "d")
JOB = "ingest"  # it takes a third of a night, and is held, left and lost as one


class Dying(ClusterJob):
    """Its process ends at once, as one does that is killed."""

    def run(self, *_: Any) -> ClusterOutcome:
        os._exit(9)


class Done(ClusterJob):
    """There is nothing to do; what a job does in such a process is that of a run."""

    def run(self, *_: Any) -> ClusterOutcome:
        return ClusterOutcome(0)


def write_fleet(folder: Path) -> Path:
    logs = folder / "logs"
    for name in NAMES[:3]:
        write(logs, f"{name}/broker-1/controller.log", lines_of(1, "controller"))
    (logs / "b/broker-2").mkdir()
    (logs / "b/broker-2/controller.log.2026-11-20-23.gz").write_bytes(b"\x1f\x8b\x08no archive")
    write(logs, "d/broker-1/notes.txt", ["nothing of Kafka\n"])
    return logs


def arguments_of(logs: Path, warehouse: Path, *more: str) -> Namespace:
    return job_parser(JOB, "").parse_args(["--logs", str(logs), "--warehouse", str(warehouse), *more])


def jobs_of(logs: Path, warehouse: Path, kinds: dict[str, type[ClusterJob]]) -> list[ClusterJob]:
    given = arguments_of(logs, warehouse)
    return [kinds.get(name, ClusterJob)(JOB, given, settings_of(given), NAMES, name) for name in NAMES]
