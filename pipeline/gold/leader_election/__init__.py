"""Elections of leaders by controllers, each held against the rule that it goes by."""

from datetime import datetime
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.gold.leader_election.judging import with_judgement
from pipeline.kafka import electing
from pipeline.kafka.at_risk import with_risk
from pipeline.kafka.attempts import attempts, said_of_elections
from pipeline.kafka.candidates import with_candidates
from pipeline.kafka.kraft_elections import kraft_elections
from pipeline.kafka.missing_terms import without_doubted
from pipeline.kafka.statements import known_before
from pipeline.kafka.term_view import TERM, first_places, held, sequence
from schemas.gold.leader_election import SPEC

OF_LINE = (
    "from_state", "event_seq", "message", "exception_class", "controller_epoch", "file_id", "byte_offset",
)  # fmt: skip
KRAFT = "kraft"


def build(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    leader_and_isr: DataFrame,
    partition_transition: DataFrame,
    replica_transition: DataFrame,
    assignment: DataFrame,
    topic_event: DataFrame,
    election_event: DataFrame,
    reassignment_event: DataFrame,
    broker_event: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    log_gap: DataFrame,
    partition_timeline: DataFrame,
    broker_session: DataFrame,
    broker_absence: DataFrame,
    replica_offset: DataFrame,
    deletion_before: DataFrame,
    modes: frozenset[str],
    cut: datetime | None,
) -> DataFrame:
    """One row per attempt to give one partition a leader; of a fenced controller (from 2.1) no line tells.

    modes: those of the terms; what a mode would add that there is not is left out of the plan. KRaft: as
    pipeline.kafka.kraft_elections says; what follows is of ZooKeeper mode.
    cut: the begin of a day before which no term began whose lines are given; deletion_before: (cluster_id, topic,
    deletions) completed before it; partition_timeline: what is open at the cut or begins later.

    The view of a term: the cluster-wide one (partition_timeline) at its first line, then its own lines alone.
    The choice is judged by the ISR before where that is certain, else by the ISR that the line states: the old one
    without those that are gone. Up to 1.0 lines of elections state none: the request that follows does.
    Source: PartitionLeaderSelector up to 1.0, Election and PartitionStateMachine since, 0.8.2 to 3.9.
    """
    found = []
    if modes != {KRAFT}:
        in_zookeeper = partition_timeline.where("topic_id IS NULL")
        earlier = in_zookeeper.where(F.col("valid_from_at") < F.lit(cut).cast("timestamp"))
        moves = (leader_and_isr, partition_transition, replica_transition, assignment, topic_event)
        before = (deletion_before, known_before(earlier))
        own = said_of_elections(*moves, election_event, reassignment_event, controller_line, term, *before)
        found.append(
            attempts_within(term, own, in_zookeeper)
            .transform(with_candidates, broker_event, controller_line)
            .transform(with_judgement, term, log_gap, broker_session)
        )
    if KRAFT in modes:
        told = (broker_absence, broker_event, election_event, reassignment_event, term, log_gap)
        found.append(kraft_elections(partition_timeline, *told))
    return reduce(DataFrame.unionByName, (of_this_table(one, replica_offset) for one in found))


def attempts_within(term: DataFrame, own: DataFrame, in_zookeeper: DataFrame) -> DataFrame:
    """One row per attempt that lines of a term tell, with what its controller knew of the partition before."""
    of_zookeeper = term.where("mode = 'zookeeper'")
    kept = own.join(F.broadcast(of_zookeeper.select(*TERM)), on=[*TERM], how="left_semi")
    known = in_zookeeper.transform(without_doubted)
    views = held(kept, first_places(of_zookeeper), sequence(known), "said")
    return attempts(views).transform(named)


def of_this_table(elections: DataFrame, replica_offset: DataFrame) -> DataFrame:
    """With what they put at risk, the columns of this table: null where the mode knows none."""
    elections = with_risk(elections, replica_offset)
    given = {one.name: one.dataType for one in SPEC.struct.fields if one.name not in elections.columns}
    return elections.withColumns({name: F.lit(None).cast(kind) for name, kind in given.items()}).select(
        *SPEC.columns
    )


def named(found: DataFrame) -> DataFrame:
    """Columns of the row as its controller's lines have them."""
    is_done = F.coalesce(F.col("said.outcome") == "done", F.lit(True))
    before = F.col("held_before")
    has_before = F.coalesce(F.col("said.from_state") != electing.NEW, F.lit(True))
    return found.select(
        *TERM, "topic", "topic_life", "partition", "seq", "how", "notes", "note", "isr_line",
        *(F.col(f"said.{name}").alias(name) for name in OF_LINE),
        F.col("said.logged_at").alias("elected_at"), F.col("cause").alias("trigger"),
        F.when(is_done, "done").otherwise("failed").alias("outcome"),
        F.nullif(F.regexp_extract("said.message", electing.STRATEGY, 1), F.lit("")).alias("strategy"),
        F.col("selector").alias("said_selector"),
        F.when(is_done, F.col("said.leader_epoch").isNull()).alias("is_old"),
        before["leader_epoch"].alias("old_epoch"), before["leader"].alias("old_leader"),
        F.when(has_before, before["isr"]).alias("isr_before"),
        before["replicas"].alias("replicas"), F.col("target").alias("target_replicas"),
        F.coalesce(before["is_deleting"], F.lit(False)).alias("is_deleting"),
        *(F.when(is_done, F.col(name)).alias(name) for name in ("isr", "leader_epoch")),
        F.when(is_done, F.col("said.leader")).alias("leader"), F.lit(True).alias("is_asked"),
    )  # fmt: skip
