"""First lines of exceptions that name a cause: every row read back, bare and inside of another exception."""

import re
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import polars as pl
import pyarrow as pa
import pytest

from jobs.explain.folding import Folded
from jobs.explain.text import as_data, explanation_lines
from pipeline.core.frames import frame_of
from pipeline.kafka.explaining.explanation import explain_record
from pipeline.kafka.reading.pasted import read_pasted_text
from pipeline.kafka.wording.events import template_events
from pipeline.kafka.wording.exception_lines import ExceptionLine, read_exception_lines
from pipeline.model.lines.exception_causes import with_exception_causes
from tests.kafka.reading import read_table
from tests.lab import records
from tests.oracle.rows import PLACE
from tests.oracle.values import hard

# Lines below which the causes are looked for, by event; of the others the first.
RECORDS = {
    "log_dir_failed": "ERROR Disk error while locking directory /d (org.apache.kafka.storage.internals.log."
    "LogDirFailureChannel)",
    "server_start_failed": "ERROR [KafkaServer id=1] Fatal error during KafkaServer startup. Prepare to shutdown "
    "(kafka.server.KafkaServer)",
    "server_exiting": "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)",
    "fetch_request_failed": "WARN [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Error in response for fetch "
    "request x (kafka.server.ReplicaFetcherThread)",
    "request_failed": "ERROR [ControllerApis nodeId=1] Unexpected error handling request x with context y "
    "(kafka.server.ControllerApis)",
}
TIME = "[2026-03-01 12:00:00,123] "
ACCEPTOR = "java.util.concurrent.ExecutionException: java.lang.RuntimeException: Unable to start acceptor"
TAKEN = "org.apache.zookeeper.KeeperException$NodeExistsException: KeeperErrorCode = NodeExists"


def instances(turn: int) -> Iterator[tuple[ExceptionLine, dict[str, str]]]:
    for number, row in enumerate(read_exception_lines()):
        texts = {}
        for name in dict.fromkeys(PLACE.findall(row.template)):
            values = [one for one in hard(name) if one and len(one) < 300]
            texts[name] = values[crc32(f"{turn} {name} {number}".encode()) % len(values)]
        yield row, texts


def rendered(template: str, texts: dict[str, str]) -> str:
    return PLACE.sub(lambda place: texts[place[1]], template)


def below(event: str, trace: str) -> str:
    return f"{TIME}{RECORDS[event]}\n{trace}\n\tat a.B.c(B.scala:1)\n"


def read_back(lines: str) -> pl.DataFrame:
    return with_exception_causes(frame_of(read_table(lines.encode(), log="mixed")))


def first_known(row: ExceptionLine) -> str:
    return next(name for name in (row.under.split(" ") if row.under else RECORDS) if name in RECORDS)


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize(
    "outer", ["", "java.util.concurrent.CompletionException: x\n\tat a.B.d(B.java:2)\nCaused by: "]
)
def test_every_row_is_read_back_with_its_fields(turn: int, outer: str) -> None:
    made = list(instances(turn))
    lines = [
        below(
            first_known(row),
            f"{outer}{row.exception}: {rendered(row.template, texts)}",
        )
        for row, texts in made
    ]
    found = read_back("".join(lines))
    assert found["event"].to_list() == [first_known(row) for row, _ in made]
    assert found["cause"].to_list() == [row.cause for row, _ in made]
    assert found["exception_class"].to_list() == [row.exception for row, _ in made]
    assert [dict(one or {}) for one in found["cause_fields"].to_list()] == [texts for _, texts in made]


def test_a_cause_inside_of_exceptions_is_found_and_one_that_says_nothing_is_left() -> None:
    bound = "org.apache.kafka.common.KafkaException: Socket server failed to bind to kafka-1:9092: Address already in use."
    deep = f"{ACCEPTOR}\nCaused by: java.lang.RuntimeException: Unable to start acceptor\nCaused by: {bound}\n\t... 1 more"
    plain = f"{ACCEPTOR}\nCaused by: java.lang.RuntimeException: no cause that is known"
    found = read_back(below("server_start_failed", deep) + below("server_start_failed", plain))
    assert found["cause"].to_list() == ["cause_bind_failed", None]
    assert found["exception_class"].to_list() == [
        "org.apache.kafka.common.KafkaException",
        "java.util.concurrent.ExecutionException",
    ]
    assert dict(found["cause_fields"][0]) == {
        "host": "kafka-1",
        "port": "9092",
        "exception_message": "Address already in use",
    }


