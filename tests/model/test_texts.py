"""Collections as Kafka prints them, in every release's form, taken apart: written by a naive printer."""

from collections.abc import Callable

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars import col

from pipeline.model.lines.texts import (
    assignment_entries,
    broker_list,
    epoch_in_text,
    explode_elements,
    listed_broker_ids,
    listed_partitions,
    node_id_in,
    or_unread,
)

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
AT_ONCE = 12  # texts of one frame
PLAIN = settings(derandomize=True, max_examples=50, deadline=None)


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


def read(texts: list[str], column: Callable[[pl.Expr], pl.Expr]) -> list[object]:
    """What the expression makes of each text; structs as tuples."""
    found = pl.Series("text", texts, pl.String).to_frame().select(column(col("text")))
    return [plain(one) for one in found.to_series().to_list()]


def plain(value: object) -> object:
    if isinstance(value, list):
        return [plain(one) for one in value]
    return tuple(value.values()) if isinstance(value, dict) else value


@PLAIN
@given(many(printed_brokers()))
def test_brokers_are_read_back(cases: list[tuple[str, object]]) -> None:
    assert read([text for text, _ in cases], broker_list) == [expected for _, expected in cases]


@PLAIN
@given(many(printed_partitions()))
def test_partitions_are_read_back(cases: list[tuple[str, object]]) -> None:
    found = read([text for text, _ in cases], lambda text: or_unread(listed_partitions(text), text))
    assert found == [expected for _, expected in cases]


@PLAIN
@given(many(printed_assignments()))
def test_assignments_are_read_back(cases: list[tuple[str, object]]) -> None:
    found = read([text for text, _ in cases], lambda text: or_unread(assignment_entries(text), text))
    assert found == [expected for _, expected in cases]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3,-1, 2", [3, -1, 2]),
        ("3-1", [3, 1]),
        ("kafka-2", [2]),
        ("e.2 x2 _2", []),
        ("99999999999,1", [1]),
        ("", []),
    ],
)
def test_numbers_stand_for_themselves(text: str, expected: list[int]) -> None:
    assert read([text], broker_list) == [expected]


LISTED = {
    "PartitionRecord(replicas=[3, 1], isr=[3])": [3, 1],
    "ReplicaAssignment(replicas=3,1, addingReplicas=)": [3, 1],
    "(replicas=List(3, 1))": [3, 1],
    "(replicas=[])": [],
    "(replicas=": [],
    "(replicas=null)": None,
    "(addingReplicas=[1])": None,
}


def test_lists_are_told_by_their_name() -> None:
    assert (
        dict(zip(LISTED, read(list(LISTED), lambda text: listed_broker_ids(text, "replicas")), strict=True))
        == LISTED
    )


EPOCHS = {"7": 7, "-1": -1, "999999999": 999999999, "2147483647": None, "7 ": None, "": None}


def test_epochs_leave_room_for_one_more() -> None:
    assert dict(zip(EPOCHS, read(list(EPOCHS), epoch_in_text), strict=True)) == EPOCHS


NODES = {
    "127.0.0.1:20121 (id: 12 rack: null)": 12,
    "id:0,host:h-1.example.net,port:9092": 0,
    "Node(3, 72331b6f5048, 9092)": 3,
    "BrokerEndPoint(4, h, 9092)": 4,
    "nobody": None,
}


def test_nodes_are_told_by_their_id() -> None:
    assert dict(zip(NODES, read(list(NODES), node_id_in), strict=True)) == NODES


def test_what_is_not_read_leaves_one_empty_element() -> None:
    texts = ["", " ", "Set()", "HashSet()", "[]", "Set(?)", "gibberish"]
    found = read(texts, lambda text: or_unread(listed_partitions(text), text))
    assert found == [[], [], [], [], [], [None], [None]]


def test_of_what_is_named_twice_in_one_row_the_last_is_left() -> None:
    texts = ["Map(t-0 -> List(1), t-1 -> List(2), t-0 -> List(3))", "Map(t-0 -> List(4))", "?", "Map()", None]
    rows = pl.DataFrame({"text": texts, "topic": ["own"] * 5})
    elements = or_unread(assignment_entries(col("text")), col("text"))
    found = explode_elements(rows, elements, "topic", "partition").select("topic", "partition", "replicas")
    assert set(found.with_columns(col("replicas").list.first()).rows()) == {
        ("t", 1, 2),
        ("t", 0, 3),
        ("t", 0, 4),
        (None, None, None),
    }
