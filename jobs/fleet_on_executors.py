"""Small clusters of a run as tasks of a Spark cluster's executors, one each: as in a process of the driver's machine,
without Spark, but where there are more machines than that."""

import logging
import os
import pickle
import socket
import uuid
from argparse import Namespace
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from py4j.protocol import Py4JError

from jobs.cluster_job import ClusterJob
from jobs.engine.intake.changed_while_read import listed_now, size_and_modified_at
from jobs.engine.intake.discovery import Candidate
from jobs.engine.run.outcome import log_stages
from jobs.engine.run.progress import Progress
from jobs.fleet import Done, run_without_spark
from pipeline.catalog.knowledge import knowledge_fingerprint
from pipeline.core.errors import SettingsError
from pipeline.core.files import URI, Listed, local_path
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.locks.lock_files import DEAD_AFTER_SECONDS
from pipeline.store.spark.late_session import LateSession
from pipeline.store.spark.single_task import cancel_tasks, is_on_cluster, run_in_task

PROBE = "_probe"
# Threads that wait for tasks; how many run is for the executors to say.
MOST_AT_ONCE = 256
# The lock of a task whose machine is gone is free then.
LOST_SECONDS = DEAD_AFTER_SECONDS + 30
log = logging.getLogger("kafka_controller_audit")


@dataclass(frozen=True)
class TaskSite:
    """What a task has to share with the driver: this product, the user, and the warehouse, in which the driver keeps a
    file named `probe` meanwhile."""

    probe: str
    user_id: int
    product: str

    def is_here(self) -> bool:
        is_same = (self.user_id, self.product) == (os.geteuid(), knowledge_fingerprint())
        return is_same and Path(self.probe).is_file()

    def answer(self, _: int) -> bytes:
        """Empty: it is not here. Without the packages of a run the task fails, most of them at its first import."""
        is_whole = find_spec("great_expectations") is not None
        return b"here" if is_whole and self.is_here() else b""


@dataclass(frozen=True)
class ClusterTask:
    """A cluster as a task runs it. files: what the driver sees of its logs."""

    job: ClusterJob
    site: TaskSite
    files: Sequence[Listed]

    def answer(self, attempt: int) -> bytes:
        """What came of it, pickled. Empty: this machine does not see what the driver sees, and nothing is done.
        attempt: behind another one the lock of that is waited for."""
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        log_stages()
        if not (self.site.is_here() and are_same_logs(self.files)):
            return b""
        job = self.job.with_patience(LOST_SECONDS) if attempt else self.job
        done = run_without_spark(job, Progress(is_terminal=False))
        if done is not None:
            kept = done[1]
            kept.problems = [f"{one} It ran on {socket.gethostname()}." for one in kept.problems]
        return pickle.dumps(done)


class ExecutorTasks:
    """The place of a fleet on executors. files: by cluster what the driver sees of its logs."""

    def __init__(
        self, spark: LateSession, warehouse: str, files: Mapping[str, Sequence[Listed]], at_once: int
    ) -> None:
        self.session, self.files, self.at_once = spark.get(), files, at_once
        self.tag = f"fleet-{uuid.uuid4().hex}"
        self.at = LocalFiles()
        self.site = TaskSite(
            f"{self.at.qualified(warehouse)}/{PROBE}.{uuid.uuid4().hex}",
            os.geteuid(),
            knowledge_fingerprint(),
        )

    def is_usable(self) -> bool:
        """Whether a task is where the driver is, as far as one can tell for all; else the place is closed."""
        is_usable = False
        try:
            with suppress(OSError):
                self.at.create(self.site.probe, "")
                is_usable = bool(run_in_task(self.session, self.tag, self.site.answer))
        finally:
            if not is_usable:
                self.close()
        return is_usable

    def run(self, job: ClusterJob, _: Progress) -> tuple[ClusterJob, Done | None]:
        task = ClusterTask(with_whole_paths(job), self.site, self.files.get(job.cluster_id, ()))
        answer = run_in_task(self.session, self.tag, task.answer)
        if answer is None:
            log.warning("%sits task ended, and is followed by another run of it", job.label)
            return job.with_patience(LOST_SECONDS), None
        if not answer:
            log.warning("%sis run by the driver: an executor may not see the same logs", job.label)
            return job, None
        return job, pickle.loads(answer)  # noqa: S301  (written by a task of this run)

    def close(self) -> None:
        with suppress(Py4JError):
            cancel_tasks(self.session, self.tag)
        self.at.delete(self.site.probe)


def executor_tasks(
    spark: LateSession, arguments: Namespace, files: Mapping[str, Sequence[Candidate]], at_once: int | None
) -> ExecutorTasks | None:
    """None: a session on this machine, or one whose executors do not see logs and warehouse as the driver does."""
    is_remote = spark.is_there and is_on_cluster(spark.get())
    if not is_remote or any(URI.match(local_path(one)) for one in arguments.logs):
        return None
    listed = {name: [one.listed for one in some] for name, some in files.items()}
    with suppress(SettingsError):  # of the warehouse's path: each cluster says it
        tasks = ExecutorTasks(spark, arguments.warehouse, listed, at_once or MOST_AT_ONCE)
        if tasks.is_usable():
            return tasks
    log.info("clusters: an executor lacks packages, user or warehouse of the driver, whose machine runs them")
    return None


def with_whole_paths(job: ClusterJob) -> ClusterJob:
    """The folder that a task works in is another."""
    whole = partial(os.path.join, str(Path.cwd()))
    given = job.arguments
    return job.with_arguments(
        logs=[whole(local_path(one)) for one in given.logs],
        warehouse=LocalFiles().qualified(given.warehouse),
    )


def are_same_logs(files: Sequence[Listed]) -> bool:
    """Whether each folder holds a file as it was listed: all but the newest are written no more, and no other machine's
    has its time and size."""
    folders: dict[str, list[Listed]] = defaultdict(list)
    for one in files:
        if one.problem is None:
            folders[one.path.rpartition("/")[0]].append(one)
    return bool(folders) and all(any(map(is_unchanged_file, some)) for some in folders.values())


def is_unchanged_file(listed: Listed) -> bool:
    again = listed_now(listed.path)
    return again is not None and size_and_modified_at(again) == size_and_modified_at(listed)
