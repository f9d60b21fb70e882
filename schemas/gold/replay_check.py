"""What Kafka itself printed about its state machines, held against the replay."""

from schemas.gold.transition_audit import MACHINES
from schemas.spec import CLUSTER_ID, DAY_AT, EVIDENCE, TERM_ID, Check, TableSpec, required_field
from schemas.types import LONG, STRING, TIMESTAMP, array_type

REPLAY_CHECKS = (
    "initial_state_dump",  # the states that a machine printed when it started, object by object
    "refused_pair",  # moves that the controller refused: none of them may be legal in the matrix
    "valid_previous_states",  # the states that its exceptions list as valid before a target: a column of the matrix
    "requests_of_moves",  # moves to OnlineReplica: LeaderAndIsr with the partition follows each (TRACE)
)

SPEC = TableSpec(
    name="gold.replay_check",
    grain="One statement of Kafka on one state machine in one term: a dump; of a day its refusals, its lists of valid "
    "states, its requests after moves.",
    key=("check", "term_id", "machine", "file_id", "byte_offset"),
    fields=(
        CLUSTER_ID,
        TERM_ID,
        required_field("check", STRING, "What is held against the replay.", accepted=REPLAY_CHECKS),
        required_field("machine", STRING, "Which state machine.", accepted=MACHINES),
        DAY_AT,
        required_field("logged_at", TIMESTAMP, "When Kafka said it first that day, UTC."),
        required_field("said_count", LONG, "Objects of the dump, or moves not done, that are said."),
        required_field("equal_count", LONG, "Of them those that the replay has as Kafka says."),
        required_field(
            "undecided_count",
            LONG,
            "Of them those of which no move was seen, or to which moves may lead that the log does not print.",
        ),
        required_field("differing_count", LONG, "Those of which Kafka and the replay disagree."),
        required_field("examples", array_type(STRING), "Some that differ: the object, Kafka's state, ours."),
        EVIDENCE,
        required_field("file_id", STRING, "File of the first line that says it."),
        required_field("byte_offset", LONG, "Where that line starts in the uncompressed file, bytes."),
    ),
    checks=(Check("all_are_counted", "said_count = equal_count + undecided_count + differing_count"),),
)
