"""What a ConversionPattern prints is read back, and what cannot be read back is refused."""

from datetime import datetime, timedelta
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.clock import local_to_utc
from pipeline.core.errors import SettingsError
from pipeline.core.scan import concat_records, scan_records
from pipeline.kafka.layout.conversion_pattern import compile_pattern
from pipeline.kafka.layout.envelope import PATTERN, envelope_by_name
from pipeline.kafka.reading.reader import ReadSettings
from pipeline.kafka.reading.record_text import record_text
from tests.kafka.reading import read
from tests.kafka.writing import printed_time

LOGGERS = (
    "kafka.controller.KafkaController",
    "state.change.logger",
    "org.apache.kafka.controller.QuorumController",
)
MESSAGES = ("[Controller id=1] Starting up", "plain words", "a (b) [c] -d: 50%", "", "ends in a bracket (x)")
TIME = datetime.fromisoformat("2024-03-09T07:08:09.123")

# (as the pattern has it, what it prints), by what it is.
DATES = [
    ("%d", None), ("%d{ISO8601}", "ISO8601"), ("%date{DATE}", "DATE"), ("%d{COMPACT}", "COMPACT"),
    ("%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX}", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"),
    ("%d{yyyy-MM-dd HH:mm:ss z}", "yyyy-MM-dd HH:mm:ss z"), ("%d{dd/MM/yyyy HH:mm:ss,SSSZ}", "dd/MM/yyyy HH:mm:ss,SSSZ"),
    ("%d{UNIX_MILLIS}", "UNIX_MILLIS"), ("%d{dd MMM yyyy HH.mm.ss.SSSSSS}", "dd MMM yyyy HH.mm.ss.SSSSSS"),
]  # fmt: skip
LEVELS = [("%p", "{}"), ("%-5p", "{:5}"), ("%5level", "{:>5}"), ("%highlight{%-5p}{INFO=blue}", "{:5}")]
FIELDS = [
    ("%t", "controller-event-thread"), ("%thread", "Sender thread 1"), ("%20.20t", f"{'main':>20}"),
    ("%L", "450"), ("%F", "KafkaController.scala"), ("%M", "$anonfun$apply$1"), ("%X{id}", ""), ("%x", "a b"),
    ("%r", "1234"), ("%pid", "77"), ("%C{1}", "Logging"), ("%notEmpty{<%X{id}>}", ""), ("%%", "%"), ("\\t", "\t"),
]  # fmt: skip
NAMES = [
    ("%c", lambda name: name),
    ("%c{1}", lambda name: name.rsplit(".", 1)[-1]),
    ("%logger{2}", lambda name: ".".join(name.split(".")[-2:])),
    ("%c{1.}", lambda name: ".".join([*(part[0] for part in name.split(".")[:-1]), name.split(".")[-1]])),
    ("%-40c", lambda name: f"{name:40}"),
    ("%-50.50logger", lambda name: f"{name[-50:]:50}"),
    ("%20.20c", lambda name: f"{name[-20:]:>20}"),
]  # fmt: skip
SEPARATORS = [" | ", " - ", "; ", " <> "]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.data())
def test_what_a_pattern_prints_is_read_back(data: st.DataObject) -> None:
    """A pattern is put together piece by piece, and so is the line that it prints."""
    draw = data.draw
    between = draw(st.sampled_from(SEPARATORS))
    date, form = draw(st.sampled_from(DATES))
    level, level_form = draw(st.sampled_from(LEVELS))
    name, shown = draw(st.sampled_from(NAMES))
    offset = timedelta(minutes=draw(st.sampled_from([0, 330, -180])))
    records = draw(
        st.lists(st.tuples(st.sampled_from(LOGGERS), st.sampled_from(MESSAGES)), min_size=1, max_size=4)
    )
    order: list[str | tuple[str, str]] = draw(
        st.permutations(["level", "name", *draw(st.lists(st.sampled_from(FIELDS), max_size=3))])
    )
    message_at = draw(st.integers(0, len(order)))
    has_trace = draw(st.booleans())

    def line(logger: str, message: str) -> str:
        shown_parts = {"level": level_form.format("INFO"), "name": shown(logger)}
        pieces = [shown_parts[one] if isinstance(one, str) else one[1] for one in order]
        pieces.insert(message_at, message)
        return between.join([f"[{printed_time(TIME, form, offset)}]", *pieces]) + "\n"

    pieces = [{"level": level, "name": name}[one] if isinstance(one, str) else one[0] for one in order]
    pieces.insert(message_at, "%m")
    pattern = between.join([f"[{date}]", *pieces]) + "%n" + ("%ex" if has_trace else "")
    trace = "java.lang.X: why\n\tat a.B\n" if has_trace else ""
    content = "".join(line(*record) + trace for record in records).encode()
    found = envelope_by_name(PATTERN + pattern)
    text = record_text(
        concat_records(
            list(scan_records(BytesIO(content), 0, len(content), None, found.start, owns_preamble=True))
        ),
        found,
    )
    told = form is not None and (form.endswith(("XXX", "Z", "z")) or form == "UNIX_MILLIS")
    moment = TIME - (offset if told else timedelta(hours=5, minutes=30))
    if form is not None and "SS" not in form and form != "UNIX_MILLIS" and not form.isupper():
        moment = moment.replace(microsecond=0)
    read_back = [
        (at.replace(tzinfo=None), *rest)
        for at, *rest in zip(
            local_to_utc(text.logged_local, "Asia/Kolkata", text.instant).to_pylist(),
            text.level.to_pylist(), text.logger.to_pylist(), text.message.to_pylist(), text.rest.to_pylist(),
            strict=True,
        )
    ]  # fmt: skip
    assert read_back == [(moment, "INFO", logger, message, trace) for logger, message in records], (
        pattern,
        content,
    )


