"""Masking of what a secret cannot be told from at first sight: JSON's escapes, and lines that break off."""

import json
import re

import pytest

from pipeline.kafka.reading.masking import Masking
from pipeline.kafka.reading.reader import ReadSettings
from tests.kafka.masking import ALL, FORMS, KEY, LINE, of, rows
from tests.kafka.masking_forms import ENCODED
from tests.kafka.masks import is_masked, plain
from tests.kafka.reading import read_table
from tests.oracle.rendering import HEAD


@pytest.mark.parametrize("wrapper", ["log", "message"])
@pytest.mark.parametrize("encoding", list(ENCODED))
def test_what_json_escapes_hides_no_secret(encoding: str, wrapper: str) -> None:
    for kind, text in FORMS:
        line = LINE.format(f"[Controller id=1] x {plain(text)} ")
        data = f'{{"{wrapper}":{ENCODED[encoding](line)},"stream":"stdout"}}\n'.encode()
        found = rows(data, of(kind), envelope=f"json_{'file' if wrapper == 'log' else wrapper}/stock")
        stored = b"".join(one["raw"] for one in found).decode()
        said = (
            json.loads(stored)[wrapper].removeprefix(f"{HEAD}[Controller id=1] x ").partition("  (kafka.")[0]
        )
        assert is_masked(text, said), (text, stored)


@pytest.mark.parametrize("text", ["(kafka-2.corp.example/10", "(kafka-2:9092 (i", "for dave of op"])
@pytest.mark.parametrize("before", ["x", "x\n\tat y"])
def test_of_a_line_that_breaks_off_only_its_start_is_stored(before: str, text: str) -> None:
    whole = LINE.format("[Controller id=1] x")
    data = f"{whole}{HEAD}[Controller id=1] {before} {text}".encode()
    *_, last = rows(data)
    assert re.fullmatch(rb"\[[^]]*\] INFO (?:\[Controller id=1\] x\n)?cut-[0-9a-f]{12}", last["raw"]), last[
        "raw"
    ]
    assert (last["byte_length"], last["not_understood_reason"]) == (len(data) - len(whole), "cut")


def test_half_a_line_of_docker_is_a_line_that_breaks_off() -> None:
    """The file was rotated between its parts."""
    part = LINE.format("[Controller id=1] x (EndPoint(endpoint-host,").partition("-host")[0]
    (row,) = rows(f'{{"log":{json.dumps(part)},"stream":"stdout"}}\n'.encode(), envelope="json_file/stock")
    assert b"endpoint" not in row["raw"] and row["not_understood_reason"] == "cut"


def test_a_record_above_the_limit_gets_nothing_that_it_had_not() -> None:
    """Also where the limit falls on a line end."""
    line = LINE.format("[Controller id=1] x")
    data = f"{line}abc\nabc\nabc\n{line}".encode()
    read = read_table(data, settings=ReadSettings(masking=ALL, max_record_bytes=len(line) + 8), log="mixed")
    first, _ = read.to_pylist()
    assert first["not_understood_reason"] == "too_long"
    assert re.fullmatch(rb".*\nabc\ncut-[0-9a-f]{12}\n?", first["raw"], re.DOTALL), first["raw"]


@pytest.mark.parametrize("pattern", ["[0-9a-f]{12,}", "[^ ]*secret"])
def test_a_pattern_of_the_settings_leaves_json_whole(pattern: str) -> None:
    """Nor is what it has masked masked again."""
    masking = Masking(("hosts",), (("id", pattern),), KEY)
    text = LINE.format(r'[Controller id=1] x "q" a\b 0123456789abcdef secret')
    expected = masking.masker.text(text.rstrip())
    (row,) = rows(
        f"{json.dumps({'log': text, 'stream': 'stdout'})}\n".encode(), masking, envelope="json_file/stock"
    )
    assert json.loads(row["raw"])["log"] == f"{expected}\n"


def test_a_list_of_servers_ends_with_its_text() -> None:
    event = {"@timestamp": "2024-03-01T12:00:00.000Z", "message": "connectString=zk1:2181,zk2:2181"}
    line = json.dumps(event | {"log.level": "INFO", "log.logger": "org.x"}, separators=(",", ":"))
    (row,) = rows(f"{line}\n".encode(), envelope="ecs")
    assert (row["logger"], row["level"]) == ("org.x", "INFO")
