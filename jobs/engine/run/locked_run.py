"""A job on one cluster: the lock, an upgrade, and as many runs as what there is to read asks for."""

import sys
from collections.abc import Callable
from functools import partial

from jobs.engine.run.cluster_run import Run
from jobs.engine.run.migration import migrate_older
from jobs.engine.run.progress import Progress
from jobs.engine.run.request import RunRequest, RunResult, joined_results
from jobs.engine.run.spans import parts_by_days
from pipeline.core.stored_tables import ReadableTables
from pipeline.store.locks.lock import ClusterLock, cluster_lock
from pipeline.store.spark.late_session import LateSession
from pipeline.store.spark.session import tune_storage
from pipeline.store.warehouse import ClusterWarehouse


def run_cluster(
    spark: LateSession,
    request: RunRequest,
    progress: Progress,
    then: Callable[[ClusterWarehouse, ReadableTables, RunResult], None],
) -> RunResult:
    """Runs a job on one cluster; `then` is told of its tables and the result while the lock is still held.

    Locked; GateFailed, after which the last good versions stay published. NeedsSpark: `spark` is absent, and it cannot
    do without; nothing is published.
    """
    storage = request.settings.storage
    store = ClusterWarehouse(spark, request.warehouse, request.cluster_id, storage.retention_days)
    spark.set(partial(tune_storage, zstd_level=storage.zstd_level))
    store.write_locally(storage.zstd_level)
    with cluster_lock(store.files, store.folder, request.wait_seconds) as lock:
        store.require_whole()
        migrate_older(store, request.settings, progress, lock)
        run, result = run_in_spans(store, request, progress, lock)
        then(store, run.tables(), result)
    return result


def run_in_spans(
    store: ClusterWarehouse, request: RunRequest, progress: Progress, lock: ClusterLock
) -> tuple[Run, RunResult]:
    """What there is to read, all at once or in spans of days, each published before the next one is read: memory
    follows a span, and after a kill the next run goes on with what is not read yet. The last run, and what all did."""
    run = Run(store, request, progress, lock)
    found = run.look()
    most_bytes = sys.maxsize if request.is_reparsing else request.settings.limits.span_bytes
    parts = parts_by_days(found.planned, most_bytes)
    if len(parts) == 1:
        return run, run.execute(found)
    result = run.execute(run.part_of(found, parts[0], len(parts) - 1))
    for place, part in enumerate(parts[1:], 2):
        run = Run(store, request, progress, lock)
        result = joined_results(result, run.execute(run.part_of(found, part, len(parts) - place)))
    return run, result
