"""Stays of brokers among the live ones, as the controllers listed them; in KRaft among the unfenced ones."""

from schemas.end_reasons import OF_BROKER, UNKNOWN_WHY
from schemas.spec import (
    CERTAINTY,
    CLUSTER_ID,
    EVIDENCE,
    EVIDENCE_TYPE,
    TERM_ID,
    Check,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, INTEGER, LONG, STRING, TIMESTAMP, array_type

MODES = ("zookeeper", "kraft")
JOINED_HOW = (
    "joined",  # a list names it as new
    "bounced",  # it registered anew between two lists; in KRaft it was unfenced twice
    "listed_at_startup",  # a controller that starts finds it; it may have been there for long
    "before_data",  # the first that is heard of it is that it left: joined_at is the time of that
    "listed",  # it is among the live ones of a list that does not name it as new
)
LEFT_HOW = (
    "controlled",  # it had asked the controller for a controlled shutdown
    "uncontrolled",  # it had not
    "bounced",  # it registered anew before it was missed: a list says so (from 2.2), its epoch, or its own line
    "missing_in_list",  # a later list has it no more, and does not say that it left: lines are missing
    "missing_at_startup",  # a controller that starts does not find it: it left while there was none
)

SPEC = TableSpec(
    name="gold.broker_session",
    grain="One stay of one broker, under one registration, among the live brokers that the controllers in office "
    "listed, in KRaft among those that they unfenced.",
    key=("broker_id", "joined_at"),
    fields=(
        CLUSTER_ID,
        required_field("broker_id", INTEGER, "The broker."),
        required_field("mode", STRING, "zookeeper or kraft.", accepted=MODES),
        nullable_field(
            "broker_epoch",
            LONG,
            "Of its registration: a zxid (from 2.2), in KRaft an offset; null: not said (3.3 to 3.5 never do).",
        ),
        required_field("joined_at", TIMESTAMP, "First list that has it; in KRaft when it was unfenced, UTC."),
        required_field("joined_how", STRING, "How the list came to have it.", accepted=JOINED_HOW),
        nullable_field(
            "left_at",
            TIMESTAMP,
            "First list that has it no more; in KRaft when it was fenced, UTC; null: still there.",
        ),
        nullable_field("left_how", STRING, "How it left; null: still there.", accepted=LEFT_HOW),
        nullable_field(
            "silent_from_at",
            TIMESTAMP,
            "The earliest that it can have stopped to answer, UTC: before its session expired (ZooKeeper), or timed "
            "out (KRaft), or before the last line of the controller before; null: still there, or nothing tells.",
        ),
        nullable_field(
            "is_clean",
            BOOLEAN,
            "It asked to be shut down and left nothing that another replica can lead; null: still there, or not known.",
        ),
        required_field(
            "shutdown_requested_at",
            array_type(TIMESTAMP),
            "When it asked the controller to be shut down, each attempt; in KRaft when that was granted, UTC.",
        ),
        nullable_field(
            "led_before_count",
            LONG,
            "Partitions that it led when it first asked; null: it did not ask.",
        ),
        nullable_field(
            "led_count",
            LONG,
            "Partitions that lost their leader as it left, as far as lines tell; null: still there, or not known.",
        ),
        nullable_field(
            "unmoved_count",
            LONG,
            "Of these the ones that have other replicas; null: still there, or not known.",
        ),
        nullable_field(
            "handled_until_at",
            TIMESTAMP,
            "Last line of the controller event that noticed that it left, UTC; null in KRaft, and while it is there.",
        ),
        nullable_field(
            "end_reason",
            STRING,
            "Why it left, as server.log says it: of the process that was there; null: still there.",
            accepted=OF_BROKER,
        ),
        nullable_field(
            "end_reason_at",
            TIMESTAMP,
            "First line that says so, UTC: a session that was lost is told once the process goes on, one that was "
            "killed by its next start; null: still there, or not known.",
        ),
        nullable_field(
            "end_detail",
            STRING,
            "The signal (and that it gave up its controlled shutdown), the error, the directory.",
        ),
        nullable_field(
            "end_unknown_why",
            STRING,
            "Why it is not known; null: it is, or still there.",
            accepted=UNKNOWN_WHY,
        ),
        required_field("end_lines", EVIDENCE_TYPE, "The line that says why it left; empty: not known."),
        nullable_field(
            "first_sign_at",
            TIMESTAMP,
            "Earliest line that shows it, UTC: of a peer that lost it, or its own; null: none is there.",
        ),
        required_field("first_sign_lines", EVIDENCE_TYPE, "That line; empty: none."),
        TERM_ID,
        nullable_field("left_term_id", STRING, "The term that noticed that it left; null: still there."),
        nullable_field(
            "left_event_seq",
            LONG,
            "Controller event that noticed it: silver.controller_line.event_seq; null in KRaft, and while it is there.",
        ),
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("left_after_it_joined", "left_at IS NULL OR left_at >= joined_at"),
        Check("left_somehow", "(left_at IS NULL) = (left_how IS NULL)"),
        Check(
            "silent_before_it_left", "silent_from_at IS NULL OR left_at IS NULL OR silent_from_at <= left_at"
        ),
        Check(
            "reason_is_of_the_stay",
            "end_reason_at IS NULL OR joined_how NOT IN ('joined', 'bounced') OR end_reason_at >= joined_at",
        ),
        Check(
            "sign_is_of_the_stay",
            "first_sign_at IS NULL OR joined_how NOT IN ('joined', 'bounced') OR first_sign_at >= joined_at",
        ),
        Check(
            "a_reason_has_a_line", "(end_reason_at IS NULL) = (end_reason IS NULL OR end_reason = 'unknown')"
        ),
        Check("still_there_for_no_reason", "left_at IS NOT NULL OR end_reason IS NULL"),
    ),
)
