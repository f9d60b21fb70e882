"""What lines say about brokers: joined, left, bounced, fenced, shutting down, connected to."""

from schemas.spec import RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING

SAID_BY = (
    "decision",  # the acting controller
    "replay",  # a KRaft controller that replays the metadata log: all of them, and again at every start
    "broker",  # the broker itself
    "channel",  # the thread of the controller that sends requests to the broker
)
STEPS = (
    *("listed", "joined", "left", "bounced", "live", "epoch", "info_changed", "incompatible"),
    *("startup_handled", "failure_handled", "log_dir_failed", "log_dirs_cordoned"),
    *("shutdown_requested", "shutdown_refused", "shutting_down", "shutdown_forgotten"),
    *("controlled_shutdown_granted", "shutdown_pending", "shutdown_granted", "in_controlled_shutdown"),
    *("session_timed_out", "fence_granted", "fenced", "unfence_pending", "unfence_granted", "unfenced"),
    *("registration_requested", "registered", "registered_again", "registration_changed"),
    *("registration_unchanged", "registration_failed", "unregistered", "added_fenced", "added_unfenced"),
    *("starting", "caught_up", "running", "heartbeat_failed", "heartbeat_lost", "heartbeat_forgotten"),
    *("connecting", "connected", "connect_failed"),
    *("thread_starting", "thread_stopping", "thread_stopped", "thread_shut_down", "thread_failed"),
)

SPEC = TableSpec(
    name="silver.broker_event",
    grain="One broker named in one line about brokers; a line that lists several gives a row for each.",
    key=("file_id", "byte_offset", "step", "broker_id"),
    fields=(
        *RECORD,
        required_field("said_by", STRING, "decision, replay, broker or channel.", accepted=SAID_BY),
        required_field("step", STRING, "What the line says about the broker.", accepted=STEPS),
        nullable_field("broker_id", INTEGER, "The broker; null where the text could not be taken apart."),
        nullable_field(
            "broker_epoch", LONG, "Epoch of its registration: a zxid, in KRaft an offset (from 2.2)."
        ),
        nullable_field(
            "registered_offset",
            LONG,
            "Where its register record stands in the metadata log, as the line that unfences it says (from 3.3). It is "
            "at or behind its epoch: records that clean up what the process before left come first.",
        ),
        nullable_field("incarnation_id", STRING, "Id of the broker's process in KRaft."),
        nullable_field("controller_id", INTEGER, "The controller that says it; null on lines of brokers."),
        nullable_field("reason", STRING, "Why, as printed: error, state or directories."),
        nullable_field(
            "log_dirs", STRING, "Ids of the log directories that it registers with in KRaft, as printed."
        ),
        nullable_field("partitions", STRING, "Partitions whose replica on it is marked offline, as printed."),
        nullable_field("exception_class", STRING, "Class of the exception."),
        nullable_field("exception_message", STRING, "Its message, first line."),
    ),
)
