"""What a controller's lines say about the life of a topic: created, queued for deletion, deleted."""

from schemas.spec import BYTE_OFFSET, CLUSTER_ID, FILE_ID, LOAD_SEQ, TableSpec, field, required
from schemas.types import INTEGER, STRING, TIMESTAMP

SPEC = TableSpec(
    name="silver.topic_event",
    grain="One topic named in one line about creation or deletion of topics.",
    key=("file_id", "byte_offset", "topic"),
    fields=(
        CLUSTER_ID,
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
        required("logged_at", TIMESTAMP, "When it was logged, UTC."),
        field("controller_id", INTEGER, "The controller acting."),
        required("topic", STRING, "Topic."),
        required(
            "step",
            STRING,
            "created; deletion_queued; deletion_blocked (ineligible); deletion_completed; removed: gone from "
            "ZooKeeper, which its controller did not do.",
            accepted=("created", "deletion_queued", "deletion_blocked", "deletion_completed", "removed"),
        ),
    ),
)
