"""Lives of topics in KRaft mode: topics of one name are counted and end each other, and a wiped cluster ends all."""

from polars import lit

from pipeline.core.span import ALL_TIME, Span
from pipeline.gold.partition_timeline.kraft_topics import kraft_topics
from pipeline.model.terms.kraft_terms import kraft_terms
from schemas.gold import partition_timeline
from schemas.silver import partition_state, term
from tests.frames import at, frame

TERMS = """
    cluster_id | term_id | life | controller_epoch | controller_id | mode  | elected_at
    c          | 1-1     | 1    | 1                | 101           | kraft | 1
    c          | 2-1     | 2    | 1                | 101           | kraft | 50
"""
LINES = """
    cluster_id | topic | topic_id | logged_at | step
    c          | a     | a1       | 2         | stated
    c          | a     | a1       | 10        | removed
    c          | a     | a2       | 20        | stated
    c          | b     | b1       | 3         | stated
    c          | b     | b2       | 30        | stated
    c          | b     | b2       | 60        | removed
    c          | d     | d1       | 55        | stated
    c          | e     | e1       | 0         | stated
"""
NOTHING = frame(partition_timeline.SPEC, "cluster_id")


def lives(lines: str, before: str, begin: float = 0) -> dict[str, tuple[object, ...]]:
    told = frame(partition_state.SPEC, lines).with_columns(at="logged_at", is_decided=lit(value=False))
    stated = told.filter(step="stated")
    terms = kraft_terms(frame(term.SPEC, TERMS))
    found = kraft_topics(stated, told, frame(partition_timeline.SPEC, before), terms, Span(at(begin)))
    return {topic_id: tuple(rest) for topic_id, *rest in found.drop("cluster_id", "is_gone_before").rows()}


def test_topics_of_a_name_are_counted() -> None:
    """Of b1 no line says that it was removed, only that b2 was created in its place: it ends there."""
    wiped = (at(50), "controller_active")
    assert lives(LINES, "cluster_id") == {
        "a1": (1, at(10), "topic_removed"),
        "a2": (2, *wiped),
        "b1": (1, at(30), "partition_created"),
        "b2": (2, *wiped),
        "d1": (2, None, None),
        "e1": (1, *wiped),
    }


BEFORE = """
    cluster_id | topic | topic_id | topic_life | valid_from_at | valid_until_at | ended_by
    c          | a     | a2       | 2          | 20            | 30             | broker_leader_started
    c          | a     | a2       | 2          | 30            |                |
    c          | f     | f1       | 4          | 10            | 40             | topic_removed
    c          | g     | g1       | 1          | 10            | 20             | partition_created
    c          | g     | g1       | 1          | 20            | 40             | broker_leader_started
    c          | h     | h1       | 1          | 10            | 47             | partition_created
"""


def test_what_is_known_of_a_topic_stays() -> None:
    """It is the second of its name though no line tells of the first any more. g1, h1: a line stated the creation of a
    partition of which a state was known; that ended no topic, nor is it known yet what comes since the day."""
    wiped = at(50), "controller_active"
    assert lives("cluster_id", BEFORE, begin=45) == {
        "a2": (2, *wiped),
        "f1": (4, at(40), "topic_removed"),
        "g1": (1, *wiped),
        "h1": (1, *wiped),
    }


def test_where_no_quorum_is_known_lives_count_from_one() -> None:
    told = frame(partition_state.SPEC, LINES).with_columns(at="logged_at", is_decided=lit(value=False))
    none = kraft_terms(frame(term.SPEC, TERMS).with_columns(mode=lit("zookeeper")))
    found = kraft_topics(told.filter(topic="a", step="stated"), told, NOTHING, none, ALL_TIME)
    assert dict(found.select("topic_id", "topic_life").rows()) == {"a1": 1, "a2": 2}
