"""What the jobs that read no logs do around their work: session, lock, clusters in turn, sentences, exit codes."""

import argparse
from collections.abc import Callable
from functools import partial

from jobs.engine.run.chosen_clusters import chosen_clusters
from jobs.engine.run.outcome import Ending, log_stages, worst_exit_code
from jobs.engine.run.progress import Progress
from jobs.settings.arguments import settings_of
from jobs.settings.model import Settings
from pipeline.store.locks.lock import ClusterLock, cluster_lock
from pipeline.store.readers.readable_warehouse import direct_warehouse
from pipeline.store.reading import clusters
from pipeline.store.spark.session import late_spark, tune_storage
from pipeline.store.warehouse import ClusterWarehouse

NOTHING = "nothing of {} is published"
Work = Callable[[ClusterWarehouse, Settings, Progress, ClusterLock], str]


def run_on_clusters(job: str, given: argparse.Namespace, work: Work, *, is_damaged: bool = False) -> int:
    """Does the work on the named cluster, else on all; prints what it says. One bad cluster holds back no other.

    is_damaged: the work is done though tables do not hold what was published.
    """
    log_stages()
    names: list[str] = []
    with Ending(job, given.warehouse, became=lambda: "nothing was done") as begun:
        settings = settings_of(given)
        progress = Progress()
        require_cluster(given)
        spark = late_spark()
        names = chosen_clusters(clusters(spark, given.warehouse), given.warehouse, given.cluster)
        spark.set(partial(tune_storage, zstd_level=settings.storage.zstd_level))
    codes = [begun.code]
    for name in names if not begun.code else []:
        progress.label = f"{name} " if len(names) > 1 else ""
        with Ending(job, given.warehouse, name, partial(NOTHING.format, name)) as end:
            store = ClusterWarehouse(spark, given.warehouse, name, settings.storage.retention_days)
            with cluster_lock(store.files, store.folder, given.wait) as lock:
                if not is_damaged:
                    store.require_whole()
                print(f"{name}  {work(store, settings, progress, lock)}", flush=True)
        codes.append(end.code)
    return worst_exit_code(codes)


def require_cluster(given: argparse.Namespace) -> None:
    """InputProblem: there is none, which is seen without Spark where it can be."""
    warehouse = direct_warehouse(given.warehouse)
    if warehouse is not None:
        chosen_clusters(warehouse.clusters(), given.warehouse, given.cluster)
