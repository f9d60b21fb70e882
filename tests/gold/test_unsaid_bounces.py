"""Brokers that registered anew between two looks of controllers: no list says so, their epoch or their own line does."""

from typing import Any

import pytest
from polars import col

from schemas.gold.broker_session import SPEC
from tests.chain import built, built_of_each, with_table
from tests.frames import at, frame
from tests.gold.broker_stays import COLUMNS, from_then, open_at
from tests.rows import records_in, same_rows

KAFKA = "(kafka.controller.KafkaController)"


def controller(node: int, *lines: str) -> str:
    return "\n".join(
        f"[2026-11-21 00:{line[:9]}] INFO [Controller id={node}] {line[10:]} {KAFKA}" for line in lines
    )


def elected(node: int, epoch: int) -> str:
    return f"{node} successfully elected as the controller. Epoch incremented to {epoch} and epoch zk version is now {epoch}"


FIRST = controller(
    1,
    f"00:01,000 {elected(1, 1)}",
    "00:01,005 Initialized broker epochs cache: Map(1 -> 10, 2 -> 11, 3 -> 12)",
    "00:01,010 Currently active brokers in the cluster: Set(1, 2, 3)",
    "00:20,000 Newly added brokers: , deleted brokers: , bounced brokers: 2, all live brokers: 1,2,3",
    "00:20,010 Updated broker epochs cache: Map(1 -> 10, 2 -> 25, 3 -> 12)",
)
# Both lost their sessions as the controller hung; of broker 3 the registration is the same.
SECOND = controller(
    2,
    f"00:41,000 {elected(2, 2)}",
    "00:41,005 Initialized broker epochs cache: Map(1 -> 40, 2 -> 41, 3 -> 12)",
    "00:41,010 Currently active brokers in the cluster: Set(1, 2, 3)",
)
# A controller that no line shows was in office before: whoever is there may have been shut down and begun anew.
AFTER_OTHERS = controller(
    3,
    f"01:30,000 {elected(3, 5)}",
    "01:30,005 Initialized broker epochs cache: Map(1 -> 70, 2 -> 41, 3 -> 12)",
    "01:30,010 Currently active brokers in the cluster: Set(1, 2, 3)",
)
SENT = "Sending UpdateMetadata request to brokers Set(1, 2, 3) for 0 partitions (state.change.logger)"
BY_EPOCHS = {
    (1, "controller"): FIRST,
    (2, "controller"): SECOND,
    (3, "controller"): AFTER_OTHERS,
    (1, "state-change"): f"[2026-11-21 00:00:40,000] INFO [Controller id=1 epoch=1] {SENT}",
    (2, "state-change"): f"[2026-11-21 00:01:00,000] INFO [Controller id=2 epoch=2] {SENT}",
}


@pytest.fixture(scope="module")
def by_epochs() -> dict[str, Any]:
    """All tables of it."""
    return built(records_in(BY_EPOCHS), "broker_session", "partition_outage", "finding")


def test_another_epoch_at_the_start_of_a_controller_is_another_session(by_epochs: dict[str, Any]) -> None:
    expected = frame(
        SPEC,
        """
        broker_id | broker_epoch | joined_at | joined_how        | left_at | left_how | left_term_id | certainty
        1         | 10           | 1.010     | listed_at_startup | 41.010  | bounced  | 1-2          | inferred
        1         | 40           | 41.010    | listed_at_startup | 90.010  | bounced  | 1-5          | undetermined
        1         | 70           | 90.010    | listed_at_startup |         |          |              | proved
        2         | 11           | 1.010     | listed_at_startup | 20      | bounced  | 1-1          | proved
        2         | 25           | 20        | bounced           | 41.010  | bounced  | 1-2          | inferred
        2         | 41           | 41.010    | listed_at_startup |         |          |              | undetermined
        3         | 12           | 1.010     | listed_at_startup |         |          |              | undetermined
        """,
    )
    same_rows(by_epochs["broker_session"], expected, "broker_epoch", *COLUMNS)


def test_since_when_it_was_silent_and_what_it_rests_on(by_epochs: dict[str, Any]) -> None:
    """At any time since the look before; the line that lists epochs is among its evidence. Nobody handled
    that it was gone: what it led then is not known to have lost its leader."""
    row = by_epochs["broker_session"].filter(broker_id=1, broker_epoch=10).row(0, named=True)
    assert row["silent_from_at"] is None
    assert len(row["evidence"]) == 3
    assert (row["led_count"], row["unmoved_count"]) == (None, None)


def test_no_partition_is_taken_for_unserved_by_it(by_epochs: dict[str, Any]) -> None:
    """The controller that starts finds the leader there, and elects nobody."""
    assert by_epochs["partition_outage"].is_empty()
    assert by_epochs["finding"].filter(col("rule").is_in(["outage", "broker_flapping"])).is_empty()


