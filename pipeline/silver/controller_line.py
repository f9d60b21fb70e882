"""The order of a controller's lines and what each belongs to: term, place, event, cause."""

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.acting import SEQ_BITS, by_controllers
from pipeline.kafka.causing import with_cause
from schemas.silver.controller_line import SPEC

LEAVING = ("resigned", "renounced")
STARTING = ("starting", "thread_starting", "created")
# These name an epoch that need not be that of their controller; KRaft controllers also one that they held once.
OF_ANOTHER_EPOCH = (
    *("controller_epoch_read", "controller_renounce", "controller_observed_leader"),
    *("controller_active", "controller_event_failed"),
)
USED = (
    "cluster_id", "node_id", "log", "file_id", "load_seq", "byte_offset", "logged_at", "level",
    "event", "controller_id", "controller_epoch", "fields",
)  # fmt: skip
LAST_MS = (
    1 << 63 - SEQ_BITS
) - 1  # in the year 2248; what clocks set wrong say after it counts as one millisecond


def build(
    log_record: DataFrame,
    source_file: DataFrame,
    term: DataFrame,
    controller_event: DataFrame,
    line_before: DataFrame,
    cut: datetime | None,
) -> DataFrame:
    """One row per line that a controller wrote in office, from the cut on; all of them where there is none.

    Lines of state-change.log carry their epoch; lines of controller.log belong to the last election before
    them on that node, until it resigns or its process starts anew.
    Order within a term: running maximum of time per node and log (lines are up to 12 ms out of order),
    controller.log before state-change.log at equal times, then place in the file.
    log_record: at least the records of all files that hold a line whose running maximum reaches the cut.
    line_before: per term the last of its rows (SPEC) before the cut, with listed, the text that its listed_seq names.
    """
    lines = (
        log_record.transform(by_controllers)
        .select(*USED)
        .withColumn("rank", F.lit(1))
        .unionByName(marks(controller_event, term), allowMissingColumns=True)
        .transform(with_running_time, source_file)
    )
    if cut is not None:
        lines = lines.where((F.col("rank") != 1) | (F.col("ordered_at") >= F.lit(cut)))
    placed = lines.transform(with_term, term).where("rank = 1 AND term_id IS NOT NULL")
    return placed.transform(with_seq).transform(with_cause, line_before).select(*SPEC.columns)


def marks(controller_event: DataFrame, term: DataFrame) -> DataFrame:
    """Where a node takes office (mark: the term, before the line) or is out of it (mark: empty, after the line
    that leaves, before the line of a start)."""
    opened = term.where("elected_at IS NOT NULL").select(
        "cluster_id", "file_id", "byte_offset", F.col("term_id").alias("opened_id")
    )
    is_out = F.col("step").isin(*LEAVING, *STARTING)
    return (
        controller_event.join(F.broadcast(opened), on=["cluster_id", "file_id", "byte_offset"], how="left")
        .where(F.col("opened_id").isNotNull() | is_out)
        .select(
            "cluster_id", "node_id", "controller_id", "file_id", "load_seq", "byte_offset", "logged_at",
            F.lit("controller").alias("log"), F.coalesce("opened_id", F.lit("")).alias("mark"),
            F.when(F.col("step").isin(*LEAVING), 2).otherwise(0).alias("rank"),
        )
    )  # fmt: skip


def with_running_time(lines: DataFrame, source_file: DataFrame) -> DataFrame:
    until_now = Window.partitionBy("cluster_id", "node_id", "log").orderBy(*in_files())
    return lines.transform(with_file_begin, source_file).withColumn(
        "ordered_at", F.max("logged_at").over(until_now.rowsBetween(Window.unboundedPreceding, 0))
    )


def with_file_begin(rows: DataFrame, source_file: DataFrame) -> DataFrame:
    """file_from_at: the earliest time in the file. The files of a node and log are in its order."""
    files = source_file.groupBy("file_id").agg(F.min("first_logged_at").alias("file_from_at"))
    return rows.join(F.broadcast(files), on="file_id", how="left")


def in_files() -> tuple[Column, ...]:
    return tuple(F.col(name) for name in ("file_from_at", "file_id", "byte_offset", "rank"))


def with_term(lines: DataFrame, term: DataFrame) -> DataFrame:
    """The term by the epoch on the line, else the office that the node is in."""
    of_node = Window.partitionBy("cluster_id", F.coalesce("node_id", "controller_id"))
    until_now = of_node.orderBy(*in_order()).rowsBetween(Window.unboundedPreceding, 0)
    return (
        lines.transform(with_stated_term, term)
        .withColumn("office", F.last("mark", ignorenulls=True).over(until_now))
        .withColumn("term_id", F.coalesce("stated_id", F.nullif("office", F.lit(""))))
        .withColumn("controller_id", F.coalesce("controller_id", "node_id"))
        .where("controller_id IS NOT NULL")
    )


def with_stated_term(lines: DataFrame, term: DataFrame) -> DataFrame:
    """stated_id: the term of the controller and epoch that the line names, in the life of its time."""
    from_at = F.coalesce("elected_at", "first_seen_at")
    again = Window.partitionBy("cluster_id", "controller_id", "controller_epoch").orderBy("from_at")
    lives = (
        term.select("cluster_id", "controller_id", "controller_epoch", "term_id", from_at.alias("from_at"))
        .withColumn("until_at", F.lead("from_at").over(again))
        .alias("t")
    )
    named = ("cluster_id", "controller_id", "controller_epoch")
    is_its_own = (F.col("l.logged_at") >= F.col("t.from_at")) & (
        F.col("t.until_at").isNull() | (F.col("l.logged_at") < F.col("t.until_at"))
    )
    for name in named:
        is_its_own = is_its_own & (F.col(f"l.{name}") == F.col(f"t.{name}"))
    is_its_own = is_its_own & ~F.col("l.event").isin(*OF_ANOTHER_EPOCH)
    return (
        lines.alias("l")
        .join(F.broadcast(lives), is_its_own, how="left")
        .select("l.*", F.col("t.term_id").alias("stated_id"))
    )


def log_rank() -> Column:
    """controller.log before state-change.log at equal times: openers are written before their consequences."""
    return F.when(F.col("log") == "controller", 0).otherwise(1)


def in_order() -> tuple[Column, ...]:
    return (F.col("ordered_at"), log_rank(), *in_files())


def with_seq(lines: DataFrame) -> DataFrame:
    """Milliseconds since 1970 of ordered_at, then the place among the lines of that millisecond: what comes later
    in the term changes no place."""
    at_ms = F.least(F.unix_millis("ordered_at"), F.lit(LAST_MS))
    at_once = Window.partitionBy("cluster_id", "term_id", at_ms).orderBy(*in_order())
    return lines.withColumn("seq", at_ms * F.lit(1 << SEQ_BITS) + F.row_number().over(at_once))
