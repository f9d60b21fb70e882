"""Many clusters in one run: those that bring little side by side, each in a process of this machine without Spark.

What a small cluster costs is processor time of Python: threads of one process would wait for each other.
"""

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

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


def run_side_by_side(
    jobs: Sequence[ClusterJob], at_once: int, progress: Progress
) -> Iterator[tuple[ClusterJob, Done | None]]:
    """In the order of the jobs what came of each; None: it brings much, or needs Spark otherwise, and nothing of it is
    done. So it is where a process ended before its cluster did."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    pool = ProcessPoolExecutor(
        min(at_once, len(jobs)), multiprocessing.get_context("spawn"), initializer=begin_worker
    )
    try:
        begun = [pool.submit(run_without_spark, one, progress) for one in jobs]
        for one, future in zip(jobs, begun, strict=True):
            yield one, done_or_none(one, future)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def done_or_none(job: ClusterJob, future: Future[Done | None]) -> Done | None:
    try:
        return future.result()
    except BrokenProcessPool:
        log.warning("%sits process ended, and is followed by another run of it", job.label)
        return None


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
