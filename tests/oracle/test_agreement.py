"""The reader says of every record what the naive one says, column by column."""

from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.kafka.reading.reader import ARROW_SCHEMA, ReadSettings
from tests.kafka.reading import read_table
from tests.oracle import naive
from tests.oracle.corpus import SAMPLE, LogFile, logs, share

# What the caller says and not the bytes.
GIVEN = ("cluster_id", "node_id", "file_id", "load_seq")
SCHEMA = pa.schema([field for field in ARROW_SCHEMA if field.name not in GIVEN])
SHARE_RECORDS = 100
SHOWN = 3


def differences(data: bytes, log: str, **changed: Any) -> list[dict[str, Any]]:
    """The first records that the two read differently: by column (naive, reader)."""
    expected = pa.Table.from_pylist(list(naive.read(data, log)), SCHEMA)
    found = read_table(data, log=log, **changed).select(SCHEMA.names)
    if expected.equals(found):
        return []
    if expected.num_rows != found.num_rows:
        return [{"records": (expected.num_rows, found.num_rows)}]
    pairs = zip(expected.to_pylist(), found.to_pylist(), strict=True)
    unequal = [(a, b) for a, b in pairs if a != b]
    assert unequal, "equal rows of unequal types"
    told = [one for one in unequal if not is_understood_joined(*one, log)]
    return [{name: (a[name], b[name]) for name in a if a[name] != b[name]} for a, b in told[:SHOWN]]


def is_understood_joined(expected: dict[str, Any], found: dict[str, Any], log: str) -> bool:
    """The reader alone understands a record of several lines, as the naive one does once they are one: it joins those
    that a page broke (tests/kafka/test_copied_lines.py says what comes of it)."""
    raw = (expected["raw"] or b"").strip()
    if b"\n" not in raw or expected["event"] is not None or found["event"] is None:
        return False
    joined = (b"".join(raw.splitlines()), b" ".join(raw.splitlines()))
    return any(found["event"] in {one["event"] for one in naive.read(text + b"\n", log)} for text in joined)


def of_file(file: LogFile) -> tuple[str, list[dict[str, Any]], int]:
    return str(file.path), differences(file.data, file.log), file.data.count(b"\n")


def test_a_share_of_every_release_and_log(shared: Path) -> None:
    by_log: dict[tuple[str, str], list[LogFile]] = defaultdict(list)
    for file in logs(shared / "corpus"):
        by_log[file.release, file.log].append(file)
    assert len({release for release, _ in by_log}) >= 30
    for (release, log), files in by_log.items():
        every = b"".join(file.data if file.data.endswith(b"\n") else file.data + b"\n" for file in files)
        assert not differences(share(every, SHARE_RECORDS), log), (release, log)