def test_a_text_names_a_cause_only_below_its_events() -> None:
    found = read_back(
        below("server_start_failed", TAKEN)
        + below("log_dir_failed", TAKEN)
        + f"{TIME}{RECORDS['server_exiting']}\n"
    )
    assert found["cause"].to_list() == ["cause_broker_id_taken", None, None]


def test_a_frame_without_exceptions_has_the_columns() -> None:
    found = read_back(f"{TIME}{RECORDS['server_exiting']}\n")
    assert (found["cause"].to_list(), found["cause_fields"].to_list()) == ([None], [None])
    assert with_exception_causes(found.drop("cause", "cause_fields").clear()).columns[-2:] == [
        "cause",
        "cause_fields",
    ]


def test_explain_says_the_cause_and_what_it_means() -> None:
    paste = read_pasted_text(below("log_dir_failed", "java.io.IOException: No space left on device").encode())
    told = explain_record(paste.records[0])
    lines = explanation_lines(Folded(told, 1, None, ""), None, 110)
    assert any(re.match(r"  cause +cause_disk_full: The disk is full", line) for line in lines)
    assert as_data(told, paste, None)["cause"]["cause"] == "cause_disk_full"
    other = explain_record(
        read_pasted_text(below("log_dir_failed", "java.io.IOException: who knows").encode()).records[0]
    )
    assert other.cause is None


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("java.io.IOException: No space left on device\n\tat a.B.c(B.java:1)", "cause_disk_full"),
        ('Exception in thread "main" java.lang.OutOfMemoryError: Java heap space', "cause_out_of_memory"),
        (f"{ACCEPTOR}\n\tat a.B.c(B.java:1)\nCaused by: java.io.IOException: Map failed", "cause_map_failed"),
        (TAKEN, None),
        (f"{ACCEPTOR}\n\tat a.B.c(B.java:1)", None),
        ("no trace at all", None),
    ],
)  # fmt: skip
def test_a_trace_alone_says_its_cause(text: str, cause: str | None) -> None:
    """Where that does not depend on the record above it."""
    told = explain_record(read_pasted_text(text.encode()).records[0])
    assert (told.event, told.cause and told.cause[0]) == (None, cause)
    first, *_ = explanation_lines(Folded(told, 1, None, ""), None, 110)
    assert first.startswith(cause or "NOT UNDERSTOOD")


def test_rows_are_of_known_events_and_meanings_are_sentences() -> None:
    rows = read_exception_lines()
    assert {name for row in rows for name in row.under.split(" ") if name} <= set(template_events())
    assert len({(row.exception, row.template) for row in rows}) == len(rows)
    assert not [
        row.meaning
        for row in rows
        if not re.fullmatch(r"[A-Z].{20,}\.", row.meaning) or len(row.meaning) > 260
    ]
    assert all(re.fullmatch(r"cause_[a-z_]+", row.cause) for row in rows)


@pytest.mark.parametrize(
    ("run", "causes"),
    [
        ("1.0.2-zk-moves", {"server_start_failed": "cause_broker_id_taken", "log_dir_failed": "cause_disk_full"}),
        ("3.9.1-zk-moves", {"server_start_failed": "cause_broker_id_taken", "server_exiting": "cause_broker_id_taken"}),
        ("4.0.0-kraft-combined-moves", {"log_dir_failed": "cause_path_gone", "logged_fault": "cause_out_of_memory"}),
    ],
)  # fmt: skip
def test_real_lines_name_their_causes(shared: Path, run: str, causes: dict[str, str]) -> None:
    found = with_exception_causes(frame_of(records(shared / "lab-runs" / run, ("server",))))
    told = {(event, cause) for event, cause in found.select("event", "cause").unique().iter_rows() if cause}
    assert set(causes.items()) <= told


def test_a_class_without_its_package_is_an_exception(shared: Path) -> None:
    assert pa.types.is_string(read_table(b"", log="mixed").schema.field("exception_class").type)
    line = f"{TIME}WARN Session 0x1 for server k/1:2, Closing socket connection. Attempting reconnect except it is a "
    line += "SessionExpiredException. (org.apache.zookeeper.ClientCnxn)\nEndOfStreamException: Unable to read additional "
    found = read_back(line + "data from server sessionid 0x1, likely server has closed socket\n")
    assert found["cause"].to_list() == ["cause_zk_server_closed"]
