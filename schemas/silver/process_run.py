"""Runs of each node's process, from one start to the next, and how each ended, as server.log says it."""

from schemas.end_reasons import OF_PROCESS, UNKNOWN_OF_PROCESS
from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING, TIMESTAMP

SPEC = TableSpec(
    name="silver.process_run",
    grain="One run of a node's process, from its start to its next one.",
    key=("node_id", "run_seq"),
    fields=(
        CLUSTER_ID,
        required_field("node_id", INTEGER, "The broker or controller."),
        required_field("run_seq", INTEGER, "Ordinal of the run; 0: its start was before the logs."),
        nullable_field("started_at", TIMESTAMP, "First line of its start, UTC; null: before the logs."),
        required_field("first_line_at", TIMESTAMP, "First line in which it says something of itself, UTC."),
        nullable_field(
            "in_service_at",
            TIMESTAMP,
            "When it was registered, or its start was done, UTC; null: no line says so.",
        ),
        required_field("last_line_at", TIMESTAMP, "Last line in which it says something of itself, UTC."),
        nullable_field(
            "next_started_at", TIMESTAMP, "First line of the next start, UTC; null: none is seen."
        ),
        nullable_field(
            "end_reason", STRING, "Why it ended; null: no line says that it has.", accepted=OF_PROCESS
        ),
        nullable_field(
            "end_at",
            TIMESTAMP,
            "First line that says so, UTC; of one that was killed a line of its next start.",
        ),
        nullable_field(
            "end_detail",
            STRING,
            "The signal (and that it gave up its controlled shutdown), the error, the directory.",
        ),
        nullable_field(
            "unknown_why",
            STRING,
            "Why the end is not known; null: it is, or has not come.",
            accepted=UNKNOWN_OF_PROCESS,
        ),
        CERTAINTY,
        EVIDENCE,
    ),
)
