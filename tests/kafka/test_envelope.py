"""Every layout inside every wrapper says what the bare file says, wherever it is cut into ranges and blocks."""

import json
from itertools import product
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.errors import SettingsError
from pipeline.kafka.layout.envelope import built_in_layouts, envelope_by_name
from pipeline.kafka.layout.wrapper import wrappers_by_name
from pipeline.kafka.reading.reader import ReadSettings
from pipeline.kafka.reading.sniff import sniff_head
from tests.kafka.envelopes import BARE, FEW, LONG, RECORDS, SECONDS, said
from tests.kafka.reading import read
from tests.kafka.writing import LINES, OBJECTS, WRAPPERS, wrapped, written

WITHOUT_LOGGER = ("debezium",)


def named_as(bare: list[dict[str, Any]], found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records with the logger of those that several loggers print."""
    assert 0 < sum(row["logger"] is None for row in found) < len(found) / 5
    return [row | {"logger": row["logger"] or one["logger"]} for row, one in zip(found, bare, strict=True)]


def test_every_layout_and_wrapper_has_a_writer() -> None:
    assert set(LINES) | set(OBJECTS) == set(built_in_layouts())
    assert set(WRAPPERS) == set(wrappers_by_name())


@pytest.mark.parametrize(("each", "share"), [(48, 8), pytest.param(6, 1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("layout", built_in_layouts())
def test_a_layout_says_the_same_in_every_wrapper(layout: str, each: int, share: int) -> None:
    """Of every so many records; in one of so many wrappers, of the next layout in the next ones."""
    records = RECORDS[::each] + FEW
    wrappers = [*wrappers_by_name()][list(built_in_layouts()).index(layout) % share :: share]
    bare = said(read(written(records, "stock"), log="mixed"), without_millis=layout in SECONDS)
    data = written(records, layout)
    for around in ((), *((name,) for name in wrappers)):
        name = "/".join((*around, layout))
        content = wrapped(data, around)
        rows = read(content, envelope=name, log="mixed", zone="Europe/Berlin" if zoned(layout) else "UTC")
        assert sum(row["byte_length"] for row in rows) == len(content)
        found = said(rows, without_millis=layout in SECONDS)
        assert (named_as(bare, found) if layout in WITHOUT_LOGGER else found) == bare, name
        assert sniff_head(content).envelope == (layout if content == data else name)


def zoned(layout: str) -> bool:
    """Whether the record tells its offset, so that the zone of the settings must not count."""
    return layout in OBJECTS or "offset" in layout or layout.endswith("zone") or layout == "spring_boot"


CHAINS = [
    ("compose", "timestamps"),
    ("kubectl", "timestamps"),
    ("ansi", "compose"),
    ("json_file", "ansi"),
    ("json_message", "cri"),
    ("syslog", "json_file"),
    ("stern", "timestamps", "ansi"),
]


@pytest.mark.parametrize("around", CHAINS, ids="/".join)
def test_wrappers_stand_in_one_another(around: tuple[str, ...]) -> None:
    content = wrapped(BARE, around)
    name = "/".join((*around, "stock"))
    assert said(read(content, envelope=name, log="mixed")) == said(read(BARE, log="mixed"))
    detected = sniff_head(content).envelope
    assert detected is not None and said(read(content, envelope=detected, log="mixed")) == said(
        read(BARE, log="mixed")
    )


# Of each kind one: a layout of text, one of objects, wrappers by a prefix, by objects, and around objects.
SPLIT = ("stock", "ecs", "compose/stock", "json_file/stock", "cri/ecs")
MORE_SPLIT = (*built_in_layouts(), *(f"{name}/stock" for name in wrappers_by_name()))


@pytest.mark.parametrize(
    "name", [*SPLIT, *(pytest.param(one, marks=pytest.mark.soak) for one in MORE_SPLIT if one not in SPLIT)]
)
@settings(max_examples=3, deadline=None, derandomize=True)
@given(where=st.lists(st.floats(0, 1), max_size=4), block=st.sampled_from([97, 700, 1 << 20]))
def test_any_split_and_any_block_give_the_same_rows(name: str, where: list[float], block: int) -> None:
    *around, layout = name.split("/")
    content = b"Starting Kafka\n\n" + wrapped(written(FEW, layout), around)
    cuts = tuple(sorted({int(share * len(content)) for share in where} - {0, len(content)}))
    whole = read(content, envelope=name, log="mixed")
    assert len(whole) == len(FEW) + 1
    assert whole[0]["not_understood_reason"] == "no_envelope"
    parts = read(content, envelope=name, log="mixed", cuts=cuts, settings=ReadSettings(block_bytes=block))
    assert parts == whole
    assert b"".join(row["raw"] for row in whole if row["raw"] is not None) == content


@pytest.mark.parametrize("each", [9, pytest.param(1, marks=pytest.mark.soak)])
def test_every_chain_of_two_wrappers_can_be_looked_for(each: int) -> None:
    """Around one layout of three, or every ninth chain around one; around all of them in soak."""
    for place, chain in enumerate(product(wrappers_by_name(), repeat=2)):
        for layout in ("stock", "strimzi", "ecs")[place % each :: each]:
            own = envelope_by_name("/".join((*chain, layout)))
            other = own.other_start.pattern if own.other_start else "x"
            assert own.any_start_pattern.match(b"") is None
            assert pc.match_substring_regex(pa.array([b""]), rf"\A(?:{own.start}|{other})").to_pylist() == [
                False
            ]


def reason(data: bytes, name: str, at: int = 0) -> str | None:
    found: str | None = read(data, envelope=name, log="mixed")[at]["not_understood_reason"]
    return found


@pytest.mark.parametrize("layout", [name for name in built_in_layouts() if name != "logstash"])
def test_a_line_that_a_shipper_cut_is_marked(layout: str) -> None:
    LONG.message = "[Controller id=1] Partitions undergoing preferred replica election: " + "t-1," * 4000
    line = written([LONG], layout)[:10_000] + b"\n"
    after = written(FEW[:1], layout)
    rows = read(line + after, envelope=layout, log="mixed")
    assert [row["not_understood_reason"] for row in rows] == ["cut", None]
    assert rows[0]["logged_at"] is not None and rows[0]["level"] == "INFO"


def test_an_object_cut_before_its_time_has_no_envelope() -> None:
    line = written([LONG], "logstash")
    assert reason(line[: line.index(b"@timestamp")] + b"\n", "logstash") == "no_envelope"


MALFORMED = [
    ("no object", b'{"@timestamp" "2024"}\n', "no_envelope"),
    ("a key is missing", b'{"@timestamp":"2024-03-01T12:00:00Z","message":"x"}\n', "no_envelope"),
    ("no time", b'{"@timestamp":"today","log.level":"INFO","log.logger":"a.B","message":"x"}\n', "no_envelope"),
    ("ends early", b'{"@timestamp":"2024-03-01T12:00:00Z","log.level":"INFO","log.logger":"a.B","mess\n', "cut"),
    ("a number", b'{"@timestamp":"2024-03-01T12:00:00Z","log.level":5,"log.logger":"a.B","message":"x"}\n', "other_logger"),
    ("a key twice", b'{"@timestamp":"x","@timestamp":"2024-03-01T12:00:00Z","log.logger":"a.B","message":"x"}\n', "other_logger"),
    ("half a pair", b'{"@timestamp":"2024-03-01T12:00:00Z","log.logger":"a.B","message":"\\ud800"}\n', "other_logger"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "expected"), [case[1:] for case in MALFORMED], ids=[case[0] for case in MALFORMED]
)
def test_malformed_objects_have_a_reason_and_their_neighbours_are_read(data: bytes, expected: str) -> None:
    good = written(FEW[:2], "ecs")
    rows = read(good + data + good, envelope="ecs", log="mixed")
    assert [row["not_understood_reason"] for row in rows] == [None, None, expected, None, None]
    assert sum(row["byte_length"] for row in rows) == 2 * len(good) + len(data)


def test_pretty_printed_objects_are_records() -> None:
    lines = written(FEW, "json_instant").splitlines()
    data = "\n".join(json.dumps(json.loads(line), indent=2) for line in lines).encode() + b"\n"
    expected = said(read(written(FEW, "json_instant"), envelope="json_instant", log="mixed"))
    assert said(read(data, envelope="json_instant", log="mixed")) == expected


def test_what_the_container_prints_beside_the_log() -> None:
    banner = b"===> User\nuid=1000(appuser)\n===> Launching kafka ...\n"
    gc = b"[0.012s][info][gc] Using G1\n"
    data = wrapped(banner, ["timestamps"]) + wrapped(written(FEW[:2], "stock") + gc, ["timestamps"])
    rows = read(data, envelope="timestamps/stock", log="mixed")
    assert [row["not_understood_reason"] for row in rows] == ["no_envelope", None, None]
    assert rows[2]["line_count"] == 2
    assert sniff_head(data).envelope == "timestamps/stock"


FORGED = "[2024-03-01 12:00:00,123] INFO fake (kafka.controller.KafkaController)"
HOSTS = "[2024-03-01 12:00:00,123] INFO client"
FORGERIES = [
    ("carriage return", f"{HOSTS} \r{FORGED} rest (state.change.logger)\n", [True]),
    ("indented line", f"{HOSTS}\n {FORGED} rest (state.change.logger)\n", [True]),
    ("line feed", f"{HOSTS}\n{FORGED}\n rest (state.change.logger)\n", [False, True]),
]


@pytest.mark.parametrize("wrapper", wrappers_by_name())
@pytest.mark.parametrize(
    ("text", "expected"), [one[1:] for one in FORGERIES], ids=[one[0] for one in FORGERIES]
)
def test_forged_lines_in_wrappers(wrapper: str, text: str, expected: list[bool]) -> None:
    data = wrapped(text.encode(), [wrapper])
    assert [row["is_forged"] for row in read(data, envelope=f"{wrapper}/stock")] == expected


def test_byte_order_marks_and_carriage_returns() -> None:
    for name in ("stock", "cri/stock", "strimzi_log4j2", "ecs"):
        *around, layout = name.split("/")
        content = wrapped(written(FEW, layout), around)
        expected = said(read(content, envelope=name, log="mixed"))
        for data in (b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n")):
            if around and data.endswith(b"\r\n"):
                continue
            rows = read(data, envelope=name, log="mixed")
            assert [row["event"] for row in rows] == [row["event"] for row in expected]
            assert said(rows)[0] == expected[0]
            assert sum(row["byte_length"] for row in rows) == len(data)


@pytest.mark.parametrize(
    "name",
    ["iso", "cri/", "docker/stock", "cri/pattern:%m", "[%d] %p %c%n", "cri/[%d{ABSOLUTE}] %p %m (%c)%n"],
)
def test_an_envelope_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(SettingsError):
        envelope_by_name(name)


def test_what_json_escapes_is_found_at_the_beginning_of_a_line() -> None:
    line = b'"<%s>"\\&\tINFO kafka.controller.KafkaController - x\n' % b"2024-03-01 12:00:00,123"
    for wrapper in ("json_file", "json_log", "cri"):
        name = f'{wrapper}/pattern:"<%d>"\\\\&\\t%p %c - %m%n'
        rows = read(wrapped(line * 2, [wrapper]), envelope=name, log="mixed")
        assert [row["logger"] for row in rows] == ["kafka.controller.KafkaController"] * 2, name


def test_a_pattern_is_an_envelope_by_its_name() -> None:
    found = envelope_by_name("cri/%d{dd/MM/yyyy HH:mm:ss.SSS} %p %c - %m%n")
    assert found.name == "cri/pattern:%d{dd/MM/yyyy HH:mm:ss.SSS} %p %c - %m%n"
    assert envelope_by_name(found.name).start == found.start
    data = wrapped(b"01/03/2024 12:00:00.123 INFO kafka.controller.KafkaController - x\n" * 2, ["cri"])
    assert sniff_head(data).envelope is None
    assert sniff_head(data, "%d{dd/MM/yyyy HH:mm:ss.SSS} %p %c - %m%n").envelope == found.name
    assert sniff_head(data, "stock").envelope is None
