"""Releases by what nodes print in server.log as they start: upgrades, rollbacks, clients, starts that fail."""

from datetime import datetime

import pytest

from tests.gold.start_stories import at, begun, failed, kraft_begun, kraft_failed, kraft_up, port_in_use, up
from tests.kafka.reading import read_table
from tests.silver.release_spans import spans

CLIENT = "org.apache.kafka.common.utils.AppInfoParser"
THREAD = "kafka.controller.ControllerEventManager$ControllerEventThread"


def releases(*lines: str) -> list[tuple[str | None, str | None, datetime]]:
    """Of each span: the oldest and the newest that it may be, and when it begins."""
    found = spans([read_table("".join(lines).encode(), log="mixed")])
    return [(row["since_release"], row["until_release"], row["valid_from_at"]) for row in found]


def ends(*lines: str) -> list[tuple[str | None, str | None]]:
    return [one[:2] for one in releases(*lines)]


@pytest.mark.parametrize("turn", [("3.9.0", "4.3.1"), ("4.3.1", "3.9.0")], ids=["upgrade", "rollback"])
def test_a_broker_that_is_no_controller_begins_anew_with_its_process(turn: tuple[str, str]) -> None:
    first, second = turn
    found = releases(
        kraft_begun(1) + kraft_up(5, release=first), kraft_begun(100) + kraft_up(105, release=second)
    )
    assert [one[:2] for one in found] == [(first, first), (second, second)]
    assert [(one[2].minute, one[2].second) for one in found] == [(0, 1), (1, 40)]


def test_lines_of_one_start_are_one_process() -> None:
    """Handlers of signals, the server, the thread of the controller: the first one begins it."""
    thread = at(101, "INFO", "[ControllerEventThread controllerId=1] Starting", THREAD)
    old = (
        begun(1)
        + at(2, "INFO", "[ControllerEventThread controllerId=1] Starting", THREAD)
        + up(3, release="3.2.3")
    )
    found = releases(old, begun(100) + thread + up(102, release="2.6.3"))
    assert [one[:2] for one in found] == [("3.2.3", "3.2.3"), ("2.6.3", "2.6.3")]
    assert (found[1][2].minute, found[1][2].second) == (1, 40)
    alone = releases(thread, thread.replace("00:01:41", "00:02:41") + up(170, release="2.6.3"))
    assert [one[:2] for one in alone] == [("2.6.3", "2.6.3")]


def test_a_client_inside_the_process_does_no_harm() -> None:
    client = at(50, "INFO", "Kafka version: 3.9.0", CLIENT)
    assert ends(kraft_begun(1) + kraft_up(5, release="3.9.0") + client) == [("3.9.0", "3.9.0")]


def test_a_failed_start_gives_no_release() -> None:
    refused = kraft_begun(50) + kraft_failed(52, port_in_use(52))
    (alone,) = ends(refused)
    assert alone[0] != alone[1]
    life, later = (
        kraft_begun(1) + kraft_up(5, release="3.9.0"),
        kraft_begun(100) + kraft_up(105, release="4.3.1"),
    )
    assert ends(life, refused, later) == [("3.9.0", "3.9.0"), ("3.9.0", "4.3.1"), ("4.3.1", "4.3.1")]
    same = kraft_begun(100) + kraft_up(105, release="3.9.0")
    assert ends(life, refused, same) == [("3.9.0", "3.9.0")]


def test_a_failed_start_of_zookeeper_gives_none_either() -> None:
    (only,) = ends(begun(1) + failed(2, "java.lang.IllegalStateException: x"))
    assert only[0] != only[1]


def test_a_broker_of_2_7_has_a_thread_that_sends_to_the_controller() -> None:
    """Source: BrokerToControllerChannelManagerImpl, 2.7.0 (KIP-497): for AlterIsr alone."""
    request = "kafka.server.BrokerToControllerRequestThread"
    written = "[Partition a-0 broker=1] ISR updated to [1] and zkVersion updated to [7]"
    lines = (
        begun(1),
        at(2, "INFO", "[broker-1-to-controller-send-thread]: Starting", request),
        up(5, release="2.7.0"),
        *(
            at(second, "INFO", f"[broker-1-to-controller-send-thread]: {said}", request)
            + at(second + 1, "INFO", written, "kafka.cluster.Partition")
            for second, said in (
                (6, "Recorded new controller, from now on will use broker 2"),
                (4000, "Recorded new controller, from now on will use broker 1"),
                (8000, "Shutting down"),
                (8002, "Stopped"),
                (8004, "Shutdown completed"),
            )
        ),
    )
    assert ends(*lines) == [("2.7.0", "2.7.0")]
