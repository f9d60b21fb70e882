"""What clients could feel of what controllers and brokers did: since when, how long at least and at most, and why."""

from schemas.spec import (
    BROKER_IDS,
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP, array_type, struct_type

# How long a client needs at most after the cluster serves again: measured with librdkafka, real clusters.
RECOVERY_MS = 4000
MOST_NAMES = 20
AUDIENCES = (
    "producers_acks_all",  # who writes with acks=all
    "producers",  # who writes with any acks
    "consumers",
    "groups",  # of a partition of __consumer_offsets: those that it coordinates
    "transactions",  # the same of __transaction_state
    "topic_creators",  # who asked for the topic
)
KINDS = (
    "records_lost",  # a leader from outside of the ISR was elected, and others had records that it has not
    "no_leader",  # nobody leads it: gold.partition_outage
    "leader_dead_unnoticed",  # its leader is dead or frozen, and no controller has noticed
    "below_min_isr",  # fewer in-sync replicas than min.insync.replicas
    "acks_waiting",  # an in-sync follower is dead or frozen: the high watermark waits for it
    "coordinator_moved",  # its next coordinator has not loaded it
    "leader_moved",  # from one leader that lives to another
    "creation_wait",  # ZooKeeper: not all of its partitions are led
    "creation_refused",
)
EFFECTS = (
    "lost",  # what was acknowledged is gone
    "times_out",  # nothing answers
    "refused_at_once",
    "forced",  # what waits is completed with an error, and is tried again
    "served_late",
)
ROOTS = (
    "broker_session",  # a broker left: root_broker_id, root_at its left_at
    "partition_outage",  # root_at its noticed_at
    "partition_timeline",  # the leader or the ISR changed: root_at its valid_from_at
    "leader_election",  # root_at its elected_at
    "topic_lifecycle",  # root_at its created_at
    "client_event",  # lines of brokers alone: root_at the first one's time
    "topic_event",
)
PARTS = array_type(
    struct_type(
        ("kind", STRING),
        ("from_at", TIMESTAMP),
        ("from_latest_at", TIMESTAMP),
        ("until_earliest_at", TIMESTAMP),
        ("until_at", TIMESTAMP),
        ("root_event", STRING),
        ("root_broker_id", INTEGER),
        ("root_at", TIMESTAMP),
        ("refused_count", LONG),
        ("isr", BROKER_IDS),
        ("min_isr", INTEGER),
        ("certainty", STRING),
        ("file_id", STRING),
        ("byte_offset", LONG),
        ("end_file_id", STRING),
        ("end_byte_offset", LONG),
        ("confirmed_by", STRING),
        unknown=(
            *("until_earliest_at", "until_at", "root_broker_id", "refused_count", "isr", "min_isr"),
            *("end_file_id", "end_byte_offset", "confirmed_by"),
        ),
    )
)

SPEC = TableSpec(
    name="gold.client_impact",
    grain="One unbroken stretch of time in which clients of one kind could feel one partition, or one topic that "
    "they asked for, as lines of controllers and brokers tell: exposure, never requests that failed.",
    key=("topic", "topic_life", "partition", "audience", "from_at"),
    fields=(
        CLUSTER_ID,
        required_field("topic", STRING, "Topic."),
        nullable_field("topic_life", INTEGER, "Which life of that name, from 1; null: it was refused."),
        nullable_field("partition", INTEGER, "Partition; null: the topic as a whole."),
        required_field("audience", STRING, "Whom it can hurt.", accepted=AUDIENCES),
        required_field("kinds", array_type(STRING), "What it is made of: " + ", ".join(KINDS) + "."),
        required_field("main_kind", STRING, "The longest of its parts.", accepted=KINDS),
        required_field("from_at", TIMESTAMP, "The earliest that it can have begun, UTC."),
        required_field("from_latest_at", TIMESTAMP, "The latest that it can have begun, UTC."),
        nullable_field(
            "until_earliest_at", TIMESTAMP, "The earliest that it can have ended, UTC; null: it goes on."
        ),
        nullable_field(
            "until_at",
            TIMESTAMP,
            "When the cluster served again by its lines at the latest, UTC; null: it goes on, or no line tells.",
        ),
        nullable_field(
            "low_ms",
            LONG,
            "So long at least, ms: the time that its parts cover for certain; null: it goes on.",
        ),
        nullable_field(
            "high_ms",
            LONG,
            f"So long at most for a client, ms: until_at - from_at and {RECOVERY_MS} ms, in which a client finds "
            "the leader and sends again (back-off, metadata, what it has queued); null: it goes on, or no line tells.",
        ),
        nullable_field(
            "delayed_operation",
            STRING,
            "Kafka's name of what waits in the broker in main_kind (DelayedOperationPurgatory); null: nothing does.",
        ),
        required_field("effect", STRING, "What main_kind does to it.", accepted=EFFECTS),
        required_field("root_event", STRING, "The table that says why it began.", accepted=ROOTS),
        nullable_field("root_broker_id", INTEGER, "The broker that left; null: none did."),
        required_field("root_at", TIMESTAMP, "Time of that row, UTC."),
        required_field(
            "refused_count",
            LONG,
            "Appends that lines of server.log say were refused, one a line; 0: none is said.",
        ),
        required_field(
            "names",
            array_type(STRING),
            "Of a partition of __consumer_offsets the groups, of __transaction_state the transactional ids that it "
            f"coordinates, as lines up to until_earliest_at name them (the first {MOST_NAMES} in order); empty: none.",
        ),
        required_field("name_count", LONG, "How many they are."),
        required_field(
            "confirmed_by", array_type(STRING), "Steps of silver.client_event that confirm it; empty: none."
        ),
        required_field(
            "parts",
            PARTS,
            "What it is made of in order of time: kind, the same four bounds, root, of below_min_isr the ISR and its "
            "minimum, and the lines of begin and end.",
        ),
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("begin_in_order", "from_at <= from_latest_at"),
        Check("ends_after_it_begins", "until_at IS NULL OR until_at >= from_at"),
        Check("low_is_no_more_than_high", "low_ms IS NULL OR high_ms IS NULL OR low_ms <= high_ms"),
        Check("an_end_has_an_earliest_one", "until_at IS NULL OR until_earliest_at IS NOT NULL"),
        Check(
            "goes_on_without_length", "until_earliest_at IS NOT NULL OR (low_ms IS NULL AND high_ms IS NULL)"
        ),
    ),
)
