"""Findings about what a controller began and could not finish."""

from typing import Any

from polars import col

from tests.chain import built
from tests.frames import at
from tests.rows import records_in

# As 1.0 prints it: the line names no controller. Being deposed is no failure.
CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=2] 2 successfully elected as the controller (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,001] INFO [Controller id=2] Incremented epoch to 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] ERROR [controller-event-thread]: Error processing event BrokerChange(Buffer(1, 2)) (kafka.controller.ControllerEventManager$ControllerEventThread)
    java.util.NoSuchElementException: key not found: t-2
    \tat scala.collection.MapLike$class.default(MapLike.scala:228)
    [2026-11-21 00:00:20,000] ERROR [controller-event-thread]: Error processing event BrokerChange(Buffer(1, 2, 3)) (kafka.controller.ControllerEventManager$ControllerEventThread)
    java.util.NoSuchElementException: key not found: t-1
    [2026-11-21 00:00:30,000] ERROR [controller-event-thread]: Error processing event TopicChange(Set(a)) (kafka.controller.ControllerEventManager$ControllerEventThread)
    kafka.common.ControllerMovedException: Broker 2 received update metadata request
"""
OLD = """
    [2026-11-21 00:00:05,000] ERROR [BrokerChangeListener on Controller 1]: Error while handling broker changes (kafka.controller.ReplicaStateMachine$BrokerChangeListener)
    java.lang.ClassCastException: java.lang.String cannot be cast to java.lang.Integer
"""


def told(controller: str, node_id: int) -> list[dict[str, Any]]:
    found = built(records_in({(node_id, "controller"): controller}), "finding")["finding"]
    rows: list[dict[str, Any]] = found.filter(col("rule") == "event_failed").to_dicts()
    return rows


def test_an_event_that_ends_in_an_exception_is_told_once_a_term_kind_and_exception() -> None:
    (one,) = told(CONTROLLER, 2)
    assert one["sentence"] == (
        "controller 2 failed while it handled BrokerChange (NoSuchElementException: key not found: t-2), about "
        "brokers that had come or gone: they got no orders; 2 times"
    )
    assert (one["severity"], one["term_id"], len(one["evidence"])) == ("warning", "1-1", 2)
    assert (one["valid_from_at"], one["valid_until_at"]) == (at(10), at(20))
    assert one["facts"] == {
        "controller_id": "2", "event": "BrokerChange", "exception_class": "java.util.NoSuchElementException",
        "failures_count": "2",
    }  # fmt: skip


def test_up_to_0_10_the_listener_says_which_event() -> None:
    """Of a term that is not seen."""
    (one,) = told(OLD, 1)
    assert (one["facts"]["event"], one["facts"]["controller_id"], one["term_id"]) == (
        "BrokerChange",
        "1",
        None,
    )
