"""What several tables take from texts of Kafka's lines alike, as expressions."""

import polars as pl
from polars import col, element, lit, when

PREVIOUS_STATES = r"should be in (?:one of |the )([A-Za-z,]+) states"

NUMBERS = r"((?:-?\d+(?:, ?-?\d+)*)?)"
# With the character before it, which no number has inside of a word or behind a dot: none in `x2` and `e.2`.
PRECEDED_NUMBER = r"[^A-Za-z0-9_.]-?[0-9]+"
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

INT, LONG, DOUBLE = pl.Int32(), pl.Int64(), pl.Float64()


def records_of_moves(records: pl.DataFrame) -> pl.DataFrame:
    """Fed records that name both states, with their outcome.

    previous_states: what the exception of a refused move lists as valid, Kafka's own matrix.
    """
    is_named = col("from_state").is_not_null() & col("controller_id").is_not_null()
    return records.filter(is_named).with_columns(
        outcome="step", previous_states=first_match(col("exception_message"), PREVIOUS_STATES).str.split(",")
    )


def first_match(text: pl.Expr, pattern: str, group: int = 1) -> pl.Expr:
    """What the group of the first match holds; null if there is no match or it is empty."""
    return text.str.extract(pattern, group).replace("", None)


def number_in_text(text: pl.Expr, kind: pl.DataType = INT) -> pl.Expr:
    """Null for what is too big, or is no number."""
    return text.cast(kind, strict=False)


def epoch_in_text(text: pl.Expr) -> pl.Expr:
    """Of no more than nine digits, as controller_epoch and leader_epoch in fields.tsv: one is added to epochs, and they
    are subtracted from one another, which has to stay an int."""
    return number_in_text(first_match(text, r"^(-?\d{1,9})$"))


def explode_elements(rows: pl.DataFrame, elements: pl.Expr, *key: str) -> pl.DataFrame:
    """One row per element of each row's list of structs, with the fields of the element as columns; they take the
    place of columns of the same names. A row whose list is null or empty gives none.

    Of elements of one row that have the same key the last one counts, as a map of Scala's keeps it: a damaged line may
    name one thing twice.
    """
    apart = rows.with_columns(_one=elements).with_row_index("_row").explode("_one", keep_nulls=False)
    names = apart.select(col("_one").struct.unnest()).columns
    return (
        apart.drop(names, strict=False)
        .unnest("_one")
        .unique(["_row", *key], keep="last", maintain_order=True)
        .drop("_row")
    )


def all_matches(text: pl.Expr, pattern: str) -> pl.Expr:
    """Every match as text."""
    return text.str.extract_all(pattern)


def matched_groups(text: pl.Expr, pattern: str, *names: str) -> pl.Expr:
    """Every match as a struct: the groups of the pattern under these names, texts, null if not matched."""
    groups = element().str.extract_groups(pattern).struct.rename_fields(list(names))
    return all_matches(text, pattern).list.eval(groups)


def element_field(name: str) -> pl.Expr:
    """The field of an element that is a struct, inside of list.eval()."""
    return element().struct.field(name)


def broker_list(text: pl.Expr) -> pl.Expr:
    """'3,1, 2', '[3, 1]', 'ArrayBuffer(3, 1)' as numbers; an empty collection as an empty list. What is too big for an
    id is none."""
    found = all_matches(lit(" ") + text, PRECEDED_NUMBER)
    return found.list.eval(number_in_text(element().str.slice(1))).list.drop_nulls()


def listed_broker_ids(text: pl.Expr, name: str) -> pl.Expr:
    """The numbers of `name=[3, 1]`, `name=3,1` or `name=List(3, 1)`; null if it is not there or null."""
    is_said = text.str.contains(rf"\b{name}=(?:[^n]|$)")
    numbers = text.str.extract(rf"\b{name}=(?:\w+\(|\[)?{NUMBERS}")
    return when(is_said).then(broker_list(numbers.fill_null("")))


def is_changing(text: pl.Expr) -> pl.Expr:
    """True if `ReplicaAssignment(…)` adds or removes replicas; null where there is no text."""
    return text.str.contains(r"(?:adding|removing)Replicas=\[?\d")


def listed_partitions(text: pl.Expr) -> pl.Expr:
    """`[t,0],[u,1]`, `t-0,u-1` and collections of both as a list of (topic, partition)."""
    topic, partition = (element().str.extract(PARTITION_PARTS, group) for group in (1, 2))
    parts = pl.struct(topic=topic, partition=number_in_text(partition))
    return all_matches(text, PARTITION).list.eval(parts)


def assignment_entries(text: pl.Expr) -> pl.Expr:
    """`Map(orders-0 -> Vector(1, 2), …)` in all its forms as a list of (topic, partition, replicas, …).

    adding_replicas, removing_replicas: null in releases that do not print them (up to 2.3).
    """
    entry = pl.struct(
        topic=element_field("topic"),
        partition=number_in_text(element_field("partition")),
        replicas=broker_list(element_field("replicas")),
        adding_replicas=broker_list(element_field("adding")),
        removing_replicas=broker_list(element_field("removing")),
    )
    names = ("topic", "partition", "replicas", "adding", "removing")
    return matched_groups(text, ASSIGNMENT_ENTRY, *names).list.eval(entry)


def node_id_in(text: pl.Expr) -> pl.Expr:
    """The id in `host:9092 (id: 1 rack: null)`, `id:1,host:…`, `Node(1, …)`, `BrokerEndPoint(1, …)`."""
    return number_in_text(first_match(text, NODE_ID))


def or_unread(elements: pl.Expr, text: pl.Expr) -> pl.Expr:
    """The elements; one null element where a collection that is not empty gave none, so that its row stays."""
    is_read = (elements.list.len() > 0) | text.str.contains(EMPTY_COLLECTION)
    return when(is_read).then(elements).when(elements.is_not_null()).then(lit([None])).otherwise(elements)
