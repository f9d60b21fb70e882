"""Every statement about the assigned replicas of a partition, but for requests, which only repeat it."""

from schemas.spec import BROKER_IDS, RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING

STEPS = (
    "created",  # the partition's first assignment
    "added",  # first assignment of a partition that its topic got later
    "new",  # the controller enters the partition as NewPartition
    "target",  # wanted by a reassignment up to 2.3, not assigned yet
    "updating",  # about to be written (from 2.4): previous_replicas to replicas
    "cancelled",  # the same, back from an assignment that was being changed to one that is not
    "updated",  # written, or replayed from the metadata log
    "settled",  # the same, and the line says that nothing is added or removed any more
    "stated",  # said on the way of something else
)

SPEC = TableSpec(
    name="silver.assignment",
    grain="One partition of one line that states its assigned replicas; requests, which repeat them, are left to "
    "silver.leader_and_isr.",
    key=("file_id", "byte_offset", "topic", "partition"),
    fields=(
        *RECORD,
        required_field(
            "step",
            STRING,
            "created, added, new, target, updating, cancelled, updated, settled or stated.",
            accepted=STEPS,
        ),
        nullable_field("controller_id", INTEGER, "The controller acting; null on lines of brokers."),
        nullable_field("controller_epoch", INTEGER, "Its epoch, where the line names it."),
        nullable_field(
            "topic",
            STRING,
            "Topic; null where only topic_id is said (KRaft 2.8), or where the text could not be taken apart.",
        ),
        nullable_field("topic_id", STRING, "Id of the topic, 22 characters of base64, on lines of KRaft."),
        nullable_field("partition", INTEGER, "Partition."),
        nullable_field(
            "replicas",
            BROKER_IDS,
            "Assigned replicas, preferred leader first; null: the line changes something else.",
        ),
        nullable_field(
            "adding_replicas", BROKER_IDS, "Of these, being added (from 2.4; null where not said)."
        ),
        nullable_field(
            "removing_replicas", BROKER_IDS, "Of these, being removed (from 2.4; null where not said)."
        ),
        nullable_field(
            "previous_replicas", BROKER_IDS, "Assigned replicas before, where the line names them."
        ),
    ),
)
