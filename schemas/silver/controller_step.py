"""What controllers say about themselves: election, fail-over, resignation, process, quorum, migration."""

from schemas.spec import RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING, TIMESTAMP

AREAS = ("start", "election", "failover", "end", "error", "thread", "quorum", "migration")
STEPS = (
    *("starting", "started", "stopped", "created", "registered"),
    *("elected", "lost", "race", "election_failed", "observed", "vacant", "still_leader"),
    *("epoch_read", "epoch_incremented", "epoch_failed", "epoch_observed"),
    *("failover_started", "failover_aborted", "activating", "bootstrapping"),
    *("registering_handlers", "reading_epoch", "incrementing_epoch"),
    *("deleting_log_dir_notifications", "deleting_isr_notifications"),
    *("initializing_context", "context_loaded", "fetching_topic_deletions"),
    *("initializing_deletion_manager", "deletion_manager_initialized", "sending_update_metadata"),
    *("replica_machine_initializing", "replica_machine_online", "replica_machine_offline"),
    *("replica_machine_started", "replica_machine_stopped"),
    *("partition_machine_initializing", "partition_machine_online"),
    *("partition_machine_started", "partition_machine_stopped"),
    *("ready", "scheduler_started", "token_scheduler_started", "tasks_activated", "tasks_deactivated"),
    *(
        "resigning",
        "handlers_dropped",
        "resigned",
        "forced",
        "renounced",
        "session_expired",
        "session_expired_in_office",
    ),
    *("fenced", "event_failed", "state_change_failed", "slow_event", "replay_failed"),
    *("thread_starting", "thread_stopping", "thread_stopped", "thread_shut_down", "thread_failed"),
    *("raft_state", "raft_state_attempted", "votes_rejected"),
    *("migration_begun", "migration_started", "migration_completed", "migration_ended", "migration_failed"),
    *("migration_state", "driver_state", "leadership_state", "migration_waits"),
)

SPEC = TableSpec(
    name="silver.controller_step",
    grain="One line in which a controller, or a node that may become it, says a step of its own life.",
    key=("file_id", "byte_offset"),
    fields=(
        *RECORD,
        required_field("area", STRING, "What the step belongs to.", accepted=AREAS),
        required_field("step", STRING, "The step.", accepted=STEPS),
        nullable_field("controller_id", INTEGER, "The node that says it, where the line names it."),
        nullable_field(
            "controller_epoch",
            INTEGER,
            "Controller epoch, in KRaft the epoch of the quorum; renounced: the epoch that it led.",
        ),
        nullable_field("active_controller_id", INTEGER, "Who is controller, where the line names another."),
        nullable_field("detail", STRING, "What it is about: the event that failed, the state entered, …"),
        nullable_field(
            "began_at",
            TIMESTAMP,
            "KRaft: when the event began that failed, UTC, not after that; null: no line tells.",
        ),
        nullable_field("exception_class", STRING, "Class of the exception."),
        nullable_field("exception_message", STRING, "Its message, first line."),
    ),
)
