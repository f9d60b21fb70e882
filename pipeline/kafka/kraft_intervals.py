"""Who led which partition when in KRaft mode: from what brokers print by partition epoch, and what fencing implies."""

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.acting import SEQ_BITS
from pipeline.kafka.kraft_offices import LINE, kraft_offices, until_unseen, with_decided, with_term
from pipeline.kafka.leaderless import fences, held, reigns, with_fence, with_lost, with_reigns
from pipeline.kafka.partition_states import (
    ASSIGNED,
    HELD,
    IDENTITY,
    identified,
    printed,
    seeds,
    states,
    with_seeds,
)
from pipeline.kafka.unwatched import with_unwatched

KNOWN = (*HELD, "partition_epoch", "state", "certainty", "topic_life", "gone_at", "gone_by")
TRACKED = ("partition_epoch", "state", *HELD, *ASSIGNED)
REMOVED, WIPED, TAKEN = "topic_removed", "controller_active", "partition_created"
MOST_EPOCHS = (1 << SEQ_BITS) - 1


def kraft_intervals(
    partition_state: DataFrame,
    broker_absence: DataFrame,
    controller_line: DataFrame,
    term: DataFrame,
    wording_seen: DataFrame,
    timeline_before: DataFrame,
    cut: datetime | None,
) -> DataFrame:
    """One row per interval of a partition in KRaft mode in which nothing known of it changed.

    What may have gone by unseen as logs of a broker are missing: see with_unwatched.
    Begin: the decision that implies it, else the first line of any node that states it; lines that come late, as those
    of a process that starts and prints all it has, tell nothing but the assignment where none was known.
    Places: seq and event_seq are the millisecond of the begin, seq within it the partition epoch: what brokers print
    has no place in a controller's term. The term is the one in office then.
    """
    offices = term.transform(kraft_offices)
    absences = broker_absence.transform(until_unseen, offices)
    before = timeline_before.where("topic_id IS NOT NULL")
    lines = identified(partition_state, before, cut).transform(with_decided, controller_line, offices)
    said = printed(lines).transform(with_seeds, seeds(before), term)
    topics = lives(said, lines, before, term, offices)
    return (
        said.transform(states)
        .transform(with_reigns)
        .transform(with_lost, absences)
        .transform(reigns, topics)
        .transform(with_fence, fences(absences))
        .transform(held)
        .transform(with_known)
        .unionByName(assignments(lines, before), allowMissingColumns=True)
        .transform(filled)
        .transform(with_unwatched, wording_seen, broker_absence, offices)
        .transform(changes)
        .transform(with_term, offices)
        .transform(placed)
    )


def until_kraft(in_zookeeper: DataFrame, in_kraft: DataFrame, timeline_before: DataFrame) -> DataFrame:
    """Intervals of ZooKeeper mode until KRaft takes over: afterwards the new controller tells brokers that are not
    restarted yet what it holds, in the same words."""
    begun = in_kraft.select("cluster_id", "valid_from_at").unionByName(
        timeline_before.where("topic_id IS NOT NULL").select("cluster_id", "valid_from_at")
    )
    taken = begun.groupBy("cluster_id").agg(F.min("valid_from_at").alias("kraft_at"))
    is_open = F.col("valid_until_at").isNull() | (F.col("valid_until_at") > F.col("kraft_at"))
    return (
        in_zookeeper.join(F.broadcast(taken), on="cluster_id", how="left")
        .where("kraft_at IS NULL OR valid_from_at < kraft_at")
        .withColumn(
            "ended_by", F.when(is_open & F.col("kraft_at").isNotNull(), TAKEN).otherwise(F.col("ended_by"))
        )
        .withColumn("valid_until_at", F.least("valid_until_at", "kraft_at"))
        .drop("kraft_at")
    )


def with_known(held: DataFrame) -> DataFrame:
    state = F.when(F.col("leader") >= 0, "OnlinePartition").when(F.col("leader") < 0, "OfflinePartition")
    known = F.struct(*KNOWN)
    return held.withColumn("state", state).withColumn("known", known).drop(*KNOWN)


