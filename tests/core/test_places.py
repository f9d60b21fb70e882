"""Finding fields by positions says what the patterns say; numbers are read as Python reads them."""

import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.match import Matcher
from pipeline.core.numbers import NumberShape, number_shape, parse_numbers
from pipeline.core.places import Places, admits_character
from pipeline.core.template import FieldKind, Template
from pipeline.core.texts import Texts

KINDS = {
    name: FieldKind(name, pattern, type_, "", column, "")
    for name, pattern, type_, column in (
        ("id", "-?[0-9]{1,10}", "int", "id"),
        ("count", "[0-9]{1,19}", "long", ""),
        ("topic", "[a-zA-Z0-9._-]+", "string", "topic"),
        ("partition", "[0-9]{1,10}", "int", "partition"),
        ("word", "[^ ]+?", "string", ""),
        ("clause", "(?: at [0-9]+)?", "string", ""),
        ("list", r"(?:\[)?(?:[0-9]+(?:, ?[0-9]+)*)?\]?", "int_list", "list"),
        ("text", ".*?", "string", ""),
        ("other", ".*?", "string", ""),
    )
}
TYPES = {
    "id": pa.int32(),
    "topic": pa.string(),
    "partition": pa.int32(),
    "list": pa.list_(pa.field("element", pa.int32(), nullable=False)),
}
WORDINGS = (
    "[id={id}] moved {topic}-{partition} to {list}",
    "[id={id}] moved {topic}-{partition} to {list} far away",
    "[id={id}] moved [{topic},{partition}] in {count} ms{clause}.",
    "[id={id}] saw {text} of {other} in {count} ms",
    "[id={id}] saw {text} of {topic}-{partition} isr {list}",
    "[id={id}] is {list} and {list} again {id}",
    "[to-{id}-from-{id}] {word} {word}",
    "{topic}-{partition}",
    "{text} left",
    "nothing",
    " two  blanks {id} ",
)
MATCHER = Matcher([Template(text[:20], "a", text) for text in WORDINGS], KINDS, [], TYPES)
WORDS = """
[id= 7 -1 12345678901 ]_ moved_ a-b - 0 , [ ] _to_ _ 1,_2 _far_away _in_ _ms . _at_3 saw_ _of_ _isr_ x~y
[to- -from- _left nothing _two__blanks_ ü ^ {id}
"""
PIECES = st.sampled_from(
    [word.replace("_", " ").replace("~", "\n").replace("^", "\0") for word in WORDS.split()]
)
FIELDS = {
    "id": st.sampled_from(["0", "-1", "7", "4294967296", "99999999999"]),
    "count": st.sampled_from(["0", "9223372036854775807", "12"]),
    "topic": st.sampled_from(["t", "a-b", "t-0", "__x.y-1-", "-", "t of u-1"]),
    "partition": st.sampled_from(["0", "12", "2147483648", "-1"]),
    "word": st.sampled_from(["x", "a-b", "", "x y"]),
    "clause": st.sampled_from(["", " at 3", " at "]),
    "list": st.sampled_from(["", "1", "[1, 2]", "1,2,3", "4294967296"]),
    "text": st.sampled_from(["", "x", "a of b", " left", "of", "\n", " in 3 ms"]),
    "other": st.sampled_from(["", "y", " of z", "1 in 2 ms"]),
}


@st.composite
def messages(draw: st.DrawFn) -> str:
    if draw(st.booleans()):
        return "".join(draw(st.lists(PIECES, max_size=8)))
    parts = Template("", "a", draw(st.sampled_from(WORDINGS))).parts
    return "".join(draw(FIELDS[part]) if index % 2 else part for index, part in enumerate(parts))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(texts=st.lists(messages(), min_size=1, max_size=40))
def test_positions_say_what_patterns_say(texts: list[str]) -> None:
    sources, messages_ = pa.array(["a"] * len(texts)), pa.array(texts)
    fast = MATCHER.match(sources, messages_)
    exact = MATCHER.match(sources, messages_, by_pattern_only=True)
    assert fast.template.tolist() == exact.template.tolist()
    assert fast.fields.to_pylist() == exact.fields.to_pylist()
    for name in TYPES:
        assert fast.columns[name].to_pylist() == exact.columns[name].to_pylist(), name


@settings(max_examples=100, deadline=None, derandomize=True)
@given(texts=st.lists(st.text("0123456789-/:x ", max_size=21), min_size=1, max_size=30))
@pytest.mark.parametrize("shape", [NumberShape(10, is_signed=True), NumberShape(19, is_signed=False)])
def test_numbers_are_read_as_python_reads_them(texts: list[str], shape: NumberShape) -> None:
    held = Texts(pa.array(texts))
    value, good = parse_numbers(held, held.start, held.end, shape)
    pattern = rf"{'-?' if shape.is_signed else ''}[0-9]{{1,{shape.digits}}}"
    assert good.tolist() == [re.fullmatch(pattern, text) is not None for text in texts]
    short = [index for index, text in enumerate(texts) if good[index] and len(text) <= 18]
    assert value[short].tolist() == [int(texts[index]) for index in short]


@pytest.mark.parametrize(
    ("pattern", "shape"),
    [
        ("-?[0-9]{1,10}", NumberShape(10, is_signed=True)),
        ("[0-9]{1,19}", NumberShape(19, is_signed=False)),
        ("[0-9]+", None),
        ("[0-9]{1,20}", None),
        ("[0-9]{1,10}x", None),
    ],
)
def test_number_shapes(pattern: str, shape: NumberShape | None) -> None:
    assert number_shape(pattern) == shape


@pytest.mark.parametrize(
    ("pattern", "character", "expected"),
    [
        ("[a-z]+", " ", False),
        ("[^ ]+?", " ", False),
        ("[^,]+", " ", True),
        (".*?", "x", True),
        (r"(?:[A-Za-z]+\(|\[)?(?:-?[0-9]{1,10}(?:, ?-?[0-9]{1,10})*)?[)\]]?", " ", True),
        ("-?[0-9]{1,10}", ",", False),
        ("-?[0-9]{1,10}", "-", True),
        (r"\d+", "7", True),
        (r"\(none\)", "(", True),
        ("true|false", "|", False),
    ],
)
def test_what_a_pattern_admits(pattern: str, character: str, expected: object) -> None:
    assert admits_character(pattern, character) is expected


@pytest.mark.parametrize(
    ("wording", "expected"),
    [
        ("moved {topic}-{partition} to {list}", (True, True)),
        ("saw {text} of {other}.", (True, False)),
        ("{text}{clause}", (False, False)),
        ("{word}={word}", (False, True)),
        ("to-{topic}-{id}", (True, False)),
    ],
)
def test_which_templates_positions_can_tell(wording: str, expected: tuple[bool, bool]) -> None:
    places = Places(Template("t", "a", wording), KINDS)
    assert (places.is_possible, places.is_exact) == expected


def test_texts_of_a_slice() -> None:
    texts = Texts(pa.array(["a b", "c  d", "", "e"]).slice(1))
    assert [bytes(texts.data[a:b]) for a, b in zip(texts.start, texts.end, strict=True)] == [
        b"c  d",
        b"",
        b"e",
    ]
    assert (texts.past_blanks - texts.first_blank).tolist() == [2, 0, 0]
    assert texts.strings(texts.start, texts.end).to_pylist() == ["c  d", "", "e"]
    assert texts.holds(texts.start, b"c ").tolist() == [True, False, False]
    assert np.array_equal(texts.last_before(ord(" "), texts.end)[:1], texts.start[:1] + 2)
