"""Elections of leaders by controllers, each held against the rule that it goes by."""

from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka import electing
from pipeline.kafka.at_risk import with_risk
from pipeline.kafka.attempts import attempts, said_of_elections
from pipeline.kafka.away import with_away
from pipeline.kafka.candidates import with_candidates
from pipeline.kafka.kraft_elections import kraft_elections
from pipeline.kafka.missing_terms import without_doubted
from pipeline.kafka.statements import known_before
from pipeline.kafka.succession import with_terms
from pipeline.kafka.term_view import TERM, first_places, held, sequence
from schemas.gold.leader_election import SPEC
from schemas.silver.log_gap import LINES_MISSING
from schemas.spec import EVIDENCE_TYPE

OF_LINE = (
    "from_state", "event_seq", "message", "exception_class", "controller_epoch", "file_id", "byte_offset",
)  # fmt: skip
KRAFT = "kraft"
JUDGED = ("as_prescribed", "as_prescribed_by_result")


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
    if KRAFT in modes:
        in_kraft = (
            kraft_elections(
                partition_timeline,
                broker_absence,
                broker_event,
                election_event,
                reassignment_event,
                term,
                log_gap,
            )
            .transform(with_risk, replica_offset)
            .transform(of_this_table)
        )
        if modes == {KRAFT}:
            return in_kraft
    in_zookeeper = partition_timeline.where("topic_id IS NULL")
    earlier = in_zookeeper.where(F.col("valid_from_at") < F.lit(cut).cast("timestamp"))
    moves = (leader_and_isr, partition_transition, replica_transition, assignment, topic_event)
    own = said_of_elections(
        *moves,
        election_event,
        reassignment_event,
        controller_line,
        term,
        deletion_before,
        known_before(earlier),
    )
    of_zookeeper = term.where("mode = 'zookeeper'")
    kept = own.join(F.broadcast(of_zookeeper.select(*TERM)), on=[*TERM], how="left_semi")
    known = in_zookeeper.transform(without_doubted)
    views = held(kept, first_places(of_zookeeper), sequence(known), "said")
    judged = (
        attempts(views)
        .transform(named)
        .transform(with_candidates, broker_event, controller_line)
        .transform(with_rule)
        .transform(with_terms, term)
        .transform(with_doubt, term, log_gap)
        .transform(with_certain_isr)
        .transform(with_away, broker_session.where("mode = 'zookeeper'"))
        .transform(with_choice)
        .transform(with_verdict)
        .transform(with_reason)
        .transform(with_risk, replica_offset)
        .transform(of_this_table)
    )
    return judged.unionByName(in_kraft) if KRAFT in modes else judged


def of_this_table(elections: DataFrame) -> DataFrame:
    """The columns of this table, null where the mode knows none."""
    given = {one.name: one.type for one in SPEC.fields if one.name not in elections.columns}
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


def with_rule(found: DataFrame) -> DataFrame:
    """kind, selector, failure, and those that the rule can choose from."""
    is_aimed = F.col("kind") == "reassign"
    return (
        found.withColumn("kind", electing.kind())
        .withColumn("selector", electing.selector())
        .withColumn("target_replicas", F.when(is_aimed, F.col("target_replicas")))
        .withColumn("online", electing.online())
        .withColumn("choices", electing.choices())
        .withColumn("failure", electing.failure())
    )


def with_doubt(found: DataFrame, term: DataFrame, log_gap: DataFrame) -> DataFrame:
    """doubt: why the controller may have known what no line given here says. is_own_whole: no line of its own node is
    known to be missing; is_isr_told: of the term."""
    since = F.min(F.coalesce("from_at", "until_at"))
    gaps = log_gap.where(F.col("kind").isin(*LINES_MISSING))
    own = gaps.groupBy("cluster_id", F.col("node_id").alias("controller_id")).agg(since.alias("own_from_at"))
    told = term.select(*TERM, "controller_id", "is_isr_told")
    doubt = F.when(~F.coalesce("is_whole", F.lit(False)), "beginning_missing").when(
        F.col("missing_from_at") <= F.col("elected_at"), "lines_missing"
    )
    is_own_whole = F.coalesce(F.col("own_from_at") > F.col("elected_at"), F.lit(True))
    return (
        found.join(F.broadcast(told), on=[*TERM], how="left")
        .join(
            F.broadcast(gaps.groupBy("cluster_id").agg(since.alias("missing_from_at"))), "cluster_id", "left"
        )
        .join(F.broadcast(own), on=["cluster_id", "controller_id"], how="left")
        .withColumns({"doubt": doubt, "is_own_whole": is_own_whole})
    )


