"""No name out of a log acts on who reads it: a terminal, a browser, a spreadsheet, a shell."""

import csv
import io
import shlex
from html.parser import HTMLParser

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.text import command_to_see, csv_cell, html_text, printable_line, printable_lines, shorten_line
from pipeline.rules.shared.wording import shortened_column

HOSTILE = [
    "'; DROP TABLE x; --",
    "`backticks`",
    "$(touch /tmp/x)",
    "\x1b[2J\x1b]0;title\x07",
    "a\r\nb",
    "\u202egol.rellortnoc\u2066",
    "<script>alert(1)</script>",
    '" onload="x',
    '=HYPERLINK("http://x")',
    "@SUM(A1)",
    "\t=1+1",
    "\udcff",
]
ANY = st.text() | st.sampled_from(HOSTILE)


@settings(derandomize=True)
@given(ANY)
def test_a_line_on_a_terminal_is_one_line_without_controls(text: str) -> None:
    for shown in (
        printable_line(text),
        shorten_line(text, 20),
        *printable_lines(text.encode("utf-8", "replace")),
    ):
        assert shown.isprintable()
        shown.encode()
    assert len(printable_line(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("failed to bind to 10.0.0.1:9092", "failed to bind to …"),
        ("found 3 of 1234567890 records", "found 3 of …"),
        ("offset 12 (epoch=12345678)", "offset 12 (epoch=…"),
        ("it takes 12 345 678 910 parts", "it takes 12 345 678…"),
        ("a-topic-that-is-0123456789", "a-topic-that-is-012…"),
        ("123456789012345678901234", "1234567890123456789…"),
    ],
)
def test_no_number_is_cut(text: str, shown: str) -> None:
    """Of names the beginning is kept."""
    assert shorten_line(text, 20) == shown
    frame = pl.DataFrame({"text": [text, text[:19], None]})
    assert frame.select(shortened_column("text", 19))["text"].to_list() == [
        shown.replace("…", "...") if text[0] != "1" else "...", text[:19], None,
    ]  # fmt: skip


class Seen(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.tags, self.attributes = "", [], []  # type: ignore[var-annotated]
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(derandomize=True)
@given(ANY)
def test_text_in_html_stays_text(text: str) -> None:
    seen = Seen(f'<p title="{html_text(text)}">{html_text(text)}</p>')
    assert (seen.tags, seen.text, seen.attributes) == (
        ["p"],
        printable_line(text),
        [("title", printable_line(text))],
    )


@settings(derandomize=True)
@given(ANY, ANY)
def test_a_cell_of_csv_stays_one_cell_and_no_formula(one: str, other: str) -> None:
    stream = io.StringIO()
    csv.writer(stream).writerow([csv_cell(one), csv_cell(other)])
    (row,) = csv.reader(io.StringIO(stream.getvalue()))
    assert [cell.removeprefix("'") for cell in row] == [
        printable_line(text).removeprefix("'") for text in (one, other)
    ]
    assert not [cell for cell in row if cell.lstrip(" ·")[:1] in tuple("=+@")]


@pytest.mark.parametrize(
    ("text", "cell"), [("-1", "-1"), ("-0.5", "-0.5"), ("-1+cmd", "'-1+cmd"), ("t-0", "t-0")]
)
def test_numbers_stay_numbers(text: str, cell: str) -> None:
    assert csv_cell(text) == cell


@settings(derandomize=True)
@given(st.text(st.characters(exclude_characters="\0"), min_size=1))
def test_a_path_in_a_command_is_one_word(path: str) -> None:
    words = shlex.split(command_to_see(f"/logs/{path}", 7, 2))
    assert f"/logs/{path}" in words
