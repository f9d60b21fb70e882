"""Which times a record may have: of the years of logs, in every form in which they are printed."""

import datetime as dt

import pytest

from tests.kafka.reader_lines import LINE
from tests.kafka.reading import read

JSON = b'{"%s,"level":"INFO","loggerName":"kafka.controller.KafkaController","message":"x"}\n'
NUMBERS = (b"-1", b"7258118400", b"999999999999", b"9223372036854775807")
OTHER_YEARS = [
    *(("stock", LINE.replace(b"2024", year)) for year in (b"0000", b"0001", b"1969", b"2200", b"9999")),
    ("[%d{UNIX}] %p %m (%c)%n", b"[7258118400] INFO x (kafka.controller.KafkaController)\n"),
    ("[%d{UNIX}] %p %m (%c)%n", b"[9999999999999] INFO x (kafka.controller.KafkaController)\n"),
    *(
        ("json_millis", JSON % b'timeMillis":%s' % number)
        for number in (*NUMBERS[:1], b"7258118400000", *NUMBERS[3:])
    ),
    *(
        ("json_instant", JSON % b'instant":{"epochSecond":%s,"nanoOfSecond":0}' % number)
        for number in NUMBERS
    ),
    ("json_instant", JSON % b'instant":{"epochSecond":0,"nanoOfSecond":9223372036854775807}'),
    (
        "ecs",
        b'{"@timestamp":"9999-12-31T23:59:59-05:00","log.level":"INFO","log.logger":"a.B","message":"x"}\n',
    ),
]


@pytest.mark.parametrize(("name", "line"), OTHER_YEARS, ids=range(len(OTHER_YEARS)))
def test_a_time_of_a_year_that_no_log_has_is_none(name: str, line: bytes) -> None:
    rows = read(line, envelope=name, log="controller", zone="America/New_York")
    told = [(row["not_understood_reason"], row["logged_local"], row["logged_at"], row["raw"]) for row in rows]
    assert told == [("no_envelope", None, None, line)]


def test_the_first_and_the_last_second_of_a_log_are_times() -> None:
    for time in (b"1970-01-01 00:00:00,000", b"2199-12-31 23:59:59,999"):
        row = read(LINE.replace(b"2024-03-01 12:00:00,123", time), zone="America/New_York")[0]
        assert row["logged_local"] == dt.datetime.fromisoformat(time.decode().replace(",", "."))
    row = read(JSON % b'timeMillis":7258118399999', envelope="json_millis", log="controller")[0]
    assert row["logged_at"] == dt.datetime(2199, 12, 31, 23, 59, 59, 999000, tzinfo=dt.UTC)