def with_certain_isr(found: DataFrame) -> DataFrame:
    """is_isr_before_certain: the leader asks this controller for every change, there was none, or it is alone.

    Where lines are missing, only what the controller itself said last of the ISR: its next leader epoch follows.
    """
    follows = F.coalesce(F.col("leader_epoch") == F.col("old_epoch") + 1, F.lit(False))
    is_led_by_none = F.col("old_leader") == electing.NOBODY
    is_own = F.col("isr_line").isNotNull() & F.col("is_own_whole") & follows
    is_known = F.col("doubt").isNull() | is_own | (is_led_by_none & follows)
    is_told = F.coalesce("is_isr_told", F.lit(False)) | (F.size("replicas") == 1)
    certain = F.coalesce((is_told | is_led_by_none) & is_known, F.lit(False))
    return found.withColumn("is_isr_before_certain", F.when(F.col("isr_before").isNotNull(), certain))


def with_choice(found: DataFrame) -> DataFrame:
    is_removal = F.col("kind") == "isr_removal"
    by_isr = F.when(F.col("doubt").isNull() & ~is_removal, electing.expected_by_isr())
    by_result = F.when(is_removal, electing.expected_of_removal()).otherwise(electing.expected_by_result())
    expected = F.when(F.col("outcome") == "done", F.coalesce("by_isr", by_result))
    return (
        found.withColumn("by_isr", by_isr)
        .withColumn("expected_leader", expected)
        .withColumn("is_unclean_said", electing.is_unclean_said())
        .withColumn(
            "is_clean", F.coalesce(electing.is_clean(), F.when(F.col("away").isNotNull(), F.lit(False)))
        )
    )


def with_verdict(found: DataFrame) -> DataFrame:
    """What differs is undetermined where lines may be missing that tell why."""
    leader, kind = F.col("leader"), F.col("kind")
    is_same = leader == F.col("old_leader")
    is_redundant = (F.col("from_state") == electing.ONLINE) & is_same
    verdict = (
        F.when(F.col("outcome") == "failed", F.lit(None))
        .when(is_redundant, "redundant")
        .when(leader == F.col("expected_leader"), F.when(F.col("by_isr").isNotNull(), JUDGED[0]).otherwise(JUDGED[1]))
        .when(F.col("expected_leader").isNull() | unsure().isNotNull(), "undetermined")
        .otherwise("differs")
    )  # fmt: skip
    is_expected = F.when(F.col("verdict").isin(*JUDGED), F.lit(True)).when(
        F.col("verdict") == "differs", F.lit(False)
    )
    is_known = F.col("verdict").isin("redundant", "undetermined") & (kind != "isr_removal")
    return (
        found.withColumn("verdict", verdict)
        .withColumn("is_expected", is_expected)
        .withColumn("certainty", F.when(F.col("how") == "implied", "inferred").otherwise("proved"))
        .withColumn("expected_leader", F.when(~is_known | is_same, F.col("expected_leader")))
    )


def unsure() -> Column:
    """Why a leader that the rule does not seem to choose may be the right one all the same."""
    # A removal reads the leader from ZooKeeper, where a deposed controller may have written (up to 2.0).
    is_removal = F.col("kind") == "isr_removal"
    # Up to 0.9 the first of the ISR takes over from a broker that shuts down, since then the first of the assignment.
    is_by_order = (F.col("kind") == "controlled_shutdown") & F.col("is_old")
    is_first = is_by_order & (F.get("isr", F.lit(0)) == F.col("leader"))
    return F.coalesce("doubt", F.when(is_removal, "leader_unknown"), F.when(is_first, "release_unknown"))


def with_reason(found: DataFrame) -> DataFrame:
    is_removal = F.col("kind") == "isr_removal"
    missing = (
        F.when(is_removal, "leader_unknown")
        .when(F.col("choices").isNull(), "replicas_unknown")
        .when(F.col("isr").isNull(), "isr_unknown")
        .otherwise("replicas_unknown")
    )
    is_unsure_of_isr = (
        F.col("is_clean").isNull() & (F.col("outcome") == "done") & (F.col("leader") >= 0) & ~is_removal
    )
    reason = F.when(F.col("verdict") == "undetermined", F.coalesce(unsure(), missing)).when(
        is_unsure_of_isr, "isr_before_uncertain"
    )
    own = F.struct("file_id", "byte_offset")
    is_concluded = ~F.col("is_clean") & ~F.col("is_unclean_said")
    is_by_isr = is_concluded & F.col("is_isr_before_certain")
    stated = F.array(own, F.col("note"), F.when(is_by_isr, F.col("isr_line")))
    away = F.when(is_concluded & ~F.col("is_isr_before_certain"), F.col("away"))
    none = F.array().cast(EVIDENCE_TYPE)
    lines = F.array_distinct(F.array_compact(F.concat(stated, F.coalesce(away, none))))
    return found.withColumn("reason", reason).withColumn("evidence", lines)
