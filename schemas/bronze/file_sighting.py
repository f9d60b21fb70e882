"""Which path held which file when: an unchanged path is not read again; what was not read says why."""

from schemas.spec import CLUSTER_ID, Check, TableSpec, nullable_field, required_field
from schemas.types import LONG, STRING, TIMESTAMP

SIGHTING_STATES = (
    "read",  # new bytes were read in this run
    "known",  # its content had been read under this or another path, or nothing is refused there any more
    "held_back",  # read but for its last record, which may still grow
    "outside",  # its records lie outside of --since and --until
    "waiting",  # no second record has begun yet: identity is not fixed
    "not_kafka",  # no controller, state-change or server log of Kafka
    "not_asked",  # a server.log or an excerpt (grep with names or numbers of lines), which are read only on request
    "unreadable",  # permission, broken codec, gone or another when it was to be read
    "contradictory",  # its lines name several writing nodes, or are of another time zone than those of other nodes
)
# Of these file_id is what the file begins like: no file has it before it is read.
PROBLEMS = ("unreadable", "contradictory")
# In the sentence on what is not_kafka, and Kafka's by its lines: behind it, how these begin.
LOOKS_LIKE = "; it looks like Kafka's: "
# In the sentence on what is read or known in part: a compressed file that was cut, or has rubbish behind it.
READ_UNTIL = "what is behind cannot be read: "
BREAKS_OFF = "read up to byte {:,} of its content, " + READ_UNTIL + "{}"

SPEC = TableSpec(
    name="bronze.file_sighting",
    grain="One path as one run found it, where it was new or had changed.",
    key=("run_id", "path"),
    fields=(
        CLUSTER_ID,
        required_field("path", STRING, "Path or URI."),
        required_field("size_bytes", LONG, "Size as stored, bytes."),
        nullable_field("modified_at", TIMESTAMP, "When the file was last modified, UTC."),
        required_field("state", STRING, "What became of it.", accepted=SIGHTING_STATES),
        nullable_field("sentence", STRING, "Why it was not read, or not all of it."),
        nullable_field(
            "file_id",
            STRING,
            "The file that it held, or, not read, begins like; null where none was made out.",
        ),
        required_field("run_id", STRING, "The run that found it."),
    ),
    checks=(Check("size_is_not_negative", "size_bytes >= 0"),),
)
