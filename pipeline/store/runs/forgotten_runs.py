"""Runs that neither ops.run nor the copy of its newest row tells of any more: what they read is there all the same."""

from pipeline.core.errors import WarehouseDamaged
from pipeline.store.files.files import ReadableFiles
from pipeline.store.locks.lock_files import LOCK_FILE
from pipeline.store.runs.damage import Damage, require_undamaged, uri_of
from pipeline.store.runs.published import ERASED, LAST_RUN
from pipeline.store.tables.commit_files import is_table, writers_of
from schemas.bronze import file_sighting, log_record, source_file
from schemas.ops import run
from schemas.spec import LAYERS

WHY_UNPUBLISHED = "its first run died, or its files are gone"
BEGIN_ANEW = "run the nightly job on its logs, which begins anew, or put back a copy of the folder"
READ = (source_file.SPEC.name, log_record.SPEC.name, file_sighting.SPEC.name)


def forgotten_runs_damage(files: ReadableFiles, folder: str) -> Damage | None:
    """Of a cluster of which no run is known. Rows of one run may be those of a first night that died, which the next
    night takes out and reads again; rows of two were published, and of what they hold logs may be gone.

    WarehouseDamaged: they are being erased."""
    require_not_erased(files, folder)
    for name in READ:
        count = len(writers_of(files, uri_of(folder, name)))
        if count > 1:
            told = f"no run in {run.SPEC.name} and no {LAST_RUN}; {name} has rows of {count} runs"
            return Damage(run.SPEC.name, "run_gone", told)
    return None


def require_not_erased(files: ReadableFiles, folder: str) -> None:
    """WarehouseDamaged: a `forget` of the cluster was cut short, or goes on."""
    warehouse, _, cluster = folder.rpartition("/")
    if ERASED in files.names(folder):
        raise WarehouseDamaged(
            expected=f"the tables of cluster {cluster}",
            found="what a 'forget' left of them that was cut short, or goes on",
            todo=(
                f"run 'kafka-controller-audit forget --warehouse {warehouse} --cluster {cluster}' again, which "
                f"erases the rest; what was its ops folder is {ERASED} now"
            ),
        )


def is_emptied(files: ReadableFiles, folder: str) -> bool:
    """Whether a cluster has folders, and no table in any of them. A first run that holds the lock is about to make
    them."""
    if any(LOCK_FILE.match(name) for name in files.names(folder)):
        return False
    layers = [path for path in (f"{folder}/{one}" for one in LAYERS) if files.exists(path)]
    tables = (f"{path}/{name}" for path in layers for name in files.names(path))
    return bool(layers) and not any(is_table(files, table) for table in tables)


def require_known_runs(files: ReadableFiles, folder: str) -> None:
    """WarehouseDamaged: see `forgotten_runs_damage` and `is_emptied`. A first run that died later, or goes on, has
    published nothing: that is an answer."""
    found = forgotten_runs_damage(files, folder)
    require_undamaged(folder, [] if found is None else [found])
    if is_emptied(files, folder):
        raise WarehouseDamaged(
            expected=f"the tables of a run in {folder}",
            found=f"its folders without any table: {WHY_UNPUBLISHED}",
            todo=BEGIN_ANEW,
        )
