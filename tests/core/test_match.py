"""Which template a message is an instance of, and what happens where none or several are."""

import pyarrow as pa
import pytest

from pipeline.core.columns import Matches
from pipeline.core.errors import SettingsError
from pipeline.core.match import NO_TEMPLATE, SEVERAL_TEMPLATES, UNKNOWN_SOURCE, Matcher
from pipeline.core.template import Compound, FieldKind, Template

KINDS = {
    name: FieldKind(name, pattern, type_, "", column, "")
    for name, pattern, type_, column in (
        ("id", "-?[0-9]{1,10}", "int", "id"),
        ("word", "[a-z.-]+", "string", "word"),
        ("text", ".*?", "string", ""),
        ("other", ".*?", "string", ""),
        ("list", r"(?:[A-Za-z]+\(|\[)?(?:[0-9]+(?:, ?[0-9]+)*)?[)\]]?", "int_list", "list"),
    )
}
TYPES = {
    "id": pa.int32(),
    "word": pa.string(),
    "list": pa.list_(pa.field("element", pa.int32(), nullable=False)),
}
TEMPLATES = (
    Template("moved", "a", "[id={id}] moved {word}-{id} to {list}"),
    Template("moved_far", "a", "[id={id}] moved {word}-{id} to {list} far away"),
    Template("said", "a", "[id={id}] says {text}"),
    Template("shouted", "a", "[id={id}] says {other}!"),
    Template("left", "a", "{text} left"),
    Template("right", "a", "{text} righ"),
    Template("same_one", "a", "it is {text} now"),
    Template("fixed", "b", "all of it"),
)


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    templates = [*TEMPLATES, Template("same_two", "a", "it {other} is now")]
    return Matcher(templates, KINDS, [Compound("text", "list", r"list=(?P<value>[0-9,]*)", "")], TYPES)


def match(matcher: Matcher, *texts: str, source: str = "a") -> Matches:
    return matcher.match(pa.array([source] * len(texts)), pa.array(texts))


def names(matcher: Matcher, matches: Matches) -> list[str | int]:
    return [matcher.templates[n].name if n >= 0 else n for n in matches.template.tolist()]


def test_fields_become_columns(matcher: Matcher) -> None:
    matches = match(
        matcher, "[id=7] moved a-b-3 to Set(3, 1)", "[id=-1] moved x-0 to ", "[id=1] moved x-0 to 2 far away"
    )
    assert names(matcher, matches) == ["moved", "moved", "moved_far"]
    assert matches.columns["id"].to_pylist() == [7, -1, 1]
    assert matches.columns["word"].to_pylist() == ["a-b", "x", "x"]
    assert matches.columns["list"].to_pylist() == [[3, 1], [], [2]]
    # A list is told as printed, too: its column has lost the brackets.
    assert matches.fields.to_pylist() == [[("list", "Set(3, 1)")], [("list", "")], [("list", "2")]]


def test_other_fields_become_a_map_and_compounds_columns(matcher: Matcher) -> None:
    matches = match(matcher, "[id=7] says list=1,2", "[id=7] says nothing")
    assert matches.fields.to_pylist() == [[("text", "list=1,2")], [("text", "nothing")]]
    assert matches.columns["list"].to_pylist() == [[1, 2], None]


def test_more_literal_characters_win(matcher: Matcher) -> None:
    assert names(matcher, match(matcher, "[id=1] says no!", "[id=1] says no")) == ["shouted", "said"]


def test_equally_specific_ones_of_two_names_are_a_tie(matcher: Matcher) -> None:
    matches = match(matcher, "it is it is now", "it is so now", "it was is now")
    assert names(matcher, matches) == [SEVERAL_TEMPLATES, "same_one", "same_two"]
    assert matches.fields.to_pylist()[0] is None


def test_nothing_matches(matcher: Matcher) -> None:
    assert (
        names(matcher, match(matcher, "", "[id=x] says", "[id=99999999999] moved a-1 to"))
        == [NO_TEMPLATE] * 3
    )
    assert names(matcher, match(matcher, "all of it", source="c")) == [UNKNOWN_SOURCE]
    assert names(matcher, match(matcher, "all of it", "all of it.", source="b")) == ["fixed", NO_TEMPLATE]


def test_blanks_that_a_page_does_not_show() -> None:
    templates = [
        Template("spaced", "a", "{id} us.  Going  back to {word}"),
        Template("ended", "a", "[{word}], due to "),
        Template("plain", "a", "one {id} here"),
        Template("exact", "b", "one  {id}"),
        Template("closer", "b", "one {id}"),
    ]
    own = Matcher(templates, KINDS, [], TYPES)
    said = ["7 us. Going back to x", "7 us.  Going back to x", "7 us. \u00a0Going   back to x", "[x], due to"]
    found = match(own, *said)
    assert names(own, found) == ["spaced", "spaced", "spaced", "ended"]
    assert found.columns["id"].to_pylist() == [7, 7, 7, None]
    assert found.columns["word"].to_pylist() == ["x"] * 4
    assert (
        names(own, match(own, "us. Going back to x", "one  7 here", "7 us.Going back to x"))
        == [NO_TEMPLATE] * 3
    )
    # What is printed so counts before what a page made of another wording.
    assert names(own, match(own, "one 7", "one  7", "one   7", source="b")) == ["closer", "exact", "exact"]
    too_big = match(own, "9999999999 us. Going back to x")
    assert names(own, too_big) == [NO_TEMPLATE]
    assert too_big.columns["id"].to_pylist() == [None]


def test_a_number_too_big_for_its_column_is_no_match(matcher: Matcher) -> None:
    matches = match(matcher, "[id=9999999999] says a", "[id=1] says b")
    assert names(matcher, matches) == [NO_TEMPLATE, "said"]
    assert matches.fields.to_pylist() == [None, [("text", "b")]]


def test_heads_longer_than_the_window(matcher: Matcher) -> None:
    assert names(matcher, match(matcher, "[id=1" + "0" * 200 + "] says x", "y" * 200 + " left")) == [
        NO_TEMPLATE,
        "left",
    ]


def test_undeclared_fields_and_two_meanings_are_refused() -> None:
    with pytest.raises(SettingsError, match="nowhere"):
        Matcher([Template("x", "a", "{nowhere}")], KINDS, [], TYPES)
    with pytest.raises(SettingsError, match="one meaning"):
        Matcher([Template("x", "a", "y"), Template("z", "a", "y")], KINDS, [], TYPES)
