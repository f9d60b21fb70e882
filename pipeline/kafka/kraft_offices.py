"""Which KRaft controller was in office when, and which of its lines are decisions."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

LINE = ("event", "file_id", "byte_offset")


def kraft_offices(term: DataFrame) -> DataFrame:
    """One row per KRaft term that was seen to begin, or heard of: (cluster_id, controller_id, term_id, life,
    controller_epoch), from_at to next_at, when another one begins, and is_unseen: its own lines are missing.

    A controller that was superseded goes on printing decisions until it hears of it; none of them comes true.
    """
    order = Window.partitionBy("cluster_id").orderBy("from_at", "life", "controller_epoch")
    return (
        term.where("mode = 'kraft'")
        .select(
            *("cluster_id", "controller_id", "term_id", "life", "controller_epoch"),
            F.coalesce("elected_at", "first_seen_at").alias("from_at"),
            F.col("elected_at").isNull().alias("is_unseen"),
        )
        .withColumn("next_at", F.lead("from_at").over(order))
    )


def unseen_of(offices: DataFrame) -> DataFrame:
    """One row per cluster with offices of which no line was read: (cluster_id, unseen: array of from_at, next_at)."""
    return (
        offices.where("is_unseen")
        .groupBy("cluster_id")
        .agg(F.collect_list(F.struct("from_at", "next_at")).alias("unseen"))
    )


def until_unseen(broker_absence: DataFrame, offices: DataFrame) -> DataFrame:
    """silver.broker_absence with back_at: when it was back, or may have been, as a controller without lines came."""
    begins = F.transform("unseen", lambda one: one["from_at"])
    first = F.array_min(F.filter(begins, lambda at: at > F.col("out_at")))
    return (
        broker_absence.join(F.broadcast(offices.transform(unseen_of)), on="cluster_id", how="left")
        .withColumn("back_at", F.least("back_at", first))
        .drop("unseen")
    )


def within(begin: str, end: str) -> Column:
    """Whether the time `l.at` is in the stretch of `o`, which may have no end."""
    return (F.col("l.at") >= F.col(f"o.{begin}")) & (
        F.col(f"o.{end}").isNull() | (F.col("l.at") < F.col(f"o.{end}"))
    )


def with_term(rows: DataFrame, offices: DataFrame) -> DataFrame:
    """Rows (cluster_id, at) with term_id, life and controller_epoch of the office held then; null before the first."""
    holds = (F.col("l.cluster_id") == F.col("o.cluster_id")) & within("from_at", "next_at")
    return (
        rows.alias("l")
        .join(F.broadcast(offices).alias("o"), holds, how="left")
        .select("l.*", "o.term_id", "o.life", "o.controller_epoch")
    )


def in_office(decisions: DataFrame, term: DataFrame) -> DataFrame:
    """Decisions (cluster_id, logged_at, node_id, controller_id) without those of controllers that were superseded: they
    never come true. Where no election was seen any controller's decision counts. Adds at, term_id, life,
    controller_epoch."""
    holder = term.select("cluster_id", "term_id", F.col("controller_id").alias("in_office_id"))
    return (
        decisions.drop("controller_epoch")
        .withColumn("at", F.col("logged_at"))
        .transform(with_term, term.transform(kraft_offices))
        .join(F.broadcast(holder), on=["cluster_id", "term_id"], how="left")
        .where("in_office_id IS NULL OR in_office_id = coalesce(node_id, controller_id)")
        .drop("in_office_id")
    )


def with_decided(lines: DataFrame, controller_line: DataFrame, offices: DataFrame) -> DataFrame:
    """is_decided: a controller wrote the line in its office (silver.controller_line), and no other was elected yet;
    what standbys print, and a process that starts and replays its log, is no decision."""
    own = controller_line.select("file_id", "byte_offset", F.col("term_id").alias("own_id"))
    return (
        lines.join(own, on=["file_id", "byte_offset"], how="left")
        .transform(with_term, offices)
        .withColumn("is_decided", F.coalesce(F.col("own_id") == F.col("term_id"), F.lit(False)))
        .drop("own_id", "term_id", "life", "controller_epoch")
    )
