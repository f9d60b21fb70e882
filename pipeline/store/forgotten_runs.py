"""Runs that neither ops.run nor the copy of its newest row tells of any more: what they read is there all the same."""

from pipeline.store.commit_files import writers_of
from pipeline.store.damage import Damage, require_undamaged, uri_of
from pipeline.store.files import ReadableFiles
from pipeline.store.published import LAST_RUN
from schemas.bronze import file_sighting, log_record, source_file
from schemas.ops import run

READ = (source_file.SPEC.name, log_record.SPEC.name, file_sighting.SPEC.name)


def forgotten_runs_damage(files: ReadableFiles, folder: str) -> Damage | None:
    """Of a cluster of which no run is known. Rows of one run may be those of a first night that died, which the next
    night takes out and reads again; rows of two were published, and of what they hold logs may be gone."""
    for name in READ:
        count = len(writers_of(files, uri_of(folder, name)))
        if count > 1:
            told = f"no run in {run.SPEC.name} and no {LAST_RUN}; {name} has rows of {count} runs"
            return Damage(run.SPEC.name, "run_gone", told)
    return None


def require_known_runs(files: ReadableFiles, folder: str) -> None:
    """WarehouseDamaged: see `forgotten`."""
    found = forgotten_runs_damage(files, folder)
    require_undamaged(folder, [] if found is None else [found])
