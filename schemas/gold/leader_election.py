"""Every attempt of a controller to give a partition a leader: by which rule, from whom, with what outcome."""

from schemas.silver.controller_line import CAUSES
from schemas.silver.partition_transition import PARTITION_STATES
from schemas.silver.replica_transition import OUTCOMES
from schemas.spec import (
    BROKER_IDS,
    BYTE_OFFSET,
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    FILE_ID,
    TERM_ID,
    TOPIC_PARTITION,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP

KINDS = (
    "init",  # first leader of a new partition
    "offline",  # its leader is gone
    "offline_admin_unclean",  # the same, and an admin asked for an unclean election
    "preferred",  # back to the head of the assignment
    "reassign",  # the leader is not among the target replicas, or dead
    "controlled_shutdown",  # the leader is shutting down
    "isr_removal",  # a replica went offline and leaves the ISR; if it led, nobody leads
    "unknown",
)
VERDICTS = (
    "as_prescribed",  # the leader is the one that the rule chooses from the ISR before
    "as_prescribed_by_result",  # the leader is the one that the rule chooses from the ISR as it is now
    "redundant",  # nobody new was elected
    "differs",  # the leader is another one than the rule chooses
    "undetermined",
)
REASONS = (
    "beginning_missing",  # a term before this one was not seen: what its controller knew is not known
    "lines_missing",  # silver.log_gap names lines that are missing before
    "replicas_unknown",  # no line says the assigned, or the target replicas
    "isr_unknown",  # no line says the ISR that came of it
    "kind_unknown",  # no line says why it was made: by another rule than that of a dead leader (KRaft)
    "release_unknown",  # rules of two releases choose different leaders, and no line tells the release
    "leader_unknown",  # it keeps a leader that no line of its controller has named
    "isr_before_uncertain",  # the leader may have changed the ISR before without a line of the controller (up to 2.6)
)
FAILURES = (
    "no_live_in_isr",  # assigned replicas are live, none of them in the ISR
    "no_live_assigned",  # no assigned replica is live
    "preferred_unavailable",  # the preferred replica is not live or not in the ISR
    "only_shutting_down_in_isr",  # no other member in the ISR
    "superseded",  # a controller of a later epoch wrote before
    "no_leader_information",  # the partition has no state in ZooKeeper
    "znode_exists",  # it has one, and should not
    "session_expired",  # of the controller with ZooKeeper
    "zookeeper_error",
    "fenced",  # ZooKeeper refused: the controller epoch is a later one
    "machine_not_started",
    "other",  # none of these by its message
    "undetermined",  # nobody was found, and no line tells which replicas were live
)

SPEC = TableSpec(
    name="gold.leader_election",
    grain="One attempt of a controller to give one partition a leader, done or failed; in ZooKeeper mode also one "
    "removal of a replica from its ISR that raised the leader epoch, in KRaft one change of the leader, be it to none.",
    key=("file_id", "byte_offset", "topic", "partition"),
    fields=(
        CLUSTER_ID,
        TERM_ID,
        *TOPIC_PARTITION,
        required_field(
            "elected_at",
            TIMESTAMP,
            "When it was logged, in KRaft first by any node, or the decision that it is put down to, UTC.",
        ),
        required_field("seq", LONG, "Place of the line within the term."),
        required_field("kind", STRING, "By which rule the leader is chosen.", accepted=KINDS),
        nullable_field(
            "selector",
            STRING,
            "The rule in Kafka's words: selector (up to 1.0) or strategy, in KRaft type of the election, ELR or "
            "LAST_KNOWN_LEADER; null: kind is chosen by none.",
        ),
        required_field(
            "trigger",
            STRING,
            "What the controller was doing: cause of silver.controller_line, in KRaft by the decisions before.",
            accepted=CAUSES,
        ),
        nullable_field(
            "from_state",
            STRING,
            "State before; null: no move of the partition.",
            accepted=PARTITION_STATES,
        ),
        required_field("outcome", STRING, "done or failed.", accepted=OUTCOMES),
        nullable_field("failure", STRING, "Why it failed; null: it did not.", accepted=FAILURES),
        nullable_field(
            "old_leader", INTEGER, "Leader before, as the controller knew; -1 none; null: none known."
        ),
        nullable_field(
            "isr_before", BROKER_IDS, "In-sync replicas before, as last stated; null: none, or not known."
        ),
        nullable_field(
            "is_isr_before_certain",
            BOOLEAN,
            "Nobody can have changed them since without a line of a controller; null: isr_before is.",
        ),
        nullable_field(
            "replicas", BROKER_IDS, "Assigned replicas as the controller knew them, preferred one first."
        ),
        nullable_field(
            "target_replicas", BROKER_IDS, "Those that a reassignment aims at; null: it is for none."
        ),
        nullable_field(
            "live_brokers", BROKER_IDS, "Brokers that it last listed as live; null: it listed none."
        ),
        nullable_field("shutting_down_brokers", BROKER_IDS, "Those of which it knew that they shut down."),
        nullable_field("leader", INTEGER, "Leader that came of it; -1 none; null: it failed."),
        nullable_field("isr", BROKER_IDS, "In-sync replicas that came of it; null: not said, or it failed."),
        nullable_field(
            "leader_epoch", INTEGER, "Leader epoch that came of it; null: not said, or it failed."
        ),
        nullable_field(
            "missing_epochs",
            INTEGER,
            "KRaft: leader epochs since the one before of which no line tells; null: it is not said.",
        ),
        nullable_field("expected_leader", INTEGER, "Leader that the rule prescribes; null: not determined."),
        nullable_field(
            "is_expected", BOOLEAN, "leader is expected_leader; null: not determined, or it failed."
        ),
        nullable_field("verdict", STRING, "The choice against its rule; null: it failed.", accepted=VERDICTS),
        nullable_field(
            "is_clean",
            BOOLEAN,
            "The leader was in the ISR before, or is the first one; null: undetermined, or no leader chosen.",
        ),
        nullable_field(
            "was_last_leader",
            BOOLEAN,
            "Of an unclean election in ZooKeeper mode: the one elected has the only replica, or led last before nobody "
            "did, so that nothing is lost; null: clean, or not known.",
        ),
        required_field(
            "is_unclean_said",
            BOOLEAN,
            "Kafka says on a line that it chose from outside of the ISR (up to 1.0, from 3.2, KRaft).",
        ),
        nullable_field(
            "records_at_risk",
            LONG,
            "Of an unclean election: by how many records the log of a former in-sync replica went beyond the leader's; "
            "null: not told (up to 2.5 without server.log), or nobody came back by the end of the next day.",
        ),
        nullable_field("reason", STRING, "Why something is undetermined.", accepted=REASONS),
        required_field("is_deleting", BOOLEAN, "Its topic is queued for deletion: no leader is no outage."),
        nullable_field("controller_epoch", INTEGER, "Epoch of the controller."),
        CERTAINTY,
        EVIDENCE,
        FILE_ID,
        BYTE_OFFSET,
    ),
    checks=(
        Check("failed_for_a_reason", "(outcome = 'failed') = (failure IS NOT NULL)"),
        Check("judged_if_done", "(outcome = 'done') = (verdict IS NOT NULL)"),
        Check("a_reason_where_undetermined", "NOT (verdict <=> 'undetermined') OR reason IS NOT NULL"),
        Check("differs_from_what_is_expected", "NOT (verdict <=> 'differs') OR is_expected <=> false"),
    ),
)