def lives(
    printed: DataFrame, lines: DataFrame, before: DataFrame, term: DataFrame, offices: DataFrame
) -> DataFrame:
    """(cluster_id, topic_id, topic_life, gone_at, gone_by) of each topic: the life of the metadata in which it was
    seen first, and one more for each topic of that name that was removed before."""
    ended = F.when(F.col("ended_by").isin(REMOVED, WIPED), F.struct("valid_until_at", "ended_by"))
    known = before.groupBy("cluster_id", "topic", "topic_id").agg(
        F.min("valid_from_at").alias("at"),
        F.min("topic_life").alias("known_life"),
        F.min(ended).alias("ended"),
    )
    removal = lines.where(F.col("step") == "removed").select(
        "cluster_id", "topic", "topic_id",
        F.struct(F.col("at").alias("valid_until_at"), F.lit(REMOVED).alias("ended_by")).alias("ended"),
    )  # fmt: skip
    own = ("cluster_id", "topic", "topic_id")
    seen = (
        printed.select(*own, "at")
        .unionByName(known, allowMissingColumns=True)
        .groupBy(*own)
        .agg(F.min("at").alias("at"), F.max("known_life").alias("known_life"), F.min("ended").alias("ended"))
        .join(removal.groupBy(*own).agg(F.min("ended").alias("removal")), on=[*own], how="left")
        .withColumn("removal", F.coalesce("ended", "removal"))
    )
    first = term.where("mode = 'kraft'").groupBy("cluster_id").agg(F.min("life").alias("first_life"))
    begun = offices.groupBy("cluster_id", F.col("life").alias("later_life")).agg(
        F.min("from_at").alias("wiped_at")
    )
    of_life = (
        seen.transform(with_term, offices)
        .join(F.broadcast(first), on="cluster_id", how="left")
        .withColumn("life", F.coalesce("life", "first_life", F.lit(1)))
        .join(F.broadcast(begun), on="cluster_id", how="left")
        .groupBy(*own, "at", "known_life", "removal", "life")
        .agg(F.min(F.when(F.col("later_life") > F.col("life"), F.col("wiped_at"))).alias("wiped_at"))
    )
    return of_life.transform(numbered)


def numbered(of_life: DataFrame) -> DataFrame:
    """Topics with their number among those of the name, and their end: removed, or wiped with the life."""
    order = Window.partitionBy("cluster_id", "topic").orderBy("at", "topic_id")
    wiped = F.when(
        F.col("wiped_at").isNotNull(),
        F.struct(F.col("wiped_at").alias("valid_until_at"), F.lit(WIPED).alias("ended_by")),
    )
    is_gone = F.col("removal").isNotNull() | F.coalesce(
        F.lead("life").over(order) == F.col("life"), F.lit(False)
    )
    gone_before = F.sum("is_gone").over(order.rowsBetween(Window.unboundedPreceding, -1))
    return (
        of_life.withColumn("is_gone", is_gone.cast("int"))
        .withColumn("counted", F.col("life") + F.coalesce(gone_before, F.lit(0)))
        .withColumn("end", F.least("removal", wiped))
        .select(
            "cluster_id", "topic_id", F.coalesce("known_life", "counted").cast("int").alias("topic_life"),
            F.col("end.valid_until_at").alias("gone_at"), F.col("end.ended_by").alias("gone_by"),
        )
    )  # fmt: skip


def assignments(lines: DataFrame, before: DataFrame) -> DataFrame:
    """Replicas that controllers' lines and the rows before the cut state, without a partition epoch. replayed: those of
    lines that are no decision, as a controller prints them whenever it starts."""
    key = (*IDENTITY, "topic", "at", *LINE)
    said = lines.where((F.col("teller") == "controller") & F.col("replicas").isNotNull())
    decided = said.where(F.col("is_decided") & F.col("partition_epoch").isNull()).select(*key, *ASSIGNED)
    replayed = said.where("NOT is_decided").select(*key, F.col("replicas").alias("replayed"))
    line = F.col("evidence")[0]
    last = F.max_by(F.struct(*before.columns), "interval_seq").alias("last")
    known = (
        before.groupBy(*IDENTITY)
        .agg(last)
        .select("last.*")
        .select(
            *IDENTITY, "topic", F.col("valid_from_at").alias("at"), F.lit("").alias("event"),
            line["file_id"].alias("file_id"), line["byte_offset"].alias("byte_offset"), *ASSIGNED,
            F.when(F.col("is_assignment_stale"), F.col("replicas")).alias("lost"),
        )
    )  # fmt: skip
    return decided.unionByName(replayed, allowMissingColumns=True).unionByName(
        known, allowMissingColumns=True
    )


