"""What begins and ends the pieces of work of a controller's event thread, and what KRaft says of them."""

from schemas.spec import RECORD, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, TIMESTAMP, array_type

PARTS = ("opens", "joins", "ends", "says")
OCCASIONS = (
    "arrival",
    "departure",
    "bounce",
    "arrival and departure",
    "creation",
    "removal",
    "nothing",
)

SPEC = TableSpec(
    name="silver.controller_work",
    grain="One line with which a controller begins or ends a piece of its work, or in KRaft tells of one or of many.",
    key=("file_id", "byte_offset"),
    fields=(
        *RECORD,
        required_field(
            "part",
            STRING,
            "opens: it begins one; joins: it begins one, or is a step of the one that goes on; ends: it is the last "
            "line of one; says: KRaft tells of one that is over, or of a period.",
            accepted=PARTS,
        ),
        required_field("kind", STRING, "Kafka's name of the event that is worked off; KRaft: see work.tsv."),
        required_field(
            "has_end", BOOLEAN, "Of what begins here the release prints the end (BrokerChange from 2.2)."
        ),
        nullable_field("controller_id", INTEGER, "The controller."),
        nullable_field(
            "subject", array_type(STRING), "Brokers, topics or partitions that the line names, the first ten."
        ),
        nullable_field("subject_count", LONG, "How many it names."),
        nullable_field("occasion", STRING, "What had happened, where the line says it.", accepted=OCCASIONS),
        nullable_field(
            "asked_by",
            STRING,
            "Who asks: of an election as printed from 2.4 on; timer: the controller's own, which counts from the end "
            "of the check before it (from 0.11).",
        ),
        nullable_field("began_at", TIMESTAMP, "KRaft: when what it tells of began, UTC."),
        nullable_field("took_ms", DOUBLE, "KRaft: how long the event took, of a period the slowest, ms."),
        nullable_field("event_name", STRING, "KRaft: the event that was slow or failed, without its number."),
        nullable_field("event_count", LONG, "KRaft, of a period: how many events were worked off."),
        nullable_field("average_ms", DOUBLE, "KRaft, of a period: how long they took on average, ms."),
        nullable_field("exception_class", STRING, "Class of the exception that an event ended with."),
        nullable_field("exception_message", STRING, "Its message, first line."),
    ),
)
