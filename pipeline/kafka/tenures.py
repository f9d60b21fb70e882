"""When each controller was in office, and what is said of it in that time."""

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

STARTED = ("starting", "thread_starting", "created")
LEAVING = ("resigning", "renounced")
LIVE = "controller_live_brokers"  # what it finds alive at its start
NAMED = ("cluster_id", "controller_id", "controller_epoch")
FIRST = 4


def in_turn() -> WindowSpec:
    """Terms as they follow one another, those of ZooKeeper and of KRaft each by themselves."""
    return Window.partitionBy("cluster_id", "mode").orderBy("life", "controller_epoch")


def with_succession(term: DataFrame) -> DataFrame:
    """When it began, and which terms come next: of its life, of the same node, of the same node and epoch.

    is_succeeded: the next one seen is the next one that there was, and its election was seen. In KRaft not every
    epoch has a leader.
    """
    order = in_turn()
    own = Window.partitionBy("cluster_id", "controller_id").orderBy("life", "controller_epoch")
    again = Window.partitionBy("cluster_id", "controller_id", "controller_epoch").orderBy("life")
    is_next = (F.lead("life").over(order) == F.col("life")) & (
        F.lead("controller_epoch").over(order) == F.col("controller_epoch") + 1
    )
    is_seen = F.lead("elected_at").over(order).isNotNull()
    return (
        term.withColumn("began_at", F.coalesce("elected_at", "first_seen_at"))
        .withColumn("superseded_at", F.lead("began_at").over(order))
        .withColumn("next_controller_id", F.lead("controller_id").over(order))
        .withColumn("is_succeeded", is_seen & (is_next | (F.col("mode") == "kraft")))
        .withColumn("next_own_at", F.lead("began_at").over(own))
        .withColumn("reused_at", F.lead("began_at").over(again))
    )


def place(of: str = "") -> Column:
    return F.struct(F.col(f"{of}file_id"), F.col(f"{of}byte_offset"))


def outermost(lines: Column) -> Column:
    """Of a list the first four and the last."""
    return F.when(F.size(lines) <= FIRST, lines).otherwise(
        F.concat(F.slice(lines, 1, FIRST), F.slice(lines, -1, 1))
    )


def in_office(term: DataFrame, controller_event: DataFrame) -> DataFrame:
    """Terms (t, with_succession) with the rows (m) of their node from the line that elects it on, before it is elected
    again."""
    happens = F.col("m.logged_at")
    is_behind = (F.col("m.file_id") == F.col("t.file_id")) & (
        F.col("m.byte_offset") >= F.col("t.byte_offset")
    )
    of_it = (
        (F.col("t.cluster_id") == F.col("m.cluster_id"))
        & (F.col("t.controller_id") == F.coalesce("m.node_id", "m.controller_id"))
        & ((happens > F.col("t.began_at")) | ((happens == F.col("t.began_at")) & is_behind))
        & (F.col("t.next_own_at").isNull() | (happens < F.col("t.next_own_at")))
    )
    return F.broadcast(term).alias("t").join(controller_event.alias("m"), of_it, how="inner")


def first_said(*steps: str) -> tuple[Column, Column]:
    """When and where one of the steps was first said, of the rows of in_office in a group."""
    at = F.when(F.col("m.step").isin(*steps), F.col("m.logged_at"))
    return F.min(at), F.min_by(place("m."), F.when(at.isNotNull(), F.struct(at, place("m."))))


def is_before_restart(at: str) -> Column:
    """Whether it was said by the process that was elected."""
    return F.col("restarted_at").isNull() | (F.col(at) <= F.col("restarted_at"))


def resignations(term: DataFrame, controller_event: DataFrame) -> DataFrame:
    """(cluster_id, term_id, resigning_at, resigning_line): null where the node started anew before it, or never did."""
    at, line = first_said(*LEAVING)
    said = controller_event.where(F.col("step").isin(*LEAVING, *STARTED))
    resigning = ("resigning_at", "resigning_line")
    return (
        in_office(term, said)
        .groupBy("t.cluster_id", "t.term_id")
        .agg(
            at.alias("resigning_at"),
            line.alias("resigning_line"),
            first_said(*STARTED)[0].alias("restarted_at"),
        )
        .withColumns({name: F.when(is_before_restart("resigning_at"), F.col(name)) for name in resigning})
        .drop("restarted_at")
    )


def of_terms(rows: DataFrame, term: DataFrame) -> DataFrame:
    """Rows (r) that name a controller and its epoch, with their term (t) in the life of their time."""
    terms = term.select(*NAMED, "term_id", "began_at", "reused_at", "superseded_at")
    is_its_own = (F.col("r.logged_at") >= F.col("t.began_at")) & (
        F.col("t.reused_at").isNull() | (F.col("r.logged_at") < F.col("t.reused_at"))
    )
    for name in NAMED:
        is_its_own = is_its_own & (F.col(f"r.{name}") == F.col(f"t.{name}"))
    return rows.alias("r").join(F.broadcast(terms).alias("t"), is_its_own, how="inner")
