"""Any split and any block size give the same records, and no byte is lost."""

import io
import re
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.scan import scan_records
from pipeline.core.starts import Other

FIXED = r"\[\d{4}-\d{2}\]"
FREE = r"(?:[a-z]+ )?\[[0-9]{4}-[0-9]{2}\]"
PIECES = (
    b"[2020-01] x\n",
    b"a [2020-01] y\r\n",
    b"\n",
    b"\tat z\r\n",
    b"[2020-0",
    b"\x00\xff\r",
    b"\0" * 3,
    b"z" * 300,
    b" [2020-01]\n",
)


class Seen(NamedTuple):
    offset: int
    length: int
    line_ends: int
    is_cut: bool
    has_start: bool
    data: bytes


def seen(
    data: bytes,
    cuts: list[int],
    pattern: str,
    *,
    block_bytes: int = 1 << 20,
    max_record_bytes: int = 1 << 24,
    limit: int | None = None,
    other: Other | None = None,
) -> list[Seen]:
    """The records of the ranges between the cuts, one after the other."""
    edges = [0, *sorted(cuts), len(data) if limit is None else limit]
    found: list[Seen] = []
    for start, end in pairwise(edges):
        for batch in scan_records(
            io.BytesIO(data),
            start,
            end,
            limit,
            pattern,
            other=other,
            owns_preamble=start == 0 and not found,
            block_bytes=block_bytes,
            max_record_bytes=max_record_bytes,
        ):
            found += [
                Seen(
                    int(batch.offset[i]),
                    int(batch.length[i]),
                    int(batch.line_ends[i]),
                    bool(batch.is_cut[i]),
                    bool(batch.has_start[i]),
                    batch.data[batch.bounds[i] : batch.bounds[i + 1]],
                )
                for i in range(len(batch))
            ]
    return found


DATA = st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join)


@pytest.mark.parametrize("other", [None, Other(r"[a-z ]+\[", b"abcdefghijklmnopqrstuvwxyz ")])
@pytest.mark.parametrize("pattern", [FIXED, FREE])
@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    data=DATA,
    where=st.lists(st.floats(0, 1), max_size=4),
    block=st.sampled_from([1, 7, 64, 5000]),
    most=st.sampled_from([5, 40, 1 << 20]),
)
def test_any_split_and_any_block_give_the_same_records(
    pattern: str, other: Other | None, data: bytes, where: list[float], block: int, most: int
) -> None:
    cuts = sorted({int(share * len(data)) for share in where} - {0})
    whole = seen(data, [], pattern, max_record_bytes=most, other=other)
    assert seen(data, cuts, pattern, block_bytes=block, max_record_bytes=most, other=other) == whole
    assert sum(record.length for record in whole) == len(data)
    for record in whole:
        own = data[record.offset : record.offset + record.length]
        assert record.data == own[:most]
        assert record.is_cut == (len(own) > most)
        assert record.line_ends == own.count(b"\n")
        assert record.has_start == (re.match(pattern.encode(), own) is not None)


def test_zero_bytes_that_a_power_cut_left_end_a_record_and_the_next_begins_behind_them() -> None:
    zeros = bytes(5)
    parts = [b"[2020-01] a\n", zeros, b"[2020-01] b\n", b"[2020-01] half" + zeros, b"[2020-01] c\n", zeros]
    assert [one.data for one in seen(b"".join(parts), [], FIXED)] == parts


def test_limit_ends_the_data() -> None:
    data = b"[2020-01] one\n[2020-02] two\n[2020-03] three\n"
    assert [r.data for r in seen(data, [3], FIXED, limit=26)] == [b"[2020-01] one\n", b"[2020-02] tw"]


def test_text_before_the_first_start_is_a_record_of_the_first_range_only() -> None:
    data = b"lost\n[2020-01] one\n"
    assert [(r.offset, r.has_start) for r in seen(data, [2], FIXED)] == [(0, False), (5, True)]


def test_nothing_gives_nothing() -> None:
    assert seen(b"", [], FIXED) == []


def test_a_long_record_is_cut_but_its_length_is_known() -> None:
    data = b"[2020-01] " + b"x" * 5_000_000 + b"\n[2020-02] y\n"
    records = seen(data, [100, 2_000_000], FIXED, block_bytes=1 << 16, max_record_bytes=1 << 20)
    assert [(r.length, r.is_cut, len(r.data)) for r in records] == [
        (5_000_011, True, 1 << 20),
        (12, False, 12),
    ]
