"""What server.log says of a node itself: its process, session, registration, quorum and disks."""

from schemas.spec import RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING

AREAS = ("process", "shutdown", "session", "registration", "quorum", "disk", "connection")
COMPONENTS = ("broker", "controller")
STEPS = (
    *("handlers_registered", "starting", "started", "cluster_id", "signalled", "shutting_down", "shut_down"),
    *("start_failed", "listener_failed", "logs_not_loaded", "wait_failed", "wait_timed_out"),
    *("shutdown_failed", "exiting", "halting", "fatal_fault", "fault"),
    *("asked", "granted", "remaining", "refused", "not_answered", "no_controller", "retrying", "gave_up"),
    *("failed", "timed_out"),
    *("established", "expired", "expiry_noticed", "state", "not_authenticated", "closed"),
    *("creating", "registered", "registering_again", "registered_again", "deregistered", "owned_by_other"),
    *("owned_by_own_ghost", "conflict"),
    *("fetch_timed_out", "majority_lost", "election_timed_out", "votes_rejected", "election_again"),
    *("high_watermark_unknown", "catching_up", "caught_up", "acknowledged", "not_acknowledged"),
    *("high_watermark_known", "high_watermark_backward", "resign_requested", "leader_removed"),
    *("shutdown_started", "shutdown_done", "shutdown_timed_out", "client_stopped", "voter_lost_data"),
    *("voter_key_differs", "log_truncated", "append_failed", "fetch_refused", "response_error"),
    *(
        "version_refused",
        "unusable",
        "logs_stopping",
        "partitions_offline",
        "stopping",
        "stopped",
        "not_told",
    ),
    *("all_failed", "none_usable", "metadata_dir_failed", "unreadable", "not_formatted"),
    *("checkpoint_unwritable", "checkpoint_unreadable", "created", "empty", "clean", "unclean"),
)

SPEC = TableSpec(
    name="silver.node_event",
    grain="One line of server.log in which a node says something of itself, or that its quorum does not let it in.",
    key=("file_id", "byte_offset"),
    fields=(
        *RECORD,
        required_field("area", STRING, "What of the node the line is about.", accepted=AREAS),
        required_field("step", STRING, "What the line says.", accepted=STEPS),
        nullable_field(
            "component", STRING, "Part of the process that says it, where told.", accepted=COMPONENTS
        ),
        nullable_field("peer_id", INTEGER, "The other node that the line is about."),
        nullable_field("quorum_epoch", INTEGER, "Epoch of the quorum that the line names."),
        nullable_field("broker_epoch", LONG, "Epoch of the registration that the line names."),
        nullable_field("session_id", STRING, "ZooKeeper session as printed, hexadecimal."),
        nullable_field(
            "owner_session_id", STRING, "Session that holds the node, as printed (decimal up to 3.4)."
        ),
        nullable_field("log_dir", STRING, "Log directory."),
        nullable_field(
            "detail",
            STRING,
            "What it is about: signal, listener, action, partitions, directory's id, voters, votes, fault, state.",
        ),
        nullable_field(
            "future_partitions", STRING, "Partitions that were moved into the log directory, not there yet."
        ),
        nullable_field("exception_class", STRING, "Class of the exception."),
        nullable_field("exception_message", STRING, "Its message, first line."),
    ),
)
