"""Stays of brokers among the live ones, as the controllers listed them (ZooKeeper mode)."""

from pyspark.sql.types import IntegerType, LongType, StringType, TimestampType

from schemas.spec import CERTAINTY, CLUSTER_ID, EVIDENCE, TERM_ID, Check, TableSpec, field, required

JOINED_HOW = (
    "joined",  # a list names it as new
    "bounced",  # its process was another one between two lists (from 2.2)
    "listed_at_startup",  # a controller that starts finds it; it may have been there for long
    "before_data",  # the first that is heard of it is that it left: joined_at is the time of that
    "listed",  # it is among the live ones of a list that does not name it as new
)
LEFT_HOW = (
    "controlled",  # it had asked the controller for a controlled shutdown
    "uncontrolled",  # it had not
    "bounced",  # another process of it came before it was missed (from 2.2)
    "missing_in_list",  # a later list has it no more, and does not say that it left: lines are missing
    "missing_at_startup",  # a controller that starts does not find it: it left while there was none
)

SPEC = TableSpec(
    name="gold.broker_session",
    grain="One stay of one broker among the live brokers that the controllers in office listed.",
    key=("broker_id", "joined_at"),
    fields=(
        CLUSTER_ID,
        required("broker_id", IntegerType(), "The broker."),
        required("joined_at", TimestampType(), "First list that has it, UTC."),
        required("joined_how", StringType(), "How the list came to have it.", accepted=JOINED_HOW),
        field("left_at", TimestampType(), "First list that has it no more, UTC; null: still there."),
        field("left_how", StringType(), "How it left; null: still there.", accepted=LEFT_HOW),
        TERM_ID,
        field("left_term_id", StringType(), "The term that noticed that it left; null: still there."),
        field(
            "left_event_seq",
            LongType(),
            "Controller event that noticed it: silver.controller_line.event_seq; null: still there.",
        ),
        CERTAINTY,
        EVIDENCE,
    ),
    checks=(
        Check("left_after_it_joined", "left_at IS NULL OR left_at >= joined_at"),
        Check("left_somehow", "(left_at IS NULL) = (left_how IS NULL)"),
    ),
)