def test_a_pattern_of_literals_only_is_compared_as_bytes() -> None:
    """The stock layout keeps the fast way to find its records."""
    assert envelope_by_name("stock").start.replace("\\-", "-").replace("\\ ", " ") == (
        r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] "
    )


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("%p %c %m%n", "no %d"),
        ("%d %c%n", "no %m"),
        ("%m %c %d%n", "%d behind %m"),
        ("%d{ABSOLUTE} %p %c %m%n", "no date"),
        ("%d{HH:mm:ss} %c %m", "no y, M, d"),
        ("%d{yyyy-MM-dd hh:mm:ss a} %c %m", "hh in"),
        ("%d{yyyy-M-d H:m:s} %c %m", "M in"),
        ("%d{z yyyy-MM-dd HH:mm:ss} %c %m", "behind the zone"),
        ("%d{yyyy-MM-dd HH:mm:ss}{Mars/Base} %c %m", "Mars/Base"),
        ("%d %c %replace{%m}{a}{b}", "%replace"),
        ("%d %c %.100m", "%.100m"),
        ("%d %c %m %Q", "%Q"),
        ("%d %c ${sys:x} %m", "${...}"),
        ("%d %c %notEmpty{%m}", "may be left out"),
        ("%d{yyyy %c %m", "{ without }"),
    ],
)
def test_what_cannot_be_read_back_is_refused(pattern: str, found: str) -> None:
    with pytest.raises(SettingsError) as raised:
        compile_pattern(pattern)
    assert found in str(raised.value)
    assert raised.value.expected.startswith(("a ConversionPattern", "a date format", "an IANA time zone"))


def test_zones_of_a_pattern() -> None:
    line = b"2024-03-01 12:00:00,123 INFO a.B - x\n"
    for zone, hour in (("UTC", 12), ("America/New_York", 17), ("GMT+2", 10)):
        name = f"{PATTERN}%d{{DEFAULT}}{{{zone}}} %p %c - %m%n"
        assert read(line, envelope=name, zone="Asia/Kolkata")[0]["logged_at"].hour == hour
    logback = read(
        line, envelope=PATTERN + '%d{"yyyy-MM-dd HH:mm:ss,SSS", UTC} %p %c - %m%n', zone="Asia/Kolkata"
    )
    assert logback[0]["logged_at"].hour == 12


def test_literals_are_no_regular_expressions() -> None:
    name = PATTERN + r"%d|(.*)|%p|[%c]|^%m$%n"
    line = b"2024-03-01 12:00:00,123|(.*)|INFO|[state.change.logger]|^x$\n"
    assert (
        read(line * 2, envelope=name, settings=ReadSettings(block_bytes=300))[1]["logger"]
        == "state.change.logger"
    )
    assert read(line.replace(b"(.*)", b"abcd"), envelope=name)[0]["not_understood_reason"] == "no_envelope"
