"""Which epoch a broker had in its session, what it led when it left, and how cleanly it left."""

import polars as pl
import pytest

from pipeline.core.stretches import TIME
from pipeline.model.brokers.departures import (
    leaderships_by_broker,
    with_cleanness,
    with_epochs,
    with_led,
    with_torn,
)
from schemas.gold import broker_session, partition_timeline
from schemas.silver import broker_event, term
from tests.frames import at, frame
from tests.rows import same_rows

SESSIONS = """
    cluster_id | broker_id | joined_at | joined_how        | left_at
    c          | 1         | 10        | joined            | 20
    c          | 1         | 20        | bounced           | 30
    c          | 1         | 100       | listed_at_startup | 110
    c          | 1         | 110       | joined            |
    c          | 2         | 10        | joined            | 20
"""
LISTED = """
    cluster_id | broker_id | step  | logged_at | broker_epoch
    c          | 1         | epoch | 9.9       | 4
    c          | 1         | epoch | 10.1      | 7
    c          | 1         | epoch | 15        | 7
    c          | 1         | epoch | 20.1      | 9
    c          | 1         | epoch | 99.9      | 7
    c          | 1         | epoch | 110.1     | 9
    c          | 2         | epoch | 25        | 8
"""
BEFORE = """
    cluster_id | broker_id | joined_at | broker_epoch
    c          | 1         | 10        | 7
"""
EXPECTED = """
    broker_id | joined_at | broker_epoch
    1         | 10        | 7
    1         | 20        | 9
    1         | 100       | 7
    1         | 110       | 9
    2         | 10        |
"""


@pytest.mark.parametrize("before", ["", BEFORE])
def test_an_epoch_is_the_first_that_is_listed_in_the_session(before: str) -> None:
    """From 100 on metadata were wiped and count anew; what is known of a session before the span is its first listing."""
    head = BEFORE.strip().splitlines()[0]
    found = with_epochs(
        frame(broker_session.SPEC, SESSIONS).drop("broker_epoch"),
        frame(broker_event.SPEC, LISTED),
        frame(broker_session.SPEC, before or head),
    )
    expected = frame(broker_session.SPEC, EXPECTED)
    same_rows(found, expected, "broker_id", "joined_at", "broker_epoch")


GONE = """
    cluster_id | broker_id | joined_at | left_at | certainty
    c          | 1         | 1         | 10      | proved
    c          | 2         | 1         | 20      | proved
    c          | 3         | 1         |         | proved
    c          | 4         | 1         | 10      | proved
"""
HELD = """
    cluster_id | topic   | topic_life | partition | valid_from_at | valid_until_at | leader | replicas | is_deleting | certainty
    c          | a       | 1          | 0         | 1             | 10             | 1      | [1 2]    | false       | proved
    c          | a       | 1          | 0         | 10            |                | 2      | [1 2]    | false       | proved
    c          | a       | 1          | 1         | 5             | 10             | 1      | [1]      | false       | proved
    c          | twice   | 1          | 0         | 2             | 30             | 1      |          | false       | proved
    c          | twice   | 1          | 0         | 3             | 30             | 1      | [1 2]    | false       | proved
    c          | deleted | 1          | 0         | 1             |                | 1      | [1 2]    | true        | proved
    c          | ended   | 1          | 0         | 1             | 9              | 1      | [1 2]    | false       | proved
    c          | then    | 1          | 0         | 10            |                | 1      | [1 2]    | false       | proved
    c          | nobody  | 1          | 0         | 1             |                | -1     | [2 3]    | false       | proved
    c          | doubted | 1          | 0         | 15            | 25             |        | [2]      | false       | undetermined
    c          | b       | 1          | 0         | 1             |                | 3      | [3]      | false       | proved
    other      | a       | 1          | 0         | 1             |                | 1      | [1 2]    | false       | proved
"""
LED = """
    broker_id | led_before_count | led_count | unmoved_count
    1         | 4                | 3         | 2
    2         |                  |           | 1
    3         |                  |           |
    4         |                  | 0         | 0
"""


