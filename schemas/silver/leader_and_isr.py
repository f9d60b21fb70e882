"""Every statement about leader, ISR or assignment of a partition that a line of a controller or a broker makes."""

from schemas.spec import (
    BROKER_IDS,
    BYTE_OFFSET,
    CLUSTER_ID,
    FILE_ID,
    LOAD_SEQ,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import INTEGER, STRING, TIMESTAMP

TELLERS = ("controller", "broker", "leader")

SPEC = TableSpec(
    name="silver.leader_and_isr",
    grain="One line that states leader, ISR, leader epoch or assigned replicas of one partition; "
    "a line that states several partitions gives several rows.",
    key=("file_id", "byte_offset", "topic", "partition"),
    fields=(
        CLUSTER_ID,
        FILE_ID,
        LOAD_SEQ,
        BYTE_OFFSET,
        required_field("logged_at", TIMESTAMP, "When it was logged, UTC."),
        nullable_field("node_id", INTEGER, "Node whose file holds the line."),
        required_field("event", STRING, "What the line is, e.g. partition_transition, update_metadata_sent."),
        required_field("teller", STRING, "Who says so; leader: who writes the ISR itself.", accepted=TELLERS),
        nullable_field("controller_id", INTEGER, "The controller acting."),
        nullable_field("controller_epoch", INTEGER, "Its epoch."),
        required_field("topic", STRING, "Topic."),
        required_field("partition", INTEGER, "Partition."),
        nullable_field(
            "leader",
            INTEGER,
            "Leader: a broker, -1 none, -2 being deleted; of what a leader says itself who prints it; null if the line "
            "does not say.",
        ),
        nullable_field("leader_epoch", INTEGER, "Leader epoch."),
        nullable_field("isr", BROKER_IDS, "In-sync replicas."),
        nullable_field(
            "previous_isr", BROKER_IDS, "What a leader that changes them held for in sync before."
        ),
        nullable_field(
            "partition_epoch",
            INTEGER,
            "Which write of the partition's state it is: zkVersion up to 3.0, partition epoch since; of "
            "isr_version_conflict the one that the leader took for the last; null: not said.",
        ),
        nullable_field("replicas", BROKER_IDS, "Assigned replicas, preferred leader first."),
    ),
)