def filled(rows: DataFrame) -> DataFrame:
    """Each row with all that is known by then of its partition, its state since known_at, its assignment as stated
    at replicas_at; what comes before its first state tells of replicas.

    Where a replica was lost and the assignment was not stated since, it is stale.
    """
    order = Window.partitionBy(*IDENTITY).orderBy(
        "at", F.col("known").isNull(), "known.partition_epoch", *LINE
    )
    so_far = order.rowsBetween(Window.unboundedPreceding, 0)
    last = {
        name: F.last(name, ignorenulls=True).over(so_far)
        for name in (*ASSIGNED, "known", "first_seq", "replayed", "doubt")
    }

    def last_time(name: str) -> Column:
        return F.last(F.when(F.col(name).isNotNull(), F.col("at")), ignorenulls=True).over(so_far)

    nothing = F.array().cast("array<int>")
    is_seed = F.col("known").isNull() & F.col("lost").isNotNull()
    doubt = (
        F.when(is_seed, F.col("lost")).when(F.col("replicas").isNotNull(), nothing).otherwise(F.col("lost"))
    )
    is_doubtful = F.coalesce(F.arrays_overlap("doubt", "replicas"), F.lit(False))
    return (
        rows.withColumn("doubt", doubt)
        .withColumns(last | {"known_at": last_time("known"), "replicas_at": last_time("replicas")})
        .withColumn("replicas", F.coalesce("replicas", "replayed"))
        .where("known IS NOT NULL")
        .select("*", *(F.col(f"known.{name}").alias(name) for name in KNOWN))
        .withColumn("is_assignment_stale", F.when(F.col("replicas").isNotNull(), is_doubtful))
        .drop("known", "replayed", "lost", "doubt")
    )


def changes(rows: DataFrame) -> DataFrame:
    """The rows that change something, with their end and what ended them."""
    order = Window.partitionBy(*IDENTITY).orderBy("at", "place")
    place = Window.partitionBy(*IDENTITY).orderBy(
        "at", F.col("partition_epoch").isNull(), "partition_epoch", *LINE
    )
    now = F.struct(*TRACKED, "is_unseen")
    counted = F.coalesce(F.max("first_seq").over(Window.partitionBy(*IDENTITY)) - 1, F.lit(0))
    last_of_instant = F.lead("at").over(order).isNull() | (F.lead("at").over(order) > F.col("at"))
    return (
        rows.where("gone_at IS NULL OR at < gone_at")
        .withColumn("place", F.row_number().over(place))
        .withColumn("is_last", last_of_instant)
        .where("is_last")
        .withColumn("is_same", now.eqNullSafe(F.lag(now).over(order)))
        .where("NOT is_same")
        .withColumn("valid_until_at", F.coalesce(F.lead("at").over(order), "gone_at"))
        .withColumn("ended_by", F.coalesce(F.lead("event").over(order), "gone_by"))
        .withColumn("interval_seq", (F.row_number().over(order) + counted).cast("long"))
    )


def placed(rows: DataFrame) -> DataFrame:
    at_ms = F.unix_millis("at") * F.lit(1 << SEQ_BITS)
    within = F.least(F.coalesce("partition_epoch", F.lit(0)), F.lit(MOST_EPOCHS))
    return (
        rows.withColumn("valid_from_at", F.col("at"))
        .withColumn("event_seq", at_ms)
        .withColumn("seq", at_ms + within)
        .withColumn("is_deleting", F.lit(False))
        .withColumn("evidence", F.array(F.struct("file_id", "byte_offset")))
    )
