"""Who led which partition when: the life of each partition in intervals."""

from schemas.spec import (
    BROKER_IDS,
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    TERM_ID,
    TOPIC_PARTITION,
    Check,
    TableSpec,
    field,
    required,
)
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP

SPEC = TableSpec(
    name="gold.partition_timeline",
    grain="One interval of one partition of one life of a topic in which nothing known of it changed.",
    key=("topic", "topic_life", "partition", "interval_seq"),
    fields=(
        CLUSTER_ID,
        *TOPIC_PARTITION,
        required("interval_seq", LONG, "Place of the interval in the partition's life, from 1."),
        required("valid_from_at", TIMESTAMP, "Start, inclusive, UTC."),
        field("valid_until_at", TIMESTAMP, "End, exclusive, UTC; null: still so at the end of the data."),
        field("state", STRING, "State of the partition machine; null: no line said it yet."),
        field("leader", INTEGER, "Leader that the controller holds; -1 none; null: no line said it yet."),
        field("isr", BROKER_IDS, "In-sync replicas as last stated."),
        field(
            "is_isr_stale",
            BOOLEAN,
            "The leader may have changed the ISR since: up to 2.6 no controller's line tells; null: isr is.",
        ),
        field(
            "replicas", BROKER_IDS, "Assigned replicas, preferred leader first; null: no line said it yet."
        ),
        field(
            "is_assignment_stale",
            BOOLEAN,
            "A change may have gone by unseen since it was stated: lines of a term are missing, or in KRaft a replica "
            "left that the assignment names; null: replicas is.",
        ),
        field("adding_replicas", BROKER_IDS, "Of these, being added by a reassignment (from 2.4)."),
        field("removing_replicas", BROKER_IDS, "Of these, being removed by a reassignment (from 2.4)."),
        field("leader_epoch", INTEGER, "Leader epoch as last stated."),
        field(
            "partition_epoch",
            INTEGER,
            "KRaft: which change of the partition's record it is, from 0; null: none that a line names.",
        ),
        field(
            "topic_id",
            STRING,
            "KRaft: id of the topic, 22 characters of base64; null in ZooKeeper mode.",
        ),
        required("is_deleting", BOOLEAN, "Its topic is queued for deletion."),
        field("controller_epoch", INTEGER, "Epoch of the controller that said so."),
        required("seq", LONG, "Place within the term of the line that began the interval."),
        required(
            "event_seq",
            LONG,
            "Controller event that began the interval: silver.controller_line.event_seq.",
        ),
        field("ended_by", STRING, "What ended it: the event of the next line; null while open."),
        TERM_ID,
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(Check("interval_is_not_negative", "valid_until_at IS NULL OR valid_until_at >= valid_from_at"),),
)
