"""How long a broker may have been silent before it was found that it had left."""

from pipeline.model.brokers.outage_bounds import with_silence
from pipeline.model.settings import SessionLimit
from schemas.gold.broker_session import SPEC
from schemas.silver import term
from tests.frames import frame
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
    found = with_silence(sessions, frame(term.SPEC, TERMS), LIMIT)
    assert set(found.columns) == set(expected.columns)
    same_rows(found, expected, "mode", "broker_id", "left_at", "silent_from_at")
