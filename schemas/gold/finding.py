"""What a person should look at, with the lines that prove it."""

from dataclasses import dataclass

import pyarrow as pa

from schemas.spec import (
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    TERM_ID,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, TIMESTAMP, array_type, struct_type

SEVERITIES = ("critical", "warning", "info")


@dataclass(frozen=True)
class Fact:
    """A value that a sentence tells."""

    type: pa.DataType
    meaning: str


# What a fact says; one that is not known is null.
FACTS = {
    "apart_ms": Fact(LONG, "How far two clocks are apart at least, ms."),
    "asking_ids": Fact(array_type(INTEGER), "Nodes that asked for votes in vain; null: no line tells."),
    "at_least_ms": Fact(
        LONG, "For how long there was no controller at least, ms; null: until the end of the logs."
    ),
    "at_most_ms": Fact(LONG, "The same at most, ms; where at_least_ms is not known."),
    "blocked_by": Fact(STRING, "What put a deletion off first, as gold.topic_lifecycle has it."),
    "broker_id": Fact(INTEGER, "Broker."),
    "broker_ids": Fact(
        array_type(INTEGER),
        "Brokers that were gone, or that replicas waited for are on; null: none, or not known.",
    ),
    "came_back": Fact(
        STRING, "How a log directory came back: loaded, empty, left_out or started; null: it did not."
    ),
    "cause": Fact(
        STRING,
        "What left the partitions without a leader, as gold.partition_outage has it; why a node did not come up.",
    ),
    "causes": Fact(
        array_type(struct_type(("cause", STRING), ("count", LONG))),
        "What ended the terms of controllers, and how many of them each.",
    ),
    "changed_count": Fact(LONG, "Partitions whose leader or ISR a fence changed; null: none, or not told."),
    "check": Fact(STRING, "What Kafka printed, as gold.replay_check has it."),
    "checks_count": Fact(LONG, "Checks one after another in which Kafka printed a ratio over its limit."),
    "choices_count": Fact(
        LONG, "Elections whose leader their rule does not choose; topic to isr are of the first."
    ),
    "client_ms": Fact(LONG, "How long clients can have felt it at most, ms; null: no line bounds it."),
    "controller_epoch": Fact(INTEGER, "Epoch of the controller."),
    "controller_id": Fact(INTEGER, "Controller."),
    "coordinators_count": Fact(LONG, "Partitions of __consumer_offsets among them; null: none."),
    "departures_count": Fact(LONG, "How often the broker left."),
    "differing_count": Fact(
        LONG,
        "Objects of which the replay has another state than Kafka printed, or refusals that differ from "
        "the table of legal moves.",
    ),
    "directory_ids": Fact(array_type(STRING), "Ids of the log directories in KRaft; null: no line tells."),
    "drift_ppm": Fact(LONG, "How fast the clock drifts, millionths; null: it does not."),
    "elections_count": Fact(LONG, "How often a controller was elected anew."),
    "end_reasons": Fact(
        array_type(STRING),
        "Why the controller, or the brokers in this order, were gone, as server.log says it "
        "(gold.broker_session, gold.controller_term); null: not known.",
    ),
    "epochs_count": Fact(LONG, "Epochs of the quorum without a leader."),
    "error": Fact(STRING, "Error that a broker answered, Kafka's name; null: none, or no line tells."),
    "event": Fact(STRING, "Kind of the controller's event that it could not finish, or that took long."),
    "exception_class": Fact(
        STRING, "Class of the exception that ended it, or came with the fault; null: none was printed."
    ),
    "exception_message": Fact(STRING, "The first line of its message."),
    "expected_leader": Fact(INTEGER, "Leader that the rule of the election chooses."),
    "failing_ms": Fact(LONG, "Between the first and the last failure, ms; null: there was one."),
    "failures_count": Fact(LONG, "How often it failed so."),
    "fault": Fact(STRING, "What the fault was, as Kafka printed the first one."),
    "first_epoch": Fact(INTEGER, "The first of these epochs."),
    "first_sign_ms": Fact(
        LONG, "When the earliest line that shows it was printed, ms since 1970; null: none, or of several."
    ),
    "from_state": Fact(STRING, "State that is left."),
    "gaps_count": Fact(
        LONG, "Times without a leader over findings.no_quorum_leader_ms; null: few, told by themselves."
    ),
    "imbalance_ratio": Fact(
        DOUBLE, "Share of a broker's preferred partitions that others lead, by the log's lines, 0 to 1."
    ),
    "is_at_start": Fact(BOOLEAN, "true: the directory failed at a start of the broker; null elsewhere."),
    "is_auto_rebalance_enabled": Fact(BOOLEAN, "false: nothing moves leaders back; null elsewhere."),
    "is_controller_told": Fact(BOOLEAN, "false: the controller is not told; null elsewhere."),
    "is_given_up": Fact(
        BOOLEAN, "true: the broker gave up its controlled shutdown, as it says itself; null: no line tells."
    ),
    "is_halted": Fact(BOOLEAN, "true: the broker's process halted with it; null elsewhere."),
    "is_same_process": Fact(
        BOOLEAN,
        "true: the process that was fenced lived on; false: another one registered; null: no line tells.",
    ),
    "isr": Fact(array_type(INTEGER), "In-sync replicas after the election, or that were too few."),
    "isr_before": Fact(array_type(INTEGER), "In-sync replicas before the election."),
    "kafka_ratio": Fact(DOUBLE, "The same share as Kafka printed it, 0 to 1."),
    "kafka_state": Fact(STRING, "State of the first object that differs, as Kafka printed it."),
    "kind": Fact(
        STRING,
        "Kind of the election (gold.leader_election), of the gap (silver.log_gap), or of a voter's trouble.",
    ),
    "lagging_replicas": Fact(array_type(INTEGER), "Replicas that have not caught up, as Kafka said last."),
    "last_epoch": Fact(INTEGER, "The last of these epochs."),
    "lasted_ms": Fact(LONG, "How long it was so, ms; null: it still is."),
    "late_ms": Fact(LONG, "How long after the next election it resigned, or wrote last, ms."),
    "leader": Fact(INTEGER, "Broker that was made leader."),
    "leaderless_count": Fact(LONG, "Partitions that it left without a leader for long; null: none is seen."),
    "led_count": Fact(
        LONG, "Partitions that the broker led when it asked (those with other replicas), or its disk failed."
    ),
    "led_elsewhere_count": Fact(LONG, "Partitions that the broker should lead and others lead."),
    "lines_count": Fact(LONG, "Lines of Kafka whose ratio is another than ours."),
    "log": Fact(STRING, "Log that lines are missing of; null: not known."),
    "log_dirs": Fact(array_type(STRING), "Log directories that failed; null: no line names them."),
    "longest_gap_ms": Fact(
        LONG, "Of the times without a leader, the longest, ms; null: upper bounds alone are known."
    ),
    "longest_ms": Fact(LONG, "How long the longest outage lasted, ms; topic and partition are of it."),
    "longest_step": Fact(STRING, "Step of its start that took longest."),
    "machine": Fact(STRING, "State machine."),
    "median_ms": Fact(LONG, "How long half of the requests took at least, ms."),
    "min_isr": Fact(INTEGER, "min.insync.replicas of the topic."),
    "moves_count": Fact(LONG, "Moves; topic and partition are of the first."),
    "moving_count": Fact(LONG, "Replicas that were being moved into it from another directory; null: none."),
    "new_cluster": Fact(STRING, "Id of the cluster after it; null: no line tells."),
    "node_id": Fact(INTEGER, "Node that it is about; null: not known."),
    "old_cluster": Fact(STRING, "Id of the cluster before it; null: no line tells."),
    "old_epoch": Fact(INTEGER, "Epoch of the controller before it; null: ids of clusters differ."),
    "old_leader": Fact(INTEGER, "Leader before; null: none, or not known."),
    "only_kafka": Fact(array_type(STRING), "The first partitions that Kafka alone counts as led elsewhere."),
    "only_kafka_count": Fact(LONG, "How many partitions Kafka alone counts; null: none."),
    "open_count": Fact(LONG, "Partitions that are still without a leader; null: none."),
    "other_id": Fact(INTEGER, "Controller that it does not see."),
    "other_ids": Fact(array_type(INTEGER), "Nodes whose clocks it is apart from."),
    "overlap": Fact(
        STRING, "What the controller did after the next election, as gold.controller_term has it."
    ),
    "owner_node_id": Fact(INTEGER, "Node whose log has the session that held the id; null: no log has it."),
    "owner_session": Fact(STRING, "ZooKeeper session that held the id, as printed."),
    "partition": Fact(INTEGER, "Number of the partition."),
    "partition_epoch": Fact(INTEGER, "Which change of the partition it is, from 0."),
    "partitions": Fact(
        array_type(STRING), "The first 100 partitions with a replica there; null: no line tells."
    ),
    "partitions_count": Fact(LONG, "Partitions; topic and partition are of one of them."),
    "preferred_count": Fact(LONG, "Partitions that the broker should lead."),
    "reason": Fact(STRING, "Why records are not understood (bronze.log_record), or a move was not made."),
    "record_offset": Fact(LONG, "Offset in the metadata log of the first record that differs."),
    "records_at_risk": Fact(LONG, "Records that may be lost, at most; null: not known."),
    "records_count": Fact(LONG, "Records that are not understood."),
    "refused_count": Fact(LONG, "Writes (ZooKeeper), registrations or appends that were refused."),
    "refused_ids": Fact(array_type(INTEGER), "Nodes that got too few votes; null: no line tells."),
    "refusing_ids": Fact(array_type(INTEGER), "Nodes that refused them; null: no line tells."),
    "replay_state": Fact(STRING, "State of the first object that differs, as the replay has it."),
    "replica_id": Fact(INTEGER, "Replica of the partition; null: the partition itself."),
    "replicas_count": Fact(
        LONG, "Replicas in the log directories, or that a deletion waits for; null: no line tells."
    ),
    "request": Fact(STRING, "Kind of the requests, Kafka's name; null: of several."),
    "requests_count": Fact(LONG, "Requests of a controller to the broker."),
    "said_count": Fact(
        LONG, "Objects whose states Kafka printed or has on record, or moves that it refused."
    ),
    "shortest_ms": Fact(LONG, "How long the broker was there between two departures at the shortest, ms."),
    "slow_count": Fact(LONG, "How many events of the controller took long, of that kind."),
    "suspect_id": Fact(INTEGER, "Node that hung or was cut off at half of them or more; null: none is seen."),
    "target_replicas": Fact(array_type(INTEGER), "Replicas that a reassignment aims at."),
    "threshold_ratio": Fact(DOUBLE, "Share above which it is an imbalance, 0 to 1."),
    "to_state": Fact(STRING, "State that is entered."),
    "topic": Fact(STRING, "Topic; its id where the line does not name it."),
    "total_ms": Fact(LONG, "Sum of the outages of all partitions, ms."),
    "unanswered_ids": Fact(
        array_type(INTEGER), "Nodes that did not answer them, or could not be reached; null: no line tells."
    ),
    "unmoved_count": Fact(LONG, "Partitions with other replicas without a leader when the broker left."),
    "voter_id": Fact(INTEGER, "Voter of the quorum."),
    "waiting_count": Fact(
        LONG, "Events that are known to have waited for it in the queue; null: of none it is known."
    ),
    "waiting_for": Fact(
        STRING, "As gold.reassignment has it; of a migration: controllers, brokers, zookeeper or metadata."
    ),
    "writes_count": Fact(LONG, "Leaders that the controller wrote after the next election; null: not known."),
}

SPEC = TableSpec(
    name="gold.finding",
    grain="One thing that a person should look at: one rule, one entity, one root event.",
    key=("finding_id",),
    fields=(
        CLUSTER_ID,
        required_field("finding_id", STRING, "Stable over runs: made of rule, entity, root event and term."),
        required_field("rule", STRING, "Name of the rule that holds no longer."),
        required_field("rule_version", INTEGER, "Version of the rule."),
        required_field("severity", STRING, "How much it matters.", accepted=SEVERITIES),
        required_field(
            "status",
            STRING,
            "new: first seen in this run; ongoing; resolved: its interval has ended; retracted.",
            accepted=("new", "ongoing", "resolved", "retracted"),
        ),
        nullable_field(
            "suppressed_by",
            STRING,
            "Why it is not told, as conf says (known_findings); null: it is told.",
        ),
        required_field("entity", STRING, "What it is about: broker 1, orders-0, topic payments."),
        nullable_field(
            "root_kind", STRING, "The event at its root: what it was, as broker left, controller, breach."
        ),
        nullable_field(
            "root_at", TIMESTAMP, "When it was, UTC; null: it has no time of its own, see term_id."
        ),
        nullable_field(
            "root_broker_id", INTEGER, "The broker or controller that it is about; null: none, or several."
        ),
        TERM_ID,
        required_field("valid_from_at", TIMESTAMP, "Since when, UTC."),
        nullable_field(
            "valid_until_at", TIMESTAMP, "Until when, UTC; null: still so at the end of the data."
        ),
        required_field("sentence", STRING, "What is the matter, in one sentence."),
        required_field(
            "facts",
            struct_type(*((name, fact.type) for name, fact in FACTS.items()), unknown=tuple(FACTS)),
            "What the sentence tells, by the names of FACTS in schemas/gold/finding.py.",
        ),
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(Check("ends_after_it_begins", "valid_until_at IS NULL OR valid_until_at >= valid_from_at"),),
)
