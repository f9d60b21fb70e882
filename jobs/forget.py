"""The forget job: erases one cluster whole, whatever state a run left it in."""

import re
import sys
from collections.abc import Sequence

from jobs.engine.run.outcome import log_stages, report_problem
from jobs.engine.run.progress import Progress
from jobs.parser import Parser
from jobs.settings.arguments import on_warehouse
from jobs.settings.types import CLUSTER_NAME
from pipeline.core.errors import InputProblem, PipelineError, SettingsError
from pipeline.store.files.files import ReadableFiles
from pipeline.store.locks.lock import cluster_lock
from pipeline.store.readers.readable_warehouse import direct_warehouse
from pipeline.store.runs.published import ASIDE, ERASED, LAST_RUN, NOTIFIED
from pipeline.store.spark.session import late_spark
from pipeline.store.warehouse import ClusterWarehouse
from schemas.spec import LAYERS

# What says that there is something to read goes first: a reader sees all of a cluster or nothing.
FOLDERS = (*reversed(LAYERS), ASIDE)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = Parser(prog="kafka-controller-audit forget", description=__doc__)
    arguments.add_argument("--cluster", metavar="NAME", required=True, help="the cluster to erase")
    arguments.add_argument("--yes", action="store_true", help="do not ask")
    on_warehouse(arguments)
    given = arguments.parse_args(argv)
    log_stages()
    try:
        require_name(given.cluster)
        direct = direct_warehouse(given.warehouse)
        if direct is not None:
            require_there(direct.files, f"{direct.root}/{given.cluster}", given.cluster)
        spark = late_spark()
        store = ClusterWarehouse(spark, given.warehouse, given.cluster)
        require_there(store.files, store.folder, given.cluster)
        require_consent(store, is_given=given.yes, is_terminal=sys.stdin.isatty())
        with cluster_lock(store.files, store.folder, given.wait):
            forget_cluster(store, Progress())
    except PipelineError as problem:
        return report_problem("forget", problem)
    print(f"{given.cluster}  FORGOTTEN  {store.folder}", flush=True)
    return 0


def require_name(cluster: str) -> None:
    """SettingsError: a name that could lead to another folder."""
    if not re.fullmatch(CLUSTER_NAME, cluster):
        raise SettingsError(
            expected="--cluster with letters, digits, '.', '_' and '-'",
            found=repr(cluster),
            todo="give the name of a folder of the warehouse",
        )


def require_there(files: ReadableFiles, folder: str, cluster: str) -> None:
    """InputProblem: no tables of this cluster."""
    if not {ERASED, *FOLDERS} & set(files.names(folder)):
        raise InputProblem(
            expected=f"tables of cluster {cluster} in {folder}",
            found="none",
            todo="check --warehouse and --cluster",
        )


def require_consent(store: ClusterWarehouse, *, is_given: bool, is_terminal: bool) -> None:
    """SettingsError: nobody said yes."""
    if is_given:
        return
    if is_terminal:
        size = store.files.size_bytes(store.folder)
        asked = f"Erase {store.folder} ({size:,} bytes), all its runs and findings? Type the cluster's name: "
        if input(asked).strip() == store.cluster_id:
            return
    raise SettingsError(
        expected=f"the name {store.cluster_id} to be typed, or --yes",
        found="neither",
        todo="nothing was erased",
    )


def forget_cluster(store: ClusterWarehouse, progress: Progress) -> None:
    """Deletes the layers; what else lies in the folder is not ours and stays. Again, where it was cut short.

    What publishes is put aside first: of a part of its log readers would take an older run for the newest. The row of
    the last run goes before: it would tell that ops.run is damaged. What was put aside goes last: until then runs and
    readers are told what is going on, and repair publishes nothing of it again.
    """
    hidden = f"{store.folder}/{ERASED}"
    for name in (LAST_RUN, NOTIFIED):
        store.files.delete(f"{store.folder}/{name}")
    store.files.delete(hidden)
    store.files.rename(f"{store.folder}/{FOLDERS[0]}", hidden)
    for layer in (*FOLDERS, ERASED):
        progress.stage("forget", layer)
        store.files.delete(f"{store.folder}/{layer}")
    left = {ERASED, *FOLDERS} & set(store.files.names(store.folder))
    if left:
        raise InputProblem(
            expected=f"all of {store.folder} to be erased",
            found=f"that {', '.join(sorted(left))} may not be deleted",
            todo="give the job the right to delete it, and run it again",
        )


if __name__ == "__main__":
    sys.exit(main())
