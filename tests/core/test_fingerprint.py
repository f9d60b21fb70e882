"""Fingerprints: one pass in blocks says the same as a plain look at the whole content."""

import hashlib
import re
from io import BytesIO

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.fingerprint import HEAD_BYTES, fingerprint

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
    seen = fingerprint(BytesIO(content), START, offsets, block_bytes=block)
    assert seen.size == len(content)
    assert seen.first_start == (starts[0] if starts else None)
    assert seen.second_start == (starts[1] if len(starts) > 1 else None)
    assert seen.tail_start == (starts[-1] if starts else None)
    assert seen.ends_with_newline == content.endswith(b"\n")
    wanted = {*offsets, len(content), *starts[-1:]}
    assert seen.hashes == {offset: sha(content[:offset]) for offset in wanted}
    assert seen.starts == {offset for offset in offsets if offset in starts or offset == len(content)}
    first = content[starts[0] : starts[1]][:HEAD_BYTES] if len(starts) > 1 else None
    assert seen.first_record_hash == (sha(first) if first is not None else None)


def test_first_record_of_a_long_file_is_named_by_its_first_64_kib() -> None:
    content = b"[01] " + b"y" * 200_000 + b"\n[02] z\n"
    seen = fingerprint(BytesIO(content), START)
    assert seen.first_record_hash == sha(content[:HEAD_BYTES])
    assert seen.tail_start == len(content) - len(b"[02] z\n")
