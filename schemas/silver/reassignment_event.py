"""Steps of partition reassignments, as the controller logged them."""

from schemas.spec import BROKER_IDS, RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING

STEPS = (
    "requested",  # the request as it stands in ZooKeeper (up to 0.10.2)
    "started",
    "overridden",  # another target while one is in progress (from 2.4)
    "cancelled",  # back to an assignment that is not being changed (from 2.4)
    "listed",  # in progress when a controller starts
    "listed_as_done",
    "resumed",
    "assignment_updated",
    "request_sent",
    "not_caught_up",
    "waiting",
    "lagging",
    "caught_up",
    "leader_kept",
    "leader_dead",
    "leader_not_in_target",
    "leader_epoch_raised",
    "changed",  # replayed from the metadata log
    "isr_changed",  # of replicas that it moves, while it goes on
    "all_in_sync",  # the same, of which the line prints (from 4.3) that every assigned replica is in sync
    "completed",
    "removed",  # taken out of the list in ZooKeeper
    "none_left",
    "accepted",
    "skipped",
    "failed",
)
REASONS = (
    "already_assigned",
    "unknown_partition",
    "never_created",
    "topic_deleting",
    "rejected",
    "request_failed",
    "controller_moved",
    "error",
)

SPEC = TableSpec(
    name="silver.reassignment_event",
    grain="One partition of one line about a reassignment; one row without topic where the line names none.",
    key=("file_id", "byte_offset", "topic", "partition"),
    fields=(
        *RECORD,
        required_field("step", STRING, "The step reached, or how it ended.", accepted=STEPS),
        nullable_field("reason", STRING, "Why it was skipped or failed.", accepted=REASONS),
        nullable_field("controller_id", INTEGER, "The controller acting."),
        nullable_field("controller_epoch", INTEGER, "Its epoch, where the line names it."),
        nullable_field("topic", STRING, "Topic."),
        nullable_field("partition", INTEGER, "Partition."),
        nullable_field(
            "target_replicas",
            BROKER_IDS,
            "Replicas aimed at: as named, or the assigned ones without those being removed.",
        ),
        nullable_field("replicas", BROKER_IDS, "Assigned replicas, as the line states them (from 2.4)."),
        nullable_field("adding_replicas", BROKER_IDS, "Of these, being added."),
        nullable_field("removing_replicas", BROKER_IDS, "Of these, being removed."),
        nullable_field(
            "previous_replicas", BROKER_IDS, "Assigned replicas before, where the line names them."
        ),
        nullable_field("lagging_replicas", BROKER_IDS, "Replicas that have yet to catch up (up to 2.3)."),
        nullable_field("caught_up_count", INTEGER, "Replicas that have caught up (up to 2.3)."),
        nullable_field(
            "asked_count", INTEGER, "Partitions of a request, where the controller answers it (KRaft)."
        ),
        nullable_field(
            "accepted_count",
            INTEGER,
            "Of these, without an error: begun, called off, done in one step, or as they were already (KRaft).",
        ),
        nullable_field("leader", INTEGER, "Leader that the line names."),
        nullable_field("leader_epoch", INTEGER, "Leader epoch that the line names."),
        nullable_field("exception_class", STRING, "Class of the exception."),
        nullable_field("exception_message", STRING, "Its message, first line."),
    ),
)
