"""When partitions were without a leader that serves them, since when at most, and by which event."""

from schemas.gold.broker_session import LEFT_HOW
from schemas.silver.controller_line import CAUSES
from schemas.spec import (
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    TERM_ID,
    TOPIC_PARTITION,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP

ENDED_HOW = (
    "elected",  # a controller elected a leader
    "leader_returned",  # the broker that led it came back, and no line elects another one
    "deleted",  # its topic was queued for deletion or is gone
    "wiped",  # another life of the cluster's metadata began by then: low_ms is until the last line of the one before
    "lines_missing",  # from then on nothing is known of it: it lasted so long at least
    "taken_over",  # a KRaft controller took the cluster over; if it goes on, another row begins
)

SPEC = TableSpec(
    name="gold.partition_outage",
    grain="One stretch of time in which one partition had no leader that serves it, as controllers noticed it.",
    key=("topic", "topic_life", "partition", "noticed_at"),
    fields=(
        CLUSTER_ID,
        *TOPIC_PARTITION,
        required_field("noticed_at", TIMESTAMP, "When a controller noticed it, UTC: it lasted from then on."),
        nullable_field(
            "unserved_from_at",
            TIMESTAMP,
            "The earliest that the leader can have stopped to serve, UTC: before its session with ZooKeeper "
            "expired, or before the last line of the controller before; in KRaft before its session timed out; "
            "null: nothing tells.",
        ),
        nullable_field("ended_at", TIMESTAMP, "When it ended, UTC; null: not at the end of the data."),
        nullable_field("ended_how", STRING, "How it ended; null: it did not.", accepted=ENDED_HOW),
        nullable_field(
            "low_ms",
            LONG,
            "ended_at - noticed_at, wiped: less: so long at least, milliseconds; undetermined: perhaps shorter, "
            "as lines that are missing may have a leader; null: it goes on.",
        ),
        nullable_field("high_ms", LONG, "ended_at - unserved_from_at: so long at most, milliseconds."),
        required_field(
            "root_event",
            STRING,
            "What the controller was doing when it noticed: cause of silver.controller_line.",
            accepted=CAUSES,
        ),
        nullable_field(
            "root_broker_id",
            INTEGER,
            "The leader that was gone, or whose log directory failed; null: none was.",
        ),
        nullable_field("root_left_how", STRING, "How that broker left.", accepted=LEFT_HOW),
        nullable_field("old_leader", INTEGER, "Leader before; null: it never had one, or none was seen."),
        nullable_field("new_leader", INTEGER, "Leader that it got; null: none."),
        TERM_ID,
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("ends_after_it_begins", "ended_at IS NULL OR ended_at >= noticed_at"),
        Check("unserved_before_it_is_noticed", "unserved_from_at IS NULL OR unserved_from_at <= noticed_at"),
        Check("ended_somehow", "(ended_at IS NULL) = (ended_how IS NULL)"),
        Check(
            "lasts_no_negative_time", "(low_ms IS NULL OR low_ms >= 0) AND (high_ms IS NULL OR high_ms >= 0)"
        ),
        Check("bounds_are_in_order", "low_ms IS NULL OR high_ms IS NULL OR low_ms <= high_ms"),
        Check("no_leader_while_it_goes_on", "ended_at IS NOT NULL OR new_leader IS NULL"),
    ),
)
