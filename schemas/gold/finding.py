"""What a person should look at, with the lines that prove it."""

from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, TERM_ID, TableSpec, field, required
from schemas.types import INTEGER, STRING, TIMESTAMP

SEVERITIES = ("critical", "warning", "info")
# In the order of the harm: what users feel, what threatens, what is odd, and what is missing to know more.
RULES = (
    "unclean_election",
    "deposed_controller_wrote",
    "outage",
    "no_controller",
    "controller_powerless",
    "controller_outlived",
    "last_known_leader",
    "broker_flapping",
    "unclean_shutdown",
    "failover_slow",
    "leader_choice",
    "blocked_deletion",
    "standing_imbalance",
    "illegal_move",
    "refused_move",
    "discontinuity",
    "replay_disagreement",
    "ratio_disagreement",
    "missing_logs",
    "not_understood",
)

SPEC = TableSpec(
    name="gold.finding",
    grain="One thing that a person should look at: one rule, one entity, one root event.",
    key=("finding_id",),
    fields=(
        CLUSTER_ID,
        required("finding_id", STRING, "Stable over runs: made of rule, entity, root event and term."),
        required("rule", STRING, "Name of the rule that holds no longer.", accepted=RULES),
        required("rule_version", INTEGER, "Version of the rule."),
        required("severity", STRING, "How much it matters.", accepted=SEVERITIES),
        required(
            "status",
            STRING,
            "new: first seen in this run; ongoing; resolved: its interval has ended; retracted.",
            accepted=("new", "ongoing", "resolved", "retracted"),
        ),
        field(
            "suppressed_by",
            STRING,
            "Why it is not told, as conf says (known_findings); null: it is told.",
        ),
        required("entity", STRING, "What it is about: broker 1, orders-0, topic payments."),
        field("root_event", STRING, "The term or broker event at its root."),
        TERM_ID,
        required("valid_from_at", TIMESTAMP, "Since when, UTC."),
        field("valid_until_at", TIMESTAMP, "Until when, UTC; null: still so at the end of the data."),
        required("sentence", STRING, "What is the matter, in one sentence."),
        CERTAINTY,
        EVIDENCE,
    ),
)
