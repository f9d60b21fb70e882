"""How long a broker may have been silent before it was found that it had left."""

from pipeline.model.brokers.outage_bounds import with_silence
from pipeline.model.settings import SessionLimit
from schemas.gold.broker_session import SPEC
from schemas.silver import broker_setting, release_span, term
from tests.frames import at, frame
from tests.rows import same_rows

# A session of 18 s and a tick of 3 s; 9 s and a second in KRaft.
LIMIT = SessionLimit(18.0, 9.0)
TERMS = """
    cluster_id | term_id | mode      | life | controller_epoch | elected_at | last_seen_at
    c          | 1-1     | zookeeper | 1    | 1                | 0          | 70
    c          | 1-2     | zookeeper | 1    | 2                | 100        | 300
    c          | 1-4     | zookeeper | 1    | 4                | 400        | 500
    c          | 2-1     | kraft     | 2    | 1                | 600        | 600
    c          | 2-2     | kraft     | 2    | 2                |            | 700
"""
NOTHING_LISTED, NO_SPAN = frame(broker_setting.SPEC, "cluster_id"), frame(release_span.SPEC, "cluster_id")
# left_how, term that noticed it, joined, left: silent from.
SESSIONS = """
    cluster_id | broker_id | mode      | joined_at | joined_how        | left_at | left_how           | left_term_id | silent_from_at
    c          | 1         | zookeeper | 1         | joined            | 150     | uncontrolled       | 1-2          | 129
    c          | 2         | zookeeper | 140       | joined            | 150     | uncontrolled       | 1-2          | 140
    c          | 3         | zookeeper | 140       | listed_at_startup | 150     | uncontrolled       | 1-2          | 129
    c          | 4         | zookeeper | 1         | joined            | 100     | missing_at_startup | 1-2          | 49
    c          | 5         | zookeeper | 1         | joined            | 400     | missing_at_startup | 1-4          |
    c          | 6         | zookeeper | 1         | joined            | 150     | missing_in_list    | 1-2          |
    c          | 7         | zookeeper | 1         | joined            |         |                    |              |
    c          | 1         | kraft     | 601       | joined            | 620     | uncontrolled       | 2-1          | 610
    c          | 2         | kraft     | 601       | joined            | 609     | uncontrolled       | 2-1          |
    c          | 3         | kraft     | 601       | joined            | 602     | controlled         | 2-1          | 602
    c          | 4         | kraft     | 601       | joined            | 720     | uncontrolled       | 2-2          |
    c          | 5         | kraft     | 601       | joined            |         |                    |              |
"""


def test_since_when_a_broker_was_silent_at_the_earliest() -> None:
    expected = frame(SPEC, SESSIONS)
    sessions = expected.drop("silent_from_at")
    found = with_silence(sessions, frame(term.SPEC, TERMS), LIMIT, NOTHING_LISTED, NO_SPAN)
    assert set(found.columns) == set(expected.columns)
    same_rows(found, expected, "mode", "broker_id", "left_at", "silent_from_at")


LISTED = """
    cluster_id | node_id | logged_at | name                         | value
    c          | 1       | 50        | zookeeper.session.timeout.ms | 12000
    c          | 1       | 160       | zookeeper.session.timeout.ms | 30000
    c          | 9       | 10        | auto.leader.rebalance.enable | true
"""
RELEASES = """
    cluster_id | node_id | valid_from_at | until_release
    c          | 1       | 0             | 2.2
    c          | 2       | 0             | 2.4
    c          | 2       | 140           | 3.9
    c          | 3       | 120           |
    c          | 9       | 0             | 0.10.2
    d          | 1       | 0             | 2.3
"""
# Broker, when it left: seconds of its session and a tick; of one without logs the longest of the others.
SILENT = {
    (1, 40): 9,
    (1, 150): 15,
    (1, 170): 33,
    (2, 139): 9,
    (2, 150): 21,
    (3, 150): 21,
    (4, 110): 9,
    (4, 150): 21,
    (9, 150): 9,
}


def test_how_long_a_session_lasts_says_the_broker_else_its_release() -> None:
    """Kafka's default is 6 s up to 2.4 and 18 s from 2.5 on; what a broker lists later tells nothing of before. What the
    settings say counts first."""
    rows = [f"c | {broker} | zookeeper | listed | {left} | uncontrolled | 1-2" for broker, left in SILENT]
    head = "cluster_id | broker_id | mode | joined_how | left_at | left_how | left_term_id"
    sessions = frame(SPEC, "\n".join([head, *rows])).drop("silent_from_at")
    said = (
        frame(term.SPEC, TERMS),
        SessionLimit(),
        frame(broker_setting.SPEC, LISTED),
        frame(release_span.SPEC, RELEASES),
    )

    def seconds(limit: SessionLimit) -> dict[tuple[int, int], int]:
        found = with_silence(sessions, said[0], limit, *said[2:]).to_dicts()
        silent = ((row, row["left_at"] - row["silent_from_at"]) for row in found)
        return {(row["broker_id"], (row["left_at"] - at(0)).seconds): one.seconds for row, one in silent}

    assert seconds(said[1]) == SILENT
    assert set(seconds(LIMIT).values()) == {21}
