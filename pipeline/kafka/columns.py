"""What several tables say alike about Kafka's records, as Spark Columns."""

from collections.abc import Callable
from functools import partial

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

PREVIOUS_STATES = r"should be in (?:one of |the )([A-Za-z,]+) states"

NUMBER = r"(?<![\w.])-?\d+"
NUMBERS = r"((?:-?\d+(?:, ?-?\d+)*)?)"
TOPIC = r"[A-Za-z0-9._-]+"
PARTITION = rf"\[{TOPIC},\d+\]|{TOPIC}-\d+"
PARTITION_PARTS = r"^\[?(.+)[-,](\d+)\]?$"
ASSIGNMENT_ENTRY = (
    rf"\[?({TOPIC})[-,](\d+)\]? -> (?:\w+\((?:replicas=)?)+{NUMBERS}"
    r"(?:, addingReplicas=([\d,]*), removingReplicas=([\d,]*))?"
)
PARTITION_REPLICA = rf"\[Topic=({TOPIC}),Partition=(\d+),Replica=(-?\d+)\]"
NODE_ID = r"\b(?:id: ?|id=|Node\(|BrokerEndPoint\()(-?\d+)"
EMPTY_COLLECTION = r"^\s*(?:\w*(?:\(\)|\[\]))?\s*$"


def moves(log_record: DataFrame) -> DataFrame:
    """Fed records that name both states, with their outcome.

    previous_states: what the exception of a refused move lists as valid, Kafka's own matrix.
    """
    listed = F.regexp_extract("exception_message", PREVIOUS_STATES, 1)
    is_named = F.col("from_state").isNotNull() & F.col("controller_id").isNotNull()
    return log_record.where(is_named).select(
        "*",
        F.col("step").alias("outcome"),
        F.when(F.length(listed) > 0, F.split(listed, ",")).alias("previous_states"),
    )


def first(text: Column, pattern: str, group: int = 1) -> Column:
    """What the group of the first match holds; null if there is no match or it is empty."""
    return F.nullif(F.regexp_extract(text, pattern, group), F.lit(""))


def number(text: Column, kind: str = "int") -> Column:
    return text.try_cast(kind)


def epoch(text: Column) -> Column:
    """Of no more than nine digits, as controller_epoch and leader_epoch in fields.tsv: one is added to epochs, and they
    are subtracted from one another, which has to stay an int."""
    return number(first(text, r"^(-?\d{1,9})$"))


def matches(text: Column, pattern: str) -> Column:
    """Every match as text."""
    return F.regexp_extract_all(text, F.lit(f"(?:{pattern})"), F.lit(0))


def bound(value: Column, use: Callable[[Column], Column]) -> Column:
    """use(value) with the value computed once: Spark writes an expression out wherever its name stands."""
    return F.get(F.transform(F.array(value), use), F.lit(0))


def last_of_each(elements: Column, *key: str) -> Column:
    """Of structs that have the same values under the names of the key the last one, as a map of Scala's keeps it: a
    damaged line may name one thing twice. Where none does, they stay as they are."""
    return bound(elements, lambda them: F.when(is_each_once(them, key), them).otherwise(last_ones(them, key)))


def is_each_once(elements: Column, key: tuple[str, ...]) -> Column:
    """By text, as Spark tells texts apart by hashing, structs pair by pair."""
    keys = F.transform(elements, lambda one: text_of(one, key))
    return (F.size(elements) < 2) | (F.size(F.array_distinct(keys)) == F.size(elements))


def text_of(one: Column, key: tuple[str, ...]) -> Column:
    return F.concat_ws("/", *(F.coalesce(one[name].cast("string"), F.lit("")) for name in key))


def last_ones(elements: Column, key: tuple[str, ...]) -> Column:
    """Sorted by key and place each is the last of its key that has another one behind it."""
    placed = F.transform(
        elements,
        lambda one, at: F.struct(text_of(one, key).alias("key"), at.alias("at"), one.alias("one")),
    )

    def is_last(all_placed: Column, one: Column, at: Column) -> Column:
        return ~F.get(all_placed, at + 1)["key"].eqNullSafe(one["key"])

    kept = bound(F.array_sort(placed), lambda them: F.filter(them, partial(is_last, them)))
    return F.transform(kept, lambda one: one["one"])


def found(text: Column, pattern: str, *names: str) -> Column:
    """Every match as a struct: the groups of the pattern under these names, texts, empty if not matched."""
    return F.transform(
        matches(text, pattern),
        lambda one: F.struct(*(F.regexp_extract(one, pattern, at).alias(n) for at, n in enumerate(names, 1))),
    )


def broker_list(text: Column) -> Column:
    """'3,1, 2', '[3, 1]', 'ArrayBuffer(3, 1)' as numbers; an empty collection as an empty list. What is too big for an
    id is none."""
    numbers = F.regexp_extract_all(text, F.lit(NUMBER), F.lit(0))
    return F.array_compact(F.transform(numbers, lambda one: one.try_cast("int")))


def listed(text: Column, name: str) -> Column:
    """The numbers of `name=[3, 1]`, `name=3,1` or `name=List(3, 1)`; null if it is not there or null."""
    pattern = rf"\b{name}=(?:\w+\(|\[)?{NUMBERS}"
    return F.when(text.rlike(rf"\b{name}=(?!null)"), broker_list(F.regexp_extract(text, pattern, 1)))


def is_changing(text: Column) -> Column:
    """Whether `ReplicaAssignment(…)` adds or removes replicas; null where there is no text."""
    return text.rlike(r"(?:adding|removing)Replicas=\[?\d")


def partitions(text: Column) -> Column:
    """`[t,0],[u,1]`, `t-0,u-1` and collections of both as an array of (topic, partition)."""
    return F.transform(
        matches(text, PARTITION),
        lambda one: F.struct(
            F.regexp_extract(one, PARTITION_PARTS, 1).alias("topic"),
            F.regexp_extract(one, PARTITION_PARTS, 2).try_cast("int").alias("partition"),
        ),
    )


def assignment_entries(text: Column) -> Column:
    """`Map(orders-0 -> Vector(1, 2), …)` in all its forms as an array of (topic, partition, replicas, …).

    adding_replicas, removing_replicas: null in releases that do not print them (up to 2.3).
    """
    entries = found(text, ASSIGNMENT_ENTRY, "topic", "partition", "replicas", "adding", "removing")

    def entry(is_said: Column, one: Column) -> Column:
        return F.struct(
            one["topic"].alias("topic"),
            one["partition"].try_cast("int").alias("partition"),
            broker_list(one["replicas"]).alias("replicas"),
            F.when(is_said, broker_list(one["adding"])).alias("adding_replicas"),
            F.when(is_said, broker_list(one["removing"])).alias("removing_replicas"),
        )

    is_said = text.contains("addingReplicas=")
    # The text is looked through once, and not for each of its entries.
    return bound(is_said, lambda said: F.transform(entries, partial(entry, said)))


def node_id_in(text: Column) -> Column:
    """The id in `host:9092 (id: 1 rack: null)`, `id:1,host:…`, `Node(1, …)`, `BrokerEndPoint(1, …)`."""
    return number(first(text, NODE_ID))


def or_unread(elements: Column, text: Column) -> Column:
    """The elements; one null element where a collection that is not empty gave none, so that its row stays."""
    is_empty = text.rlike(EMPTY_COLLECTION)

    def or_null(them: Column) -> Column:
        return F.when((F.size(them) == 0) & ~is_empty, F.array(F.lit(None))).otherwise(them)

    return bound(elements, or_null)
