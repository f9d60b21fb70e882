"""Loggers that a layout prints in part or not at all."""

import pytest

from pipeline.kafka.explaining.explanation import explain_record
from pipeline.kafka.reading.pasted import read_pasted_text
from pipeline.kafka.reading.sniff import sniff_head
from tests.kafka.reading import read

CLASS = "2023-08-12 20:13:28,459 - INFO  [main:Logging@66] - "
ELECTED = "[Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1"
SHORT = "2024-03-01 12:00:00 INFO  [main] {}:66 - {}\n"

TOLD = [
    ("one logger prints it", ELECTED, "controller_elected", "kafka.controller.KafkaController"),
    ("a class that was renamed", "[PartitionStateMachine controllerId=1] Initializing partition state",
     "partition_state_machine_init", None),
    ("two events", "Error while loading log dir /a", None, None),
    ("of a class that many extend", "[ExpirationReaper-1-Fetch]: Starting", None, None),
    ("no wording", "[Controller id=1] Sings", None, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("message", "event", "logger"), [case[1:] for case in TOLD], ids=[case[0] for case in TOLD]
)
def test_without_a_logger_the_message_tells(message: str, event: str | None, logger: str | None) -> None:
    [row] = read(f"{CLASS}{message}\n".encode(), envelope="debezium", log="mixed")
    assert (row["event"], row["logger"], row["level"]) == (event, logger, "INFO")
    assert row["not_understood_reason"] == (None if event else "other_logger")


def test_what_tells_nothing_is_of_the_log_that_the_file_is() -> None:
    line = f"{CLASS}[Controller id=1] Sings\n".encode()
    [row] = read(line, envelope="debezium", log="controller")
    assert (row["log"], row["not_understood_reason"], row["raw"]) == ("controller", "no_template", line)


# Both loggers print it; one of them does; neither does.
AMONG = [
    ("Shutdown complete.", "log_manager_shut_down", "LogManager"),
    ("Loading logs.", "logs_loading", "kafka.log.LogManager"),
    ("Sings", None, "LogManager"),
]


@pytest.mark.parametrize(("message", "event", "logger"), AMONG)
def test_of_loggers_of_one_short_name_the_message_tells(message: str, event: str | None, logger: str) -> None:
    """The releases of a package that is not printed are told of no node."""
    data = (SHORT.format("KafkaController", ELECTED) + SHORT.format("LogManager", message)).encode()
    rows = read(data, envelope="strimzi_log4j2", log="mixed")
    assert [(row["event"], row["logger"], row["log"]) for row in rows] == [
        ("controller_elected", "kafka.controller.KafkaController", "controller"),
        (event, logger, "server"),
    ]


def test_all_that_may_have_printed_it_explain_it() -> None:
    found = explain_record(
        read_pasted_text(SHORT.format("LogManager", "Shutdown complete.").encode()).records[0]
    )
    assert {one.logger for one in found.wordings} == {
        "kafka.log.LogManager", "org.apache.kafka.storage.internals.log.LogManager",
    }  # fmt: skip
    found = explain_record(
        read_pasted_text(
            f"{CLASS}[PartitionStateMachine controllerId=1] Initializing partition state".encode()
        ).records[0]
    )
    assert {one.logger for one in found.wordings} == {
        "kafka.controller.PartitionStateMachine", "kafka.controller.ZkPartitionStateMachine",
    }  # fmt: skip


def test_another_program_is_not_kafka_by_a_word_or_two() -> None:
    foreign = CLASS + "Order {} was paid\n"
    data = "".join(foreign.format(number) for number in range(40)) + f"{CLASS}Shutting down.\n"
    assert sniff_head(data.encode()).log is None
    assert sniff_head(f"{CLASS}{ELECTED}\n".encode() * 3).envelope == "debezium"


LISTED = [
    ("stock", "[2024-03-01 12:00:00,123] INFO {} (kafka.controller.KafkaController){}\n"),
    ("strimzi", "2024-03-01 12:00:00,123 INFO {} (kafka.controller.KafkaController) [main]{}\n"),
]


@pytest.mark.parametrize("end", [",", '",', " ", "\\n'", " |"])
@pytest.mark.parametrize(("layout", "line"), LISTED)
def test_a_line_of_a_list_is_whole(layout: str, line: str, end: str) -> None:
    rows = read(line.format(ELECTED, end).encode() * 2, envelope=layout, log="mixed")
    assert [row["event"] for row in rows] == ["controller_elected"] * 2
    assert b"".join(row["raw"] for row in rows) == line.format(ELECTED, end).encode() * 2


@pytest.mark.parametrize(("layout", "line"), LISTED)
def test_a_line_that_ends_inside_its_message_is_cut(layout: str, line: str) -> None:
    torn = line.format(ELECTED[:60], "").partition(" (")[0] + ",\n"
    rows = read(line.format(ELECTED, "").encode() + torn.encode(), envelope=layout, log="mixed")
    assert [row["not_understood_reason"] for row in rows] == [None, "cut"]
