"""What readers see of a cluster: what ops.run says, or the copy of its newest row where that table has lost it."""

from dataclasses import replace

from pipeline.core.errors import WarehouseDamaged
from pipeline.store.files.files import ReadableFiles
from pipeline.store.runs.damage import published_as_written, run_damage
from pipeline.store.runs.forgotten_runs import require_known_runs
from pipeline.store.runs.published import Published, RunRows, last_run


def read_run_or_copy(
    files: ReadableFiles, folder: str, rows_of: RunRows, run_id: str | None = None
) -> Published:
    """As `published_as_written`. The copy is read first: a run that publishes meanwhile is newer, and none is lost.
    WarehouseDamaged also where no run is known of a cluster that runs were published of."""
    last = last_run(files, folder)
    try:
        newest = published_as_written(files, folder, rows_of)
    except WarehouseDamaged:
        if last is None:
            raise
        newest = Published()
    if newest.run_id is None and last is None:
        require_known_runs(files, folder)
    lost = run_damage(newest, last)
    if lost is not None and last is not None and run_id in (None, last.run_id):
        return replace(last, lost=lost.sentence)
    return newest if run_id is None else published_as_written(files, folder, rows_of, run_id)


def runs_are_lost(sentence: str) -> WarehouseDamaged:
    """Who asks for the runs themselves is not told of fewer."""
    return WarehouseDamaged(
        expected="every run in ops.run",
        found=sentence,
        todo="'repair' mends it; 'doctor' prints the whole command",
    )
