"""What controllers say about the life of a topic: created, listed, queued for deletion, deleted."""

from schemas.spec import RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING

STEPS = (
    "created",  # ZooKeeper: a controller found it new
    "listed",  # ZooKeeper: in the list of topics of a controller that starts
    "removed",  # ZooKeeper: gone from it, which its controller did not do
    "deletion_requested",  # asked for; names also those whose deletion goes on
    "deletion_listed",  # a controller that starts finds it queued
    "deletion_started",  # (re)started: replicas are stopped
    "deletion_blocked",  # put off: a replica is out of reach, or was not deleted
    "deletion_halted",  # put off, up to 2.2, where no reason is said: as the one above or the one below
    "deletion_deferred",  # put off until a reassignment ends (from 2.3)
    "deletion_resumed",  # a broker with replicas of it started
    "deletion_completed",
    "deletion_ignored",  # asked for, and there is no such topic
    "deletion_disabled",  # asked for, and delete.topic.enable=false
    "topic_record",  # KRaft: a controller replayed the record that creates it
    "remove_topic_record",  # KRaft: a controller replayed the record that ends it
    "create_accepted",  # KRaft: answered to who asked for it
    "create_refused",
    "create_validated",  # KRaft: asked whether it could be created
    "delete_accepted",  # KRaft, from 4.0
    "delete_refused",
)

SPEC = TableSpec(
    name="silver.topic_event",
    grain="One topic named in one line about creation or deletion of topics.",
    key=("file_id", "byte_offset", "topic"),
    fields=(
        *RECORD,
        nullable_field("controller_id", INTEGER, "The controller acting."),
        required_field("topic", STRING, "Topic; its id where a line of KRaft does not name it."),
        nullable_field("topic_id", STRING, "Its id (KRaft; ZooKeeper from 2.8 where it is created)."),
        required_field("step", STRING, "What became of it.", accepted=STEPS),
        nullable_field(
            "reason",
            STRING,
            "As Kafka prints it: why its deletion is put off (from 2.3), the error of a refusal; of deletion_resumed "
            "the brokers that started.",
        ),
    ),
)
