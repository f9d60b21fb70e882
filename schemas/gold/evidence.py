"""What the logs at hand can answer: per node and interval, so that silence is not taken for health."""

from schemas.silver.log_gap import GAP_KINDS
from schemas.spec import CERTAINTY, CLUSTER_ID, Check, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, INTEGER, STRING, TIMESTAMP, array_type

NAMES = array_type(STRING)

SPEC = TableSpec(
    name="gold.evidence",
    grain="One interval of one node in which the same logs were seen, at the same level, with the same gaps.",
    key=("node_id", "valid_from_at"),
    fields=(
        CLUSTER_ID,
        required_field("node_id", INTEGER, "The node whose logs they are."),
        required_field("valid_from_at", TIMESTAMP, "First line of the interval, or begin of the gap, UTC."),
        required_field(
            "valid_until_at",
            TIMESTAMP,
            "Begin of the next interval; of the last one its last line. UTC. An interval may have hours without a line "
            "of the node: quiet ones, or such whose files were not read (bronze.source_file has the times of each).",
        ),
        required_field(
            "logs", NAMES, "Logs of which lines were seen, in order of their names; none: all are missing."
        ),
        nullable_field(
            "state_change_level",
            STRING,
            "Most verbose level of state.change.logger that was seen, hour by hour; it can change without a line "
            "that says so. Null: no line of it yet.",
            accepted=("TRACE", "INFO"),
        ),
        nullable_field(
            "mode",
            STRING,
            "How the controller that the node was keeps its metadata; null while it was none.",
            accepted=("zookeeper", "kraft"),
        ),
        required_field("is_controller", BOOLEAN, "The node was the controller for some of the interval."),
        required_field("is_complete", BOOLEAN, "No gap of silver.log_gap touches it."),
        required_field("gaps", NAMES, f"Kinds of those that do: {', '.join(GAP_KINDS)}."),
        required_field("answers", NAMES, "What can be answered of the node as a controller (questions.tsv)."),
        required_field("unanswered", NAMES, "What cannot, with what there is to do about it."),
        CERTAINTY,
    ),
    checks=(Check("does_not_end_before_it_begins", "valid_until_at >= valid_from_at"),),
)
