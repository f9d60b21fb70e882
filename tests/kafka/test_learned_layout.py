"""Layouts that are not built in, learned from lines that say what Kafka says."""

from collections.abc import Callable

import pytest

from pipeline.kafka.reading.pasted import read_pasted_text
from pipeline.kafka.reading.sniff import sniff_head
from tests.kafka.envelopes import BARE, RECORDS, said
from tests.kafka.reading import read
from tests.kafka.writing import Record, printed_time

MILLIS, DOT, SLASH = "yyyy-MM-dd HH:mm:ss,SSS", "yyyy-MM-dd HH:mm:ss.SSS", "yyyy/MM/dd HH:mm:ss,SSS"


def printed(form: str, text: str) -> Callable[[Record], str]:
    """A layout by a template of Python's: T time, L level, M message, C logger, S its short name, t thread."""

    def line(one: Record) -> str:
        short = one.logger.rsplit(".", 1)[-1]
        time = printed_time(one.time, form, one.time - one.time)
        return text.format(T=time, L=one.level, M=one.message, C=one.logger, S=short, t=one.thread)

    return line


# By the ConversionPattern that prints it, with what is not known of it as %t.
LAYOUTS = {
    "[%d{yyyy-MM-dd HH:mm:ss.SSS}] %-5p %m (%c)": printed(DOT, "[{T}] {L} {M} ({C})"),
    "[%d{yyyy/MM/dd HH:mm:ss,SSS}] %-5p %m (%c:%L)": printed(SLASH, "[{T}] {L} {M} ({C}:66)"),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} | %-5p | %t | %c | %m": printed(MILLIS, "{T} | {L:5} | {t} | {C} | {M}"),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} %-5p ||  %m   [%c]": printed(MILLIS, "{T} {L:5}  ||  {M}   [{C}]"),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} [%-5p] [%t] %c{1} - %m": printed(MILLIS, "{T} [{L}] [{t}] {S} - {M}"),
    "%-5p [%d{dd MMM yyyy HH:mm:ss,SSS}] %m (%c{1})": printed("dd MMM yyyy HH:mm:ss,SSS", "{L} [{T}] {M} ({S})"),
    "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %5p %c{1} %m": printed("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "{T} {L:>5} {S} {M}"),
    "[%d{yyyy-MM-dd HH:mm:ss,SSS}] %-5p %m": printed(MILLIS, "[{T}] {L} {M}"),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} %-5p [%t] %m": printed(MILLIS, "{T} {L:5} [Logging] {M}"),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} [%t] %-5p %t - %m": printed(MILLIS, "{T} [{t}] {L:5} kafka.utils.Logging - {M}"),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} %-5p [%t] %t:%L - %m": printed(MILLIS, "{T} {L:5} [{t}] Logging:66 - {M}"),
    "%d{yyyy-MM-dd HH:mm:ss,SSS} %m": printed(MILLIS, "{T} {M}"),
}  # fmt: skip


@pytest.mark.parametrize("pattern", LAYOUTS)
def test_a_layout_is_learned_from_its_lines(pattern: str) -> None:
    lines = (LAYOUTS[pattern](one) + (f"\n{one.rest}" if one.rest else "") for one in RECORDS)
    data = "".join(f"{line}\n" for line in lines).encode()
    found = sniff_head(data)
    assert (found.envelope, found.log) == (f"pattern:{pattern}%n", "mixed")
    rows = said(read(data, envelope=found.envelope, log="mixed"))
    bare = said(read(BARE, log="mixed"))
    for row, one in zip(rows, bare, strict=True):
        own = {"logger": one["logger"] if row["logger"] is None else row["logger"]}
        own |= {} if "%p" in pattern or "5p" in pattern else {"level": one["level"]}
        assert row | own == one


