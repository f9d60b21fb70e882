"""What a person should look at, with the lines that prove it."""

from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, TERM_ID, TableSpec, field, required
from schemas.types import INTEGER, STRING, TIMESTAMP, map_of

SEVERITIES = ("critical", "warning", "info")
# What a fact says. All are texts: numbers in plain decimals, lists as 1,2,3. A fact that is not known is left out.
FACTS = {
    "at_least_ms": "For how long there was no controller at least, ms; left out: until the end of the logs.",
    "at_most_ms": "For how long there was no controller at most, ms; where at_least_ms is not known.",
    "broker_id": "Broker.",
    "broker_ids": "Brokers that were gone; left out: no broker was.",
    "cause": "What left the partitions without a leader, as gold.partition_outage has it.",
    "check": "What Kafka printed, as gold.replay_check has it.",
    "choices_count": "Elections whose leader their rule does not choose; topic to isr are of the first.",
    "controller_epoch": "Epoch of the controller.",
    "controller_id": "Controller.",
    "departures_count": "How often the broker left.",
    "differing_count": "Objects of which the replay has another state than Kafka printed.",
    "expected_leader": "Leader that the rule of the election chooses.",
    "from_state": "State that is left.",
    "imbalance_ratio": "Share of a broker's preferred partitions that others lead, by the log's lines, 0 to 1.",
    "is_auto_rebalance_enabled": "false: nothing moves leaders back; left out elsewhere.",
    "isr": "In-sync replicas after the election.",
    "isr_before": "In-sync replicas before the election.",
    "kafka_ratio": "The same share as Kafka printed it, 0 to 1.",
    "kafka_state": "State of the first object that differs, as Kafka printed it.",
    "kind": "Kind of the election (gold.leader_election) or of the gap (silver.log_gap).",
    "lagging_replicas": "Replicas that have not caught up, as Kafka said last.",
    "lasted_ms": "How long it was so, ms; left out: it still is.",
    "late_ms": "How long after the next election it resigned, or wrote last, ms.",
    "leader": "Broker that was made leader.",
    "led_count": "Partitions with other replicas that the broker led when it asked.",
    "led_elsewhere_count": "Partitions that the broker should lead and others lead.",
    "lines_count": "Lines of Kafka whose ratio is another than ours.",
    "log": "Log that lines are missing of; left out: not known.",
    "longest_ms": "How long the longest outage lasted, ms; topic and partition are of it.",
    "longest_step": "Step of its start that took longest.",
    "machine": "State machine.",
    "moves_count": "Moves; topic and partition are of the first.",
    "node_id": "Node that lines are missing of; left out: not known.",
    "old_leader": "Leader before; left out: none, or not known.",
    "only_kafka": "The first partitions that Kafka alone counts as led elsewhere.",
    "only_kafka_count": "How many partitions Kafka alone counts; left out: none.",
    "open_count": "Partitions that are still without a leader; left out: none.",
    "overlap": "What the controller did after the next election, as gold.controller_term has it.",
    "partition": "Number of the partition.",
    "partitions_count": "Partitions; topic and partition are of one of them.",
    "preferred_count": "Partitions that the broker should lead.",
    "reason": "Why the records are not understood, as bronze.log_record has it.",
    "records_at_risk": "Records that may be lost, at most; left out: not known.",
    "records_count": "Records that are not understood.",
    "refused_count": "Writes that ZooKeeper refused.",
    "replay_state": "State of the first object that differs, as the replay has it.",
    "replica_id": "Replica of the partition; left out: the partition itself.",
    "said_count": "Objects whose states Kafka printed.",
    "shortest_ms": "How long the broker was there between two departures at the shortest, ms.",
    "target_replicas": "Replicas that a reassignment aims at.",
    "threshold_ratio": "Share above which it is an imbalance, 0 to 1.",
    "to_state": "State that is entered.",
    "topic": "Topic; its id where the line does not name it.",
    "total_ms": "Sum of the outages of all partitions, ms.",
    "unmoved_count": "Partitions with other replicas that were without a leader when the broker left.",
    "writes_count": "Leaders that the controller wrote after the next election; left out: not known.",
}
CONTROLLER = ("controller_id", "controller_epoch")
PARTITION = ("topic", "partition")
MOVES = (*CONTROLLER, "machine", "moves_count", "from_state", "to_state", *PARTITION)
# The facts of each rule, as its sentence tells them. In the order of the harm: what users feel, what threatens, what is
# odd, and what is missing to know more.
FACTS_OF_RULE = {
    "unclean_election": (*PARTITION, "leader", "old_leader", "isr_before", "isr", "records_at_risk"),
    "deposed_controller_wrote": (*CONTROLLER, "writes_count", "late_ms"),
    "outage": (
        *("cause", "broker_ids", "partitions_count", "total_ms", "longest_ms", "open_count"),
        *PARTITION,
    ),
    "no_controller": (*CONTROLLER, "at_least_ms", "at_most_ms"),
    "controller_powerless": (*CONTROLLER, "refused_count", "lasted_ms"),
    "controller_outlived": (*CONTROLLER, "late_ms", "writes_count", "overlap"),
    "last_known_leader": ("broker_id", "partitions_count", *PARTITION),
    "broker_flapping": ("broker_id", "departures_count", "shortest_ms"),
    "unclean_shutdown": ("broker_id", "unmoved_count", "led_count", "lasted_ms"),
    "failover_slow": (*CONTROLLER, "lasted_ms", "longest_step"),
    "leader_choice": (*CONTROLLER, "choices_count", "kind", *PARTITION, "leader", "expected_leader", "isr"),
    "blocked_deletion": ("topic", "lasted_ms"),
    "open_reassignment": ("partitions_count", *PARTITION, "target_replicas", "lagging_replicas"),
    "standing_imbalance": (
        *("broker_id", "led_elsewhere_count", "preferred_count", "imbalance_ratio", "threshold_ratio"),
        "is_auto_rebalance_enabled",
    ),
    "illegal_move": MOVES,
    "refused_move": MOVES,
    "discontinuity": MOVES,
    "replay_disagreement": (
        *(*CONTROLLER, "check", "machine", "said_count", "differing_count", *PARTITION, "replica_id"),
        *("kafka_state", "replay_state"),
    ),
    "ratio_disagreement": (
        *(*CONTROLLER, "broker_id", "kafka_ratio", "imbalance_ratio", "lines_count"),
        *("only_kafka_count", "only_kafka"),
    ),
    "missing_logs": ("node_id", "log", "kind"),
    "not_understood": ("records_count", "reason"),
}
RULES = tuple(FACTS_OF_RULE)

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
        field(
            "facts",
            map_of(STRING, STRING),
            "What the sentence tells, by the names of FACTS in schemas/gold/finding.py; null: of an older release.",
        ),
        CERTAINTY,
        EVIDENCE,
    ),
)
