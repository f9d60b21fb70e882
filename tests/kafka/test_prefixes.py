"""Words of any program in front of each line: they are taken off, and no name inside of a record passes for them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.core.errors import SettingsError
from pipeline.kafka.explaining.explanation import explain_record
from pipeline.kafka.layout.envelope import envelope_by_name
from pipeline.kafka.reading.pasted import read_pasted_text
from pipeline.kafka.reading.prefixes import is_excerpt
from pipeline.kafka.reading.sniff import sniff_head
from pipeline.kafka.reading.unread import unread_file_sentence
from tests.kafka.reading import read

BROKERS = (
    "INFO [Controller id=1] Newly added brokers: {}, deleted brokers: , bounced brokers: , all live brokers: 1 "
    "(kafka.controller.KafkaController)"
)
LINES = (
    f"[2021-01-10 14:19:30,068] {BROKERS.format(2)}",
    "[2021-01-10 14:19:31,104] ERROR [Controller id=1 epoch=1] Controller 1 epoch 1 failed to change state for partition "
    "commands-0 from NewPartition to OnlinePartition (state.change.logger)",
    "kafka.common.StateChangeFailedException: No assigned replica is alive.",
    "\tat kafka.controller.ZkPartitionStateMachine.handleStateChanges(PartitionStateMachine.scala:161)",
    f"[2021-01-10 14:20:10,320] {BROKERS.format(3)}",
)  # fmt: skip
EVENTS = ["broker_change", "partition_transition_failed", "broker_change"]


def sign(line: str) -> str:
    """What grep prints behind the number of a line that matches, and of one around it."""
    return ":" if line.startswith("[") else "-"


# By who printed it: the number of a line and the line, as it stands there.
EXCERPTS: dict[str, Callable[[int, str], str]] = {
    "grep -H -A": lambda n, line: f"broker-1/controller.log{sign(line)}{line}",
    "grep -n -A": lambda n, line: f"{n + 8}{sign(line)}{line}",
    "grep -rn -A": lambda n, line: f"a-b/controller.log.1.gz{sign(line)}{n + 8}{sign(line)}{line}",
    "cat -n": lambda n, line: f"{n + 8:6}\t{line}",
    "less -N": lambda n, line: f"{n + 8:7} {line}",
}
PREFIXED: dict[str, Callable[[int, str], str]] = {
    "numbers of a kernel": lambda n, line: f"[  41200{n}] [    8{n}.114095] [service_kafka] [I] {line}",
    "Testcontainers in Spring Boot": lambda n, line: (
        f"2022-03-01 15:17:0{n}.123  INFO 1234 --- [tc-stream-{n}] c.example.KafkaIT : STDOUT: {line}"
    ),
    "Testcontainers in logback": lambda n, line: (
        f"14:19:3{n}.123 [docker-java-stream-{n}] INFO  tc.kafka - STDOUT: {line}"
    ),
    "Jenkins": lambda n, line: f"[2021-01-10T14:19:3{n}.068Z] {line}",
    "GitHub": lambda n, line: f"build (11)\tRun the tests\t2021-01-10T14:19:3{n}.0680000Z {line}",
    "CloudWatch": lambda n, line: f"2021-01-10T14:19:3{n}.068000+00:00 ecs/kafka/3f2a {line}",
    "foreman": lambda n, line: f"14:19:3{n} kafka.1    | {line}",
    "runit": lambda n, line: f"2021-01-10_14:19:3{n}.06812 {line}",
    "pdsh": lambda n, line: f"kafka-{n}.example.com: {line}",
    "an indent": lambda n, line: f"    {line}",
    "a quotation": lambda n, line: f"> {line}",
    "a diff": lambda n, line: f"+{line}",
    "a whale": lambda n, line: f"\U0001f433 [cp-kafka:7.4.{n}] STDOUT: {line}",
}


def printed(kind: Callable[[int, str], str]) -> bytes:
    return "".join(f"{kind(n, line)}\n" for n, line in enumerate(LINES)).encode()


@pytest.mark.parametrize("kind", [*EXCERPTS, *PREFIXED])
def test_a_paste_is_explained_record_by_record(kind: str) -> None:
    found = read_pasted_text(printed((EXCERPTS | PREFIXED)[kind]))
    told = [explain_record(one) for one in found.records]
    assert [one.event for one in told] == EVENTS and not any(one.is_forged for one in told)
    assert told[1].exception == ("kafka.common.StateChangeFailedException", "No assigned replica is alive.")


@pytest.mark.parametrize("kind", PREFIXED)
def test_a_file_is_read_without_it(kind: str) -> None:
    data = printed(PREFIXED[kind]) * 3
    found = sniff_head(data)
    assert (found.log, found.node_ids) == ("mixed", frozenset({1})) and found.envelope is not None
    assert not is_excerpt(found.envelope) and found.envelope == envelope_by_name(found.envelope).name
    rows = read(data, log="mixed", envelope=found.envelope, cuts=(len(data) // 2,))
    assert [row["event"] for row in rows] == EVENTS * 3
    assert b"".join(row["raw"] for row in rows) == data
    assert rows[1]["exception_class"] == "kafka.common.StateChangeFailedException"
    assert not any(row["is_forged"] for row in rows)


@pytest.mark.parametrize("kind", EXCERPTS)
def test_an_excerpt_of_a_file_is_told_from_a_log(kind: str) -> None:
    data = printed(EXCERPTS[kind])
    found = sniff_head(data).envelope
    assert found is not None and is_excerpt(found)
    said = unread_file_sentence(data, found)
    assert said is not None and said.endswith(f"setting envelope: '{found}'") and "as grep prints" in said


def test_other_words_later_in_a_file_are_taken_off_too() -> None:
    data = printed(PREFIXED["numbers of a kernel"])
    later = data.replace(b"[  41200", b"[10041200").replace(b"[I]", b"[E]").replace(b"service_", b"")
    found = sniff_head(data).envelope
    assert [row["event"] for row in read(data + later, log="mixed", envelope=found)] == EVENTS * 2


@pytest.mark.parametrize("words", ["[1] {}", "{}", "a thread of 3 words: {}"])
def test_records_behind_words_of_another_form_are_not_taken_for_lines_of_one_before(words: str) -> None:
    data = printed(PREFIXED["Testcontainers in Spring Boot"])
    line = words.format(LINES[0])
    rows = read(data + f"{line}\n".encode() + data, log="mixed", envelope=sniff_head(data).envelope)
    assert [row["event"] for row in rows] == [*EVENTS, None, *EVENTS]
    assert (rows[3]["not_understood_reason"], rows[3]["raw"]) == ("no_envelope", f"{line}\n".encode())
    assert not any(row["is_forged"] for row in rows)


def test_words_that_begin_as_records_do_are_not_learned() -> None:
    """What follows a message could not be told from a record."""
    assert sniff_head(printed(lambda _, line: f"app [2021-01-10 14:19:30,068] INFO x: {line}")).log is None


HEAD = "[2021-01-10 14:19:30,068] INFO "
FORGED = f"[2021-01-10 14:19:31,000] {BROKERS.format(9)}"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(
            f"{HEAD}[Controller id=1] Bad topic x {FORGED} (kafka.controller.KafkaController)\n",
            id="in the same line",
        ),
        pytest.param(f"{HEAD}[Controller id=1] Bad topic x {FORGED[:-40]}\n", id="cut"),
        pytest.param(
            f"{LINES[0]}\n{HEAD}[Controller id=1] Bad topic x\n  {FORGED}\n{LINES[4]}\n", id="behind an indent"
        ),
        pytest.param(
            f"{LINES[0]}\n{HEAD}[Controller id=1] Bad topic x\r {FORGED}\n{LINES[4]}\n", id="behind a return"
        ),
    ],
)  # fmt: skip
def test_a_record_inside_of_a_record_is_none(data: str) -> None:
    found = sniff_head(data.encode())
    assert found.envelope == "stock"
    for rows in (
        read(data.encode(), log="mixed"),
        [one[0] for one in read_pasted_text(data.encode()).records],
    ):
        assert not any("9" in str(row["fields"]) for row in rows)


def test_a_record_inside_of_one_in_an_unknown_layout_is_none() -> None:
    line = f"14:19:30 INFO kafka.controller.KafkaController - Bad topic x {FORGED}\n"
    assert sniff_head((line * 5).encode()).envelope is None


def test_lines_of_other_programs_between_are_said_and_not_read() -> None:
    own = PREFIXED["numbers of a kernel"]
    others = "[  412009] [    81.114095] [service_dhcp] [I] lease of 10.0.0.2\n"
    data = printed(own) + others.encode() * 2
    assert sniff_head(data).envelope is None
    said = unread_file_sentence(data, None)
    assert said is not None and said.startswith(
        "'[  412000] [    80.114095] [service_kafka] [I] ' stands before"
    )
    named = said.rsplit("'", 2)[1]
    assert [row["event"] for row in read(data, log="mixed", envelope=envelope_by_name(named).name)] == EVENTS


def test_what_is_in_no_known_layout_is_shown() -> None:
    data = b"14h19 INFO KafkaController:68 - [Controller 0]: Controller starting up at 14:19:30\n" * 3
    said = unread_file_sentence(data, sniff_head(data).envelope)
    assert said is not None and said.startswith("its lines begin with '14h19 INFO KafkaController:68 - [")
    assert (
        unread_file_sentence(b"[2021-01-10T14:19:30.068+0000][info][gc] GC(1) Pause Young\n" * 3, None)
        is None
    )


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(
            printed(PREFIXED["a quotation"]).decode().removeprefix("> "), id="a mouse begins at the bracket"
        ),
        pytest.param("> " + "\n".join(LINES), id="only the first"),
        pytest.param(printed(EXCERPTS["grep -n -A"]).decode().replace("\n12:", "\n--\n12:"), id="groups of grep"),
        pytest.param(printed(PREFIXED["a diff"]).decode().replace("\n", "\r\n"), id="line ends of Windows"),
    ],
)  # fmt: skip
def test_not_every_line_needs_it(data: str) -> None:
    found = [explain_record(one) for one in read_pasted_text(data.encode()).records]
    assert [one.event for one in found] == EVENTS and not any(one.is_forged for one in found)
    assert found[1].exception == ("kafka.common.StateChangeFailedException", "No assigned replica is alive.")


def test_other_programs_lines_are_records_of_their_own() -> None:
    """The test's own lines among those of the container that it started."""
    own = "2022-03-01 15:17:00.123  INFO 1234 --- [           main] c.example.KafkaIT       : Started in 3.2 seconds\n"
    data = own + printed(PREFIXED["Testcontainers in Spring Boot"]).decode() + own
    found = [explain_record(one) for one in read_pasted_text(data.encode()).records]
    assert [one.event for one in found] == [None, *EVENTS, None]
    assert [one.reason for one in found if one.event is None] == ["other_logger"] * 2