@pytest.mark.soak
def test_the_whole_corpus(shared: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        read = list(pool.map(of_file, logs(shared / "corpus"), chunksize=8))
    assert sum(lines for _, _, lines in read) > 400_000
    assert not {path: unequal for path, unequal, _ in read if unequal}


TIME = b"[2024-03-01 12:00:00,123] "
CHANGED = (
    TIME
    + b"TRACE [Controller id=1 epoch=5] Changed partition t-0 from NewPartition to OnlinePartition with state "
)
ELECTED = b" INFO [Controller id=1] Resigning (kafka.controller.KafkaController)\n"
CASES = {
    "a bracket closed, none opened before": TIME + b"INFO x)\n" + 4 * (TIME.strip() + ELECTED),
    "a number of 20 digits in a compound": CHANGED
    + b"LeaderAndIsr(leader=99999999999999999999, leaderEpoch=4, isr=List(2), zkVersion=0) (state.change.logger)\n",
    "a list that goes on in another line": TIME
    + b"TRACE [Controller id=1 epoch=5] Changed partition t-0 state from NonExistentPartition to NewPartition with assigned "
    b"replicas 3,1,2 (state.cha nge.logger)\n 5-7 (state.change.logger)\n",
    "a list with a number that no broker has": CHANGED
    + b"LeaderAndIsr(leader=1, leaderEpoch=4, isr=List(2, 4294967296), zkVersion=0) (state.change.logger)\n",
    "a first line whose time is none": b"[2024-03-01 12:00:00 123]" + ELECTED,
    "a time of the right shape and no such day": b"[2023-02-29 12:00:00,123]" + ELECTED,
    "a line that is torn before the next record": TIME
    + b"INFO [Controller id=1] Resi"
    + 2 * (TIME.strip() + ELECTED),
    "a line that is torn inside of a start": TIME + ELECTED[1:] + TIME[:9] + TIME.strip() + ELECTED,
    "a torn line of a trace": TIME
    + ELECTED[1:]
    + b"java.lang.Illegal"
    + TIME.strip()
    + ELECTED
    + b"\tat x\n",
    "two torn lines": TIME + b"INFO one" + TIME + b"INFO two" + TIME.strip() + ELECTED,
    "a start inside of what nobody knows": TIME
    + b"INFO one"
    + TIME
    + b"INFO two (kafka.controller.KafkaController)\n",
    "zero bytes behind a torn line": TIME + b"INFO one" + 99 * b"\0" + TIME.strip() + ELECTED,
    "zero bytes behind a whole line": TIME.strip() + ELECTED + 99 * b"\0" + TIME.strip() + ELECTED,
    "zero bytes at the beginning": 99 * b"\0" + TIME.strip() + ELECTED,
    "zero bytes at the end": TIME.strip() + ELECTED + 99 * b"\0",
    "lines of zero bytes": TIME.strip() + ELECTED + b"\0\0\n\0\nx\0" + TIME.strip() + ELECTED,
    "a message that ends in the line after": TIME + b"INFO one\n two (kafka.controller.KafkaController)\n",
}


@pytest.mark.parametrize("data", CASES.values(), ids=list(CASES))
def test_hostile_lines(data: bytes) -> None:
    assert not differences(data, "controller")


# Bytes at which a reader can go wrong: ends, brackets, numbers at the edge of their type, signs, collections.
SPLICES = (
    b"", b" ", b"  ", b"\n", b"\r\n", b"\r", b"\t", b"\x00", b"\xff", "\u00fc\u2028".encode(), b"-", b"-1", b"--1",
    b"2147483647", b"2147483648", b"-2147483648", b"99999999999999999999", b"0", b"1.5", b"NaN", b",", b", ",
    b"[", b"]", b"(", b")", b"{", b"}", b"[]", b"List()", b"Set(1, 2)", b"Some(1)", b"None", b"null",
    b" (state.change.logger)", b" (kafka.controller.KafkaController)", b" (a.B)", b" (a.B:7)", b"leader=",
    b"[2024-03-01 12:00:00,123] ", b"[2024-02-30 12:00:00,123] ", b"\n[2024-03-01 12:00:00,123] INFO ",
    b"\njava.io.IOException: deep\n", b"\nkafka.common.X\n", b"__consumer_offsets", b"t-0", b"a-1-2.b",
    b"to OnlinePartition", b"epoch", b"partition ", b"correlation id ",
)  # fmt: skip


@cache
def lines() -> list[bytes]:
    """One record a template that the sample shows, with the lines that continue it."""
    found: dict[tuple[str, str | None], bytes] = {}
    for file in logs(SAMPLE):
        for row in naive.read(file.data, file.log):
            if row["raw"]:
                found.setdefault((row["logger"], row["template"]), row["raw"])
    assert len(found) > 60
    return list(found.values())


Mutation = tuple[int, float, bytes, int, bool]
MUTATION = st.tuples(
    st.integers(0, 2**16), st.floats(0, 1), st.sampled_from(SPLICES), st.integers(0, 12), st.booleans()
)


def mutated(line: bytes, at: float, splice: bytes, cut: int, *, is_number: bool) -> bytes:
    """A splice in place of `cut` bytes at that share of the line; or of the number that follows there."""
    place = int(at * len(line))
    if is_number:
        while place < len(line) and not line[place : place + 1].isdigit():
            place += 1
        cut = next((n for n in range(len(line) - place) if not line[place + n : place + n + 1].isdigit()), 0)
    return line[:place] + splice + line[place + cut :]


def check_mutations(plan: list[Mutation]) -> None:
    data = b"".join(
        mutated(lines()[n % len(lines())], at, splice, cut, is_number=is_number)
        for n, at, splice, cut, is_number in plan
    )
    assert not differences(data, "controller", settings=ReadSettings(block_bytes=10_000))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(plan=st.lists(MUTATION, min_size=1, max_size=60))
def test_broken_lines(plan: list[Mutation]) -> None:
    check_mutations(plan)


@pytest.mark.soak
@settings(max_examples=5_000, deadline=None, derandomize=True)
@given(plan=st.lists(MUTATION, min_size=1, max_size=60))
def test_many_broken_lines(plan: list[Mutation]) -> None:
    check_mutations(plan)
