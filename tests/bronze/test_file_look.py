"""What a file is found to be: codec, envelope, log and times, from what stands in it."""

import gzip
import hashlib
import os
import tarfile
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.bronze.file_look import NO_TIMES, Wanted, times_of
from pipeline.bronze.file_look.on_executors import arrow_schema, inspect_file_batches
from pipeline.kafka.reading.sniff import HEAD_BYTES, content_name, sniff_stream
from tests.bronze.looking import STATE, TIME, looked, seen

SERVER = TIME + b"INFO [KafkaServer id=3] started (kafka.server.KafkaServer)\n"
STAMP = b"2024-03-01T12:00:00.123456789Z "
OFFSET = b"[2024-03-01T12:00:00.123+05:30] INFO x (kafka.controller.KafkaController)\n"


CASES = [
    ("plain", "a.log", STATE, None, ("plain", "stock", "state-change")),
    (
        "gzip without its name",
        "a.log",
        gzip.compress(STATE, mtime=0),
        None,
        ("gzip", "stock", "state-change"),
    ),
    ("plain named gz", "a.gz", STATE, None, ("plain", "stock", "state-change")),
    (
        "a console that begins like server.log",
        "0.log",
        STAMP + SERVER,
        None,
        ("plain", "timestamps/stock", "mixed"),
    ),
    ("a server.log by its name", "a.log", STAMP + SERVER, "server", ("plain", "timestamps/stock", "server")),
    ("server.log under another name", "a.log", SERVER, None, ("plain", "stock", "server")),
    ("another archive", "a.log.bz2", b"BZh91AY" + bytes(range(256)) * 99, None, ("plain", None, None)),
    ("empty", "a.log", b"", None, ("plain", None, None)),
]


def tar(*names: str) -> bytes:
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = len(STATE)
            archive.addfile(info, BytesIO(STATE))
    return packed.getvalue()


def zipped(*names: str) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, STATE)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "is_refused"),
    [
        (tar("b/controller.log", "b/state-change.log"), True),
        (gzip.compress(tar("b/controller.log"), mtime=0), True),
        (zipped("b/controller.log.2026-11-21"), True),
        (zipped("kafka/controller/ControllerContext.class", "META-INF/MANIFEST.MF"), False),
    ],
    ids=("tar", "tar.gz", "zip", "jar"),
)
def test_an_archive_is_no_log(tmp_path: Path, content: bytes, *, is_refused: bool) -> None:
    found = seen(tmp_path, "controller.log.gz", content)
    assert (found["problem"] or "").startswith("an archive of several files") is is_refused
    assert found["envelope"] is None


@pytest.mark.parametrize(
    ("name", "content", "log", "expected"), [one[1:] for one in CASES], ids=[one[0] for one in CASES]
)
def test_a_file_is_what_stands_in_it(
    tmp_path: Path, name: str, content: bytes, log: str | None, expected: tuple[str | None, ...]
) -> None:
    row = seen(tmp_path, name, content, log)
    assert (row["codec"], row["envelope"], row["log"]) == expected
    assert row["problem"] is None


