"""Steps of reassignments that lines about other things show: moves of replicas, ISRs, metadata sent to brokers."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.gold.reassignment.marks import ATTEMPT, NAME

# Both logs of one controller carry milliseconds, and lines of one are not in the order of the other's.
TIE = timedelta(milliseconds=1)
# What follows the end: brokers are told when it is off the list in ZooKeeper.
FOLLOWING = timedelta(milliseconds=40)
DELETED = ("ReplicaDeletionStarted", "ReplicaDeletionSuccessful", "NonExistentReplica")
OWN = (*ATTEMPT, "started_at", "caught_up_at", "ended_at", "outcome")


def lines_of_attempt_steps(
    found: pl.DataFrame,
    rows: pl.DataFrame,
    replica_transition: pl.DataFrame,
    leader_and_isr: pl.DataFrame,
    control_request: pl.DataFrame,
) -> pl.DataFrame:
    """(ATTEMPT, name, at) of the lines that show steps of attempts that bring other replicas: the new ones New and
    Online, the old ones Offline and deleted, at INFO from 2.6 on out of the ISR; at last the metadata sent. Of rows
    about reassignments those by which the request is taken off ZooKeeper's list when the assignment has ended it.

    Source: KafkaController.onPartitionReassignment, 0.8.1 to 3.9, and the comment above it.
    """
    moving = found.filter(col("form") != "kraft", col("adding_replicas").list.len() > 0)
    own = moving.select(*OWN, "target_replicas", "adding_replicas", "removing_replicas")
    return pl.concat(
        [
            replica_moves(own, replica_transition),
            removed_from_isr(own, leader_and_isr),
            removed_at_end(own, rows),
            metadata_sent(own, control_request),
        ]
    )


def of_attempts(own: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """Lines (NAME, at) that lie in an attempt of their partition, or follow it at once."""
    until = col("ended_at") + FOLLOWING
    return (
        lines.join(own, on=NAME, how="inner")
        .filter(col("at") >= col("started_at"), (col("at") <= until).fill_null(value=True))
        .with_columns(is_switching=(col("at") >= col("caught_up_at") - TIE).fill_null(value=False))
    )


def replica_moves(own: pl.DataFrame, replica_transition: pl.DataFrame) -> pl.DataFrame:
    moves = replica_transition.filter(col("outcome") == "done").select(
        *NAME, "replica_id", "to_state", at="logged_at"
    )
    state, replica, is_switching = col("to_state"), col("replica_id"), col("is_switching")
    is_old = is_switching & col("removing_replicas").list.contains(replica)
    is_new = col("adding_replicas").list.contains(replica)
    is_wanted = is_switching & col("target_replicas").list.contains(replica)
    name = (
        when((state == "NewReplica") & is_new).then(lit("replicas_new"))
        .when((state == "OnlineReplica") & is_wanted).then(lit("replicas_online"))
        .when((state == "OfflineReplica") & is_old).then(lit("replicas_offline"))
        .when(state.is_in(DELETED) & is_old).then(lit("replicas_deleted"))
    )  # fmt: skip
    found = of_attempts(own, moves).with_columns(name=name)
    return found.drop_nulls("name").select(*ATTEMPT, "name", "at")


def removed_from_isr(own: pl.DataFrame, leader_and_isr: pl.DataFrame) -> pl.DataFrame:
    removed = leader_and_isr.filter(col("event") == "replica_removed_from_isr").select(*NAME, at="logged_at")
    found = of_attempts(own, removed).filter("is_switching")
    return found.select(*ATTEMPT, "at", name=lit("replicas_offline")).select(*ATTEMPT, "name", "at")


def removed_at_end(own: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    removed = rows.filter(col("step") == "removed").select(*NAME, "at")
    found = of_attempts(own, removed).filter(col("at") >= col("ended_at"))
    return found.select(*ATTEMPT, "at", name=lit("removed")).select(*ATTEMPT, "name", "at")


def metadata_sent(own: pl.DataFrame, control_request: pl.DataFrame) -> pl.DataFrame:
    is_sent = (col("request") == "UPDATE_METADATA") & (col("step") == "sent")
    sent = control_request.filter(is_sent).drop_nulls("topic").select(*NAME, at="logged_at")
    is_at_end = (col("outcome") == "completed") & (col("at") >= col("ended_at") - TIE)
    found = of_attempts(own, sent).filter(is_at_end)
    return found.select(*ATTEMPT, "at", name=lit("metadata_sent")).select(*ATTEMPT, "name", "at")
