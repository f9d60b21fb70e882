"""Where a broker's log of a partition ends: when it begins to lead or to follow, is loaded, or is cut off."""

from schemas.spec import RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING

STEPS = (
    "leads",  # it leads from now on (from 0.11; up to 2.5 in server.log)
    "follows",  # it follows from now on (from 2.6)
    "loaded",  # the log is read as the broker starts, or is new (server.log, up to 2.5)
    "cut",  # records at its end are given up (server.log, up to 3.0)
    "kept",  # it should be cut off, and had nothing beyond (server.log, up to 3.0)
)

SPEC = TableSpec(
    name="silver.replica_offset",
    grain="One line in which a broker says where its log of a partition ends.",
    key=("file_id", "byte_offset"),
    fields=(
        *RECORD,
        required_field("topic", STRING, "Topic."),
        required_field("partition", INTEGER, "Partition."),
        required_field("broker_id", INTEGER, "The broker."),
        required_field("step", STRING, "What happens to the log.", accepted=STEPS),
        nullable_field(
            "leader_epoch", INTEGER, "Leader epoch that it begins with; null: server.log names none."
        ),
        required_field(
            "log_end_offset",
            LONG,
            "Offset after its last record; of a log that is cut, after what is kept.",
        ),
    ),
)