DUMP = (
    TIME
    + b"INFO [ReplicaStateMachine controllerId=3] Started replica state machine with initial state -> Map("
    + b", ".join(b"[Topic=\xc3\xa4,Partition=%d,Replica=3] -> OnlineReplica" % at for at in range(7000))
    + b") (kafka.controller.ReplicaStateMachine)\n"
)
LONG_FIRST = [
    ("a whole record", DUMP + STATE * 9, "stock", "mixed"),
    ("nothing else", DUMP, "stock", "controller"),
    ("the end of one", DUMP[200:] + STATE * 9, "stock", "state-change"),
    ("in broken bytes", b"\xff" * 300_000 + b"\n" + STATE * 9, "stock", "state-change"),
    ("lines of one", b"\tat x\n" * 60_000 + STATE * 9, "stock", "state-change"),
    ("in a wrapper", STAMP + DUMP + (STAMP + STATE) * 9, "timestamps/stock", "mixed"),
    ("the end of one in a wrapper", DUMP[200:] + (STAMP + STATE) * 9, "timestamps/stock", "state-change"),
    ("longer than sixteen heads", b"x" * (5 << 20) + b"\n" + STATE * 9, "stock", "state-change"),
]


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("content", "envelope", "log"), [one[1:] for one in LONG_FIRST], ids=[one[0] for one in LONG_FIRST]
)
def test_the_first_record_may_be_longer_than_the_head(
    tmp_path: Path, pack: Callable[[bytes], bytes], content: bytes, envelope: str, log: str
) -> None:
    row = seen(tmp_path, "a.log", pack(content))
    assert (row["envelope"], row["log"], row["node_ids"]) == (envelope, log, [3])
    assert row["size"] == len(content)
    assert row["first_record_hash"] == hashlib.sha256(content[: 256 << 10]).hexdigest()


def test_a_long_first_record_that_is_not_whole_yet_is_found_when_it_is(tmp_path: Path) -> None:
    assert seen(tmp_path, "a.log", DUMP[:300_000])["log"] is None
    assert seen(tmp_path, "a.log", DUMP[:300_000] + DUMP[300_000:])["log"] == "controller"


