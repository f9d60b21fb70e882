"""When a controller of ZooKeeper mode may have elected a leader though no line says so."""

from datetime import timedelta

import polars as pl
from polars import col, when

from pipeline.core.stretches import FAR
from pipeline.model.partitions.said_offline import OFFLINE
from pipeline.model.partitions.statements import PARTITION
from pipeline.model.partitions.topic_lives import PARTITION_ORDER
from pipeline.model.terms.succession import half_read

BROKER_CAME = "broker_startup"
BROKER_START = "broker start"
# A term goes on for so long behind a try of which no line is read.
GOES_ON = timedelta(seconds=1)
CHANCES = (
    *(
        "broker_change",
        BROKER_CAME,
        "broker_log_dir_failure",
        "unclean_election_enabled",
        "topic_change",
    ),
    *("partitions_to_be_added", "reassignment_started", "reassignment_assignment_updating"),
    *("topic_deletion_requested", "controller_resigning", "controller_resigned"),
)


def election_chances(controller_line: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, term_id, chance_at, tried_seq): when a controller may have elected a leader of a partition that is
    Offline, though it prints no move: as brokers come, and as an admin changes something. tried_seq: its event_seq,
    where it tries it for each such partition. told_seq, in rows of their own: those of which state-change.log tells.

    Source: PartitionStateMachine.triggerOnlinePartitionStateChange, 0.8.2 to 2.5.
    """
    is_asked = (col("event") == "preferred_election_started") & (col("cause") == "unclean election")
    lines = controller_line.filter(col("event").is_in(CHANCES) | is_asked)
    tried_seq = when(col("event") == BROKER_CAME).then("event_seq")
    chances = lines.select("cluster_id", "term_id", chance_at="ordered_at", tried_seq=tried_seq)
    told = controller_line.filter(col("log") == "state-change", col("cause") == BROKER_START)
    of_tries = told.select("cluster_id", "term_id", told_seq="event_seq")
    return pl.concat([chances.unique(), of_tries.unique()], how="diagonal")


def offline_ends(said: pl.DataFrame, term: pl.DataFrame, chances: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, topic, life, from_at): until when a partition is certainly Offline of which a controller of
    half_read says so: its next chance to elect a leader."""
    terms = half_read(term).select("cluster_id", "term_id")
    offline = said.filter(col("state") == OFFLINE).join(terms, on=["cluster_id", "term_id"], how="semi")
    first = offline.group_by("cluster_id", "topic", "term_id", life="era").agg(said_at=col("at").min())
    later = first.join(chances, on=["cluster_id", "term_id"]).filter(col("chance_at") > col("said_at"))
    return later.select("cluster_id", "topic", "life", from_at="chance_at").unique()


def untold_tries(said: pl.DataFrame, term: pl.DataFrame, chances: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, topic, partition, life, from_at): since when a partition that is Offline may have a leader, though
    no line says so: a broker came, and of what the controller tried then for each such partition nothing is read.

    Source: PartitionStateMachine.triggerOnlinePartitionStateChange, KafkaController.onBrokerStartup, 0.8.2 to 3.9.
    """
    # What a leader writes of its ISR alone is none of the controller's.
    is_told = pl.any_horizontal(col("state", "leader", "leader_epoch").is_not_null())
    next_at = when(is_told).then("at").backward_fill().shift(-1).over(PARTITION)
    offline = (
        said.sort(*PARTITION, *PARTITION_ORDER)
        .with_columns(next_at=next_at.fill_null(FAR))
        .filter(col("state") == OFFLINE)
    )
    last_lines = term.select("cluster_id", "term_id", "told_until_at")
    event = ("cluster_id", "term_id", "tried_seq")
    told = chances.select("cluster_id", "term_id", tried_seq="told_seq").drop_nulls()
    untold = chances.filter(col("tried_seq").is_not_null()).join(told, on=event, how="anti")
    return (
        offline.select("cluster_id", "topic", "partition", "term_id", "at", "next_at", life="era")
        .join(last_lines, on=["cluster_id", "term_id"])
        .join(untold, on=["cluster_id", "term_id"])
        .filter(
            col("chance_at").is_between("at", "next_at"), col("told_until_at") > col("chance_at") + GOES_ON
        )
        .select("cluster_id", "topic", "partition", "life", from_at="chance_at")
        .unique()
    )
