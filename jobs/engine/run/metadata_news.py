"""What a run brings of copies of the metadata log beside the logs of its cluster."""

from jobs.engine.intake.metadata_log import MetadataLoad, MetadataLoader, forget_broken_loads
from jobs.engine.run.looking import LogLookResult
from jobs.engine.run.progress import Progress
from jobs.engine.run.request import METADATA_SEQ, PARTS_LEFT, RunRequest
from jobs.text import printable_line
from pipeline.core.stored_tables import SegmentTables


def read_metadata_news(
    found: LogLookResult,
    request: RunRequest,
    tables: SegmentTables,
    counts: dict[str, int],
    progress: Progress,
) -> MetadataLoad:
    """What is new in them: read with the last part of what the run found, and counted. Of a cluster of which no line
    was ever read nothing is."""
    is_later = counts.get(PARTS_LEFT) or not counts["load_seq"]
    if not found.metadata or is_later or request.is_reparsing:
        return MetadataLoad()
    load_seq = counts.get(METADATA_SEQ, 0) + 1
    if broken := forget_broken_loads(tables):
        progress.stage("metadata", f"{len(broken)} loads have lost rows: their files are read anew")
    load = MetadataLoader(request.cluster_id, request.settings, tables, load_seq).read(found.metadata)
    for path, why in load.refused:
        progress.stage("metadata", f"{printable_line(path)} is not read: {why}")
    if load.parts:
        counts[METADATA_SEQ] = load_seq
        progress.stage("metadata", f"{len(load.records):,} records of the metadata log")
    return load
