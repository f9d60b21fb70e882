"""Every statement of a KRaft node about a partition as its metadata log holds it: by topic id and partition epoch."""

from schemas.spec import BROKER_IDS, RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING

TELLERS = ("broker", "controller")
STEPS = (
    "named",  # a broker names the id of the topic whose partition it creates
    "stated",  # a broker applied this state of the partition
    "created",  # a controller replayed the partition's record: all of it
    "changed",  # a controller replayed a change of it: what is null stays as it was
    "blocked",  # a broker can't lead or follow the partition: it lies in a log directory that failed
    "removed",  # a controller replayed the end of the topic: partition is null
)

SPEC = TableSpec(
    name="silver.partition_state",
    grain="One line of a KRaft node, or of a broker from 3.3 on, that says what state a partition is in.",
    key=("file_id", "byte_offset"),
    fields=(
        *RECORD,
        required_field("teller", STRING, "Who says so.", accepted=TELLERS),
        required_field(
            "step", STRING, "named, stated, created, changed, blocked or removed.", accepted=STEPS
        ),
        required_field("topic", STRING, "Topic."),
        nullable_field("topic_id", STRING, "Id of the topic; null on the lines of followers."),
        nullable_field("partition", INTEGER, "Partition; null where the whole topic is meant."),
        nullable_field("partition_epoch", INTEGER, "Counts the changes of the partition's record, from 0."),
        nullable_field("leader", INTEGER, "Leader; -1 none."),
        nullable_field("leader_epoch", INTEGER, "Leader epoch."),
        nullable_field("isr", BROKER_IDS, "In-sync replicas."),
        nullable_field("replicas", BROKER_IDS, "Assigned replicas, preferred leader first."),
        nullable_field("adding_replicas", BROKER_IDS, "Of these, being added."),
        nullable_field("removing_replicas", BROKER_IDS, "Of these, being removed."),
    ),
)
