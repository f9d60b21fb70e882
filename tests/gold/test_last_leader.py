"""Unclean elections that cost nothing: who led last comes back, or the only replica does."""

from polars import col

from pipeline.gold.leader_election.last_leader import with_last_leader
from schemas.gold import leader_election, partition_timeline
from tests.frames import frame

# a: led by 1, by none, then elected. b: 1 led, then 2. c: never seen led. d: the last leader is in doubt.
INTERVALS = """
    cluster_id | topic | topic_life | partition | valid_from_at | leader | certainty
    c          | a     | 1          | 0         | 10            | 1      | proved
    c          | a     | 1          | 0         | 20            | -1     | proved
    c          | a     | 1          | 0         | 30            | 2      | proved
    c          | b     | 1          | 0         | 10            | 1      | proved
    c          | b     | 1          | 0         | 15            | 2      | proved
    c          | b     | 1          | 0         | 20            | -1     | proved
    c          | c     | 1          | 0         | 20            | -1     | proved
    c          | d     | 1          | 0         | 10            | 1      | undetermined
    c          | d     | 2          | 0         | 15            | 2      | proved
"""
ELECTIONS = """
    cluster_id | topic | topic_life | partition | elected_at | leader | is_clean | replicas
    c          | a     | 1          | 0         | 30         | 1      | false    | [1 2]
    c          | a     | 1          | 0         | 30         | 2      | false    | [1 2]
    c          | a     | 1          | 0         | 30         | 1      | true     | [1 2]
    c          | b     | 1          | 0         | 30         | 1      | false    | [1 2]
    c          | b     | 1          | 0         | 30         | 2      | false    |
    c          | c     | 1          | 0         | 30         | 1      | false    | [1 2]
    c          | c     | 1          | 0         | 30         | 1      | false    | [1]
    c          | d     | 1          | 0         | 30         | 1      | false    | [1 2]
    c          | d     | 2          | 0         | 30         | 2      | false    | [1 2]
"""


def test_who_has_all_that_was_acknowledged() -> None:
    given = frame(leader_election.SPEC, ELECTIONS).drop("was_last_leader")
    found = with_last_leader(given, frame(partition_timeline.SPEC, INTERVALS))
    assert found["was_last_leader"].to_list() == [True, False, None, False, True, None, True, None, True]
    assert found.drop("was_last_leader").equals(given)
    assert with_last_leader(
        given.filter(col("topic") == "x"), frame(partition_timeline.SPEC, INTERVALS)
    ).is_empty()
