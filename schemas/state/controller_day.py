"""What of each day of a term the verdict on the whole term needs."""

from schemas.spec import (
    BROKER_IDS,
    CLUSTER_ID,
    DAY_AT,
    EVIDENCE_TYPE,
    TERM_ID,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, LONG, STRING, TIMESTAMP

SPEC = TableSpec(
    name="state.controller_day",
    grain="One day of one term with lines of its controller, or lines about its requests. Late: after the election "
    "of the next one.",
    key=("term_id", "day_at"),
    fields=(
        CLUSTER_ID,
        TERM_ID,
        DAY_AT,
        nullable_field("last_line_at", TIMESTAMP, "Its last line of the day, UTC; null: it has none."),
        nullable_field("last_seq", LONG, "Place of that line within the term."),
        nullable_field("file_id", STRING, "File of that line."),
        nullable_field("byte_offset", LONG, "Where its record starts in the uncompressed file, bytes."),
        required_field("has_state_changes", BOOLEAN, "It has lines in state-change.log."),
        nullable_field("acted_at", TIMESTAMP, "Its last line of the day before it resigned, UTC."),
        required_field("late_count", LONG, "Late lines."),
        required_field("late_act_count", LONG, "Of them those before it resigned."),
        required_field("sent_count", LONG, "Late lines that send a request to a broker."),
        required_field("empty_count", LONG, "Late lines that send a request to nobody."),
        required_field("refused_count", LONG, "Lines of brokers that refuse a request for its epoch."),
        required_field("stale_count", LONG, "Lines with an answer that refuses a request for its epoch."),
        required_field("write_count", LONG, "Late moves to OnlinePartition: each writes a leader."),
        nullable_field("last_write_at", TIMESTAMP, "Last of these moves, UTC."),
        nullable_field(
            "write_lines", EVIDENCE_TYPE, "Records of these moves in order: the first four and the last."
        ),
        nullable_field("live_brokers", BROKER_IDS, "Brokers that it found alive at its start."),
        nullable_field(
            "known_live_brokers",
            BROKER_IDS,
            "Live brokers as it listed them last by the end of the day; null: it listed none.",
        ),
        nullable_field(
            "known_shutting_down_brokers",
            BROKER_IDS,
            "Brokers that shut down, as it listed them last, without those that failed since; null: it listed none.",
        ),
    ),
    checks=(
        Check("a_last_line_has_a_place", "last_line_at IS NULL OR (last_seq >= 0 AND file_id IS NOT NULL)"),
        Check("late_acts_are_late", "late_act_count <= late_count"),
    ),
)
