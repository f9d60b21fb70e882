"""What KRaft controllers print of decisions that change leaders, put beside the changes that may have come of them."""

from collections.abc import Callable

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.kraft_offices import in_office

BROKER = ("cluster_id", "broker_id")
LEFT = (
    "session_timed_out",
    "fence_granted",
    "controlled_shutdown_granted",
    "shutdown_granted",
    "log_dir_failed",
)
BACK = ("unfence_granted",)
RUNS = ("preferred_election_run", "periodic_task_run")
PREFERRED_TASK = "electPreferred"
MOVED = ("completed", "changed")
UNCLEAN = "elected_unclean"
CHOICES = ("elect_unclean", "elect_elr")
SOON_MS = 1_000  # what one event prints in two files
LATER_MS = 3_000  # from a decision to the first broker that prints what came of it
LATE_MS = 60_000  # the same, while few controllers are there to write the decision down


def with_marks(
    changes: DataFrame,
    broker_event: DataFrame,
    election_event: DataFrame,
    reassignment_event: DataFrame,
    term: DataFrame,
) -> DataFrame:
    """Adds, null where there is none: left (of the leader before), back (of the new one), moved (of the partition), run
    (of preferred elections): the last such decision that can be of the change, each with at, step and line;
    are_runs_told: its controller printed one by then, be it that nothing was to do; said: what lines say of this very
    election.

    changes: rows with before, leader, leader_epoch, topic, topic_id, partition, valid_from_at, term_id.
    """
    decided = in_office(broker_event.where("said_by = 'decision' AND broker_id IS NOT NULL"), term)
    left = listed(decided.where(F.col("step").isin(*LEFT)), BROKER, "left")
    back = listed(decided.where(F.col("step").isin(*BACK)), BROKER, "back")
    moves = reassignment_event.where(F.col("step").isin(*MOVED) & F.col("partition").isNotNull())
    moved = listed(in_office(moves, term), ("cluster_id", "topic", "partition"), "moved")
    is_run = F.col("event").isin(*RUNS) & F.coalesce(F.col("trigger") == PREFERRED_TASK, F.lit(True))
    runs = listed(in_office(election_event.where(is_run), term), ("cluster_id",), "runs")
    since_before = F.greatest(
        F.col("before.valid_from_at") - seconds(SOON_MS), F.col("valid_from_at") - seconds(LATE_MS)
    )
    lately = F.col("valid_from_at") - seconds(LATER_MS)
    return (
        changes.withColumn("old_leader", F.col("before.leader"))
        .join(F.broadcast(left.withColumnRenamed("broker_id", "old_leader")), ["cluster_id", "old_leader"], "left")
        .join(F.broadcast(back.withColumnRenamed("broker_id", "leader")), ["cluster_id", "leader"], "left")
        .join(F.broadcast(moved), ["cluster_id", "topic", "partition"], "left")
        .join(F.broadcast(runs), ["cluster_id"], "left")
        .transform(with_said, election_event)
        .withColumn("left", last("left", since_before))
        .withColumn("back", last("back", since_before))
        .withColumn("moved", last("moved", lately))
        .withColumn("are_runs_told", F.exists("runs", is_of_term))
        .withColumn("run", last("runs", lately, lambda one: one["partition_count"] > 0))
        .drop("runs")
    )  # fmt: skip


def listed(marks: DataFrame, by: tuple[str, ...], name: str) -> DataFrame:
    """(by, name): all marks of a key in order of time."""
    line = F.struct("file_id", "byte_offset").alias("line")
    mark = F.struct(F.col("logged_at").alias("at"), "step", line, "term_id", "partition_count")
    if "partition_count" not in marks.columns:
        marks = marks.withColumn("partition_count", F.lit(None).cast("int"))
    return marks.groupBy(*by).agg(F.sort_array(F.collect_list(mark)).alias(name))


def seconds(of_ms: int) -> Column:
    return F.make_dt_interval(secs=F.lit(of_ms / 1000))


def last(name: str, since: Column, is_meant: Callable[[Column], Column] = lambda _: F.lit(True)) -> Column:
    """The last of the marks from that time until just after the change."""
    until = F.col("valid_from_at") + seconds(SOON_MS)
    fitting = F.filter(name, lambda one: (one["at"] >= since) & (one["at"] <= until) & is_meant(one))
    return F.try_element_at(fitting, F.lit(-1))


def is_of_term(one: Column) -> Column:
    return F.coalesce(one["term_id"] == F.col("term_id"), F.lit(False)) & (
        one["at"] <= F.col("valid_from_at")
    )


def with_said(changes: DataFrame, election_event: DataFrame) -> DataFrame:
    """said: step, selector and at of the lines about this very choice, found by topic id, partition, leader epoch and
    leader; lines: the diff that names the topic, and what the controller said when it chose.

    The line of the choice itself has the leader epoch before from 4.1 on, and until then none: it is that of the next
    diff. Diffs, which every controller prints that replays the record, have the epoch after.
    """
    is_choice = F.col("event").isin(*CHOICES)
    is_said = F.col("topic_id").isNotNull() & ((F.col("step") == UNCLEAN) | is_choice)
    later = (
        Window.partitionBy("cluster_id", "topic_id", "partition", "new_leader")
        .orderBy("logged_at", "file_id", "byte_offset")
        .rowsBetween(Window.currentRow, Window.unboundedFollowing)
    )
    diff = F.first(F.when(~is_choice, F.struct("leader_epoch", "logged_at")), ignorenulls=True).over(later)
    is_soon = F.unix_millis(diff["logged_at"]) - F.unix_millis("logged_at") <= LATE_MS
    own = F.col("leader_epoch") + is_choice.cast("int")
    epoch = F.coalesce(own, F.when(is_soon, diff["leader_epoch"]))
    key = ("cluster_id", "topic_id", "partition", "leader_epoch", "leader")
    line = F.struct("file_id", "byte_offset")
    place = F.struct("logged_at", "file_id", "byte_offset")
    said = F.struct(
        F.max("step").alias("step"),
        F.min("selector").alias("selector"),
        F.min("logged_at").alias("at"),
        F.array_compact(
            F.array(F.min_by(line, F.when(~is_choice, place)), F.min_by(line, F.when(is_choice, place)))
        ).alias("lines"),
    )
    by_choice = (
        election_event.where(is_said)
        .withColumn("leader_epoch", epoch)
        .withColumn("leader", F.col("new_leader"))
        .groupBy(*key)
        .agg(said.alias("said"))
    )
    return changes.join(F.broadcast(by_choice), on=[*key], how="left")
