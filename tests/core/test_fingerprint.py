"""Fingerprints: one pass in blocks says the same as a plain look at the whole content."""

import hashlib
import re
from io import BytesIO

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.fingerprint import first_line_hash, take_fingerprint

START = re.compile(rb"\[\d\d\] ")
LINES = st.lists(
    st.sampled_from(
        [
            b"[01] a\n",
            b"[02] bb\n",
            b"\tat x\n",
            b"\n",
            b"[3] no start\n",
            b"[04] \xff\x00\n",
            b"x" * 5000 + b"\n",
        ]
    ),
    max_size=12,
)


def starts_of(content: bytes) -> list[int]:
    lines = [0, *(match.end() for match in re.finditer(rb"\n", content))]
    return [line for line in lines if START.match(content, line)]


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@settings(max_examples=300, deadline=None)
@given(
    lines=LINES, torn=st.sampled_from([b"", b"[05", b"[05] open"]), block=st.integers(1, 9000), data=st.data()
)
def test_blocks_say_what_the_whole_says(
    lines: list[bytes], torn: bytes, block: int, data: st.DataObject
) -> None:
    content = b"".join(lines) + torn
    offsets = data.draw(st.lists(st.integers(0, len(content)), max_size=4))
    starts = starts_of(content)
    seen = take_fingerprint(BytesIO(content), START, offsets, block_bytes=block)
    assert seen.size == len(content)
    assert seen.first_start == (starts[0] if starts else None)
    assert seen.tail_start == (starts[-1] if starts else None)
    assert seen.ends_with_newline == content.endswith(b"\n")
    wanted = {*offsets, len(content), *starts[-1:]}
    assert seen.hashes == {offset: sha(content[:offset]) for offset in wanted}
    assert seen.starts == {offset for offset in offsets if offset in starts or offset == len(content)}
    cut = data.draw(st.integers(0, len(content)))
    assert take_fingerprint(BytesIO(content), START, until=cut, block_bytes=block) == take_fingerprint(
        BytesIO(content[:cut]), START
    )


@settings(max_examples=300, deadline=None)
@given(lines=LINES, torn=st.sampled_from([b"", b"[05", b"[05] open"]), data=st.data())
def test_a_name_once_given_stays(lines: list[bytes], torn: bytes, data: st.DataObject) -> None:
    content = b"".join(lines) + torn
    starts = starts_of(content)
    end = content.find(b"\n", starts[0]) + 1 if starts else 0
    name = first_line_hash(content, START, 1 << 20)
    assert name == (sha(content[:end]) if end else None)
    beginning = content[: data.draw(st.integers(0, len(content)))]
    assert first_line_hash(beginning, START, 1 << 20) == (name if end and len(beginning) >= end else None)


def test_a_first_line_without_end_is_named_by_what_is_looked_at() -> None:
    content = b"[01] " + b"y" * 200
    assert first_line_hash(content[:100], START, 100) == sha(content[:100])
    assert first_line_hash(content[:99], START, 100) is None
