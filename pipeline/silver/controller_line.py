"""The order of a controller's lines and what each belongs to: term, place, event, cause."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.causes import openers
from schemas.silver.controller_line import SPEC

ELECTION = "preferred_election_started"
OFFICE_ENDS = ("controller_resigned", "controller_renounce")
OF_ANOTHER_EPOCH = ("controller_epoch_read", "controller_renounce", "controller_observed_leader")
EVENT_THREAD = "kafka.controller.ControllerEventManager$ControllerEventThread"
R1_LOGGERS = ("kafka.controller.ReplicaStateMachine", "kafka.controller.PartitionStateMachine")
R2_LOGGERS = ("kafka.controller.ZkReplicaStateMachine", "kafka.controller.ZkPartitionStateMachine")
IMBALANCE = ("imbalance_ratio", "imbalance_not_preferred", "imbalance_check", "auto_preferred_election")
USED = (
    "cluster_id", "node_id", "log", "file_id", "load_seq", "byte_offset", "logged_at", "level", "logger",
    "event", "template", "controller_id", "controller_epoch", "fields",
)  # fmt: skip


def build(log_record: DataFrame, source_file: DataFrame, term: DataFrame) -> DataFrame:
    """One row per line that a controller wrote in office.

    Lines of state-change.log carry their epoch; lines of controller.log belong to the last election before
    them on that node, until it resigns or its process starts anew.
    Order within a term: running maximum of time per node and log (lines are up to 12 ms out of order),
    controller.log before state-change.log, then place in the file.
    """
    lines = log_record.transform(of_controllers).transform(with_running_time, source_file)
    placed = lines.transform(with_term, term).where("term_id IS NOT NULL")
    return (
        placed.transform(with_seq)
        .transform(with_cause)
        .transform(with_level_and_machine)
        .select(*SPEC.columns)
    )


def of_controllers(log_record: DataFrame) -> DataFrame:
    is_controller_log = F.col("log") == "controller"
    is_acting = (
        (F.col("log") == "state-change")
        & F.col("controller_id").isNotNull()
        & ~F.col("event").startswith("broker_")
        & (F.col("node_id").isNull() | (F.col("node_id") == F.col("controller_id")))
    )
    return (
        log_record.where("event IS NOT NULL AND logged_at IS NOT NULL")
        .where(is_controller_log | is_acting)
        .select(*USED)
    )


def with_running_time(lines: DataFrame, source_file: DataFrame) -> DataFrame:
    files = source_file.groupBy("file_id").agg(F.min("first_logged_at").alias("file_from_at"))
    order = (F.col("file_from_at"), F.col("file_id"), F.col("byte_offset"))
    until_now = Window.partitionBy("cluster_id", "node_id", "log").orderBy(*order)
    return lines.join(F.broadcast(files), on="file_id", how="left").withColumn(
        "ordered_at", F.max("logged_at").over(until_now.rowsBetween(Window.unboundedPreceding, 0))
    )


def with_term(lines: DataFrame, term: DataFrame) -> DataFrame:
    """The term by the epoch on the line, else by the last election of the node before it.

    A node leaves office with the line that says so, or when its process starts anew.
    """
    order = (F.col("ordered_at"), log_rank(), F.col("file_from_at"), F.col("file_id"), F.col("byte_offset"))
    of_node = Window.partitionBy("cluster_id", F.coalesce("node_id", "controller_id")).orderBy(*order)
    until_now = of_node.rowsBetween(Window.unboundedPreceding, 0)
    is_start = (F.col("event") == "controller_starting") | (
        (F.col("logger") == EVENT_THREAD) & F.col("template").rlike(r"[\])]:? Starting\s*$")
    )
    is_left = is_start | F.col("previous_event").isin(*OFFICE_ENDS)
    opened = term.where("elected_at IS NOT NULL").select(
        "cluster_id", "file_id", "byte_offset", F.col("term_id").alias("opened_id")
    )
    return (
        lines.transform(with_stated_term, term)
        .join(F.broadcast(opened), on=["cluster_id", "file_id", "byte_offset"], how="left")
        .withColumn("previous_event", F.lag("event").over(of_node))
        .withColumn(
            "mark", F.when(F.col("opened_id").isNotNull(), F.col("opened_id")).when(is_left, F.lit(""))
        )
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


def in_term() -> tuple[Column, ...]:
    return (F.col("ordered_at"), log_rank(), F.col("file_from_at"), F.col("file_id"), F.col("byte_offset"))


def with_seq(lines: DataFrame) -> DataFrame:
    order = Window.partitionBy("cluster_id", "term_id").orderBy(*in_term())
    return lines.withColumn("seq", F.row_number().over(order).cast("long")).withColumn(
        "previous_event", F.lag("event").over(order)
    )


def with_cause(lines: DataFrame) -> DataFrame:
    """The last opening line before it (pipeline/kafka/causes.tsv); an election of no partitions opens nothing."""
    until_now = (
        Window.partitionBy("cluster_id", "term_id").orderBy("seq").rowsBetween(Window.unboundedPreceding, 0)
    )
    is_election = (F.col("event") == ELECTION) & (F.length(F.trim(elected_partitions())) > 0)
    is_automatic = is_election & F.col("is_automatic")
    is_unclean = F.coalesce(F.col("fields")["election_type"] == "UNCLEAN", F.lit(False))
    cause = F.when(is_election & is_unclean, "unclean election").when(is_automatic, "automatic rebalance")
    opens = F.lit(False)
    for opener in openers():
        is_it = is_election if opener.event == ELECTION else F.col("event") == opener.event
        cause = cause.when(is_it, F.lit(opener.cause or "unknown"))
        opens = opens | is_it if opener.is_event else opens
    begun = F.max(F.when(opens & ~is_automatic, F.col("seq"))).over(until_now)
    return (
        lines.transform(with_automatic)
        .withColumn("own_cause", cause)
        .withColumn("stated_cause", F.last("own_cause", ignorenulls=True).over(until_now))
        .withColumn("cause", F.coalesce("stated_cause", F.lit("unknown")))
        .withColumn("event_seq", F.coalesce(begun, F.lit(0).cast("long")))
    )


def with_automatic(lines: DataFrame) -> DataFrame:
    """Whether an election is the controller's own: from 2.4 on the line says so.

    Before, it follows a ratio line at once, or (up to 2.1, one election per partition) it is of a partition that
    the check before it listed, with nothing else begun in between.
    """
    order = Window.partitionBy("cluster_id", "term_id").orderBy("seq")
    until_now = order.rowsBetween(Window.unboundedPreceding, 0)
    others = [opener.event for opener in openers() if opener.is_event and opener.event != ELECTION]
    in_check = F.when(F.col("event").isin(*IMBALANCE), F.lit(True)).when(
        F.col("event").isin(*others), F.lit(False)
    )
    not_preferred = F.when(
        F.col("event") == "imbalance_not_preferred", F.col("fields")["topics_not_in_preferred_replica"]
    )
    is_listed = F.contains(
        F.last(not_preferred, ignorenulls=True).over(until_now), F.concat(elected_partitions(), F.lit(" -> "))
    )
    follows = F.last(in_check, ignorenulls=True).over(until_now) & (
        F.col("previous_event").isin(*IMBALANCE) | is_listed
    )
    is_said = F.col("fields")["election_trigger"] == "AutoTriggered"
    return lines.withColumn("is_automatic", F.coalesce(is_said, follows, F.lit(False)))


def elected_partitions() -> Column:
    return F.coalesce(F.col("fields")["topic_partitions"], F.lit(""))


def with_level_and_machine(lines: DataFrame) -> DataFrame:
    """What the whole term tells: TRACE or not, and which release of the replica machine wrote it."""
    whole = Window.partitionBy("cluster_id", "term_id")
    is_trace = (F.col("log") == "state-change") & (F.col("level") == "TRACE")
    is_info_move = (F.col("event") == "partition_transition") & (F.col("level") == "INFO")
    is_old_wording = F.col("template").startswith("Controller {controller_id} epoch")
    machine = F.when(F.col("logger").isin(*R2_LOGGERS) | is_info_move, "R2").when(
        F.col("logger").isin(*R1_LOGGERS) | is_old_wording, "R1"
    )
    return (
        lines.withColumn("is_trace_seen", F.max(F.coalesce(is_trace, F.lit(False))).over(whole))
        .withColumn("own_machine", machine)
        .withColumn("least", F.min("own_machine").over(whole))
        .withColumn("most", F.max("own_machine").over(whole))
        .withColumn("replica_machine", F.when(F.col("least") == F.col("most"), F.col("least")))
    )