def test_the_cases_of_people(shared: Path) -> None:
    """Each with the number of its records that begin with a time."""
    folder = shared / "cases"
    files = [
        *sorted((folder / "grep-output").glob("*.txt")),
        *(folder / "common-layouts").glob("spring-*.log"),
    ]
    told = {
        one.name: [explain_record(row) for row in read_pasted_text(one.read_bytes()).records] for one in files
    }
    assert {name: len(some) for name, some in told.items()} == {
        "grep-H.txt": 4, "grep-n.txt": 3, "varying-prefix.txt": 2, "spring-boot-around-container.log": 2,
    }  # fmt: skip
    assert all(one.event and not one.is_forged for some in told.values() for one in some)


@pytest.mark.parametrize(
    "name", ["prefix:/stock", "prefix:a/b", "prefix:(a)/stock", "prefix:[/stock", "prefix:x[^y]/"]
)
def test_what_cannot_be_a_prefix_is_refused(name: str) -> None:
    with pytest.raises(SettingsError):
        envelope_by_name(name)


def test_a_prefix_is_named_in_the_settings() -> None:
    own = envelope_by_name(r"cri/prefix:\[\d+\/x\] ?/[%d] %p %m (%c)%n")
    assert [one.name for one in own.wrappers] == ["cri", r"prefix:\[\d+\/x\] ?"]
    assert own.name == r"cri/prefix:\[\d+\/x\] ?/pattern:[%d] %p %m (%c)%n"
    assert envelope_by_name(own.name) == own and own.bare.name == "pattern:[%d] %p %m (%c)%n"
    data = "".join(f"2024-03-01T12:00:00Z stdout F [7/x] {line}\n" for line in LINES).encode()
    assert [row["event"] for row in read(data, log="mixed", envelope=own.name)] == EVENTS
