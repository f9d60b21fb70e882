"""What Kafka itself printed about its state machines, held against the replay."""

from pyspark.sql.types import ArrayType, LongType, StringType, TimestampType

from schemas.gold.transition_audit import MACHINES
from schemas.spec import CLUSTER_ID, DAY_AT, EVIDENCE, TERM_ID, Check, TableSpec, required

REPLAY_CHECKS = (
    "initial_state_dump",  # the states that a machine printed when it started, object by object
    "refused_pair",  # moves that the controller refused: none of them may be legal in the matrix
    "valid_previous_states",  # the states that its exceptions list as valid before a target: a column of the matrix
)

SPEC = TableSpec(
    name="gold.replay_check",
    grain="One statement of Kafka on one state machine in one term: a dump; of a day its refusals, its lists of valid "
    "states.",
    key=("check", "term_id", "machine", "file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        TERM_ID,
        required("check", StringType(), "What is held against the replay.", accepted=REPLAY_CHECKS),
        required("machine", StringType(), "Which state machine.", accepted=MACHINES),
        DAY_AT,
        required("logged_at", TimestampType(), "When Kafka said it first that day, UTC."),
        required("said_count", LongType(), "Objects of the dump, or moves not done, that are said."),
        required("equal_count", LongType(), "Of them those that the replay has as Kafka says."),
        required(
            "undecided_count",
            LongType(),
            "Of them those of which no move was seen, or to which moves may lead that the log does not print.",
        ),
        required("differing_count", LongType(), "Those of which Kafka and the replay disagree."),
        required(
            "examples", ArrayType(StringType(), False), "Some that differ: the object, Kafka's state, ours."
        ),
        EVIDENCE,
        required("file_id", StringType(), "File of the first line that says it."),
        required("byte_offset", LongType(), "Where that line starts in the uncompressed file, bytes."),
    ),
    checks=(Check("all_are_counted", "said_count = equal_count + undecided_count + differing_count"),),
)
