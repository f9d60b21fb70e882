"""Lines that a pattern begins: the same as matching them one by one."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.core.starts import BOM, START_BYTES, Other, start_finder, start_pattern

PATTERNS = [r"\[\d{2}\] ", r"(?:[a-z]{1,3} )?\[\d{2}\] ", r"\{[ \t]*(?:\"|\r?\n)", r"x[^\n]*?y"]
OTHER = Other(r"[a-z]+ \[|\{", b"abcdefghijklmnopqrstuvwxyz{")
PIECES = st.sampled_from(
    [
        b"[12] ",
        b"[1] ",
        b"ab [12] ",
        b"\n",
        b"\r\n",
        BOM,
        BOM[:2],
        b"\xff",
        b"{",
        b'{ "',
        b"x",
        b"y",
        b"z" * 300,
        b"x" + b"z" * 300 + b"y",
        b"x" + b"z" * START_BYTES + b"y",
    ]
)


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    pieces=st.lists(PIECES, max_size=14),
    share=st.sampled_from([0.3, 0.8, 1.0]),
    before=st.sampled_from([10, 120]),
)
@example(pieces=[BOM, b"[12] ", b"\n", BOM, b"{", b"\n"], share=1.0, before=10)
@example(pieces=[b"x" + b"z" * 300 + b"y"], share=1.0, before=10)
def test_all_lines_at_once_as_one_by_one(
    pattern: str, pieces: list[bytes], share: float, before: int
) -> None:
    buffer = b"".join(pieces)
    checked = int(len(buffer) * share)
    expected = []
    for line in re.finditer(rb"[^\n]*\n?", buffer):
        begins = line.start() > 0 or before == 10
        head = line[0][:START_BYTES].removeprefix(BOM)
        if begins and line[0] and line.start() < checked and re.match(pattern.encode(), head):
            expected.append(line.start())
    assert start_finder(pattern)(buffer, checked, before)[0].tolist() == expected
    found = [at for at in expected if start_pattern(pattern).match(buffer, at, at + START_BYTES)]
    assert found == expected
    others = start_finder(OTHER.pattern)(buffer, checked, before)[0].tolist()
    starts, is_own = start_finder(pattern, OTHER)(buffer, checked, before)
    assert starts.tolist() == sorted({*expected, *others})
    assert starts[is_own].tolist() == expected
