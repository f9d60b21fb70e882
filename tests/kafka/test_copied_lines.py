"""Lines that were copied from a page, a ticket or a terminal: blanks are gone, and long lines were broken."""

import re
import textwrap
from collections.abc import Callable

import pyarrow as pa
import pytest

from pipeline.core.template import Template
from pipeline.kafka.reading.unread import NO_TIME, unread_file_sentence
from pipeline.kafka.reading.wrapped_lines import join_message_lines
from pipeline.kafka.wording.templates import template_matcher
from tests.kafka.reading import read, read_table
from tests.oracle.rendering import HEAD, instances
from tests.oracle.values import hard

WIDTH = 80
IN_BRACKETS = re.compile(r"\([^\s()]+\)\n")


def on_a_page(template: str) -> str:
    """A run of blanks is shown as one, and those at the ends are not."""
    return re.sub("  +", " ", template).strip(" ")


def test_every_row_without_the_blanks_that_a_page_takes() -> None:
    rendered = [one for one in instances(hard, 0) if on_a_page(one.wording.text) != one.wording.text]
    shown = [Template("", "", on_a_page(one.wording.text)).render(one.texts) for one in rendered]
    assert len(rendered) > 30
    loggers = [one.wording.logger for one in rendered]
    found = template_matcher().match(pa.array(loggers), pa.array(shown)).template.tolist()
    events = [template_matcher().templates[number].name if number >= 0 else None for number in found]
    expected = [one.wording.event for one in rendered]
    assert [
        (one, event, text) for one, event, text in zip(expected, events, shown, strict=True) if event != one
    ] == []


def at_blanks(line: str) -> str:
    return "\n ".join(textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False))


def at_width(line: str) -> str:
    return "\n".join(line[at : at + WIDTH] for at in range(0, len(line), WIDTH))


@pytest.mark.parametrize("broken", [at_blanks, at_width])
def test_every_row_in_lines_that_were_broken(broken: Callable[[str], str]) -> None:
    lines = [f"{HEAD}{one.message} ({one.wording.logger})" for one in instances(hard, 1)]
    # The first line has the level and more, and what is in brackets at the end of a line is taken for the logger.
    lines = [
        one
        for one in lines
        if len(one) > WIDTH and "  " not in one and one.isprintable() and one.isascii()
        if "INFO\n" not in broken(one) and not IN_BRACKETS.search(broken(one))
    ][::4]
    expected = events("\n".join(lines))
    found = events("\n".join(map(broken, lines)))
    assert len(lines) > 500
    different = [one for one in zip(expected, found, lines, strict=True) if one[0] != one[1]]
    assert different == []


def events(text: str) -> list[str | None]:
    return [row["event"] for row in read_table(f"{text}\n".encode(), log="mixed").to_pylist()]


LINE = b"[2026-06-28 14:02:12,118] INFO [Controller id=3] 3 successfully elected as the controller. Epoch"
REST = b"incremented to 27 and epoch zk version is now 27 (kafka.controller.KafkaController)"
LOGGER = b" (kafka.controller.KafkaController)"
BEHIND = b"2026-06-28 14:02:12,118 [c3] INFO kafka.controller.KafkaController - "
TRACE = b"\njava.lang.IllegalStateException: x\nat kafka.A.b(A.scala:1)"


@pytest.mark.parametrize(
    ("data", "envelope", "event"),
    [
        (LINE + b"\n " + REST, "stock", "controller_elected"),
        (LINE + b"\r\n" + REST + b"\r", "stock", "controller_elected"),
        (LINE + b" \n" + REST + TRACE, "stock", "controller_elected"),
        ((LINE + b" " + REST).replace(b"kafka.", b"kaf\nka."), "stock", "controller_elected"),
        (BEHIND + LINE[31:] + b"\n" + REST[: -len(LOGGER)] + TRACE, "log4j_example_brackets", "controller_elected"),
        (LINE + b"\n\n" + REST, "stock", None),
        (LINE + b"\nwas asked for\n" + REST, "stock", None),
    ],
)  # fmt: skip
def test_lines_that_were_broken(data: bytes, envelope: str, event: str | None) -> None:
    data += b"\n"
    (row,) = read(data, envelope=envelope, log="mixed")
    assert (row["event"], row["raw"], row["line_count"]) == (event, data, data.count(b"\n"))


def test_what_has_no_end_of_its_line_stays_cut() -> None:
    (row,) = read(LINE + b"\n" + REST)
    assert row["not_understood_reason"] == "cut"


FATAL = b" ERROR Encountered fatal fault: x (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (FATAL + b"java.lang.RuntimeException: y\n\tat kafka.A.b(A.java:1)\n", NO_TIME),
        (b"INFO [Controller id=1] Resigned (kafka.controller.KafkaController)\n", NO_TIME),
        (b"INFO ready (com.example.Shop)\n", None),
        (b"log4j.logger.kafka.controller=TRACE, controllerAppender\n", None),
        (b"a page\nthat says\nmore\n" + FATAL, None),
    ],
)
def test_a_paste_without_times_is_told_as_such(data: bytes, said: str | None) -> None:
    assert unread_file_sentence(data, None) == said


def test_what_could_be_a_logger_is_read_once() -> None:
    """It takes as long as its bytes: to try each place of 200 KB again would take some minutes."""
    name = b"(" + b"A." * 100_000
    assert join_message_lines(name + b"\nsecond line (kafka.server.ReplicaManager)", b" ") == (
        name + b" second line (kafka.server.ReplicaManager)"
    )
