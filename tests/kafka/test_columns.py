"""Collections as Kafka prints them, in every release's form, taken apart by Spark: written by a naive printer."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from pipeline.kafka.columns import assignment_entries, broker_list, node_id_in, or_unread, partitions

Partition = tuple[str, int]
TOPICS = st.one_of(
    st.sampled_from(
        ["__consumer_offsets", "t-0", "-1", "5", "a.b-2-3", "0-numbers-0", "Map", "replicas", "x" * 249]
    ),
    st.from_regex(r"\A[a-zA-Z0-9._-]{1,20}\Z"),
)
PARTITIONS = st.lists(st.tuples(TOPICS, st.integers(0, 2**31 - 1)), unique=True, max_size=4)
BROKERS = st.lists(st.integers(0, 2**31 - 1), unique=True, max_size=3)
ASSIGNMENTS = st.dictionaries(
    st.tuples(TOPICS, st.integers(0, 9999)), st.tuples(BROKERS, BROKERS, BROKERS), max_size=3
)
SCALA = st.sampled_from(
    ["Set", "HashSet", "List", "Vector", "ArrayBuffer", "ListBuffer", "ArraySeq", "Buffer"]
)
AT_ONCE = 12  # a frame: one job of Spark for all of them
PLAIN = settings(derandomize=True, max_examples=10, deadline=None)


def many(one: st.SearchStrategy[tuple[str, object]]) -> st.SearchStrategy[list[tuple[str, object]]]:
    return st.lists(one, max_size=AT_ONCE)


@st.composite
def printed_brokers(draw: st.DrawFn) -> tuple[str, object]:
    brokers = draw(BROKERS)
    collection = draw(SCALA)
    forms = (f"{collection}({spaced(brokers)})", ",".join(map(str, brokers)), f"[{spaced(brokers)}]")
    return draw(st.sampled_from(forms)), brokers


@st.composite
def printed_partitions(draw: st.DrawFn) -> tuple[str, object]:
    found = draw(PARTITIONS)
    dashed = [f"{topic}-{partition}" for topic, partition in found]
    bracketed = [f"[{topic},{partition}]" for topic, partition in found]
    forms = (
        ",".join(dashed), ",".join(bracketed), f"{draw(SCALA)}({', '.join(dashed)})", f"[{', '.join(dashed)}]",
        f"{draw(SCALA)}({', '.join(bracketed)})",
    )  # fmt: skip
    return draw(st.sampled_from(forms)), found


@st.composite
def printed_assignments(draw: st.DrawFn) -> tuple[str, object]:
    entries = draw(ASSIGNMENTS)
    is_full, is_bracketed, collection = draw(st.booleans()), draw(st.booleans()), draw(SCALA)
    texts, expected = [], []
    for (topic, partition), (replicas, adding, removing) in entries.items():
        key = f"[{topic},{partition}]" if is_bracketed else f"{topic}-{partition}"
        full = f"ReplicaAssignment(replicas={joined(replicas)}, addingReplicas={joined(adding)}, removingReplicas={joined(removing)})"  # fmt: skip
        texts.append(f"{key} -> {full if is_full else f'{collection}({spaced(replicas)})'}")
        changing = (adding, removing) if is_full else (None, None)
        expected.append((topic, partition, replicas, *changing))
    return f"Map({', '.join(texts)})", expected


def spaced(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def joined(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))


def read(spark: SparkSession, texts: list[str], column: Callable[[Column], Column]) -> list[object]:
    """What the column makes of each text; structs as tuples."""
    frame = spark.createDataFrame([(at, text) for at, text in enumerate(texts)], "at int, text string")
    rows = frame.select("at", column(F.col("text")).alias("found")).orderBy("at").collect()
    return [plain(row.found) for row in rows]


def plain(value: object) -> object:
    if isinstance(value, list):
        return [plain(one) for one in value]
    return tuple(plain(one) for one in value) if isinstance(value, tuple) else value


@pytest.mark.spark
@PLAIN
@given(st.data())
def test_brokers_are_read_back(spark: SparkSession, data: st.DataObject) -> None:
    cases = data.draw(many(printed_brokers()))
    assert read(spark, [text for text, _ in cases], broker_list) == [expected for _, expected in cases]


@pytest.mark.spark
@PLAIN
@given(st.data())
def test_partitions_are_read_back(spark: SparkSession, data: st.DataObject) -> None:
    cases = data.draw(many(printed_partitions()))
    found = read(spark, [text for text, _ in cases], lambda text: or_unread(partitions(text), text))
    assert found == [expected for _, expected in cases]


@pytest.mark.spark
@PLAIN
@given(st.data())
def test_assignments_are_read_back(spark: SparkSession, data: st.DataObject) -> None:
    cases = data.draw(many(printed_assignments()))
    found = read(spark, [text for text, _ in cases], lambda text: or_unread(assignment_entries(text), text))
    assert found == [expected for _, expected in cases]


NODES = {
    "127.0.0.1:20121 (id: 12 rack: null)": 12,
    "id:0,host:h-1.example.net,port:9092": 0,
    "Node(3, 72331b6f5048, 9092)": 3,
    "BrokerEndPoint(4, h, 9092)": 4,
    "nobody": None,
}


@pytest.mark.spark
def test_nodes_are_told_by_their_id(spark: SparkSession) -> None:
    assert dict(zip(NODES, read(spark, list(NODES), node_id_in), strict=True)) == NODES


@pytest.mark.spark
def test_what_is_not_read_leaves_one_empty_element(spark: SparkSession) -> None:
    texts = ["", " ", "Set()", "HashSet()", "[]", "Set(?)", "gibberish"]
    found = read(spark, texts, lambda text: or_unread(partitions(text), text))
    assert found == [[], [], [], [], [], [None], [None]]
