"""Lines that a runtime tears are put together again, wherever it tears them."""

from typing import Any

import pytest

from pipeline.kafka.layout.envelope import built_in_layouts
from tests.kafka.envelopes import FEW, LONG, said
from tests.kafka.reading import read
from tests.kafka.writing import TIME, cri, json_file, wrapped, written


@pytest.mark.parametrize("writer", [cri, json_file], ids=["cri", "json_file"])
@pytest.mark.parametrize("layout", ["stock", "strimzi_log4j2", "ecs"])
def test_lines_in_parts_are_joined(writer: Any, layout: str) -> None:
    partitions = ",".join(f"topic-{number}" for number in range(3000))
    LONG.message = f"[Controller id=1] Partitions being reassigned: Set({partitions})"
    data = written([*FEW, LONG, *FEW], layout)
    assert max(map(len, data.split(b"\n"))) > 16 << 10
    content = "\n".join(part for line in data.decode().splitlines() for part in writer(line)).encode() + b"\n"
    rows = read(content, envelope=f"{writer.__name__}/{layout}", log="mixed")
    assert said(rows) == said(read(data, envelope=layout, log="mixed"))
    assert rows[len(FEW)]["line_count"] >= 2


def by_chunks(data: bytes, size: int) -> bytes:
    """As CRI-O's conmon writes what it reads from a pipe: wherever a read ends inside a line, that is a part."""
    chunks = (data[at : at + size] for at in range(0, len(data), size))
    lines = (line for chunk in chunks for line in chunk.splitlines(keepends=True))
    stamp = TIME.encode()
    return b"".join(
        stamp + b" stdout F " + line if line.endswith(b"\n") else stamp + b" stdout P " + line + b"\n"
        for line in lines
    )


# Where a line is torn before an object inside of it, that looks like a record's begin.
NESTED = ("ecs_nested", "logstash", "json_instant", "gcp")


@pytest.mark.parametrize("each", [5, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("layout", [name for name in built_in_layouts() if name not in NESTED])
def test_a_line_may_be_torn_anywhere(layout: str, each: int) -> None:
    """Inside of its time, too, and not only where lines are long. In the quick run each layout at other places."""
    data = written(FEW, layout)
    expected = said(read(data, envelope=layout, log="mixed"))
    begin = len(written(FEW[:1], layout))
    first = begin + 1 + list(built_in_layouts()).index(layout) % each
    for size in range(first, begin + 60, each):
        assert said(read(by_chunks(data, size), envelope=f"cri/{layout}", log="mixed")) == expected, size


@pytest.mark.parametrize("around", ["timestamps", "compose", "json_log", "ansi"])
def test_lines_torn_inside_of_other_wrappers_are_no_records(around: str) -> None:
    content = by_chunks(wrapped(written(FEW, "stock"), [around]), 400)
    assert len(read(content, envelope=f"cri/{around}/stock", log="mixed")) <= len(FEW)


def test_a_part_without_its_end_is_cut() -> None:
    line = written(FEW[:1], "strimzi_log4j2").decode().strip()
    first, *_ = cri(line, len(line) - 5)
    data = f"{first}\n".encode() + wrapped(written(FEW[1:2], "strimzi_log4j2"), ["cri"])
    assert [
        read(data, envelope="cri/strimzi_log4j2", log="mixed")[at]["not_understood_reason"] for at in (0, 1)
    ] == ["cut", None]


ELECTED = b"[2026-11-21 00:00:0%d,000] INFO [Controller id=1] Resigning (kafka.controller.KafkaController)\n"
HALF = ELECTED[:60] % 1


@pytest.mark.parametrize("torn", [HALF, HALF[:9], HALF[:26], bytes(99)])
@pytest.mark.parametrize("before", [ELECTED % 0, ELECTED % 0 + b"java.lang.X: y\n\tat z\n"])
def test_a_process_that_goes_on_behind_a_torn_line_loses_no_record(before: bytes, torn: bytes) -> None:
    after = ELECTED % 2 + ELECTED % 3
    rows = read(before + torn + after, log="controller")
    assert [row["byte_offset"] for row in rows] == [
        0,
        len(before),
        len(before + torn),
        len(before + torn) + 94,
    ]
    assert [row["event"] for row in rows] == ["controller_resigning", None, *2 * ["controller_resigning"]]


@pytest.mark.parametrize("torn", [HALF, HALF[:9], b""])
@pytest.mark.parametrize("after", [b"", ELECTED % 2])
def test_zero_bytes_and_what_is_torn_inside_of_a_start_are_none_of_the_record_before(
    torn: bytes, after: bytes
) -> None:
    parts = [one for one in (ELECTED % 0, torn, bytes(9), after) if one]
    rows = read(b"".join(parts), log="controller")
    assert [row["byte_length"] for row in rows] == list(map(len, parts))
    assert [row["event"] for row in rows if row["event"]] == ["controller_resigning"] * (2 if after else 1)


@pytest.mark.parametrize("before", [b"  ", b"x\r", b"\r\n ", b""])
def test_what_may_be_forged_is_no_record_behind_a_torn_line(before: bytes) -> None:
    """On an indented line, behind a carriage return, or where nothing is understood."""
    inside = ELECTED % 2 if before else ELECTED.replace(b"Resigning", b"and so on") % 2
    line = (
        b"[2026-11-21 00:00:01,000] INFO [Controller id=1] a\n" + before + inside if before else HALF + inside
    )
    assert [row["event"] for row in read(line, log="controller")] == [None]
