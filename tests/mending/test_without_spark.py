"""What is small is repaired without Spark: derived tables from what was read, and what was read from what is left."""

import shutil
from pathlib import Path

import pytest

from jobs.engine.mending.repair import Repair, is_little
from jobs.engine.run.progress import Progress
from jobs.settings.load import load_settings
from pipeline.store.locks.lock import cluster_lock
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import log_record, lost_segment
from schemas.silver import term
from tests.store.damaging import removed_file


def test_what_no_log_holds_is_said_and_stored_and_the_rest_is_built_again(store: ClusterWarehouse) -> None:
    """Logs are named, of which none is of the cluster."""
    seen = store.published()
    for spec in (log_record.SPEC, term.SPEC):
        assert removed_file(Path(store.delta.uri(spec)), seen.versions[spec.name])
    with cluster_lock(store.files, store.folder) as lock:
        settings = load_settings(None, {}, {}, None)
        said = Repair(lambda _: (), is_of_logs=True).repaired(store, settings, Progress(), lock)
    store.require_whole()
    after = store.published()
    lost = after.contents[lost_segment.SPEC.name].rows
    assert said.startswith("REPAIRED  2 tables: bronze.log_record, silver.term; ")
    assert lost and f"records of {lost} segment" in said
    assert said.endswith(f"if they are, run it again with --cluster {store.cluster_id}")
    assert after.run_seq == seen.run_seq + 1


@pytest.mark.parametrize("driver_bytes", [1, 1 << 30])
def test_what_the_driver_can_hold_is_little(store: ClusterWarehouse, driver_bytes: int) -> None:
    settings = load_settings(None, {}, {"KCA_LIMITS__DRIVER_BYTES": str(driver_bytes)}, None)
    assert is_little(store, settings) == (driver_bytes > 1)


def test_of_a_cluster_without_a_run_the_way_on_is_said(store: ClusterWarehouse) -> None:
    folder = Path(store.folder)
    shutil.rmtree(folder)
    (folder / "gold" / "finding" / "_delta_log").mkdir(parents=True)
    with cluster_lock(store.files, store.folder) as lock:
        said = Repair(lambda _: ()).repaired(store, load_settings(None, {}, {}, None), Progress(), lock)
    assert said.startswith("NOTHING TO REPAIR  no run is published: run the nightly job on its logs")
