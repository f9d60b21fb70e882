"""Attempts of controllers to give partitions leaders: which lines say so, and what of them others say."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.statements import (
    places,
    stated,
    with_ends,
    with_topic_life,
)
from pipeline.kafka.term_view import TERM

LINE_KEY = ("file_id", "byte_offset", "topic", "partition")
OBJECT = (*TERM, "topic", "topic_life", "partition")
ONLINE = "OnlinePartition"
NOTED = (
    "partition_transition",
    "partition_transition_failed",
    "partition_leader_elected",
    "selector_unclean_elected",
    "selector_isr_elected",
    "selector_offline_result",
)
AIMED = ("leader_not_in_target", "leader_dead")
REMOVED, UPDATED = "replica_removed_from_isr", "isr_updated"
SENT = ("leader_and_isr_sent", "update_metadata_sent")
# Lines that may be an attempt.
TRYING = ("partition_transition", "partition_transition_failed", REMOVED, UPDATED, *SENT)
NOBODY = -1
SAID = (
    "event", "from_state", "outcome", "leader", "isr", "leader_epoch", "choice", "selector", "message",
    "exception_class", "target", "gone_id", "logged_at", "event_seq", "controller_epoch", "file_id", "byte_offset",
)  # fmt: skip


def said_of_elections(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    leader_and_isr: DataFrame,
    partition_transition: DataFrame,
    replica_transition: DataFrame,
    assignment: DataFrame,
    topic_event: DataFrame,
    election_event: DataFrame,
    reassignment_event: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    deletion_before: DataFrame,
    before: DataFrame,
) -> DataFrame:
    """One row per line and partition of which it states, attempts or chooses something; as statements() has it, and
    said: a struct of SAID, what the line itself says."""
    lines = controller_line.transform(places)
    tried = partition_transition.where(F.col("to_state") == ONLINE).select(
        *LINE_KEY, "from_state", "outcome", "exception_class", F.col("exception_message").alias("message"),
        F.when(F.col("outcome") == "failed", "partition_transition_failed")
        .otherwise("partition_transition").alias("event"),
    )  # fmt: skip
    chosen = election_event.where(F.col("event").isin(*NOTED)).select(
        *LINE_KEY, "event", F.col("step").alias("choice"), "selector"
    )
    aimed = reassignment_event.where(F.col("step").isin(*AIMED)).select(
        *LINE_KEY, "event", F.col("target_replicas").alias("target")
    )
    is_off = (F.col("to_state") == "OfflineReplica") & (F.col("outcome") == "done")
    gone = replica_transition.where(is_off).select(
        *LINE_KEY, F.lit("replica_transition").alias("event"), F.col("replica_id").alias("gone_id")
    )
    states = stated(leader_and_isr, partition_transition, assignment)
    every = states
    for one in (tried, chosen, aimed, gone):
        every = every.unionByName(one, allowMissingColumns=True)
    values = [name for name in every.columns if name not in LINE_KEY]
    together = (
        every.where("topic IS NOT NULL AND partition IS NOT NULL")
        .groupBy(*LINE_KEY)
        .agg(*(F.max(name).alias(name) for name in values))
    )
    lived = together.transform(with_topic_life, topic_event, lines, deletion_before)
    own = lived.transform(with_ends, lines, term, before).transform(without_stale)
    return own.withColumn("said", F.struct(*SAID))


def without_stale(own: DataFrame) -> DataFrame:
    """Without requests that tell less than their controller knows: of one batch the first may tell what came between
    (up to 1.0, two brokers gone at once)."""
    order = Window.partitionBy(*OBJECT).orderBy("seq").rowsBetween(Window.unboundedPreceding, -1)
    is_stale = F.col("event").isin(*SENT) & (F.col("leader_epoch") < F.max("leader_epoch").over(order))
    return (
        own.withColumn("is_stale", F.coalesce(is_stale, F.lit(False))).where("NOT is_stale").drop("is_stale")
    )


def attempts(views: DataFrame) -> DataFrame:
    """One row per attempt, of held() with said: isr and leader_epoch that came of it, what selectors noted before
    (notes, note: the line of an unclean choice), and the target of a reassignment. how: move, removed or implied."""
    order = Window.partitionBy(*OBJECT).orderBy("seq")
    until_now, before = (order.rowsBetween(Window.unboundedPreceding, end) for end in (0, -1))
    is_one = F.col("how").isNotNull()
    number = F.sum(is_one.cast("int")).over(until_now)
    after = Window.partitionBy(*OBJECT, "number", "said.event_seq")
    since = Window.partitionBy(*OBJECT, "number_before", "said.event_seq")
    is_unclean = F.col("said.choice") == "elected_unclean"
    said_isr = F.when(F.col("said.isr").isNotNull(), line())
    noted = F.when(F.col("said.choice").isNotNull(), F.concat_ws(" ", "said.event", "said.choice"))
    return (
        views.transform(with_how)
        .withColumns({"number": number, "isr_line": F.last(said_isr, ignorenulls=True).over(before)})
        .withColumn("number_before", F.col("number") - is_one.cast("int"))
        .withColumns(
            {
                "sent": F.min_by(F.struct("said.isr", "said.leader_epoch"), epoch_place()).over(after),
                "notes": F.collect_set(noted).over(since),
                "note": F.min(F.when(is_unclean, line())).over(since),
                "selector": F.max("said.selector").over(since),
                "target": F.last("said.target", ignorenulls=True).over(until_now),
            }
        )
        .where(is_one)
        .transform(with_each_removal)
        .withColumn("isr", F.coalesce("said.isr", "sent.isr"))
        .withColumn("leader_epoch", F.coalesce("said.leader_epoch", "sent.leader_epoch"))
    )


def line() -> Column:
    return F.struct("said.file_id", "said.byte_offset")


def epoch_place() -> Column:
    """Of requests that tell what came of an attempt: the first one counts."""
    is_telling = F.col("said.event").isin(*SENT) & F.col("said.leader_epoch").isNotNull()
    return F.when(is_telling, F.col("seq"))


def with_how(views: DataFrame) -> DataFrame:
    """how; gone: the replicas that went offline since the leader epoch was said last, each with its line, in order.

    removed: a line says that a replica left the ISR; from 2.6 on it is written also where nothing changed.
    implied: up to 2.5 only the request after it tells.
    """
    order = Window.partitionBy(*OBJECT).orderBy("seq")
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    is_said = F.col("said.leader_epoch").isNotNull()
    silent = (F.col("said.event") == "partition_transition") & ~is_said & (F.col("said.outcome") == "done")
    mark = F.when(silent, F.lit(True)).when(is_said, F.lit(False))
    of_gone = Window.partitionBy(*OBJECT, "said_before").orderBy("seq")
    one = F.struct("said.gone_id", "said.file_id", "said.byte_offset", "said.logged_at", "seq")
    epoch = F.col("held_before.leader_epoch")
    # Up to 1.0 the line of an election does not say its leader epoch.
    is_unsaid = F.coalesce(F.last(mark, ignorenulls=True).over(before), F.lit(False))
    rises = F.coalesce((F.col("said.leader_epoch") > epoch) | is_unsaid, F.lit(False))
    is_removal = (F.col("said.event") == UPDATED) | ((F.col("said.event") == REMOVED) & rises)
    is_told = F.col("said.event").isin(*SENT) & rises & ~is_unsaid
    return (
        views.withColumn("said_before", F.count(F.when(is_said, 1)).over(before))
        .withColumn("gone", F.collect_list(F.when(F.col("said.gone_id").isNotNull(), one)).over(of_gone))
        .withColumn("gone", F.filter("gone", is_first_of_its_replica))
        .withColumn(
            "how",
            F.when(F.col("said.from_state").isNotNull(), "move")
            .when(is_removal, "removed")
            .when(is_told & is_implied(epoch), "implied"),
        )
    )


def is_first_of_its_replica(one: Column, place: Column) -> Column:
    """A replica whose deletion was put off goes offline once more: it has left the ISR by then."""
    return F.array_position(F.col("gone.gone_id"), one["gone_id"]) == place + 1


def is_implied(epoch: Column) -> Column:
    """A replica went offline, or the ISR shrank by one election. Where a reassignment only raises the leader epoch,
    neither is so."""
    leader, held = F.col("said.leader"), F.col("held_before")
    is_gone = (leader == NOBODY) & (held["leader"] != NOBODY)
    is_shrunk = (leader == held["leader"]) & (F.size(F.array_except(held["isr"], F.col("said.isr"))) > 0)
    # What the first request of a term tells may be the work of a controller whose lines are missing.
    is_one = (F.col("said.leader_epoch") == epoch + 1) & (F.col("said_before") > 0)
    return (F.size("gone") > 0) | F.coalesce(is_one & (is_gone | is_shrunk), F.lit(False))


def with_each_removal(found: DataFrame) -> DataFrame:
    """Of what a request implies a row per removal: two brokers may go at once, and only the last is told.

    By the line on which the replica went offline, where as many did as the leader epoch rose.
    """
    rise = F.col("said.leader_epoch") - F.col("held_before.leader_epoch")
    in_isr = F.filter("gone", lambda one: F.array_contains("held_before.isr", one["gone_id"]))
    each = (
        F.when(F.col("how") != "implied", F.lit(None))
        .when(rise == F.size("gone"), F.col("gone"))
        .when(rise == F.size(in_isr), in_isr)
        .when(F.size("gone") > 0, F.slice("gone", -1, 1))
    )
    own = F.coalesce(F.col("place"), F.lit(0))
    last = F.coalesce(F.size("each") - 1, F.lit(0))
    ids = F.col("each.gone_id")
    return (
        found.withColumn("each", each)
        .select("*", F.posexplode_outer("each").alias("place", "one"))
        .withColumn("told_at", line())
        .withColumns({"own": own, "after": last - own})
        .withColumn("before_it", F.when(F.col("own") > 0, reached(ids, F.col("own") - 1)))
        .withColumn("said", F.when(F.col("one").isNotNull(), said_of_one(ids)).otherwise(F.col("said")))
        .withColumn("seq", F.coalesce("one.seq", "seq"))
        .withColumn(
            "held_before",
            F.when(
                F.col("before_it").isNotNull(),
                F.col("held_before")
                .withField("leader", F.col("before_it.leader"))
                .withField("isr", F.col("before_it.isr")),
            ).otherwise(F.col("held_before")),
        )
        .withColumn("note", F.when(F.col("one").isNotNull(), F.col("told_at")).otherwise(F.col("note")))
        .drop("each", "place", "one", "told_at", "own", "after", "before_it")
    )


def reached(ids: Column, place: Column) -> Column:
    """(leader, isr) after the removal of so many of these, the first at place 0; the last one is what is told."""
    old, isr = F.col("held_before.leader"), F.col("said.isr")
    so_far, later = F.slice(ids, F.lit(1), place + 1), F.slice(ids, place + 2, F.size(ids))
    leader = F.when(F.array_contains(so_far, old), F.lit(NOBODY)).otherwise(old)
    is_last = place == F.size(ids) - 1
    return F.struct(
        F.when(is_last, F.col("said.leader")).otherwise(leader).alias("leader"),
        F.when(is_last, isr).otherwise(F.array_union(isr, later)).alias("isr"),
    )


def said_of_one(ids: Column) -> Column:
    at = reached(ids, F.col("own"))
    values = {
        "leader": at["leader"],
        "isr": at["isr"],
        "leader_epoch": F.col("said.leader_epoch") - F.col("after"),
        **{name: F.col(f"one.{name}") for name in ("logged_at", "file_id", "byte_offset")},
    }
    said = F.col("said")
    for name, value in values.items():
        said = said.withField(name, value)
    return said
