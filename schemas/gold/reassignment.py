"""Attempts to bring partitions to other replicas: what was wanted, how far it came, what it waits for, how it ended."""

from schemas.spec import (
    BROKER_IDS,
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    TOPIC_PARTITION,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP, array_type, map_of

FORMS = (
    "znode",  # /admin/reassign_partitions alone says what is being moved (up to 2.3)
    "assignment",  # the assignment of the topic says it, too (2.4 to 3.9)
    "kraft",
)
KINDS = ("move", "grow", "shrink", "reorder", "unknown")
OUTCOMES = (
    "completed",
    "cancelled",  # back to the replicas before it; in KRaft also an override back to them
    "overridden",  # by another target, before it was completed
    "in_progress",
    "skipped",  # the controller did not begin it
    "failed",  # an error ended it, its topic is being deleted as a controller starts, or the request was refused
    "forgotten",  # up to 2.3: the next controller does not find it in ZooKeeper, and the added replicas stay
    "topic_deleted",
    "wiped",  # with the metadata of the cluster, of which another life began
    "lines_missing",  # another one of the partition begins, and no line ends this one
)
REASONS = (
    *("already_assigned", "unknown_partition", "never_created", "topic_deleting", "rejected"),
    *("request_failed", "controller_moved", "error"),
)
# What lines say, by the number of the step in Kafka's own list of twelve: the comment of
# KafkaController.onPartitionReassignment.
STEPS = {
    "union_written": 1,
    "epoch_raised": 2,
    "replicas_new": 3,
    "waiting": 4,
    "caught_up": 4,
    "replicas_online": 5,
    "target_in_memory": 6,
    "leader_checked": 7,
    "target_told": 7,
    "replicas_offline": 8,
    "replicas_deleted": 9,
    "target_written": 10,
    "removed": 11,
    "metadata_sent": 12,
}
LEADERS = ("kept", "re_elected", "re_elected_dead")
# In this order, the first that lines show.
WAITING_FOR = (
    "controller_powerless",  # ZooKeeper refuses what the last controller writes
    "quorum_lost",  # KRaft: nobody leads the quorum
    "no_leader",  # nobody serves the partition, so there is nothing to copy from
    "adding_and_removing",  # from 4.3: for ever, a broker is to be added and removed at once
    "broker_gone",
    "broker_lagging",
    "unknown",
)

SPEC = TableSpec(
    name="gold.reassignment",
    grain="One attempt to bring one partition to one list of replicas.",
    key=("topic", "topic_life", "partition", "started_at"),
    fields=(
        CLUSTER_ID,
        *TOPIC_PARTITION,
        nullable_field(
            "form",
            STRING,
            "How the cluster keeps what is being moved; null: its failure alone is told.",
            accepted=FORMS,
        ),
        required_field("kind", STRING, "What it changes.", accepted=KINDS),
        nullable_field("original_replicas", BROKER_IDS, "Replicas before it (OAR); null: no line said it."),
        nullable_field("target_replicas", BROKER_IDS, "Replicas wanted (RAR), preferred leader first."),
        nullable_field("adding_replicas", BROKER_IDS, "Of the target those that are new."),
        nullable_field("removing_replicas", BROKER_IDS, "Those before it that are not in the target."),
        required_field("started_at", TIMESTAMP, "First line of it, UTC."),
        required_field(
            "asked_from_at",
            TIMESTAMP,
            "Start of the first of the attempts that it overrides, else its own, UTC.",
        ),
        nullable_field(
            "caught_up_at", TIMESTAMP, "When the controller said that the new replicas had caught up, UTC."
        ),
        nullable_field("ended_at", TIMESTAMP, "When it ended, however, UTC; null: it goes on."),
        nullable_field(
            "copy_ms", LONG, "From the start until the new replicas had caught up, ms; null in KRaft."
        ),
        nullable_field("switch_ms", LONG, "From then until it was completed, ms; null in KRaft."),
        nullable_field("total_ms", LONG, "From the start to the end, ms."),
        required_field(
            "steps",
            map_of(STRING, LONG),
            "Milliseconds from the start to each step that has a line, last time.",
        ),
        nullable_field(
            "last_step_number",
            INTEGER,
            "Last of these steps, by its number among Kafka's twelve; null: none, and in KRaft.",
        ),
        nullable_field("leader_moved", STRING, "What became of the leader.", accepted=LEADERS),
        required_field("epoch_raise_count", LONG, "Raises of its leader epoch that it caused."),
        required_field(
            "resumed_count", LONG, "How often a broker's start or another controller drove it on."
        ),
        required_field("term_ids", array_type(STRING), "Terms with lines of it, in order."),
        nullable_field(
            "lagging_replicas", BROKER_IDS, "Replicas that had not caught up, as last said (up to 2.3)."
        ),
        nullable_field("lagging_at", TIMESTAMP, "When that was said, UTC."),
        nullable_field("waiting_for", STRING, "What one that goes on waits for.", accepted=WAITING_FOR),
        nullable_field(
            "waiting_broker_ids",
            BROKER_IDS,
            "The brokers that it waits for: of new replicas, the leader that is gone, the powerless controller, or "
            "those added and removed at once; null: not known.",
        ),
        nullable_field("waiting_since_at", TIMESTAMP, "Since when, UTC."),
        required_field("outcome", STRING, "How it ended.", accepted=OUTCOMES),
        nullable_field("reason", STRING, "Why it was skipped or failed.", accepted=REASONS),
        nullable_field(
            "leftover_broker_ids",
            BROKER_IDS,
            "Brokers that ignored the request to delete the replica that it took from them (2.6 to 3.4, KAFKA-13972).",
        ),
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("ends_after_it_begins", "ended_at IS NULL OR ended_at >= started_at"),
        Check("goes_on_without_end", "(ended_at IS NULL) = (outcome = 'in_progress')"),
        Check("asked_before_it_begins", "asked_from_at <= started_at"),
        Check("caught_up_after_it_begins", "caught_up_at IS NULL OR caught_up_at >= started_at"),
        Check(
            "caught_up_before_it_ends", "caught_up_at IS NULL OR ended_at IS NULL OR caught_up_at <= ended_at"
        ),
        Check("waits_while_it_goes_on", "waiting_for IS NULL OR outcome = 'in_progress'"),
    ),
)
