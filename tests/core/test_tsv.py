"""A table of facts is read by its declared header, and what is wrong in it is named by file and line."""

import pytest

from pipeline.core.errors import SettingsError
from pipeline.core.tsv import Column, parse_tsv_rows

COLUMNS = (Column("name", "Name."), Column("kind", "Kind.", frozenset({"", "a", "b"})))


def test_rows_are_read_by_name() -> None:
    assert parse_tsv_rows("t.tsv", 'name\tkind\n x \ta\n\n"y"\t\n', COLUMNS) == [
        {"name": " x ", "kind": "a"},
        {"name": '"y"', "kind": ""},
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the columns name, kind in t.tsv:1, found ;"),
        ("kind\tname\n", "the columns name, kind in t.tsv:1, found kind, name;"),
        ("name\tkind\nx\n", "2 columns in t.tsv:2, found 1 in 'x';"),
        ("name\tkind\n\nx\ta\tb\n", "2 columns in t.tsv:3, found 3 in 'x\ta\tb';"),
        ("name\tkind\nx\tc\n", "kind to be one of '', 'a', 'b' in t.tsv:2, found 'c';"),
    ],
)
def test_what_is_wrong_is_named(text: str, said: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse_tsv_rows("t.tsv", text, COLUMNS)
    assert said in str(raised.value)
