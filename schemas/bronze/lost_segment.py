"""What the warehouse had read and has lost, while no log holds it any more: `repair` says so, segment by segment."""

from schemas.bronze import source_file
from schemas.spec import LOAD_SEQ, Check, TableSpec, required_field
from schemas.types import STRING

KEPT = (
    *("cluster_id", "node_id", "log", "file_id", "path", "start_offset", "consumed_bytes", "record_count"),
    *("first_logged_at", "last_logged_at", "is_shared"),
)
AS_READ = {one.name: one for one in source_file.SPEC.fields}

SPEC = TableSpec(
    name="bronze.lost_segment",
    grain="One segment of a log file of which the warehouse lost the records, and no log holds them any more.",
    key=("file_id", "start_offset", "lost_run_id"),
    fields=(
        *(AS_READ[name] for name in KEPT),
        required_field(LOAD_SEQ.name, LOAD_SEQ.type, "Number of the segment that brought the records."),
        required_field("lost_run_id", STRING, "The run of repair that found them lost."),
    ),
    checks=(Check("segment_is_not_empty", "consumed_bytes > start_offset"),),
)
