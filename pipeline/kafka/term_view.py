"""What a controller holds of partitions: the cluster-wide view at its start-up, then its own lines alone.

A controller acts on its own cache: one that was deposed unnoticed, and the successor of one that went on writing,
differ from the cluster-wide view and from one another.
"""

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from pipeline.kafka.statements import GONE, LAST, PARTITION, TRACKED

PLACE = ("at", "controller_epoch", "seq")
TERM = ("cluster_id", "term_id")
COUNTS = ("preferred", "elsewhere", "moved", "listed", "agreed")
LISTING = "imbalance_not_preferred"
BEFORE_ALL = -1  # a place before every line of a term


def sequence(partition_timeline: DataFrame) -> DataFrame:
    """The intervals as states that begin, and where no other follows as states that end: PARTITION, PLACE, held."""
    order = Window.partitionBy(*PARTITION).orderBy("interval_seq")
    following = F.lead("valid_from_at").over(order)
    rows = partition_timeline.withColumn(
        "is_last", F.col("valid_until_at").isNotNull() & ~following.eqNullSafe(F.col("valid_until_at"))
    )
    begun = rows.select(
        *PARTITION,
        F.col("valid_from_at").alias("at"),
        "controller_epoch",
        "seq",
        F.struct(*TRACKED).alias("held"),
    )
    gone = F.struct(*(F.lit(GONE).alias(name) if name == "state" else F.col(name) for name in TRACKED))
    ended = rows.where("is_last").select(
        *PARTITION, F.col("valid_until_at").alias("at"), F.lit(LAST).alias("controller_epoch"),
        F.col("seq"), gone.alias("held"),
    )  # fmt: skip
    return begun.unionByName(ended)


def listed(assignment: DataFrame) -> DataFrame:
    """Each partition that a controller lists as not led by its preferred replica, and that replica (listed_of), as a
    mention for statements()."""
    return assignment.where((F.col("event") == LISTING) & F.col("topic").isNotNull()).select(
        "file_id",
        "byte_offset",
        "event",
        "topic",
        "partition",
        F.get("replicas", F.lit(0)).alias("listed_of"),
    )


def first_places(term: DataFrame) -> DataFrame:
    """(TERM, PLACE) before the first line of each term."""
    place = (F.coalesce("elected_at", "first_seen_at"), F.col("controller_epoch"), F.lit(0).cast("long"))
    return term.select(*TERM, *(one.alias(name) for one, name in zip(place, PLACE, strict=True)))


def held(own: DataFrame, begins: DataFrame, cluster_wide: DataFrame, *kept: str) -> DataFrame:
    """Each statement of a term with all that its controller holds of the partition after it, and before it.

    own: statements (TERM, PARTITION, seq, TRACKED, cause). begins: (TERM, PLACE) before each term's first line.
    cluster_wide: sequence(). Columns out: TERM, PARTITION, seq, cause, those kept, held, held_before.
    """
    named = own.select(*TERM, *PARTITION[1:], F.col("seq").alias("own_seq"), *TRACKED, "cause", *kept)
    at_begin = named.join(F.broadcast(begins), on=[*TERM], how="inner")
    until_now = Window.partitionBy(*PARTITION).orderBy(*PLACE).rowsBetween(Window.unboundedPreceding, 0)
    seeded = (
        cluster_wide.unionByName(at_begin, allowMissingColumns=True)
        .withColumn("seed", F.last("held", ignorenulls=True).over(until_now))
        .where("term_id IS NOT NULL")
    )
    order = Window.partitionBy(*TERM, *PARTITION[1:]).orderBy("own_seq")
    so_far = order.rowsBetween(Window.unboundedPreceding, 0)
    known = [
        F.coalesce(F.last(name, ignorenulls=True).over(so_far), F.col(f"seed.{name}")).alias(name)
        for name in TRACKED
    ]
    return (
        seeded.withColumn("held", F.struct(*known))
        .withColumn("held_before", F.coalesce(F.lag("held").over(order), "seed"))
        .select(*TERM, *PARTITION[1:], F.col("own_seq").alias("seq"), "cause", *kept, "held", "held_before")
    )


def head(view: str) -> Column:
    """The preferred leader; null where the partition does not count: no assignment, gone, or being deleted."""
    is_counted = (
        (F.size(f"{view}.replicas") > 0)
        & ~F.col(f"{view}.state").eqNullSafe(F.lit(GONE))
        & ~F.coalesce(F.col(f"{view}.is_deleting"), F.lit(False))
    )
    return F.when(is_counted, F.get(f"{view}.replicas", F.lit(0)))


def is_elsewhere(view: str) -> Column:
    return F.coalesce(F.col(f"{view}.leader") != F.get(f"{view}.replicas", F.lit(0)), F.lit(False))