def test_what_a_broker_led_when_it_left_and_when_it_first_asked() -> None:
    """An interval counts that ends as the broker leaves, none that begins then. Of a partition of one replica in doubt
    it is not known if it lost its leader, but none of its replicas could have taken over."""
    asked = {1: [at(8), at(9)], 2: [], 3: [], 4: []}
    sessions = frame(broker_session.SPEC, GONE).select("cluster_id", "broker_id", "joined_at", "left_at")
    requests = pl.DataFrame(
        {"broker_id": list(asked), "shutdown_requested_at": list(asked.values())},
        schema={"broker_id": pl.Int32, "shutdown_requested_at": pl.List(TIME)},
    )
    found = with_led(
        sessions.join(requests, on="broker_id"), leaderships_by_broker(frame(partition_timeline.SPEC, HELD))
    )
    same_rows(
        found, frame(broker_session.SPEC, LED), "broker_id", "led_before_count", "led_count", "unmoved_count"
    )


TERMS = """
    cluster_id | term_id | life | controller_epoch | controller_id | mode      | elected_at | first_seen_at | told_from_at | told_until_at
    c          | 1-1     | 1    | 1                | 1             | zookeeper | 1          | 1             | 1            | 30
    c          | 1-3     | 1    | 3                | 1             | zookeeper | 60         | 60            | 60           | 90
    k          | 1-1     | 1    | 1                | 101           | kraft     | 1          | 1             | 1            | 30
    k          | 1-2     | 1    | 2                | 102           | kraft     |            | 30            |              |
    k          | 1-3     | 1    | 3                | 101           | kraft     | 60         | 60            | 60           | 90
"""
ACROSS = """
    cluster_id | broker_id | mode      | joined_at | left_at | left_how           | unmoved_count | certainty | term_id | left_term_id
    c          | 1         | zookeeper | 10        | 29      | uncontrolled       | 1             | proved    |         |
    c          | 2         | zookeeper | 10        | 30      | uncontrolled       | 1             | proved    |         |
    c          | 3         | zookeeper | 10        |         |                    |               | proved    |         |
    c          | 4         | zookeeper | 31        |         |                    |               | proved    |         |
    c          | 5         | zookeeper | 31        | 70      | missing_at_startup | 0             | inferred  |         |
    c          | 6         | zookeeper | 31        | 70      | missing_at_startup | 1             | inferred  |         |
    c          | 7         | zookeeper | 31        | 70      | controlled         | 0             | proved    |         |
    c          | 8         | zookeeper | 31        | 70      | missing_at_startup | 0             | inferred  | 1-1     | 1-3
    c          | 9         | zookeeper | 31        | 40      | uncontrolled       | 1             | proved    | 1-1     | 1-1
    k          | 1         | kraft     | 10        | 29      | uncontrolled       | 1             | proved    |         |
    k          | 2         | kraft     | 59        | 70      | controlled         | 1             | proved    |         |
    k          | 3         | kraft     | 61        | 70      | controlled         | 0             | proved    |         |
"""
CLEAN = """
    cluster_id | broker_id | is_clean | certainty
    c          | 1         | false    | proved
    c          | 2         |          | undetermined
    c          | 3         |          | undetermined
    c          | 4         |          | proved
    c          | 5         | true     | inferred
    c          | 6         |          | inferred
    c          | 7         | true     | proved
    c          | 8         |          | undetermined
    c          | 9         | false    | proved
    k          | 1         | false    | proved
    k          | 2         | false    | undetermined
    k          | 3         | true     | proved
"""


def test_nothing_is_known_of_a_session_during_which_lines_of_a_controller_are_missing() -> None:
    """In ZooKeeper mode from the last line of term 1 on, in KRaft during term 2. All asked to be shut down. What the
    controller of term 1 lists behind that line, and how it ended, it lists in its term; term 3 sees later."""
    sessions = frame(broker_session.SPEC, ACROSS).with_columns(
        shutdown_requested_at=pl.lit([at(20)], pl.List(TIME))
    )
    found = sessions.pipe(with_torn, frame(term.SPEC, TERMS)).pipe(with_cleanness)
    same_rows(found, frame(broker_session.SPEC, CLEAN), "cluster_id", "broker_id", "is_clean", "certainty")
