"""What the reader makes of files as they are found: in every envelope, torn, forged, or no logs at all."""

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql.pandas.types import to_arrow_schema

from pipeline.kafka.reading import record_text as record_text_module
from pipeline.kafka.reading.reader import ARROW_SCHEMA, ReadSettings
from pipeline.kafka.reading.sniff import sniff_head
from schemas.bronze import log_record
from schemas.spark import struct_of
from tests.kafka.reader_lines import DONE, LINE, TIME
from tests.kafka.reading import read, read_table

MILLIS = dt.datetime.fromisoformat("2024-03-01T12:00:00.123")
SECONDS = dt.datetime.fromisoformat("2024-03-01T12:00:00")


def test_schema_is_the_table_of_bronze() -> None:
    assert ARROW_SCHEMA.names == list(log_record.SPEC.columns)
    own = to_arrow_schema(struct_of(log_record.SPEC))
    for expected, found in zip(own, ARROW_SCHEMA, strict=True):
        assert found.nullable == expected.nullable, found
        if not (
            pa.types.is_map(found.type) or pa.types.is_list(found.type) or pa.types.is_timestamp(found.type)
        ):
            assert found.type == expected.type, found
    assert ARROW_SCHEMA.field("logged_at").type == pa.timestamp("us", tz="UTC")
    assert ARROW_SCHEMA.field("logged_local").type == pa.timestamp("us")


ENVELOPES = [
    ("stock", LINE, MILLIS, "TRACE"),
    ("stock", LINE.replace(b"\n", b"\r\n"), MILLIS, "TRACE"),
    ("stock_line", LINE.replace(b"logger)", b"logger:66)"), MILLIS, "TRACE"),
    ("compose/stock", b"kafka-1  | " + LINE, MILLIS, "TRACE"),
    ("timestamps/stock", b"2025-04-18T19:58:38.904915000Z " + LINE, MILLIS, "TRACE"),
    (
        "strimzi",
        b"2024-03-01 12:00:00,123 TRACE " + DONE + b" (state.change.logger) [thread-1]\n",
        MILLIS,
        "TRACE",
    ),
    ("strimzi_log4j2", b"2024-03-01 12:00:00 INFO  [thread-1] logger:450 - " + DONE + b"\n", SECONDS, "INFO"),
    (
        "filebeat",
        b"[2024-03-01 12:00:00,123] [INFO ] [t-7] [state.change.logger] - " + DONE + b"\n",
        MILLIS,
        "INFO",
    ),
    (
        "stock_iso_offset",
        b"[2024-03-01T12:00:00.123Z] INFO " + DONE + b" (state.change.logger)\n",
        MILLIS,
        "INFO",
    ),
]


@pytest.mark.parametrize(("name", "line", "local", "level"), ENVELOPES)
def test_envelope(name: str, line: bytes, local: dt.datetime, level: str) -> None:
    rows = read(line * 3, envelope=name, log="mixed")
    assert [row["byte_offset"] for row in rows] == [0, len(line), 2 * len(line)]
    said = {(r["logged_local"], r["level"], r["logger"], r["event"], r["log"], r["topic"]) for r in rows}
    assert said == {(local, level, "state.change.logger", "partition_transition", "state-change", "t")}
    assert sniff_head(line * 3).envelope == name


def test_an_offset_that_is_printed_counts_before_the_zone() -> None:
    for printed, hour in ((b"Z", 12), (b"+05:30", 6), (b"-03", 15)):
        line = LINE.replace(b"2024-03-01 12:00:00,123", b"2024-03-01T12:00:00.123" + printed)
        row = read(line, envelope="stock_iso_offset", zone="Europe/Berlin")[0]
        assert (row["logged_local"], row["logged_at"].hour) == (MILLIS, hour)
    named = LINE.replace(b",123", b",123 CET")
    row = read(named, envelope="stock_zone", zone="America/New_York")[0]
    assert row["logged_at"].hour == 17


def test_zone_gives_utc_and_a_repeated_hour_its_first() -> None:
    line = LINE.replace(b"2024-03-01 12:00", b"2024-10-27 02:30")
    row = read(line, zone="Europe/Berlin")[0]
    assert row["logged_at"] == dt.datetime(2024, 10, 27, 0, 30, 0, 123000, tzinfo=dt.UTC)
    assert row["logged_local"] == dt.datetime.fromisoformat("2024-10-27T02:30:00.123")


def reasons(data: bytes, **changed: Any) -> list[str | None]:
    rows = read(data, **changed)
    assert sum(row["byte_length"] for row in rows) == len(data)
    return [row["not_understood_reason"] for row in rows]


