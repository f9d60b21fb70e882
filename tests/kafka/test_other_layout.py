"""A file whose layout was changed while it was written is read on, and no record is taken for a line of another."""

import json
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.starts import START_BYTES
from pipeline.kafka.layout.envelope import built_in_layouts, envelope_by_name
from pipeline.kafka.reading.reader import ReadSettings, reparse_segment
from pipeline.kafka.reading.sniff import Sniff, sniff_head
from tests.kafka.envelopes import FEW, SECONDS, said
from tests.kafka.masking import FORMS, LINE, of, rows
from tests.kafka.masking_forms import ENCODED
from tests.kafka.masks import is_masked, plain
from tests.kafka.reading import read, read_table, request
from tests.kafka.writing import LINES, WRAPPERS, wrapped, written

EACH = 10  # of the layouts behind each; all of them in soak
MOVED = "[Controller id=1 epoch=5] Changed partition t-0 state from NewPartition to OfflinePartition"
LINE_OF = {
    "stock": "[2024-03-01 12:00:00,123] TRACE {})\n",
    "stock_line": "[2024-03-01 12:00:00,123] TRACE {}:12)\n",
}
STRIMZI = f"2024-03-01 12:00:00,123 TRACE {MOVED} (state.change.logger) [main]\n"


def before_and_after(before: str, after: str) -> bytes:
    return written(FEW, before) + written(FEW, after) + written(FEW[:1], before)


@cache
def alone(name: str) -> tuple[dict[str, Any], ...]:
    return tuple(read(written(FEW, name), envelope=name, log="mixed"))


def others(before: str, share: int) -> list[str]:
    """Every so many of the layouts, beginning with another one behind each."""
    names = list(built_in_layouts())
    place = names.index(before)
    return [one for number, one in enumerate(names) if (number + place) % share == 0]