def changes(states: DataFrame, *kept: str) -> DataFrame:
    """(kept, broker_id, COUNTS, only_kafka): what each change adds to the counts of preferred leaders; of a partition
    that Kafka lists whether it is held so, too, and its name if it is not.

    states: held and held_before, null where nothing was known; is_moving: whether the change counts as moved where
    it gives the partition back to its preferred leader; listed_of.
    """
    is_back = (F.col("held.leader") == head("held")) & ~F.col("held_before.leader").eqNullSafe(
        F.col("held.leader")
    )
    moved = F.coalesce(F.col("is_moving") & is_back, F.lit(False)).cast("long")

    zero = F.lit(0).cast("long")
    no_name = F.lit(None).cast("string")

    def share(view: str, sign: int) -> Column:
        return F.struct(
            head(view).alias("broker_id"),
            F.lit(sign).cast("long").alias("preferred"),
            (F.lit(sign) * is_elsewhere(view).cast("long")).alias("elsewhere"),
            (moved if sign > 0 else zero).alias("moved"),
            zero.alias("listed"), zero.alias("agreed"), no_name.alias("only_kafka"),
        )  # fmt: skip

    is_held = F.coalesce((head("held") == F.col("listed_of")) & is_elsewhere("held"), F.lit(False))
    listing = F.struct(
        F.col("listed_of").alias("broker_id"), zero.alias("preferred"), zero.alias("elsewhere"), zero.alias("moved"),
        F.lit(1).cast("long").alias("listed"), is_held.cast("long").alias("agreed"),
        F.when(~is_held, F.concat_ws("-", "topic", "partition")).alias("only_kafka"),
    )  # fmt: skip
    both = F.array(share("held_before", -1), share("held", 1))
    sums = [F.sum(name).alias(name) for name in COUNTS]
    return (
        states.select(
            *kept,
            F.explode(F.when(F.col("listed_of").isNull(), both).otherwise(F.array(listing))).alias("one"),
        )
        .select(*kept, "one.*")
        .where("broker_id IS NOT NULL")
        .groupBy(*kept, "broker_id")
        .agg(*sums, F.sort_array(F.collect_list("only_kafka")).alias("only_kafka"))
        .where("preferred <> 0 OR elsewhere <> 0 OR moved <> 0 OR listed <> 0")
    )


def counts_at(asked: DataFrame, views: DataFrame, begins: DataFrame, cluster_wide: DataFrame) -> DataFrame:
    """Adds preferred and elsewhere, the counts of broker_id that the controller holds at seq; moved: how many of
    its partitions moved back to it until what is asked of it next; and of the list that Kafka printed at listing_seq
    listed, agreed (how many of them are held so, too) and only_kafka (names of the others), null where it is null.

    asked: (TERM, broker_id, seq, listing_seq, ...); a broker that it holds nothing of has none. views: held() of those
    terms, with is_moving.
    """
    order = Window.partitionBy(*PARTITION).orderBy(*PLACE)
    ever = cluster_wide.withColumns(
        {
            "held_before": F.lag("held").over(order),
            "is_moving": F.lit(False),
            "listed_of": F.lit(None).cast("int"),
        }
    )
    brokers = asked.select(*TERM, "broker_id").distinct().join(F.broadcast(begins), on=[*TERM], how="inner")
    by_broker = Window.partitionBy("cluster_id", "broker_id").orderBy(*PLACE)
    began = (
        changes(ever, "cluster_id", *PLACE)
        .unionByName(brokers, allowMissingColumns=True)
        .withColumns(running(by_broker))
        .where("term_id IS NOT NULL")
        .select(*TERM, "broker_id", F.lit(BEFORE_ALL).cast("long").alias("seq"), "preferred", "elsewhere")
    )
    own = changes(views, *TERM, "seq").unionByName(began, allowMissingColumns=True)
    in_term = Window.partitionBy(*TERM, "broker_id").orderBy("seq")
    so_far = F.count("is_asked").over(in_term.rowsBetween(Window.unboundedPreceding, 0))
    of_check = Window.partitionBy(*TERM, "broker_id", "check")
    return (
        asked.withColumn("is_asked", F.lit(True))
        .unionByName(own, allowMissingColumns=True)
        .withColumns(running(in_term) | {"check": so_far})
        .withColumn("moved", F.coalesce(F.sum("moved").over(of_check), F.lit(0)))
        .withColumns(of_listing(in_term))
        .where("is_asked")
        .drop("is_asked", "check")
    )


def of_listing(order: WindowSpec) -> dict[str, Column]:
    """What the row before says if it is the list; an empty list has no row."""
    is_before = F.lag("seq").over(order) == F.col("listing_seq")
    nothing = {
        "listed": F.lit(0).cast("long"),
        "agreed": F.lit(0).cast("long"),
        "only_kafka": F.array().cast("array<string>"),
    }
    return {
        name: F.when(
            F.col("listing_seq").isNotNull(), F.when(is_before, F.lag(name).over(order)).otherwise(none)
        )
        for name, none in nothing.items()
    }


def running(order: WindowSpec) -> dict[str, Column]:
    until_now = order.rowsBetween(Window.unboundedPreceding, 0)
    return {name: F.coalesce(F.sum(name).over(until_now), F.lit(0)) for name in ("preferred", "elsewhere")}
