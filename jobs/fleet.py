"""Many clusters in one run: those that bring little side by side and without Spark, in processes of this machine or
where another place runs them (jobs/fleet_on_executors.py)."""

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from queue import SimpleQueue
from typing import Protocol

from jobs.cluster_job import ClusterJob, ClusterOutcome, Kept
from jobs.engine.run.outcome import log_stages
from jobs.engine.run.progress import Progress
from jobs.machine import memory_bytes, processors
from pipeline.core.errors import NeedsSpark
from pipeline.store.spark.late_session import absent_session

# A process that runs a cluster of limits.driver_bytes takes so much, and the driver beside it (docs/operate/sizes.md).
CLUSTER_BYTES, DRIVER_BYTES = 5 << 28, 1 << 30
log = logging.getLogger("kafka_controller_audit")
Done = tuple[ClusterOutcome, Kept]


def clusters_at_once(wanted: int | None) -> int:
    """As the setting says, else one a processor, as far as memory reaches."""
    if wanted is not None:
        return wanted
    return max(1, min(processors(), (memory_bytes() - DRIVER_BYTES) // CLUSTER_BYTES))


class Place(Protocol):
    """Where clusters are run without Spark, several at once."""

    at_once: int

    def run(self, job: ClusterJob, progress: Progress) -> tuple[ClusterJob, Done | None]:
        """Waits for what came of it; several threads call it. None: it brings much, or needs Spark otherwise, and
        nothing of it is done; so it is where it was ended before. The job: as it is to be run then."""

    def close(self) -> None:
        """Ends what still runs."""


def run_side_by_side(
    jobs: Sequence[ClusterJob], place: Place, progress: Progress
) -> Iterator[tuple[ClusterJob, Done | None]]:
    """In the order of the jobs what the place made of each; one that ends before its time leaves the others as they
    are."""
    waiting = ThreadPoolExecutor(min(place.at_once, len(jobs)))
    try:
        begun = [waiting.submit(place.run, one, progress) for one in jobs]
        for future in begun:
            yield future.result()
    finally:
        waiting.shutdown(wait=False, cancel_futures=True)
        place.close()


class LocalProcesses:
    """On this machine. What a small cluster costs is processor time of Python: threads of one process would wait for
    each other."""

    def __init__(self, at_once: int) -> None:
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        self.at_once = at_once
        self.workers: SimpleQueue[ProcessPoolExecutor] = SimpleQueue()
        for _ in range(at_once):
            self.workers.put(new_worker())

    def run(self, job: ClusterJob, progress: Progress) -> tuple[ClusterJob, Done | None]:
        """By the worker that is idle; another takes its place where its process ends."""
        worker = self.workers.get()
        try:
            return job, worker.submit(run_without_spark, job, progress).result()
        except BrokenProcessPool:
            log.warning("%sits process ended, and is followed by another run of it", job.label)
            worker = new_worker()
            return job, None
        finally:
            self.workers.put(worker)

    def close(self) -> None:
        """Workers end with this process."""


def new_worker() -> ProcessPoolExecutor:
    """One process, which is started with the first cluster that it is given: where several share a pool, the end of one
    ends all."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=begin_worker)


def run_without_spark(job: ClusterJob, progress: Progress) -> Done | None:
    kept = Kept()
    try:
        outcome = job.run(absent_session(), replace(progress, label=job.label, has_details=False), kept)
    except NeedsSpark:
        return None
    return outcome, kept


def begin_worker() -> None:
    """A worker ends at once where it is interrupted, or its parent is gone: what is published stays as it was."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    log_stages()
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