# Of 1.0: the controller was stopped for a second, in which broker 2 was killed and came back: it saw no change.
STOPPED = controller(
    1,
    "00:01,000 1 successfully elected as the controller",
    "00:01,005 Incremented epoch to 1",
    "00:01,010 Currently active brokers in the cluster: Set()",
    "00:01,100 Newly added brokers: 1, deleted brokers: , all live brokers: 1",
    "00:02,000 Newly added brokers: 2, deleted brokers: , all live brokers: 1,2",
    "00:03,000 Newly added brokers: 3, deleted brokers: , all live brokers: 1,2,3",
    "00:10,000 Newly added brokers: , deleted brokers: 3, all live brokers: 1,2",
    "00:46,161 Newly added brokers: , deleted brokers: , all live brokers: 1,2",
)
UTILS = "with addresses: EndPoint(127.0.0.1,9092,ListenerName(PLAINTEXT),PLAINTEXT) (kafka.utils.ZkUtils)"


def server(node: int, *starts: tuple[str, str]) -> str:
    return "\n".join(
        f"[2026-11-21 00:{began}] INFO starting (kafka.server.KafkaServer)\n"
        f"[2026-11-21 00:{registered}] INFO Registered broker {node} at path /brokers/ids/{node} {UTILS}"
        for began, registered in starts
    )


OWN = server(2, ("00:01,000", "00:01,995"), ("00:45,513", "00:46,083"))
BY_OWN_LINES = {(1, "controller"): STOPPED, (2, "server"): OWN}
SESSIONS = """
    broker_id | joined_at | joined_how | left_at | left_how     | left_term_id | certainty
    1         | 1.100     | joined     |         |              |              | proved
    2         | 2         | joined     | 46.161  | bounced      | 1-1          | inferred
    2         | 46.161    | bounced    |         |              |              | proved
    3         | 3         | joined     | 10      | uncontrolled | 1-1          | proved
"""


def test_who_registered_again_before_a_list_misses_it_left_in_lines_that_are_missing() -> None:
    went = "Newly added brokers: , deleted brokers: 2, all live brokers: 1"
    gone = STOPPED.replace("Newly added brokers: , deleted brokers: , all live brokers: 1,2", went)
    found = built(records_in({(1, "controller"): gone, (2, "server"): OWN}), "broker_session")[
        "broker_session"
    ]
    assert found.filter(broker_id=2)["certainty"].to_list() == ["undetermined"]
    once = {(1, "controller"): gone, (2, "server"): server(2, ("00:01,000", "00:01,995"))}
    assert built(records_in(once), "broker_session")["broker_session"].filter(broker_id=2)[
        "certainty"
    ].to_list() == ["proved"]


def test_up_to_2_1_its_own_registration_tells_it() -> None:
    found = built(records_in(BY_OWN_LINES), "broker_session")["broker_session"]
    same_rows(found, frame(SPEC, SESSIONS), *COLUMNS)
    gone = found.filter(broker_id=2, left_how="bounced").row(0, named=True)
    assert (gone["end_reason"], len(gone["evidence"])) == ("killed", 3)


# What is no sign of it: that of its begin alone; one that a list tells; clocks of which nothing shows that they agree.
OTHERS = {
    "one start": server(2, ("00:01,000", "00:01,995")),
    "a node whose begin is not told": server(2, ("00:45,513", "00:46,083")),
    "another zone": server(2, ("05:31,000", "05:31,995"), ("06:15,513", "06:16,083")),
    "a clock ahead": server(2, ("00:04,700", "00:05,695"), ("00:30,513", "00:31,083")),
    "a broker that a list then misses": server(3, ("00:02,000", "00:02,995"), ("00:08,000", "00:08,995")),
    "no look since": server(2, ("00:01,000", "00:01,995"), ("00:58,513", "00:59,083")),
}


def test_what_is_no_sign_of_it() -> None:
    """The last one: that what is one is seen among them."""
    logs = {
        name: {(1, "controller"): STOPPED, (3 if "misses" in name else 2, "server"): text}
        for name, text in (OTHERS | {"itself": OWN}).items()
    }
    found = built_of_each(logs, "broker_session")
    bounced = [
        name for name, of in found.items() if not of["broker_session"].filter(left_how="bounced").is_empty()
    ]
    assert bounced == ["itself"]


@pytest.mark.parametrize("logs", [BY_EPOCHS, BY_OWN_LINES])
def test_from_a_later_time_on_it_is_the_same(logs: dict[tuple[int, str], str]) -> None:
    tables = built(records_in(logs), "broker_session")
    for second in (1.5, 2.5, 9, 19, 25, 40.5, 45, 46.1, 47, 80, 100):
        later = from_then(tables, second)
        del later["broker_session"]
        found = with_table("broker_session", later)["broker_session"]
        is_new = open_at(at(second), "left_at")
        same_rows(found.filter(is_new), tables["broker_session"].filter(is_new), *SPEC.columns)
