"""What controllers say of single replicas of topics that are being deleted."""

from schemas.spec import RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING

STEPS = (
    "dead",  # its broker or its log directory is out of reach: nothing is sent
    "started",  # its broker is asked to delete it
    "completed",
    "failed",
    "answered",  # its broker answered with an error
    "retried",  # not deleted yet, may be asked for again; no sign that it is
    "resumed",  # its broker started
)

SPEC = TableSpec(
    name="silver.deletion_replica",
    grain="One replica named in one line about the deletion of topics (ZooKeeper mode).",
    key=("file_id", "byte_offset", "topic", "partition", "replica_id"),
    fields=(
        *RECORD,
        nullable_field("controller_id", INTEGER, "The controller acting."),
        required_field("topic", STRING, "Topic."),
        nullable_field("partition", INTEGER, "Partition; null: no number that an int holds."),
        nullable_field("replica_id", INTEGER, "Broker of the replica; null: answers up to 2.2 do not say."),
        required_field("step", STRING, "What became of it.", accepted=STEPS),
        nullable_field("error", STRING, "Error of the answer, Kafka's name."),
    ),
)