HOSTILE = [
    ("empty", b"", []),
    ("blank", b"\n \r\n\t\n" + LINE, ["blank", None]),
    ("only continuation", b"\tat kafka.x(Y.scala:1)\nmore\n", ["no_envelope"]),
    ("NUL bytes before", b"\x00" * 50 + b"\n" + LINE, ["no_envelope", None]),
    ("NUL bytes inside", LINE.replace(b"t-0", b"t\x00-0"), ["no_template"]),
    ("broken UTF-8", LINE + LINE.replace(b"t-0", b"t\xff-0") + LINE, [None, "bad_bytes", None]),
    ("good UTF-8", LINE.replace(b"t-0", "ü-0".encode()), ["no_template"]),
    ("no such day", LINE.replace(b"03-01", b"02-30"), ["no_envelope"]),
    ("no such hour", LINE.replace(b"12:00:00", b"24:00:00"), ["no_envelope"]),
    ("torn at the end", LINE + LINE[:-12], [None, "cut"]),
    ("no line end", LINE[:-1], ["cut"]),
    ("text behind the logger", LINE[:-1] + b" host=kafka-1 took 5 ms\n" + LINE, [None, None]),
    ("a list behind the logger", LINE[:-1] + b', {"host": "a (b)"}\r\n\tat x\n', [None]),
    ("text behind a message without its end", LINE.partition(b" (")[0] + b" host=kafka-1\n", ["cut"]),
    ("text behind the name of a host", LINE.partition(b" (")[0] + b" (kafka-1.example) x\n", ["cut"]),
    ("lower level", LINE.replace(b"TRACE", b"trace"), ["no_envelope"]),
    (
        "a logger of which only some wordings are read",
        LINE.replace(b"state.change.logger", b"org.apache.kafka.raft.KafkaRaftClient"),
        ["other_logger"],
    ),
    ("another logger", LINE.replace(b"state.change.logger", b"org.example.Mine"), ["other_logger"]),
    ("another wording", LINE.replace(b"Changed", b"Change"), ["no_template"]),
    ("an epoch too big", LINE.replace(b"epoch=5", b"epoch=2147483647"), ["no_template"]),
    ("a number too big", LINE.replace(b"epoch=5", b"epoch=9999999999"), ["no_template"]),
]


@pytest.mark.parametrize(
    ("data", "expected"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE]
)
def test_reasons(data: bytes, expected: list[str | None]) -> None:
    assert reasons(data) == expected
    cuts = tuple(range(7, len(data), 37))
    assert read(data, cuts=cuts, settings=ReadSettings(block_bytes=61)) == read(data)


def test_bytes_are_kept_except_of_other_loggers() -> None:
    rows = read(LINE + LINE.replace(b"state.change.logger", b"org.example.Mine") + b"\xff\n")
    assert [row["raw"] for row in rows] == [LINE, None]
    assert rows[1]["level"] == "TRACE"


def test_a_long_record_is_cut() -> None:
    data = LINE + TIME + b"INFO " + b"x" * 5_000_000 + b" (state.change.logger)\n" + LINE
    rows = read(data, settings=ReadSettings(max_record_bytes=1 << 20))
    assert [row["not_understood_reason"] for row in rows] == [None, "too_long", None]
    assert [len(row["raw"]) for row in rows] == [len(LINE), 1 << 20, len(LINE)]
    assert rows[1]["byte_length"] == len(data) - 2 * len(LINE)
    assert (rows[1]["logged_local"], rows[1]["level"]) == (MILLIS, "INFO")
    assert reasons(data) == [None, "no_template", None]


def test_the_log_of_a_record_is_its_loggers() -> None:
    loggers = [
        b"kafka.controller.KafkaController",
        b"org.apache.kafka.controller.QuorumController",
        b"kafka.server.KafkaServer",
    ]
    data = b"".join(TIME + b"INFO x (" + logger + b")\n" for logger in loggers) + TIME + b"INFO x\n"
    assert [row["log"] for row in read(data, log="mixed")] == ["controller", "controller", "server", "server"]
    assert read(data, log="controller")[3]["log"] == "controller"


def test_exception_of_the_lines_that_follow() -> None:
    data = (
        TIME
        + b"ERROR [Controller id=1 epoch=5] Controller 1 epoch 5 failed to change state for partition t-0 "
        b"from "
        b"OfflinePartition to OnlinePartition (state.change.logger)\n"
        b"kafka.common.StateChangeFailedException: Failed to elect leader: why\n\tat kafka.x.Y.z(Y.scala:1)\n"
        b"Caused by: java.io.IOException: deep\n"
    )
    row = read(data)[0]
    assert (row["event"], row["line_count"]) == ("partition_transition_failed", 4)
    assert row["exception_class"] == "kafka.common.StateChangeFailedException"
    assert row["exception_message"] == "Failed to elect leader: why"
    assert not row["is_forged"]


FORGED = TIME + b"INFO fake (kafka.controller.KafkaController)"
FORGERIES = [
    ("carriage return", TIME + b"INFO client \r" + FORGED + b" rest (state.change.logger)\n", [True]),
    ("indented line", TIME + b"INFO client\n " + FORGED + b" rest (state.change.logger)\n", [True]),
    ("line feed", TIME + b"INFO client\n" + FORGED + b"\n rest (state.change.logger)\n", [False, True]),
    ("message of two lines", TIME + b"INFO one\ntwo (state.change.logger)\n", [False]),
]


@pytest.mark.parametrize(
    ("data", "expected"), [case[1:] for case in FORGERIES], ids=[case[0] for case in FORGERIES]
)
def test_forged(data: bytes, expected: list[bool]) -> None:
    assert [row["is_forged"] for row in read(data)] == expected


PIECES = st.sampled_from(
    [
        LINE,
        LINE[:-1],
        TIME,
        b"INFO ",
        b"DEBUG  ",
        b"x",
        b" (a.B)",
        b" (a.B:7)",
        b"(",
        b")",
        b" ",
        b"\r",
        b"\n",
        b"\r\n",
        b"\xc3\xbc",
        b"\xff",
    ]
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(data=st.lists(PIECES, max_size=12).map(b"".join))
def test_places_of_bytes_say_the_same_as_the_regex(data: bytes) -> None:
    fast = read_table(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            record_text_module,
            "plain_heads",
            lambda texts, *_: (pa.repeat(False, len(texts)).to_numpy(zero_copy_only=False), {}),
        )
        assert fast.equals(read_table(data))