@pytest.mark.parametrize("byte", [b"\0", b"a line\n"], ids=["one line", "many"])
def test_a_file_of_others_is_read_as_far_as_a_record_may_reach(byte: bytes) -> None:
    stream = BytesIO(byte * (2 << 20))
    found, head = sniff_stream(stream, most=1 << 20)
    assert (found.envelope, stream.tell(), len(head)) == (None, 1 << 20, 256 << 10)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_files_of_two_nodes_that_were_put_together_name_both(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    """Though the beginning is the one's alone, and the end begins in a stack trace."""
    content = (
        STATE * 4000
        + STATE.replace(b"id=3", b"id=4") * 9
        + b"\tat x\n" * 40_000
        + STATE.replace(b"id=3", b"id=4")
    )
    assert len(content) > 2 * HEAD_BYTES
    assert seen(tmp_path, "a.log", pack(content))["node_ids"] == [3, 4]


def test_the_name_of_a_content_does_not_hang_on_the_layout() -> None:
    """The first records of a file may let another one be taken than all of them."""
    other = b"2024-03-01 12:00:00,123 INFO x (org.example.A) [main]\n"
    head = b"Starting\n" + other + STATE * 3
    names = {content_name(head, name) for name in ("stock", "strimzi", "ecs", "spring_boot")}
    assert names == {hashlib.sha256(b"Starting\n" + other).hexdigest()}


def test_the_envelope_of_the_settings_is_the_only_one_tried(tmp_path: Path) -> None:
    assert seen(tmp_path, "a.log", STATE, envelope="strimzi")["envelope"] is None
    assert seen(tmp_path, "a.log", STAMP + STATE, envelope="stock")["envelope"] == "timestamps/stock"


def test_times_are_local_and_in_utc_where_the_record_tells(tmp_path: Path) -> None:
    local = datetime.fromisoformat("2024-03-01T12:00:00.123")
    row = seen(tmp_path, "a.log", STATE * 2)
    assert (row["first_logged_local"], row["first_logged_at"]) == (local, None)
    row = seen(tmp_path, "a.log", OFFSET * 2)
    assert row["tail_logged_local"] == local
    assert row["tail_logged_at"] == datetime(2024, 3, 1, 6, 30, 0, 123000, tzinfo=UTC)


YEARS = (b"0000", b"0001", b"1969", b"2200", b"9999")


@pytest.mark.parametrize("year", YEARS)
def test_a_year_that_no_log_has_is_no_time(tmp_path: Path, year: bytes) -> None:
    """Neither Python nor a zone holds all that four digits can be."""
    for line in (STATE, OFFSET):
        other = line.replace(b"2024", year)
        row = seen(tmp_path, "a.log", other + line * 9 + other)
        assert row["log"] is not None and row["tail_start"] == len(line) * 10
        assert {row[name] for name in row if "_logged_" in name} == {None}


def test_rows_fit_the_schema(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(OFFSET * 2)
    asked = {
        "path": str(tmp_path / "a.log"),
        "log": None,
        "envelope": None,
        "is_server_read": False,
        "stored_bytes": len(OFFSET),
        "max_file_bytes": 1 << 20,
        "max_ratio": 500,
        "max_record_bytes": 16 << 20,
    }
    batch = next(iter(inspect_file_batches([pa.RecordBatch.from_pylist([asked])], Wanted())))
    assert batch.schema == arrow_schema()
    assert batch["size"].to_pylist() == [len(OFFSET)]  # what came after the listing is for the next run


def bomb(codec: str, megabytes: int) -> bytes:
    """State changes first, so that it is taken for a log, and blanks behind them."""
    content = STATE * 9 + b" " * (megabytes << 20) + b"\n" + STATE
    if codec == "gzip":
        return gzip.compress(content)
    return bytes(pa.Codec("zstd").compress(content, asbytes=True))


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_a_bomb_is_unpacked_no_further_than_allowed(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(bomb(codec, 80))
    row = looked(path, max_ratio=500)
    assert row["problem"] == "it unpacks to more than 500 times its size: a bomb, or raise limits.max_ratio"
    assert (row["codec"], row["size"], row["is_missing"]) == (codec, 0, False)
    assert looked(path, max_ratio=1 << 30)["problem"] is None
    path.write_bytes(bomb(codec, 60))
    assert looked(path, max_ratio=1)["problem"] is None


@pytest.mark.parametrize("codec", ["plain", "gzip"])
def test_a_file_is_read_no_further_than_allowed(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(STATE * 99 if codec == "plain" else gzip.compress(STATE * 99))
    said = "it holds more than 9,000 bytes: raise limits.max_file_bytes to read it"
    assert looked(path, max_file_bytes=9000)["problem"] == said
    assert looked(path, max_file_bytes=len(STATE) * 99)["problem"] is None


def test_a_file_that_is_gone_is_missing_and_a_pipe_in_its_place_is_not_waited_for(tmp_path: Path) -> None:
    assert looked(tmp_path / "gone.log")["is_missing"]
    os.mkfifo(tmp_path / "pipe.log")
    row = looked(tmp_path / "pipe.log")
    assert (row["problem"], row["is_missing"]) == (f"no regular file: {tmp_path}/pipe.log", False)


def test_beginnings_are_hashed_by_the_name_of_the_content(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(STATE * 3)
    name = hashlib.sha256(STATE).hexdigest()
    wanted = {name: frozenset({7, len(STATE), 10_000}), "another": frozenset({8})}
    row = looked(path, wanted=Wanted(wanted))
    assert row["first_record_hash"] == name
    assert [offset for offset, _ in row["hashes"]] == [7, len(STATE), len(STATE) * 3, len(STATE) * 2]
    assert row["starts"] == [len(STATE)]


def test_times_of_heads_read_together_are_those_of_each_alone() -> None:
    """Of each head's first record, whatever stands behind it; one in another layout tells its instant, others none."""
    heads = (b"", STATE + OFFSET, OFFSET + STATE, b"no record\n", SERVER[:40])
    together = times_of(heads, "stock")
    assert together == [one for head in heads for one in times_of((head,), "stock")]
    assert together[0] == together[3] == NO_TIMES
    assert (together[1][1], together[2][1]) == (None, datetime(2024, 3, 1, 6, 30, 0, 123000, UTC))
    assert times_of(heads, None) == [NO_TIMES] * len(heads)
