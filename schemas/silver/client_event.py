"""What lines of brokers say of what clients get: appends refused, coordinators that have loaded, settings of a log."""

from schemas.spec import BROKER_IDS, RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING

STEPS = (
    "append_refused",  # a write of acks=all, as the ISR is below min.insync.replicas: one line an append
    "groups_loaded",  # the broker has read a partition of __consumer_offsets and coordinates its groups
    "transactions_loaded",  # the same of __transaction_state
    "log_created",  # a broker makes the log of a partition, and names the settings of its topic
    "group_named",  # the broker coordinates that group: loaded, joined or left
    "transactional_id_named",  # the same of a transactional id: a producer of it begins
    "creation_refused",  # ZooKeeper: a topic was asked for and is not created; in KRaft silver.topic_event
)

SPEC = TableSpec(
    name="silver.client_event",
    grain="One line of server.log that tells what clients of a partition get, or who creates a topic.",
    key=("file_id", "byte_offset"),
    fields=(
        *RECORD,
        required_field("step", STRING, "What the line says.", accepted=STEPS),
        required_field("topic", STRING, "Topic."),
        nullable_field(
            "partition", INTEGER, "Partition; null: the whole topic, or a group is named without."
        ),
        nullable_field(
            "isr", BROKER_IDS, "Of append_refused: in-sync replicas; null: only their number is said."
        ),
        nullable_field(
            "min_isr",
            INTEGER,
            "min.insync.replicas as the line names it; null of log_created: not among the settings that it prints.",
        ),
        nullable_field("name", STRING, "Group or transactional id that it names; null: of other steps."),
        nullable_field("took_ms", LONG, "Of what was loaded: how long that took, as the line says, ms."),
        nullable_field("reason", STRING, "Class of the exception below the line; null: none."),
    ),
)
