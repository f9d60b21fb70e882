"""What became of each request of a controller to a broker: sent, received, carried out, answered, refused, lost."""

from schemas.silver.control_request import REQUESTS
from schemas.spec import (
    BYTE_OFFSET,
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    FILE_ID,
    TERM_ID,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP

OUTCOMES = (
    "applied",  # the broker says that it carried it out, or answered without an error
    "received",  # the broker has it; nothing says that it carried it out (INFO, up to 2.6)
    "partly_ignored",  # the broker left out some of its partitions: it knows newer leader epochs, has no such replica
    "ignored",  # all of them
    "refused_stale_controller",  # the broker knows a newer controller
    "refused_stale_broker",  # it was meant for an earlier registration of the broker
    "error",  # the broker could not carry out all of it
    "lost_broker_gone",  # it never arrived: the broker was gone, or its registration ended within 30 s
    "lost_controller_gone",  # it never arrived: the controller's term ended within 30 s
    "not_seen",  # it is in no line of the broker, though both stayed: lost, or lines are missing
    "not_sent",  # the controller had no channel to the broker
    "unseen",  # UpdateMetadata of 0 partitions, of which a broker prints nothing
    "undetermined",  # lines are missing that would tell
)

SPEC = TableSpec(
    name="gold.request_trace",
    grain="One LeaderAndIsr, UpdateMetadata or StopReplica request of one controller to one broker (ZooKeeper mode): "
    "from 2.6 each that was sent; before that at TRACE each that was answered or received.",
    key=("broker_id", "file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        TERM_ID,
        required_field("controller_id", INTEGER, "The controller that asks."),
        nullable_field("controller_epoch", INTEGER, "Its epoch; null: no line says it."),
        required_field("broker_id", INTEGER, "The broker asked."),
        nullable_field(
            "channel_seq",
            LONG,
            "Place in the term (silver.controller_line) of the line that opens the channel; null: not seen.",
        ),
        nullable_field(
            "request_seq",
            LONG,
            "Place in the term of the line that sends it, else of its answer; null: the controller's is missing.",
        ),
        nullable_field(
            "work_seq", LONG, "The piece of work that sent it (gold.controller_event); null: not known."
        ),
        nullable_field(
            "correlation_id",
            INTEGER,
            "Correlation id, as printed or by its place in the channel, of a channel without its begin by what the "
            "broker got; null: not known.",
        ),
        nullable_field(
            "request",
            STRING,
            "Kafka's name of the request; null: answers up to 1.0 do not say.",
            accepted=REQUESTS,
        ),
        nullable_field(
            "is_delete", BOOLEAN, "StopReplica: whether logs are deleted, too; null: no line says."
        ),
        nullable_field("partition_count", INTEGER, "Its partitions; null: no line tells."),
        required_field("told_at", TIMESTAMP, "First line of it: of the controller, else of the broker, UTC."),
        nullable_field("sent_at", TIMESTAMP, "Put into the queue of the channel, UTC; null: no line says."),
        nullable_field("received_at", TIMESTAMP, "First line of the broker about it, by its clock, UTC."),
        nullable_field(
            "applied_at",
            TIMESTAMP,
            "Last line of the broker that says that it carried it out, by its clock, UTC.",
        ),
        nullable_field("answered_at", TIMESTAMP, "When the controller got the answer, UTC (TRACE)."),
        nullable_field("failed_at", TIMESTAMP, "First line that says its error, UTC; null: none does."),
        nullable_field("queue_ms", LONG, "From sent to received, by the clocks of two nodes, ms."),
        nullable_field(
            "apply_ms",
            LONG,
            "From received to carried out, ms; as the broker prints it from 2.7 on (LeaderAndIsr).",
        ),
        nullable_field("answer_ms", LONG, "From sent to answered, ms."),
        required_field("outcome", STRING, "What became of it.", accepted=OUTCOMES),
        nullable_field("error", STRING, "Error, a number or Kafka's name; null: none is told."),
        nullable_field(
            "failed_count", INTEGER, "Partitions that it failed for; null: no line of the broker tells."
        ),
        nullable_field(
            "ignored_count", INTEGER, "Partitions that the broker left out; null: no line of it tells."
        ),
        FILE_ID,
        BYTE_OFFSET,
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("is_told_by_a_side", "request_seq IS NOT NULL OR received_at IS NOT NULL"),
        Check("what_is_lost_was_not_received", "outcome NOT LIKE 'lost%' OR received_at IS NULL"),
        Check("what_is_lost_was_not_answered", "outcome NOT LIKE 'lost%' OR answered_at IS NULL"),
    ),
)
