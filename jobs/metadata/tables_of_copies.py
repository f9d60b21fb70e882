"""Copies of the metadata log that are held in memory as rows of the tables that a night fills from files."""

import hashlib
from datetime import UTC, datetime

from jobs.engine.intake.metadata_log import MetadataLoad
from jobs.metadata.files import MetadataCopies
from pipeline.bronze.metadata_rows import Coverage, Row, record_row, snapshot_row, stretch_rows
from pipeline.kafka.metadata_log.segment import SNAPSHOT, MetadataPart
from pipeline.model.metadata.joining import JoinedLog

NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def load_of_copies(cluster_id: str, copies: MetadataCopies, joined: JoinedLog) -> MetadataLoad:
    """Each record once. Of snapshots those that a log needs which begins behind its begin, or has holes."""
    load, coverage = MetadataLoad(), Coverage()
    for path, node_id, part in copies.files:
        if part.form == SNAPSHOT:
            continue
        copy, whole = _columns_of(cluster_id, path, node_id, part)
        is_known = coverage.holds(part.records)
        kept = [one for one, known in zip(part.records, is_known, strict=True) if not known]
        load.records += [record_row(one, None, copy) for one in kept]
        rows = stretch_rows(part, kept, whole)
        for row in rows:
            coverage.add(row["controller_epoch"], row["first_offset"], row["last_offset"])
        load.parts += rows
    is_based = bool(joined.missing) or not len(joined.marks) or joined.first_offset > 0
    seen: set[tuple[int, int]] = set()
    for path, node_id, part in copies.files:
        key = part.snapshot
        if not part.is_whole_snapshot or key is None or key[0] <= 0 or key in seen:
            continue
        seen.add(key)
        copy, whole = _columns_of(cluster_id, path, node_id, part)
        load.records += [record_row(one, key[0], copy) for one in part.records] if is_based else []
        load.parts.append(snapshot_row(part, whole, is_base=is_based))
    return load


def _columns_of(cluster_id: str, path: str, node_id: int | None, part: MetadataPart) -> tuple[Row, Row]:
    """What rows of records, and those of stretches, say of the file."""
    named = f"{cluster_id}|{node_id}|{path}|{part.source}"
    file_id = hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()[:16]
    copy: Row = {"cluster_id": cluster_id, "file_id": file_id, "load_seq": 1}
    return copy, copy | {
        "node_id": node_id,
        "log_cluster_id": None,
        "path": path,
        "size_bytes": 0,
        "modified_at": NO_TIME,
        "form": "segment" if part.snapshot is None else SNAPSHOT,
        "last_batch_byte": part.last_batch or 0,
        "consumed_bytes": part.end.at if part.end else 0,
    }
