"""A file whose layout was changed while it was written is read on, and no record is taken for a line of another."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.kafka.envelope import envelope, layouts
from pipeline.kafka.reader import ReadSettings, reread
from tests.kafka.masks import is_masked, plain
from tests.kafka.reading import read, read_table, request
from tests.kafka.test_envelope import FEW, SECONDS, said
from tests.kafka.test_masking import FORMS, LINE, of, rows
from tests.kafka.test_masking_forms import ENCODED
from tests.kafka.writing import WRAPPERS, wrapped, written

MOVED = "[Controller id=1 epoch=5] Changed partition t-0 state from NewPartition to OfflinePartition"
STRIMZI = f"2024-03-01 12:00:00,123 TRACE {MOVED} (state.change.logger) [main]\n"


def before_and_after(before: str, after: str) -> bytes:
    return written(FEW, before) + written(FEW, after) + written(FEW[:1], before)


@pytest.mark.parametrize("before", layouts())
def test_any_layout_after_any_other(before: str) -> None:
    """What begins as records of the file do is one, and only that may not be understood."""
    for after in layouts():
        found = read(before_and_after(before, after), envelope=before, log="mixed")
        assert len(found) == 2 * len(FEW) + 1, after
        if envelope(before).start_pattern.match(written(FEW, after)):
            continue
        without_millis = bool({before, after} & SECONDS)
        told = [read(written(FEW, name), envelope=name, log="mixed") for name in (before, after)]
        expected = said(told[0] + told[1] + told[0][:1], without_millis=without_millis)
        assert said(found, without_millis=without_millis) == expected, after


@pytest.mark.parametrize("around", [name for name in WRAPPERS if name != "cri"])
def test_inside_of_wrappers(around: str) -> None:
    content = wrapped(before_and_after("strimzi", "stock"), [around])
    bare = read(before_and_after("strimzi", "stock"), envelope="strimzi", log="mixed")
    assert said(read(content, envelope=f"{around}/strimzi", log="mixed")) == said(bare)


@settings(max_examples=30, deadline=None, derandomize=True)
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


def test_reparsing_says_the_same() -> None:
    content = (
        b"\xef\xbb\xbf" + before_and_after("stock", "strimzi") + b"[2024-03-01 12:00:01,123] - INFO what\n"
    )
    for batch in read_table(content, log="mixed").to_batches():
        assert reread(batch, request(0, 0, log="mixed")).equals(batch)


LINES_AFTER: list[tuple[str, Any]] = [
    ("2024-03-01 12:00:01\nFull thread dump OpenJDK 64-Bit Server VM:\n", 1),
    ("2024-03-01T12:00:01.123+0000: 3.25: [GC (Allocation Failure) 1K->2K(3K), 0.1 secs]\n", 1),
    ("[2024-03-01T12:00:01.123+0000][info][gc] GC(0) Pause Young 24M->4M(256M) 1.2ms\n", 1),
    ('{"a": 1}\n', 1),
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
