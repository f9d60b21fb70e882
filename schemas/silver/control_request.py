"""The controller's requests to brokers: sent, received, carried out, answered or refused."""

from schemas.spec import BROKER_IDS, RECORD, TableSpec, field, required
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
        field(
            "request",
            STRING,
            "Kafka's name of the request; null: answers up to 1.0 do not say.",
            accepted=REQUESTS,
        ),
        required("step", STRING, "What became of it, as controller or broker says.", accepted=STEPS),
        field("controller_id", INTEGER, "The controller that asks."),
        field("controller_epoch", INTEGER, "Its epoch."),
        field("broker_id", INTEGER, "The broker asked."),
        field("broker_ids", BROKER_IDS, "All brokers asked, where a line names several (UpdateMetadata)."),
        field("broker_epoch", LONG, "Epoch of the broker that the request is meant for (from 2.2)."),
        field(
            "correlation_id",
            INTEGER,
            "Correlation id; counts anew with every channel to a broker from 0.9 on.",
        ),
        field("partition_count", INTEGER, "How many partitions the whole request is about."),
        field("topic", STRING, "Topic; null: the line is about the whole request."),
        field("partition", INTEGER, "Partition; null: the line is about the whole request."),
        field("is_delete", BOOLEAN, "StopReplica: whether the log is deleted, too."),
        field("leader", INTEGER, "Leader asked for: a broker, -1 none, -2 being deleted."),
        field("leader_epoch", INTEGER, "Leader epoch in the request."),
        field("isr", BROKER_IDS, "In-sync replicas in the request."),
        field(
            "known_epoch",
            INTEGER,
            "Refused: newest controller epoch that the broker knows; ignored: leader epoch that it knows.",
        ),
        field("elapsed_ms", LONG, "Time to carry it out, ms (from 2.7)."),
        field(
            "error",
            STRING,
            "Error of the answer as printed, a number or Kafka's name; NONE: none; null: not said.",
        ),
        field("error_count", INTEGER, "Partitions that the answer gives an error for."),
        field("exception_class", STRING, "Class of the exception below the line."),
        field("exception_message", STRING, "Its message, first line."),
    ),
)
