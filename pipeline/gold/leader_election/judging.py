"""Whether an attempt chose what the rule prescribes, how certain that is, and which lines say so."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka import electing
from pipeline.kafka.away import with_away
from pipeline.kafka.succession import with_terms
from pipeline.kafka.term_view import TERM
from schemas.silver.log_gap import LINES_MISSING

JUDGED = ("as_prescribed", "as_prescribed_by_result")


def with_judgement(
    found: DataFrame, term: DataFrame, log_gap: DataFrame, broker_session: DataFrame
) -> DataFrame:
    """Attempts with kind, rule, choice, verdict, certainty, reason and evidence of this table."""
    return (
        found.transform(with_rule)
        .transform(with_terms, term)
        .transform(with_doubt, term, log_gap)
        .transform(with_certain_isr)
        .transform(with_away, broker_session.where("mode = 'zookeeper'"))
        .transform(with_choice)
        .transform(with_verdict)
        .transform(with_reason)
    )


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
    none = F.array().cast("array<struct<file_id: string, byte_offset: bigint>>")
    lines = F.array_distinct(F.array_compact(F.concat(stated, F.coalesce(away, none))))
    return found.withColumn("reason", reason).withColumn("evidence", lines)
