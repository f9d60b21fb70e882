"""What was read, taken over from tables of which no run is known any more: all else is built from it."""

from datetime import UTC, datetime

import polars as pl
from polars import col

from jobs.engine.mending.segments import NAMED, count_segment_records
from jobs.engine.run.masked_run import made_by
from jobs.engine.run.preconditions import require_same_zones
from jobs.settings.model import Settings
from pipeline.catalog.tables import KEPT, TABLES
from pipeline.core.errors import WarehouseDamaged
from pipeline.core.frames import frame_of
from pipeline.store.cluster_tables import ClusterTables
from pipeline.store.runs.forgotten_runs import forgotten_runs_damage
from pipeline.store.runs.published import EXPIRED_BEFORE, Published
from pipeline.store.tables.commit_files import newest_whole
from pipeline.store.warehouse import ClusterWarehouse, run_row
from schemas.bronze import log_record, source_file
from schemas.ops import run


def take_over(store: ClusterWarehouse, settings: Settings) -> str | None:
    """Publishes the newest versions of what was read, and nothing that is built from it. What is said of it; None: some
    run is known, or none published. SettingsError: the logs were read in another time zone.

    Where tables that were read are damaged, too, their zones are not compared: repair goes on with what is left."""
    if store.published().run_id is not None or forgotten_runs_damage(store.files, store.folder) is None:
        return None
    started_at, unknown = datetime.now(UTC), Published(settings_fingerprint="")
    run_id, versions = store.new_run(started_at), versions_read(store)
    tables = ClusterTables(store, run_id, versions)
    try:
        require_same_zones(tables, store.cluster_id, settings, unknown)
        counts = count_expired_before(
            frame_of(tables.read(source_file.SPEC, None, (*NAMED, "last_logged_at"))),
            count_segment_records(frame_of(tables.read(log_record.SPEC, None, (*NAMED, "byte_length")))),
        )
    except WarehouseDamaged:
        counts = {}
    row = run_row(
        published=unknown,
        job="repair",
        started_at=started_at,
        ended_at=datetime.now(UTC),
        outcome="published",
        cluster_id=store.cluster_id,
        run_id=run_id,
        table_versions=versions,
        counts=counts,
        watermarks={one.spec.name: "" for one in TABLES if one.build is not None},
        **made_by(settings, store.cluster_id),
    )
    if store.delta.head(run.SPEC) is None:
        store.create_missing((run.SPEC,), {})
    store.append_run(row)
    return "no run was known: what was read is published again, all else is built from it; 'runs' lists none before"


def versions_read(store: ClusterWarehouse) -> dict[str, int]:
    """Of the tables that nothing derives again the newest version whose commit is whole."""
    found = {
        one.spec.name: newest_whole(store.files, store.delta.uri(one.spec))
        for one in TABLES
        if one.refresh in KEPT
    }
    return {name: version for name, version in found.items() if version is not None}


def count_expired_before(segments: pl.DataFrame, counts: pl.DataFrame) -> dict[str, int]:
    """The count that says up to when `maintain` took rows, as tables show it: segments without any, all older than
    those that have some. segments: (file_id, load_seq, last_logged_at); counts: as `segments.counted`."""
    oldest = segments.join(counts, on=NAMED, how="semi").select(col("last_logged_at").min().alias("oldest"))
    bare = segments.join(counts, on=NAMED, how="anti").join(oldest, how="cross")
    gone = bare.filter(col("last_logged_at") < col("oldest"))["last_logged_at"].dt.epoch("ms").to_list()
    return {EXPIRED_BEFORE: max(gone) + 1} if gone else {}
