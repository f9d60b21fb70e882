"""Leader elections: asked for, begun, won, failed; by which selector and on whose account."""

from schemas.spec import BROKER_IDS, RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING

STEPS = (
    "requested",  # the request as it stands in ZooKeeper (up to 0.10.2)
    "in_progress",  # asked for once more while it goes on (up to 0.10.2)
    "listed",  # pending when a controller starts
    "listed_as_done",
    "resumed",
    "started",
    "batch",  # KRaft: elections decided together; a count, or a list at DEBUG
    "no_isr_alive",
    "elected",
    "elected_unclean",  # the line says that the leader was not in the ISR
    "result",
    "not_elected",
    "waiting",
    "retried",
    "skipped",
    "failed",
    "enabled",  # unclean elections, by a topic or for all
)

SPEC = TableSpec(
    name="silver.election_event",
    grain="One partition of one line about the election of its leader; one row without partition where a line "
    "counts several, or names none.",
    key=("file_id", "byte_offset", "step", "topic", "topic_id", "partition"),
    fields=(
        *RECORD,
        required_field("step", STRING, "What became of the election.", accepted=STEPS),
        nullable_field(
            "selector",
            STRING,
            "Rule of the election in Kafka's words: class of the selector (up to 1.0) or strategy, type of the "
            "election (PREFERRED, UNCLEAN), ELR, LAST_KNOWN_LEADER.",
        ),
        nullable_field(
            "trigger", STRING, "Who asked for it: as printed from 2.4 on; in KRaft the caller or task."
        ),
        nullable_field("controller_id", INTEGER, "The controller acting."),
        nullable_field("controller_epoch", INTEGER, "Its epoch, where the line names it."),
        nullable_field("topic", STRING, "Topic; null where only topic_id is said."),
        nullable_field("topic_id", STRING, "Id of the topic, 22 characters of base64, on lines of KRaft."),
        nullable_field("partition", INTEGER, "Partition."),
        nullable_field("partition_count", INTEGER, "How many partitions a batch changes."),
        nullable_field("old_leader", INTEGER, "Leader before, or still, where the line names it; -1: none."),
        nullable_field(
            "new_leader", INTEGER, "Leader elected, or wanted where the election failed; -1: none."
        ),
        nullable_field("leader_epoch", INTEGER, "Leader epoch that the line names."),
        nullable_field(
            "isr", BROKER_IDS, "In-sync replicas that the line names: selectors those before, others after."
        ),
        nullable_field(
            "isr_before", BROKER_IDS, "In-sync replicas before, where a diff in KRaft names both."
        ),
        nullable_field(
            "live_replicas", BROKER_IDS, "Assigned replicas or brokers alive, where the line names them."
        ),
        nullable_field("reason", STRING, "Why it was skipped or failed, as printed."),
        nullable_field("exception_class", STRING, "Class of the exception."),
        nullable_field("exception_message", STRING, "Its message, first line."),
    ),
)
