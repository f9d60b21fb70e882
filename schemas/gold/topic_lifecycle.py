"""The lives of topics: created, serving, grown, asked to be deleted, put off and by what, deleted or gone otherwise."""

from schemas.spec import (
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    EVIDENCE_TYPE,
    TERM_ID,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP, array_type, map_of, struct_type

MODES = ("zookeeper", "kraft")
CREATED_HOW = (
    "created",  # a controller says so
    "listed",  # only known from the list of a controller that starts, in KRaft from a log that is replayed
    "lines_missing",  # known from lines about its deletion, or its controller has no lines
    "no_topic",  # asked to be deleted, and there is none
)
BLOCKED_BY = (
    "dead_replica",  # its broker was not live
    "replica_deletion_failed",  # its broker was asked and did not do it
    "storage_error",  # its broker was live, and its log directory had failed
    "reassignment",
    "unknown",
)
ENDED_HOW = (
    "deleted",
    "vanished",  # missing in the next list of a controller that starts
    "wiped",  # another life of the metadata began
    "removed_by_hand",  # gone from ZooKeeper, which its controller did not do
)
DELETION_STATES = (
    "none",
    "requested",
    "in_progress",
    "put_off",
    "completed",
    "ignored_nonexistent",
    "disabled",
)
PARTITIONS = array_type(
    struct_type(
        ("partition", INTEGER),
        ("replicas", array_type(INTEGER)),
        ("added_at", TIMESTAMP),
        ("online_at", TIMESTAMP),
        ("online_file_id", STRING),
        ("online_byte_offset", LONG),
        ("serving_at", TIMESTAMP),
        ("serving_file_id", STRING),
        ("serving_byte_offset", LONG),
        unknown=(
            *("replicas", "online_at", "online_file_id", "online_byte_offset"),
            *("serving_at", "serving_file_id", "serving_byte_offset"),
        ),
    )
)
GROWN = array_type(
    struct_type(
        ("at", TIMESTAMP),
        ("from_count", INTEGER),
        ("to_count", INTEGER),
        ("online_ms", LONG),
        unknown=("online_ms",),
    )
)
BLOCKING = array_type(
    struct_type(
        ("partition", INTEGER), ("broker_id", INTEGER), ("error", STRING), unknown=("broker_id", "error")
    )
)
DELETION_LINES = array_type(
    struct_type(
        ("at", TIMESTAMP),
        ("step", STRING),
        ("reason", STRING),
        ("partition", INTEGER),
        ("broker_id", INTEGER),
        ("file_id", STRING),
        ("byte_offset", LONG),
        unknown=("reason", "partition", "broker_id"),
    )
)

SPEC = TableSpec(
    name="gold.topic_lifecycle",
    grain="One life of one topic.",
    key=("topic", "topic_life"),
    fields=(
        CLUSTER_ID,
        required_field("topic", STRING, "Topic."),
        required_field(
            "topic_life",
            INTEGER,
            "Which of the lives of that name, from 1 in the order of time; gold.partition_timeline numbers them by the "
            "life of the metadata and the ends that lines tell.",
        ),
        nullable_field("topic_id", STRING, "Its id (KRaft; ZooKeeper from 2.8)."),
        required_field("mode", STRING, "How the cluster kept its metadata when it began.", accepted=MODES),
        required_field("first_seen_at", TIMESTAMP, "First line that tells of this life, UTC."),
        nullable_field("created_at", TIMESTAMP, "When a controller found it new, UTC; null: no line tells."),
        required_field("created_how", STRING, "How this life is known to have begun.", accepted=CREATED_HOW),
        nullable_field(
            "requested_at", TIMESTAMP, "KRaft: when it was answered that it will be created, UTC; else null."
        ),
        nullable_field("partition_count", INTEGER, "Partitions at its creation; null: not known."),
        nullable_field(
            "replication", array_type(INTEGER), "Replicas of a partition at its creation, each number once."
        ),
        nullable_field(
            "online_at",
            TIMESTAMP,
            "When the last of its first partitions became Online, UTC; KRaft: created_at.",
        ),
        nullable_field("online_ms", LONG, "From created_at, ms."),
        nullable_field(
            "serving_at",
            TIMESTAMP,
            "When the last of its first partitions had a leader that says so itself, UTC; the answer to who created it "
            "waits for the cache of another broker, some 0.3 s earlier or later.",
        ),
        nullable_field("serving_ms", LONG, "From created_at, ms."),
        nullable_field(
            "slowest_partition", INTEGER, "The one of the first partitions that came last, or has not come."
        ),
        nullable_field(
            "waited_for",
            array_type(INTEGER),
            "Its replicas, where none of their brokers was live at created_at; null: one was, or it is not known.",
        ),
        required_field(
            "partitions", PARTITIONS, "Partitions as lines tell of them, in order; online_at: ZooKeeper only."
        ),
        required_field("grown", GROWN, "Partitions added later, in order; online_ms: ZooKeeper only."),
        nullable_field(
            "deletion_requested_at",
            TIMESTAMP,
            "First line that says that its deletion was asked for, UTC; KRaft: the answer (from 4.0).",
        ),
        required_field("deletion_started_at", array_type(TIMESTAMP), "Each time it was (re)started, UTC."),
        nullable_field(
            "deletion_steps",
            map_of(STRING, LONG),
            "Milliseconds: queued until it was started, waiting while it was put off, removing_znodes since the last "
            "replica was deleted, stopping_replicas the rest; null: not completed, or no line tells when it was "
            "asked for.",
        ),
        nullable_field("put_off_at", TIMESTAMP, "When it was put off first, UTC."),
        nullable_field("blocked_by", STRING, "By what it was put off first.", accepted=BLOCKED_BY),
        required_field(
            "blocking_replicas",
            BLOCKING,
            "Replicas that put it off the last time it did, by broker; error: Kafka's name.",
        ),
        required_field("resumed_at", array_type(TIMESTAMP), "When something made it go on, UTC."),
        required_field("resumed_by", array_type(STRING), "What did: broker 3, controller 2, reassignment."),
        nullable_field("completed_at", TIMESTAMP, "When its deletion was completed, UTC."),
        nullable_field("deletion_ms", LONG, "From deletion_requested_at to completed_at, ms."),
        nullable_field("ended_at", TIMESTAMP, "End of this life, UTC; null: none was seen."),
        nullable_field("ended_how", STRING, "How it ended; null: it has not.", accepted=ENDED_HOW),
        required_field("deletion_state", STRING, "How far its deletion has come.", accepted=DELETION_STATES),
        required_field(
            "deletion_lines",
            DELETION_LINES,
            "What lines say of its deletion, in order: steps of silver.topic_event without deletion_, and of "
            "silver.deletion_replica, with the error, the brokers or the controller as reason; what the line before "
            "says alike is left out.",
        ),
        required_field(
            "lines",
            map_of(STRING, EVIDENCE_TYPE),
            "Records by what they say: created, online, serving (the last partition), requested, put_off, blocking "
            "(the first four and the last), resumed (the last), ended, disabled.",
        ),
        TERM_ID,
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("ends_after_it_is_seen", "ended_at IS NULL OR ended_at >= first_seen_at"),
        Check("ends_after_it_begins", "ended_at IS NULL OR created_at IS NULL OR ended_at >= created_at"),
        Check("online_after_it_begins", "online_at IS NULL OR created_at IS NULL OR online_at >= created_at"),
    ),
)
