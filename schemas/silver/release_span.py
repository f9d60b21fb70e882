"""Which release of Kafka a node ran when, as far as its lines tell."""

from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, Check, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING, TIMESTAMP, array_type

BEGINNINGS = (
    "first",  # the first line of the node that was seen
    "start",  # a process starts
    "change",  # lines of another release, and no start was seen between
)

SPEC = TableSpec(
    name="silver.release_span",
    grain="One stretch of time in which one node ran one release, known as a range.",
    key=("node_id", "valid_from_at"),
    fields=(
        CLUSTER_ID,
        nullable_field(
            "node_id", INTEGER, "The broker or controller; null: files of which nothing tells it."
        ),
        required_field("valid_from_at", TIMESTAMP, "First line of the stretch, UTC."),
        required_field(
            "valid_until_at",
            TIMESTAMP,
            "End, UTC, exclusive: just after its last line. What lies before the next stretch is not known.",
        ),
        nullable_field("since_release", STRING, "Oldest release that it can be."),
        nullable_field(
            "until_release",
            STRING,
            "Newest release that it can be; null: the newest known one, or one after it.",
        ),
        required_field("releases", array_type(STRING), "All releases that it can be, the oldest first."),
        required_field(
            "source",
            STRING,
            "lines: what only some releases print; setting: `release` in conf.",
            accepted=("lines", "setting"),
        ),
        required_field("begins_with", STRING, "What the stretch begins with.", accepted=BEGINNINGS),
        CERTAINTY,
        nullable_field("reason", STRING, "Why it is undetermined."),
        EVIDENCE,
    ),
    checks=(Check("ends_after_it_begins", "valid_until_at > valid_from_at"),),
)
