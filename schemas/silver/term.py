"""Terms of controllers: who was elected with which epoch, in which life of the cluster's metadata."""

from schemas.spec import (
    BYTE_OFFSET,
    CERTAINTY,
    CLUSTER_ID,
    FILE_ID,
    TableSpec,
    nullable_field,
    required_field,
)
from schemas.types import BOOLEAN, INTEGER, STRING, TIMESTAMP

SPEC = TableSpec(
    name="silver.term",
    grain="One tenure of one controller: one controller epoch in one life of the cluster's metadata.",
    key=("term_id",),
    fields=(
        CLUSTER_ID,
        required_field(
            "term_id",
            STRING,
            "'<life>-<epoch>'; the life grows when a wiped cluster uses epochs again.",
        ),
        required_field("life", INTEGER, "Ordinal of the life of the metadata, from 1."),
        required_field("controller_id", INTEGER, "The broker or KRaft controller elected."),
        required_field(
            "controller_epoch",
            INTEGER,
            "Its controller epoch; in KRaft the leader epoch, 0 or less if no line tells it: of a controller that was "
            "in office before the first term that lines name.",
        ),
        required_field(
            "mode", STRING, "How the cluster keeps its metadata.", accepted=("zookeeper", "kraft")
        ),
        nullable_field(
            "elected_at",
            TIMESTAMP,
            "When it was elected, UTC; null if no election line was seen. inferred: no line of it tells the epoch.",
        ),
        required_field(
            "first_seen_at",
            TIMESTAMP,
            "When it began, as far as lines tell, UTC: its election, else the first line that names the term.",
        ),
        required_field(
            "last_seen_at",
            TIMESTAMP,
            "Last line that names the term, UTC; where another life uses its numbers again within the hour the last "
            "one that is known to be before.",
        ),
        nullable_field(
            "told_from_at",
            TIMESTAMP,
            "First line of the controller's own node that names the term, UTC; null: none was seen.",
        ),
        nullable_field("told_until_at", TIMESTAMP, "Last line of that node that names the term, UTC."),
        nullable_field(
            "void_from_at",
            TIMESTAMP,
            "KRaft: from when on what the controller decided was not committed as it gave up, UTC; null: all was, or "
            "no line tells.",
        ),
        nullable_field(
            "unproved_from_at",
            TIMESTAMP,
            "KRaft: the first line after a day or more without any of the quorum's nodes, or the one by which the "
            "controller gives up while no line of the next one is read; ZooKeeper: the first one in which another node "
            "is controller with an epoch that was there: from when on no line proves that the term went on, UTC; null: "
            "there is none.",
        ),
        required_field("is_trace_seen", BOOLEAN, "state.change.logger wrote at TRACE somewhere in the term."),
        nullable_field(
            "are_moves_read",
            BOOLEAN,
            "The controller's own node has lines of state-change.log from before its end and after its begin, at a "
            "level at which moves are printed (up to 2.5 TRACE, else INFO): what it did with partitions is read.",
        ),
        required_field(
            "is_isr_told",
            BOOLEAN,
            "Leaders ask it for every change of ISR and it prints them: its node has lines of AlterPartition (from "
            "2.7) from before its end and after its begin, and since then no node has one of what came before them.",
        ),
        nullable_field(
            "replica_machine",
            STRING,
            "Its replica state machine (pipeline/kafka/machines/by_release.py), as far as the release is known.",
            accepted=("R1", "R2"),
        ),
        CERTAINTY,
        FILE_ID,
        BYTE_OFFSET,
    ),
)
