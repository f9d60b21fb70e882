"""Where lines are known or suspected to be missing from the logs."""

from schemas.bronze.log_record import LOGS
from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP

GAP_KINDS = (
    "begins_inside_record",  # the file begins with lines that continue a record: what was before it is not there
    "ends_inside_record",  # the last record of the file has no end
    "cut_records",  # records without their end inside the file, as a shipper leaves them
    "unreadable_records",  # not UTF-8, longer than the limit, or no records at all: what they say is not known
    "time_goes_back",  # lines stand after others that are at least a minute younger, beyond the edge of an hour
    "silence",  # a task that runs every N seconds wrote nothing, and the controller did not leave office
    "controller_log_missing",  # a controller acts in state-change.log while its controller.log has no line
    "state_change_log_missing",  # partitions are created in controller.log while state-change.log has no line
    "term_missing",  # a controller epoch between two that were seen is named by no line
    "election_missing",  # a term is named by lines, its election by none
    "begins_inside_term",  # the same of the term with which the lines begin: it was elected before the first of them
    "days_missing",  # no file has lines for a day or more, in which a controller stays in office or another one came
    "not_read",  # a file that could not be read, or whose lines contradict one another
    "index_missing",  # of files numbered by size-capped rotation one was never there
    "replaced",  # another file stands where one was, and what it held is nowhere else: its end may be lost
    "lost_in_warehouse",  # what was read of a file is gone from the warehouse, and no log holds it any more
)

# Of these the ones that take lines away from verdicts; edges of files and cut records are told by the reader.
LINES_MISSING = (
    "silence", "controller_log_missing", "state_change_log_missing", "term_missing", "election_missing",
    "begins_inside_term", "days_missing", "replaced", "lost_in_warehouse",
)  # fmt: skip
# All logs begin somewhere.
NORMAL = ("begins_inside_term",)

SPEC = TableSpec(
    name="silver.log_gap",
    grain="One place where lines of one node are missing, or seem to be.",
    key=("kind", "node_id", "log", "file_id", "path", "from_at", "until_at", "sentence"),
    fields=(
        CLUSTER_ID,
        nullable_field("node_id", INTEGER, "The node whose lines they are; null if not known."),
        nullable_field("log", STRING, "Which of its logs; null where several are concerned.", accepted=LOGS),
        required_field("kind", STRING, "What was found.", accepted=GAP_KINDS),
        nullable_field("from_at", TIMESTAMP, "Last time before the gap that is known, UTC."),
        nullable_field("until_at", TIMESTAMP, "First time after it that is known, UTC."),
        nullable_field("file_id", STRING, "The file that shows it."),
        nullable_field("path", STRING, "Path or URI, where the gap is of a file and not of lines."),
        nullable_field("record_count", LONG, "Records that are damaged, or lost."),
        CERTAINTY,
        required_field("sentence", STRING, "What is missing and how it is known."),
        EVIDENCE,
    ),
)