@pytest.mark.parametrize("share", [EACH, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("before", built_in_layouts())
def test_any_layout_after_any_other(before: str, share: int) -> None:
    """What begins as records of the file do is one, and only that may not be understood."""
    for after in others(before, share):
        found = read(before_and_after(before, after), envelope=before, log="mixed")
        assert len(found) == 2 * len(FEW) + 1, after
        if {before, after} <= set(LINES) and envelope_by_name(before).start_pattern.match(
            written(FEW, after)
        ):
            continue
        without_millis = bool({before, after} & SECONDS)
        told = [alone(name) for name in (before, after)]
        expected = said([*told[0], *told[1], *told[0][:1]], without_millis=without_millis)
        assert said(found, without_millis=without_millis) == expected, after


@pytest.mark.parametrize("around", [name for name in WRAPPERS if name != "cri"])
def test_inside_of_wrappers(around: str) -> None:
    content = wrapped(before_and_after("strimzi", "stock"), [around])
    bare = read(before_and_after("strimzi", "stock"), envelope="strimzi", log="mixed")
    assert said(read(content, envelope=f"{around}/strimzi", log="mixed")) == said(bare)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    where=st.lists(st.floats(0, 1), max_size=4),
    block=st.sampled_from([97, 700, 1 << 20]),
    after=st.sampled_from(["strimzi", "ecs", "spring_boot"]),
)
def test_any_split_and_any_block_give_the_same_rows(where: list[float], block: int, after: str) -> None:
    content = before_and_after("stock", after)
    cuts = tuple(sorted({int(share * len(content)) for share in where} - {0, len(content)}))
    whole = read(content, log="mixed")
    assert read(content, log="mixed", cuts=cuts, settings=ReadSettings(block_bytes=block)) == whole
    assert sum(row["byte_length"] for row in whole) == len(content)


@pytest.mark.parametrize("more", [0, 160, 161, 900, 3500])
def test_what_an_agent_puts_before_the_message_may_be_long(more: int) -> None:
    """Lines of one file have more and less of it."""
    event = {"@timestamp": "2024-03-01T12:00:00.123Z", "message": ""}
    stock = STRIMZI.replace("2024-03-01 12:00:00,123", "[2024-03-01 12:00:00,123]").replace(" [main]\n", "")
    lines = [json.dumps({"agent": "x" * size} | event | {"message": stock}) for size in (0, more, 0)]
    found = read("".join(f"{line}\n" for line in lines).encode(), envelope="json_message/stock")
    assert [row["event"] for row in found] == ["partition_transition"] * 3


@pytest.mark.parametrize(("before", "after"), [("stock_line", "stock"), ("stock", "stock_line")])
def test_layouts_that_begin_alike_and_end_otherwise(before: str, after: str) -> None:
    """As lines of two nodes are pasted into one text; what is torn is whole in no layout, nor is another program's."""
    text = LINE_OF[after].format(f"{MOVED} (state.change.logger")
    of_another = LINE_OF[after].format("x (org.another.Class")
    content = (text + of_another + "[2024-03-01 12:00:01,123] INFO torn\n").encode()
    found = read(content, envelope=before, log="mixed")
    assert [row["event"] for row in found] == ["partition_transition", None, None]
    assert [row["not_understood_reason"] for row in found][1:] == ["cut", "cut"]


def test_reparsing_says_the_same() -> None:
    content = (
        b"\xef\xbb\xbf" + before_and_after("stock", "strimzi") + b"[2024-03-01 12:00:01,123] - INFO what\n"
    )
    for batch in read_table(content, log="mixed").to_batches():
        assert reparse_segment(batch, request(0, 0, log="mixed")).equals(batch)


LINES_AFTER: list[tuple[str, Any]] = [
    ("2024-03-01 12:00:01\nFull thread dump OpenJDK 64-Bit Server VM:\n", 1),
    ("2024-03-01T12:00:01.123+0000: 3.25: [GC (Allocation Failure) 1K->2K(3K), 0.1 secs]\n", 1),
    ("[2024-03-01T12:00:01.123+0000][info][gc] GC(0) Pause Young 24M->4M(256M) 1.2ms\n", 1),
    ('{"a": 1}\n', 1),
    ('{"error": "x", "exception": null, "timestamp": 1}\n', 1),
    ("2024-03-01 12:00:00,123 retries=3 lastError=UNKNOWN_SERVER_ERROR\n", 1),
    ("\tat x.Y(Z.java:1) 2024-03-01 12:00:01,123 INFO x (kafka.a)\n", 1),
    # Of another program, and one that no layout reads: records of their own, as they begin as such.
    ("2024-03-01 12:00:01,123 [myid:1] - INFO  [main:QuorumPeerConfig@135] - Reading\n", 2),
    ("[2024-03-01 12:00:01,123] <main> INFO what is this\n", 2),
]


@pytest.mark.parametrize(("text", "records"), LINES_AFTER)
def test_lines_of_others(text: str, records: int) -> None:
    found = read((STRIMZI + text).encode(), envelope="strimzi")
    assert [row["not_understood_reason"] for row in found] == [None, "no_envelope"][:records]
    assert all(row["raw"] is not None for row in found)


def test_records_of_other_loggers_are_such_in_any_layout() -> None:
    line = "2024-03-01 12:00:00,123 INFO Kafka commitId: 60e845626d8a465a (org.apache.kafka.common.utils.Other) [main]\n"
    last = read(written(FEW, "stock") + line.encode(), log="mixed")[-1]
    assert (last["not_understood_reason"], last["raw"]) == ("other_logger", None)


@pytest.mark.parametrize(
    "named", ["java.io.IOException", "kafka.common.KafkaException", "kafka-1.example.com"]
)
def test_what_a_line_says_first_is_no_logger(named: str) -> None:
    """As one layout ends it in a colon only."""
    line = f"2024-03-01 12:00:00,123 ERROR {named}: No space left\n"
    last = read(written(FEW, "stock") + line.encode(), log="mixed")[-1]
    assert (last["logger"], last["not_understood_reason"], last["raw"]) == (
        None,
        "no_envelope",
        line.encode(),
    )


def test_a_record_is_read_whatever_stands_far_to_the_right_behind_it() -> None:
    far = json.dumps({"a": "x" * START_BYTES, "@timestamp": "2024-03-01T12:00:00.123Z"})
    last = read(written(FEW, "stock") + f"{STRIMZI}{far}\n".encode(), log="mixed")[-1]
    assert (last["event"], last["line_count"]) == ("partition_transition", 2)


@pytest.mark.parametrize(("padding", "host"), [(4020, "a"), (3960, f"{'long' * 9}.example.com")])
def test_masking_moves_no_start(padding: int, host: str) -> None:
    """What is masked may come to stand before what is looked at, or behind it."""
    told = {"agent": "x" * padding, "host": f"connect to {host}:9092", "message": STRIMZI.strip()}
    content = f"{json.dumps({'message': STRIMZI.strip()})}\n{json.dumps(told)}\n" * 2
    table = read_table(
        content.encode(),
        envelope="json_message/strimzi",
        settings=ReadSettings(masking=of("hosts")),
        log="mixed",
    )
    for batch in table.to_batches():
        assert reparse_segment(batch, request(0, 0, envelope="json_message/strimzi", log="mixed")).equals(
            batch
        )


def test_what_only_nearly_is_another_layout_is_none() -> None:
    line = "[2024-03-01 12:00:00,123 -INFO [Controller id=1] x (kafka.controller.KafkaController)\n"
    assert read((STRIMZI + line).encode(), envelope="strimzi")[-1]["not_understood_reason"] == "no_envelope"


def test_what_was_read_as_one_stays_what_it_was() -> None:
    """Before a file's first record stood records of another layout, of which an earlier version made one."""
    found = read_table((STRIMZI * 5).encode(), envelope="stock", log="mixed")
    whole = found.slice(0, 1).to_pylist()[0] | {
        "raw": (STRIMZI * 5).encode(),
        "byte_length": len(STRIMZI) * 5,
    }
    stored = pa.RecordBatch.from_pylist([whole], found.schema)
    row = reparse_segment(stored, request(0, 0, envelope="stock", log="mixed")).to_pylist()[0]
    assert (row["event"], row["not_understood_reason"]) == (None, "no_envelope")


def test_a_start_behind_what_is_looked_at_is_none_whenever_it_is_read() -> None:
    far = json.dumps({"a": "x" * START_BYTES, "message": STRIMZI.strip()})
    near = json.dumps({"message": STRIMZI.strip()})
    (batch,) = read_table(f"{far}\n{near}\n".encode(), envelope="json_message/strimzi").to_batches()
    again = reparse_segment(batch, request(0, 0, envelope="json_message/strimzi"))
    assert again.equals(batch)
    assert again.column("not_understood_reason").to_pylist() == ["no_envelope", None]
    assert again.column("event").to_pylist() == [None, "partition_transition"]


def test_two_nodes_in_two_layouts_are_two_nodes() -> None:
    other = STRIMZI.replace("id=1", "id=2")
    found = sniff_head(
        (
            STRIMZI.replace("2024", "[2024").replace(",123", ",123]").replace(" [main]", "") * 9 + other
        ).encode()
    )
    assert found == Sniff("stock", "state-change", frozenset({1, 2}))


SMITH = "User:CN=Smith\\, John,OU=x y User:DOM\\alice z"
PLACES = [
    (
        "a line of text in braces",
        "cri/stock",
        wrapped(f"{STRIMZI}{{principal: {SMITH}}}\n".encode(), ["cri"]),
    ),
    (
        "lines after text among objects",
        "ecs",
        written(FEW, "ecs") + f"{STRIMZI}org.x.Failed: {SMITH}\n".encode(),
    ),
    ("a banner before objects", "ecs", f"super.users={SMITH}\n".encode() + written(FEW, "ecs")),
    (
        "text among objects in cri",
        "cri/ecs",
        wrapped(written(FEW, "ecs") + f"{LINE.format(SMITH)}".encode(), ["cri"]),
    ),
    (
        "a text layout that looks like objects",
        'pattern:{"timestamp":"%d{yyyy-MM-dd HH:mm:ss,SSS}","level":"%p","logger":"%c","message":"%m"}%n',
        f'{{"timestamp":"2024-03-01 12:00:00,123","level":"INFO","logger":"a.B","message":"{SMITH}"}}\n'.encode(),
    ),
]


@pytest.mark.parametrize(("envelope", "data"), [one[1:] for one in PLACES], ids=[one[0] for one in PLACES])
def test_text_is_masked_as_text_where_objects_may_be(envelope: str, data: bytes) -> None:
    stored = b"".join(row["raw"] or b"" for row in rows(data, of("principals"), envelope=envelope))
    assert b"John" not in stored and b"alice" not in stored


def test_a_logger_with_its_line_is_no_host() -> None:
    line = LINE.format("[Controller id=1] x kafka.example.com:9092").replace(
        "KafkaController)", "KafkaController:66)"
    )
    (row,) = rows(line.encode(), of("hosts"), envelope="stock_line")
    assert row["logger"] == "kafka.controller.KafkaController" and b"example" not in row["raw"]


@pytest.mark.parametrize("around", ["", "cri", "compose", "kubectl"])
def test_what_hides_in_objects_inside_of_wrappers(around: str) -> None:
    told = {"@timestamp": "2024-03-01T12:00:00.123Z", "log.level": "INFO", "log.logger": "kafka.controller.A"}
    line = json.dumps(told | {"message": "[Controller id=1] x User:CN=Smith\\, John,OU=x "})
    data = (LINE.format("[Controller id=1] x") + f"{line}\n").encode()
    found = rows(
        wrapped(data, [around] if around else []), of("principals"), envelope=f"{around}/stock".lstrip("/")
    )
    assert b"John" not in b"".join(row["raw"] for row in found)


def test_secrets_in_text_behind_objects() -> None:
    text = LINE.format("[Controller id=1] x User:CN=Smith\\, John,OU=x y User:DOM\\alice z")
    last = rows(written(FEW, "ecs") + text.encode(), of("principals"), envelope="ecs")[-1]
    assert b"John" not in last["raw"] and b"alice" not in last["raw"]
    assert last["logger"] is not None


@pytest.mark.parametrize("encoding", list(ENCODED))
def test_secrets_in_objects_behind_text(encoding: str) -> None:
    """What JSON's escapes hide is found there, too."""
    for kind, text in FORMS:
        message = f"[Controller id=1] x {plain(text)} "
        told = {
            "@timestamp": "2024-03-01T12:00:00.123Z",
            "log.level": "INFO",
            "log.logger": "kafka.controller.A",
        }
        line = f'{json.dumps(told)[:-1]}, "message":{ENCODED[encoding](message)}}}\n'
        _, last = rows((LINE.format("[Controller id=1] x") + line).encode(), of(kind))
        assert (last["logger"], last["not_understood_reason"]) == ("kafka.controller.A", "no_template")
        said = json.loads(last["raw"])["message"]
        assert is_masked(text, said.removeprefix("[Controller id=1] x ").removesuffix(" ")), (
            text,
            last["raw"],
        )
