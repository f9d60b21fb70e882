"""What the logs at hand can answer: per node and interval, so that silence is not taken for health."""

from schemas.silver.log_gap import GAP_KINDS
from schemas.spec import CERTAINTY, CLUSTER_ID, Check, TableSpec, field, required
from schemas.types import BOOLEAN, INTEGER, STRING, TIMESTAMP, array

NAMES = array(STRING)

SPEC = TableSpec(
    name="gold.evidence",
    grain="One interval of one node in which the same logs were seen, at the same level, with the same gaps.",
    key=("node_id", "valid_from_at"),
    fields=(
        CLUSTER_ID,
        required("node_id", INTEGER, "The node whose logs they are."),
        required("valid_from_at", TIMESTAMP, "First line of the interval, or begin of the gap, UTC."),
        required(
            "valid_until_at",
            TIMESTAMP,
            "Begin of the next interval; of the last one its last line. UTC. An interval may have hours without a line "
            "of the node: quiet ones, or such whose files were not read (bronze.source_file has the times of each).",
        ),
        required(
            "logs", NAMES, "Logs of which lines were seen, in order of their names; none: all are missing."
        ),
        field(
            "state_change_level",
            STRING,
            "Most verbose level of state.change.logger that was seen, hour by hour; it can change without a line "
            "that says so. Null: no line of it yet.",
            accepted=("TRACE", "INFO"),
        ),
        field(
            "mode",
            STRING,
            "How the controller that the node was keeps its metadata; null while it was none.",
            accepted=("zookeeper", "kraft"),
        ),
        required("is_controller", BOOLEAN, "The node was the controller for some of the interval."),
        required("is_complete", BOOLEAN, "No gap of silver.log_gap touches it."),
        required("gaps", NAMES, f"Kinds of those that do: {', '.join(GAP_KINDS)}."),
        required("answers", NAMES, "What can be answered of the node as a controller (questions.tsv)."),
        required("unanswered", NAMES, "What cannot, with what there is to do about it."),
        CERTAINTY,
    ),
    checks=(Check("does_not_end_before_it_begins", "valid_until_at >= valid_from_at"),),
)
