"""Findings about log directories that failed, by the lines of the broker, and what is no failure."""

from tests.frames import at
from tests.gold.disk_lines import (
    FAILED,
    FULL,
    MANAGER,
    REPLICAS,
    STILL,
    lines,
    loaded,
    started,
    starting,
    stopping,
    told,
    told_of,
    unwritable,
)
from tests.rules.rows import fact_texts


def test_a_directory_is_lost_until_a_start_that_has_it() -> None:
    """However often it fails; a start without it goes on with it."""
    (row,) = told(
        {(1, "server"): lines(*FAILED, starting(19), STILL, started(21), starting(30), started(31))}
    )
    assert row["sentence"] == (
        "broker 1 lost log directory /b (the disk is full): 2 replicas there, 1 moving to it; "
        "at a start 21.0 s later it did not fail again"
    )
    assert (row["severity"], row["certainty"], row["entity"]) == ("warning", "inferred", "broker 1")
    assert (row["valid_from_at"], row["valid_until_at"]) == (at(10), at(31))
    assert fact_texts(row["facts"]) == {
        "broker_id": "1", "log_dirs": "/b", "exception_class": "java.io.IOException",
        "exception_message": "No space left on device", "replicas_count": "2", "partitions": "t-0,t-1",
        "moving_count": "1", "came_back": "started", "lasted_ms": "21000",
    }  # fmt: skip


BACK: tuple[tuple[list[tuple[float, str]], str], ...] = (
    ([loaded(30.1, "/a"), loaded(30.2, "/b")], "; back after 21.0 s"),
    ([loaded(30.1, "/a")], "; after 21.0 s the broker started without it"),
    (
        [loaded(30.1, "/a"), (30.2, f"INFO Log directory /b not found, creating it. {MANAGER}")],
        "; back after 21.0 s, but empty: its replicas are copied anew",
    ),
)


def test_the_start_says_how_it_came_back() -> None:
    found = told_of(*({(1, "server"): lines(*FAILED, starting(30), *said, started(31))} for said, _ in BACK))
    for (row,), (_, how) in zip(found, BACK, strict=True):
        assert row["sentence"].endswith(how)
        assert row["certainty"] == "proved"


def test_a_directory_that_fails_again_is_another_failure() -> None:
    again = (starting(30), loaded(30.1, "/b"), started(31), unwritable(40), stopping(40.01))
    both = told({(1, "server"): lines(*FAILED, *again)})
    assert [(row["valid_from_at"], row["valid_until_at"]) for row in both] == [
        (at(10), at(31)),
        (at(40), None),
    ]
    assert both[1]["sentence"].endswith("; no line says that it is back")
    assert len({row["finding_id"] for row in both}) == 2


def test_all_directories_of_a_broker_are_one_failure_and_end_its_process() -> None:
    halt = (10.3, f"ERROR Shutdown broker because all log dirs in /a, /b have failed {MANAGER}")
    both = (unwritable(10.1, "/a/meta.properties"), stopping(10.2, "/a"), halt)
    (row,) = told({(1, "server"): lines(*FAILED[:5], *both)})
    assert row["sentence"].startswith("broker 1 lost 2 log directories (/b, /a) (the disk is full)")
    assert "; the process halted; no line says" in row["sentence"]


def test_a_process_that_halted_is_over_it_once_any_log_shows_it_up() -> None:
    """Its start was not copied; a directory that failed while the broker goes on is not back for that."""
    halt = (10.3, f"ERROR Shutdown broker because all log dirs in /a, /b have failed {MANAGER}")
    both = (unwritable(10.1, "/a/meta.properties"), stopping(10.2, "/a"), halt)
    elected = (
        "INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 9 and epoch zk version is "
        "now 9 (kafka.controller.KafkaController)"
    )
    later = {(1, "controller"): lines((50, elected))}
    (row,) = told({(1, "server"): lines(*FAILED[:5], *both)} | later)
    assert row["sentence"].endswith("; the process halted; its process was up again within 40.0 s")
    assert (row["valid_until_at"], row["certainty"]) == (at(50), "inferred")
    assert (fact_texts(row["facts"])["came_back"], fact_texts(row["facts"])["at_most_ms"]) == ("up", "40000")
    assert "lasted_ms" not in fact_texts(row["facts"])
    (one,) = told({(1, "server"): lines(*FAILED)} | later)
    assert one["valid_until_at"] is None


def test_up_to_0_11_an_error_halts_the_process() -> None:
    old = "(kafka.server.KafkaServer)"
    text = "FATAL [Replica Manager on Broker 1]: Error writing to highwatermark file:  (kafka.server.ReplicaManager)"
    process = [
        (second, f"INFO [Kafka Server 1], {said} {old}") for second, said in ((2, "started"), (31, "started"))
    ]
    start, again = ((second, f"INFO starting {old}") for second in (1, 30))
    (row,) = told({(1, "server"): lines(start, process[0], (10, f"{text}\n{FULL}"), again, process[1])})
    assert row["sentence"] == (
        "broker 1 halted: it could not read or write its disk (the disk is full); started again after 21.0 s"
    )


def test_a_disk_that_is_sound_is_not_accused() -> None:
    why = "java.io.FileNotFoundException: /b/replication-offset-checkpoint.tmp (Too many open files)"
    (row,) = told({(1, "server"): lines(starting(1), started(2), unwritable(10, why=why))})
    assert "(too many open files; the disk itself is sound)" in row["sentence"]


NO_FAILURE = (
    f"ERROR [ReplicaManager broker=1] Error while writing to highwatermark file in directory /b {REPLICAS}\n{FULL}",
    "WARN No meta.properties file under dir /b/meta.properties (kafka.server.BrokerMetadataCheckpoint)",
    f"INFO Log directory /b not found, creating it. {MANAGER}",
    f"INFO Attempting recovery for all logs in /b since no clean shutdown file was found {MANAGER}",
    # At a start that failed.
    "ERROR Fail to read meta.properties under log directory /b (kafka.server.KafkaServer)\njava.io.IOException: x",
)


def test_what_is_no_failure_of_a_directory() -> None:
    found = told_of(*({(1, "server"): lines(starting(1), (1.5, said))} for said in NO_FAILURE))
    assert [said for said, rows in zip(NO_FAILURE, found, strict=True) if rows] == []


def test_an_identity_that_cannot_be_read_is_a_directory_less_once_the_broker_runs() -> None:
    said = "ERROR Fail to read meta.properties under log directory /b (kafka.server.KafkaServer)\njava.io.IOException: x"
    (row,) = told({(1, "server"): lines(starting(1), (1.5, said), started(2))})
    assert row["sentence"].startswith("broker 1 could not use log directory /b when it started")
