"""A compressed file is read up to where it breaks off, whatever it is asked for at once."""

import gzip
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.broken_off import BrokenOff
from pipeline.core.gunzipped import Gunzipped
from pipeline.core.streams import uncompressed_stream

CONTENT = b"".join(b"%d one line of a log of a controller\n" % number for number in range(400))
WHOLE = gzip.compress(CONTENT)


def read(stored: bytes, step: int) -> tuple[bytes, BrokenOff | None]:
    """All that it gives, and why no more."""
    found = b""
    with Gunzipped(io.BytesIO(stored)) as stream:
        try:
            while block := stream.read(step):
                found += block
        except BrokenOff as problem:
            return found, problem
    return found, None


@given(st.lists(st.binary(max_size=200), max_size=4), st.integers(0, 9), st.integers(1, 300))
def test_members_one_behind_the_other_and_zeros_are_what_gzip_reads(
    members: list[bytes], zeros: int, step: int
) -> None:
    stored = b"".join(map(gzip.compress, members)) + bytes(zeros if members else 0)
    if members:
        assert read(stored, step) == (gzip.decompress(stored), None)


@given(st.integers(1, len(WHOLE) - 1), st.integers(70, 5_000), st.sampled_from([b"", b"before\n"]))
def test_what_is_cut_anywhere_gives_its_beginning(cut: int, step: int, before: bytes) -> None:
    found, problem = read((gzip.compress(before) if before else b"") + WHOLE[:cut], step)
    assert (before + CONTENT).startswith(found)
    assert problem is not None
    assert problem.good == len(found)


@given(st.binary(min_size=1), st.integers(70, 5_000))
def test_rubbish_behind_a_whole_one_takes_nothing_from_it(rubbish: bytes, step: int) -> None:
    found, problem = read(WHOLE + b"\x01" + rubbish, step)
    assert found == CONTENT
    assert problem is not None
    assert problem.good == len(CONTENT)


@pytest.mark.parametrize("place", [len(WHOLE) // 2, len(WHOLE) - 6])
def test_of_a_member_with_a_turned_bit_nothing_is_good(place: int) -> None:
    turned = WHOLE[:place] + bytes([WHOLE[place] ^ 4]) + WHOLE[place + 1 :]
    _, problem = read(gzip.compress(b"before\n") + turned, 1_000)
    assert problem is not None
    assert problem.good == len(b"before\n")


def test_a_seek_goes_forward_by_reading() -> None:
    with Gunzipped(io.BytesIO(WHOLE)) as stream:
        assert stream.seek(1_000) == 1_000
        assert stream.read(50) == CONTENT[1_000:1_050]
        with pytest.raises(io.UnsupportedOperation):
            stream.seek(0)


@pytest.mark.parametrize("step", [700, 40_000, 1_000_000])
def test_of_a_zstandard_that_is_cut_its_beginning_is_read(step: int) -> None:
    content = CONTENT * 60  # several blocks, which are told when they are whole
    stored = pa.compress(content, "zstd", asbytes=True)
    with uncompressed_stream(io.BytesIO(stored), "zstd") as stream:
        assert b"".join(iter(lambda: stream.read(step), b"")) == content
    found = b""
    with uncompressed_stream(io.BytesIO(stored[:-1]), "zstd") as stream, pytest.raises(BrokenOff) as problem:
        while True:
            found += stream.read(step)
    assert problem.value.good == len(found) >= 128 << 10
    assert content.startswith(found)


def test_a_zstandard_whose_bytes_are_damaged_is_no_cut_one() -> None:
    stored = pa.compress(CONTENT, "zstd", asbytes=True)[:9] + b"\xff" * 40
    with uncompressed_stream(io.BytesIO(stored), "zstd") as stream, pytest.raises(OSError, match="ZSTD"):
        stream.read()
