"""What controllers were busy with: the work of the one thread that does all of it, piece by piece."""

from schemas.silver.controller_work import OCCASIONS
from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, Check, TableSpec, nullable_field, required_field
from schemas.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, TIMESTAMP, array_type, map_of

KINDS = (
    *("Startup", "Resignation", "BrokerChange", "BrokerModifications", "TopicChange"),
    *("PartitionModifications", "TopicDeletion", "TopicDeletionStopReplicaResponseReceived"),
    *("ControlledShutdown", "AutoPreferredReplicaLeaderElection", "ReplicaLeaderElection"),
    *("PartitionReassignment", "PartitionReassignmentIsrChange", "IsrChangeNotification", "AlterPartition"),
    *("LeaderAndIsrResponseReceived", "UpdateMetadataResponseReceived", "LogDirEventNotification"),
    *("UncleanLeaderElectionEnable", "AllocateProducerIds"),
    "slow_event",  # KRaft: the controller calls it exceptionally slow
    "failed_event",  # KRaft: it ended with an exception
    "period",  # KRaft: what the monitor sums up each minute, from 4.0
)
LISTENERS = (
    *("controller", "brokers", "broker", "topics", "topic", "deletions", "reassignments"),
    *("preferred elections", "ISR", "log directories"),
)
WAITED_BY = ("timer", "answer", "shutdown")
OUTCOMES = (
    "ok",
    "nothing_new",  # there was nothing to do
    "error",  # it ended with an exception
    "moved",  # another controller had been elected meanwhile
    "cut",  # its last line is missing, and nothing follows for an hour
)

SPEC = TableSpec(
    name="gold.controller_event",
    grain="One piece of work of one controller's event thread (up to 0.10 of one critical section); KRaft: one event "
    "that was slow or failed, or one period of its monitor.",
    key=("term_id", "work_seq"),
    fields=(
        CLUSTER_ID,
        required_field("term_id", STRING, "The term of the controller that does it; see silver.term."),
        required_field("work_seq", LONG, "Place of its first line within the term (silver.controller_line)."),
        required_field("controller_id", INTEGER, "The controller."),
        required_field("kind", STRING, "Kafka's name of the event, from 3.0 on.", accepted=KINDS),
        nullable_field(
            "listener",
            STRING,
            "The watch of ZooKeeper that woke it; null: a timer, a request or an answer.",
            accepted=LISTENERS,
        ),
        nullable_field("path", STRING, "The path that it watches."),
        required_field(
            "began_at", TIMESTAMP, "Its first line, UTC; KRaft: the last line less the time taken."
        ),
        required_field("ended_at", TIMESTAMP, "Its last line, UTC."),
        required_field(
            "busy_ms",
            LONG,
            "From the first line to the last, ms; KRaft: the time that it took until it was committed, of a period the "
            "slowest.",
        ),
        required_field("is_end_said", BOOLEAN, "A line says that it is over."),
        nullable_field("longest_gap_ms", LONG, "The longest time between two of its lines, ms."),
        nullable_field(
            "waited_ms", LONG, "How long it stood in the queue, at least, ms; null: nothing tells."
        ),
        nullable_field(
            "waited_by",
            STRING,
            "What tells how long it waited: timer, of its own checks; answer of a broker (TRACE); the shutdown that a "
            "broker asks for (by the clocks of two nodes).",
            accepted=WAITED_BY,
        ),
        nullable_field("occasion", STRING, "What had happened.", accepted=OCCASIONS),
        required_field(
            "subject", array_type(STRING), "Brokers, topics or partitions of its first line, ten at most."
        ),
        required_field("subject_count", LONG, "How many its first line names."),
        required_field("lines_count", LONG, "Lines of it."),
        required_field("moves_count", LONG, "Moves of replicas and partitions that it made or tried."),
        required_field(
            "partitions_count", LONG, "Different partitions that it moved, or whose leader or ISR it set."
        ),
        required_field("elections_count", LONG, "Of the moves those that brought a partition online."),
        required_field("failed_count", LONG, "Of the moves those that failed."),
        required_field("requests_count", LONG, "Lines of requests to brokers that it put into the queues."),
        required_field("triggers", map_of(STRING, LONG), "Its moves by Kafka's method that asks for them."),
        nullable_field(
            "order_ok",
            BOOLEAN,
            "Its moves stand in Kafka's order; null: it is no arrival, departure or creation, or has none.",
        ),
        required_field("outcome", STRING, "How it ended.", accepted=OUTCOMES),
        nullable_field("event_name", STRING, "KRaft: the event; of a period the slowest."),
        nullable_field("event_count", LONG, "KRaft, of a period: how many events were worked off."),
        nullable_field("average_ms", DOUBLE, "KRaft, of a period: how long they took on average, ms."),
        nullable_field(
            "slowest_ms", DOUBLE, "KRaft, of a period: how long the slowest took, ms, with decimals."
        ),
        nullable_field("exception_class", STRING, "KRaft: class of the exception."),
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("ends_after_it_begins", "ended_at >= began_at"),
        Check("is_not_busy_for_less_than_nothing", "busy_ms >= 0"),
        Check("waits_by_something", "(waited_ms IS NULL) = (waited_by IS NULL)"),
        Check("waits_no_less_than_nothing", "waited_ms IS NULL OR waited_ms >= 0"),
    ),
)
