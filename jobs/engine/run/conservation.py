"""What a run has to show before it publishes: no record was lost, and none came out of nowhere."""

from polars import col

from pipeline.core.errors import GateFailed
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import ReadableTables
from pipeline.store.runs.published import EXPIRED_BEFORE
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import log_record, source_file


def require_conserved(
    store: ClusterWarehouse, tables: ReadableTables, versions: dict[str, int], counts: dict[str, int]
) -> None:
    """Compares the manifest with the rows of bronze.log_record as Delta's log counts them; no record is read.

    That the bytes of each segment are those of its records, and that each record is understood or says why not, Delta
    checks row by row (`bytes_are_conserved`, `understood_or_reason`). Elsewhere than on this machine nothing is
    compared. GateFailed: they differ, and nothing is published.
    """
    name = log_record.SPEC.name
    stated = store.contents({name: versions[name]}) if name in versions else {}
    if name not in stated or not tables.has_rows(source_file.SPEC):
        return
    segments = frame_of(tables.read(source_file.SPEC, None, ("record_count", "last_logged_at")))
    # Of segments before this time `maintain` took the rows, but for late ones, which it takes the next time.
    is_old = col("last_logged_at").dt.epoch("ms") < counts.get(EXPIRED_BEFORE, 0)
    old, most = (sum(one["record_count"].to_list()) for one in (segments.filter(is_old), segments))
    rows = stated[name].rows
    if not most - old <= rows <= most:
        counted = f"{most - old:,} records in {name} of cluster {store.cluster_id}"
        raise GateFailed(
            expected=f"{counted}, as {source_file.SPEC.name} counts them",
            found=f"{rows:,}",
            todo="nothing is published, and what was published before stays; 'doctor' looks at all of it",
        )
