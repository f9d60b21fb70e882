"""The lives of topics: created, serving, grown, asked to be deleted, put off and by what, deleted or gone otherwise."""

from schemas.spec import (
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    EVIDENCE_TYPE,
    TERM_ID,
    Check,
    TableSpec,
    field,
    required,
)
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP, array, map_of, struct

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
PARTITIONS = array(
    struct(
        ("partition", INTEGER),
        ("replicas", array(INTEGER)),
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
GROWN = array(
    struct(
        ("at", TIMESTAMP),
        ("from_count", INTEGER),
        ("to_count", INTEGER),
        ("online_ms", LONG),
        unknown=("online_ms",),
    )
)
BLOCKING = array(
    struct(("partition", INTEGER), ("broker_id", INTEGER), ("error", STRING), unknown=("broker_id", "error"))
)
DELETION_LINES = array(
    struct(
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
        required("topic", STRING, "Topic."),
        required(
            "topic_life",
            INTEGER,
            "Which of the lives of that name, from 1 in the order of time; gold.partition_timeline numbers them by the "
            "life of the metadata and the ends that lines tell.",
        ),
        field("topic_id", STRING, "Its id (KRaft; ZooKeeper from 2.8)."),
        required("mode", STRING, "How the cluster kept its metadata when it began.", accepted=MODES),
        required("first_seen_at", TIMESTAMP, "First line that tells of this life, UTC."),
        field("created_at", TIMESTAMP, "When a controller found it new, UTC; null: no line tells."),
        required("created_how", STRING, "How this life is known to have begun.", accepted=CREATED_HOW),
        field(
            "requested_at", TIMESTAMP, "KRaft: when it was answered that it will be created, UTC; else null."
        ),
        field("partition_count", INTEGER, "Partitions at its creation; null: not known."),
        field("replication", array(INTEGER), "Replicas of a partition at its creation, each number once."),
        field(
            "online_at",
            TIMESTAMP,
            "When the last of its first partitions became Online, UTC; KRaft: created_at.",
        ),
        field("online_ms", LONG, "From created_at, ms."),
        field(
            "serving_at",
            TIMESTAMP,
            "When the last of its first partitions had a leader that says so itself, UTC; the answer to who created it "
            "waits for the cache of another broker, some 0.3 s earlier or later.",
        ),
        field("serving_ms", LONG, "From created_at, ms."),
        field(
            "slowest_partition", INTEGER, "The one of the first partitions that came last, or has not come."
        ),
        field(
            "waited_for",
            array(INTEGER),
            "Its replicas, where none of their brokers was live at created_at; null: one was, or it is not known.",
        ),
        required(
            "partitions", PARTITIONS, "Partitions as lines tell of them, in order; online_at: ZooKeeper only."
        ),
        required("grown", GROWN, "Partitions added later, in order; online_ms: ZooKeeper only."),
        field(
            "deletion_requested_at",
            TIMESTAMP,
            "First line that says that its deletion was asked for, UTC; KRaft: the answer (from 4.0).",
        ),
        required("deletion_started_at", array(TIMESTAMP), "Each time it was (re)started, UTC."),
        field(
            "deletion_steps",
            map_of(STRING, LONG),
            "Milliseconds: queued until it was started, waiting while it was put off, removing_znodes since the last "
            "replica was deleted, stopping_replicas the rest; null: not completed, or no line tells when it was "
            "asked for.",
        ),
        field("put_off_at", TIMESTAMP, "When it was put off first, UTC."),
        field("blocked_by", STRING, "By what it was put off first.", accepted=BLOCKED_BY),
        required(
            "blocking_replicas",
            BLOCKING,
            "Replicas that put it off the last time it did, by broker; error: Kafka's name.",
        ),
        required("resumed_at", array(TIMESTAMP), "When something made it go on, UTC."),
        required("resumed_by", array(STRING), "What did: broker 3, controller 2, reassignment."),
        field("completed_at", TIMESTAMP, "When its deletion was completed, UTC."),
        field("deletion_ms", LONG, "From deletion_requested_at to completed_at, ms."),
        field("ended_at", TIMESTAMP, "End of this life, UTC; null: none was seen."),
        field("ended_how", STRING, "How it ended; null: it has not.", accepted=ENDED_HOW),
        required("deletion_state", STRING, "How far its deletion has come.", accepted=DELETION_STATES),
        required(
            "deletion_lines",
            DELETION_LINES,
            "What lines say of its deletion, in order: steps of silver.topic_event without deletion_, and of "
            "silver.deletion_replica, with the error, the brokers or the controller as reason; what the line before "
            "says alike is left out.",
        ),
        required(
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
