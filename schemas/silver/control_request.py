"""The controller's requests to brokers: sent, received, carried out, answered or refused."""

from schemas.spec import BROKER_IDS, RECORD, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, INTEGER, LONG, STRING

REQUESTS = ("LEADER_AND_ISR", "UPDATE_METADATA", "STOP_REPLICA")
STEPS = (
    "sent",  # controller: put into the queue of the broker's channel
    "skipped",  # controller: left out of the request
    "not_sent",  # controller: no channel to the broker, lost for good
    "send_failed",  # controller: could not be put together, or its sender gave up
    "retried",  # controller: sent again over a new connection, under a new correlation id
    "received",  # broker
    "started",  # broker: begins to carry it out
    "applied",  # broker: carried it out
    "unchanged",  # broker: carried it out, leader or follower as before
    "ignored",  # broker: not this partition, the others go on
    "refused",  # broker: the whole request, from a controller of the past
    "failed",  # broker: could not carry it out
    "answered",  # controller: got the answer
)

SPEC = TableSpec(
    name="silver.control_request",
    grain="One partition of one line about a LeaderAndIsr, UpdateMetadata or StopReplica request (ZooKeeper mode); "
    "one row without partition where a line is about a whole request.",
    key=("file_id", "byte_offset", "topic", "partition"),
    fields=(
        *RECORD,
        nullable_field(
            "request",
            STRING,
            "Kafka's name of the request; null: answers up to 1.0 do not say.",
            accepted=REQUESTS,
        ),
        required_field("step", STRING, "What became of it, as controller or broker says.", accepted=STEPS),
        nullable_field("controller_id", INTEGER, "The controller that asks."),
        nullable_field("controller_epoch", INTEGER, "Its epoch."),
        nullable_field("broker_id", INTEGER, "The broker asked."),
        nullable_field(
            "broker_ids", BROKER_IDS, "All brokers asked, where a line names several (UpdateMetadata)."
        ),
        nullable_field("broker_epoch", LONG, "Epoch of the broker that the request is meant for (from 2.2)."),
        nullable_field(
            "correlation_id",
            INTEGER,
            "Correlation id; counts anew with every channel to a broker from 0.9 on.",
        ),
        nullable_field("partition_count", INTEGER, "How many partitions the whole request is about."),
        nullable_field("topic", STRING, "Topic; null: the line is about the whole request."),
        nullable_field("partition", INTEGER, "Partition; null: the line is about the whole request."),
        nullable_field("is_delete", BOOLEAN, "StopReplica: whether the log is deleted, too."),
        nullable_field("leader", INTEGER, "Leader asked for: a broker, -1 none, -2 being deleted."),
        nullable_field("leader_epoch", INTEGER, "Leader epoch in the request."),
        nullable_field("isr", BROKER_IDS, "In-sync replicas in the request."),
        nullable_field(
            "known_epoch",
            INTEGER,
            "Refused: newest controller epoch that the broker knows; ignored: leader epoch that it knows.",
        ),
        nullable_field("elapsed_ms", LONG, "Time to carry it out, ms (from 2.7)."),
        nullable_field(
            "error",
            STRING,
            "Error of the answer as printed, a number or Kafka's name; NONE: none; null: not said.",
        ),
        nullable_field("error_count", INTEGER, "Partitions that the answer gives an error for."),
        nullable_field("exception_class", STRING, "Class of the exception below the line."),
        nullable_field("exception_message", STRING, "Its message, first line."),
    ),
)
