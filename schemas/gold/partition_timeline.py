"""Who led which partition when: the life of each partition in intervals."""

from schemas.spec import (
    BROKER_IDS,
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    EVIDENCE_TYPE,
    TERM_ID,
    TOPIC_PARTITION,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP

UNSERVED_WHY = (
    "offline",  # its state is OfflinePartition
    "no_leader",  # its leader is -1
    "never_led",  # it is New, beyond the controller's act that created it
    "leader_gone",  # no list of live brokers of a controller in office has its leader (ZooKeeper mode)
)

SPEC = TableSpec(
    name="gold.partition_timeline",
    grain="One interval of one partition of one life of a topic in which nothing known of it changed, and where its "
    "leader left or came back meanwhile one part of it.",
    key=("topic", "topic_life", "partition", "interval_seq", "part_seq"),
    fields=(
        CLUSTER_ID,
        *TOPIC_PARTITION,
        required_field("interval_seq", LONG, "Place of the interval in the partition's life, from 1."),
        required_field(
            "part_seq", LONG, "Place of the part in the interval, from 1: parts differ in is_served alone."
        ),
        required_field("valid_from_at", TIMESTAMP, "Start, inclusive, UTC."),
        nullable_field(
            "valid_until_at", TIMESTAMP, "End, exclusive, UTC; null: still so at the end of the data."
        ),
        required_field("stated_from_at", TIMESTAMP, "Start of the interval that this is a part of, UTC."),
        nullable_field(
            "state",
            STRING,
            "State in the controller's partition state machine (PartitionStateMachine, ZooKeeper mode), which goes on "
            "being Online up to 2.2 while its leader is dead; in KRaft, which has none, Online while it has a leader; "
            "null: no line said it yet.",
        ),
        nullable_field(
            "leader",
            INTEGER,
            "Leader that the controller holds in its cache (ControllerContext), also one that is dead; -1 none; "
            "null: no line said it yet.",
        ),
        nullable_field(
            "is_served",
            BOOLEAN,
            "True: it has that leader, and no list of live brokers of a controller in office is without it; in KRaft: "
            "it has a leader that is not fenced. False: nobody serves it, and gold.partition_outage has it. Null: not "
            "known, being created, or queued for deletion.",
        ),
        nullable_field(
            "unserved_why", STRING, "Why nobody serves it; null: somebody may.", accepted=UNSERVED_WHY
        ),
        nullable_field("isr", BROKER_IDS, "In-sync replicas as last stated."),
        nullable_field(
            "isr_evidence",
            EVIDENCE_TYPE,
            "ZooKeeper mode: the record that stated them first, after others or another write (partition_epoch); null: "
            "isr is, and in KRaft.",
        ),
        nullable_field(
            "is_isr_stale",
            BOOLEAN,
            "The leader may have changed the ISR since: up to 2.6 no controller's line tells, and its server.log is "
            "not read or lacks a write; null: isr is.",
        ),
        nullable_field(
            "replicas", BROKER_IDS, "Assigned replicas, preferred leader first; null: no line said it yet."
        ),
        nullable_field(
            "is_assignment_stale",
            BOOLEAN,
            "A change may have gone by unseen since it was stated: lines of a term are missing, or in KRaft a replica "
            "left that the assignment names; null: replicas is.",
        ),
        nullable_field("adding_replicas", BROKER_IDS, "Of these, being added by a reassignment (from 2.4)."),
        nullable_field(
            "removing_replicas", BROKER_IDS, "Of these, being removed by a reassignment (from 2.4)."
        ),
        nullable_field("leader_epoch", INTEGER, "Leader epoch as last stated."),
        nullable_field(
            "partition_epoch",
            INTEGER,
            "Which change of the partition's record it is, from 0, in ZooKeeper mode of its state (zkVersion), as said "
            "or counted; null: none that a line names.",
        ),
        nullable_field(
            "topic_id",
            STRING,
            "KRaft: id of the topic, 22 characters of base64; null in ZooKeeper mode.",
        ),
        required_field("is_deleting", BOOLEAN, "Its topic is queued for deletion."),
        nullable_field("controller_epoch", INTEGER, "Epoch of the controller that said so."),
        required_field("seq", LONG, "Place within the term of the line that began the interval."),
        required_field(
            "event_seq",
            LONG,
            "Controller event that began the interval: silver.controller_line.event_seq; 0: none seen, or a leader's "
            "write began it, or that lines are missing.",
        ),
        nullable_field(
            "ended_by",
            STRING,
            "What ended it: the event of the next line; leader_gone and leader_returned end a part; null while open.",
        ),
        TERM_ID,
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("interval_is_not_negative", "valid_until_at IS NULL OR valid_until_at >= valid_from_at"),
        Check("part_is_in_its_interval", "stated_from_at <= valid_from_at"),
        Check(
            "unserved_for_a_reason", "(unserved_why IS NOT NULL) = (is_served IS NOT NULL AND NOT is_served)"
        ),
    ),
)
