"""Records that another file of the same node and log holds too: kept in bronze, left out of all that follows."""

from schemas.spec import BYTE_OFFSET, CLUSTER_ID, FILE_ID, LOAD_SEQ, TableSpec, required_field
from schemas.types import LONG, STRING

SPEC = TableSpec(
    name="bronze.duplicate_record",
    grain="One record that was loaded before from another file of the same node and log: same time and bytes, and as "
    "often seen in its file until there; or cut short by the end of its file, and whole in another.",
    key=("file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
        required_field("of_file_id", STRING, "The file whose record counts."),
        required_field("of_load_seq", LONG, "The segment that brought that record."),
        required_field("of_byte_offset", LONG, "Where that record starts, bytes."),
    ),
)