@pytest.mark.parametrize("pattern", LAYOUTS)
def test_a_pasted_line_is_read_in_any_layout(pattern: str) -> None:
    found = read_pasted_text(LAYOUTS[pattern](RECORDS[0]).encode())
    assert [row["event"] for (row,) in found.records] == [said(read(BARE, log="mixed"))[0]["event"]]
    assert found.records[0][0]["logged_local"] is not None


NONE = [
    (
        "another program's",
        "2024-03-01 12:00:00 | INFO | com.example.shop.Main | [Controller id=1] Starting up\n",
    ),
    ("behind a message", "[2024/03/01 12:00:00] INFO Shutdown complete. (com.example.shop.Main)\n"),
    ("too little is said", "2024-03-01 12:00:00 | INFO | Shutting down.\n"),
    ("words of a shipper", "host-1 kafka 2024-03-01 12:00:00 | INFO | [Controller id=1] Starting up\n"),
    ("no date", "12:00:00,123 | INFO | [Controller id=1] Starting up\n"),
    ("cut in its message", "[2024-03-01 12:00:00,123] INFO [Controller id=1] Partitions under\n"),
]


@pytest.mark.parametrize("line", [case[1] for case in NONE], ids=[case[0] for case in NONE])
def test_nothing_is_learned(line: str) -> None:
    assert sniff_head(line.encode() * 9).log is None


WITHOUT_DATE = [
    "10:02:12.020 [main] INFO  k.controller.KafkaController - {}",
    "Apr 21 10:02:12 INFO {}",
    'ts=10:02:12 level=INFO msg="{}",',
    "21/04/2021 10:02:12 INFO [main] {} (kafka.controller.KafkaController:66)",
]


@pytest.mark.parametrize("line", WITHOUT_DATE)
def test_without_a_date_the_message_is_explained(line: str) -> None:
    message = "[Controller id=1] Starting the controller scheduler"
    found = read_pasted_text(f"Some words\n{line.format(message)}\njava.lang.X: why\n".encode())
    assert [row["event"] for (row,) in found.records] == [None, "controller_scheduler_started"]
    row = found.records[1][0]
    assert (row["level"], row["logged_local"], row["exception_class"]) == ("INFO", None, "java.lang.X")
    assert found.left_out.startswith("what stands around the message")
    assert not read_pasted_text(line.format("Shutting down.").encode()).records[0][0]["event"]


@pytest.mark.parametrize(
    "line",
    [
        "2024-03-01 12:00:0{} INFO  [main] {}:66 - {}\n",
        "2024-03-01 12:00:0{},000 - INFO  [main:{}@66] - {}\n",
    ],
)
def test_classes_that_are_named_as_their_loggers_are_no_loggers(line: str) -> None:
    """In KRaft many are, and in Scala `Logging` logs for all."""
    said = (
        ("QuorumController", "[QuorumController id=3] Creating new QuorumController with clusterId a."),
        ("Logging", "[Broker id=3] Transitioning 1 partition(s) to local leaders."),
        ("QuorumController", "[QuorumController id=3] Sings"),
    )
    data = "".join(line.format(number, *said[number % 3]) for number in range(9)).encode()
    found = sniff_head(data)
    rows = read(data, envelope=found.envelope, log=found.log)
    assert [row["event"] for row in rows] == ["controller_created", "batch_to_leaders", None] * 3


def test_what_is_learned_is_read_in_wrappers() -> None:
    data = "".join(
        f"kafka-1  | {LAYOUTS['[%d{yyyy-MM-dd HH:mm:ss,SSS}] %-5p %m'](one)}\n" for one in RECORDS[:9]
    )
    assert sniff_head(data.encode()).envelope == "compose/pattern:[%d{yyyy-MM-dd HH:mm:ss,SSS}] %-5p %m%n"


def test_a_percent_sign_is_no_conversion() -> None:
    line = printed(MILLIS, "{T} % {L} {M}")(RECORDS[0])
    assert sniff_head(line.encode() + b"\n").envelope == "pattern:%d{yyyy-MM-dd HH:mm:ss,SSS} %% %-5p %m%n"
