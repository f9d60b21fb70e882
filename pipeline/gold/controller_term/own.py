"""What a controller says of its own term: the steps of its start, and the lines that end it."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.tenures import LEAVING, STARTED, first_said, in_office, is_before_restart, place

STOPPED = ("thread_stopping", "thread_shut_down", "stopped")
EXPIRED = ("session_expired", "session_expired_in_office")
# Source: KafkaController.onControllerFailover (elect up to 2.0) to the start of the scheduler, 0.8.2 to 3.9.
STARTUP = (
    *("elected", "failover_started", "registering_handlers", "reading_epoch", "epoch_read", "incrementing_epoch"),
    *("epoch_incremented", "deleting_log_dir_notifications", "deleting_isr_notifications"),
    *("initializing_context", "context_loaded", "fetching_topic_deletions", "initializing_deletion_manager"),
    *("deletion_manager_initialized", "sending_update_metadata"),
    *("replica_machine_initializing", "replica_machine_online", "replica_machine_offline"),
    *("replica_machine_started", "partition_machine_initializing", "partition_machine_online"),
    *("partition_machine_started", "ready", "scheduler_started"),
)  # fmt: skip

MARKS = ("ready", "resigning", "forced", "failed", "fenced")
OF_PROCESS = (
    *((f"{mark}_at", f"{mark}_line") for mark in MARKS),
    *((f"{name}_at", f"{name}_at") for name in (*MARKS, "serving", "resigned")),
)


def own_lines(term: DataFrame, controller_event: DataFrame) -> DataFrame:
    """One row per term that has such lines, from the one that elects on, before the node is elected again: when and
    where it first said each thing, and the steps of its start.

    election: the line that elects, and up to 2.0 the one that then tells the epoch.
    """
    return (
        in_office(term, controller_event)
        .groupBy("t.cluster_id", "t.term_id")
        .agg(*first_lines(), startup())
        .withColumns({name: F.when(is_before_restart(at), F.col(name)) for at, name in OF_PROCESS})
        .withColumn("election", F.array_compact(F.array("elected_line", "epoch_line")))
        .transform(with_steps)
    )


def first_lines() -> list[Column]:
    step = F.col("m.step")

    def both(name: str, *steps: str) -> list[Column]:
        at, line = first_said(*steps)
        return [at.alias(f"{name}_at"), line.alias(f"{name}_line")]

    at_election = F.struct("t.file_id", "t.byte_offset")
    steps = (("ready",), LEAVING, ("forced",), ("election_failed",), ("fenced",))
    return [
        *(one for mark, own in zip(MARKS, steps, strict=True) for one in both(mark, *own)),
        first_said("epoch_incremented")[1].alias("epoch_line"),
        first_said("scheduler_started")[0].alias("serving_at"),
        first_said("resigned")[0].alias("resigned_at"),
        first_said(*STARTED)[0].alias("restarted_at"),
        first_said(*STOPPED)[0].alias("stopped_at"),
        first_said(*EXPIRED)[0].alias("expired_at"),
        F.count_if(step == "fenced").alias("fenced_count"),
        F.first(at_election).alias("elected_line"),
        F.min_by("m.event", F.when(step == "renounced", F.col("m.logged_at"))).alias("renounced_by"),
        F.min(F.when(step == "elected", F.col("m.detail"))).try_cast("int").alias("epoch_zk_version"),
    ]


def startup() -> Column:
    """said: (logged_at, place, step) of each step of the start."""
    is_startup = (
        F.col("m.step").isin(*STARTUP) & F.col("t.elected_at").isNotNull() & (F.col("t.mode") == "zookeeper")
    )
    step = F.struct(F.col("m.logged_at"), place("m.").alias("place"), F.col("m.step"))
    return F.array_sort(F.collect_list(F.when(is_startup, step))).alias("said")


def with_steps(lines: DataFrame) -> DataFrame:
    """How long each step of the start took: until the line of the next one; last_step: where a start stands that was
    never ready."""
    until = F.coalesce("serving_at", "ready_at")
    begun = F.filter("said", lambda one: until.isNull() | (one["logged_at"] <= until))
    last = F.when(F.col("ready_at").isNull() & (F.size("said") > 0), F.element_at("said.step", -1))
    return (
        lines.withColumn("said", begun)
        .withColumn("steps", durations(F.col("said")))
        .withColumn("last_step", last)
        .drop("said")
    )


def durations(said: Column) -> Column:
    """Milliseconds by step, of (logged_at, place, step) in order; the last one has no end."""
    ended = F.transform(
        F.slice(said, 1, F.greatest(F.size(said) - 1, F.lit(0))),
        lambda one, at: F.struct(
            one["step"].alias("step"),
            (F.unix_millis(said[at + 1]["logged_at"]) - F.unix_millis(one["logged_at"])).alias("ms"),
        ),
    )
    names = F.array_distinct(ended["step"])
    sums = F.transform(
        names,
        lambda name: F.aggregate(
            F.filter(ended, lambda one: one["step"] == name),
            F.lit(0).cast("bigint"),
            lambda total, one: total + one["ms"],
        ),
    )
    return F.when(F.size(said) > 1, F.map_from_arrays(names, sums))
