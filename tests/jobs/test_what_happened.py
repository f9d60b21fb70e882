"""What happened around a time: all that was asked of the labs is in it, and what nodes say of themselves."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from jobs.questions.named.answer import answer_lines, with_evidence_lines
from jobs.questions.named.happened import MOST, About, evidence_of, source_rows, what_happened
from jobs.questions.named.sources import SOURCES, arrival_text
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import place_of_row
from schemas.bronze import source_file
from schemas.gold import leader_election, reassignment, topic_lifecycle
from schemas.silver import node_event
from tests.frames import at, frame
from tests.jobs.answering import answers_of
from tests.jobs.cluster_scores import Compared
from tests.jobs.question_scores import of_what_happened

# How many requests are told; none is missing.
LABS = {
    "2.6.3-zk-stock": 25,
    "1.0.2-zk-stock": 25,
    "2.2.2-zk-stock": 29,
    "3.9.1-zk-moves": 49,
    "3.9.2-kraft-separate-stock": 29,
    "4.0.0-kraft-combined-stock": 26,
    "3.9.2-kraft-separate-moves": 88,
}
QUICK = "2.6.3-zk-stock"


def test_a_broker_that_joined_is_told_how_only_where_that_says_more() -> None:
    said = [arrival_text({"broker_id": 3, "joined_how": how}) for how in ("joined", "listed_at_startup")]
    assert said == ["broker 3 joined", "broker 3 joined (listed at startup)"]


@pytest.mark.parametrize(
    "name", [name if name == QUICK else pytest.param(name, marks=pytest.mark.soak) for name in LABS]
)
def test_every_request_is_in_the_timeline(compared: Callable[[str], Compared], name: str) -> None:
    assert of_what_happened(compared(name)) == (LABS[name], [])


def test_what_nodes_say_of_themselves_is_told() -> None:
    """Once for a process, with its line; other steps are not."""
    rows = """
        logged_at | node_id | area    | step       | component  | detail  | file_id | byte_offset
        1         | 101     | process | starting   |            |         | f       | 0
        2         | 101     | process | starting   | controller |         | f       | 10
        3         | 101     | process | started    |            |         | f       | 20
        4         | 101     | process | signalled  |            | SIGTERM | f       | 30
        5         | 2       | disk    | failed     |            |         | g       | 40
        6         | 2       | quorum  | failed     |            |         | g       | 50
    """
    answers = answers_of(
        node_event=frame(node_event.SPEC, rows), source_file=frame(source_file.SPEC, "last_logged_at\n9")
    )
    found = what_happened(answers, at(5), timedelta(seconds=5), About())
    assert [(one.text, [*one.evidence]) for one in found.told] == [
        ("node 101 starts", [{"file_id": "f", "byte_offset": 0}]),
        ("node 101 was told to stop by the operating system: SIGTERM", [{"file_id": "f", "byte_offset": 30}]),
        ("node 2 lost a log directory", [{"file_id": "g", "byte_offset": 40}]),
    ]
    assert len(what_happened(answers, at(5), timedelta(seconds=5), About(broker=2)).told) == 1


def test_each_line_is_of_its_time(sample_answers: Answers) -> None:
    """A finding begins with the first of its lines; the end of a breach and of a deletion's outage have none."""
    read = sample_answers.read()
    held = [
        (place, row)
        for place, source in enumerate(SOURCES)
        if source.table != "gold.finding"
        for row in source_rows(sample_answers, source, read["first_at"], read["last_at"], About())
    ]
    lines = sample_answers.lines([line for place, row in held for line in evidence_of(place, row)])
    silent = Counter[str]()
    for place, row in held:
        for line in evidence_of(place, row):
            printed = bytes(lines[place_of_row(line)]["raw"])[1:24].decode().replace(",", ".")
            assert row[SOURCES[place].at].isoformat(" ", "milliseconds")[:23] == printed
        silent[SOURCES[place].at] += not evidence_of(place, row)
    assert +silent == Counter(balanced_at=10, ended_at=1)


def test_what_was_not_begun_did_not_happen() -> None:
    """A move that was refused; the end of a topic that there was not."""
    moves = """
        topic | partition | original_replicas | target_replicas | started_at | ended_at | outcome   | evidence
        t     | 0         | [1]               |                 | 1          | 1        | failed    | []
        t     | 1         | [1]               | [2]             | 2          | 3        | completed | []
    """
    lives = """
        topic | topic_life | created_how | ended_at | ended_how | evidence
        gone  | 1          | created     | 4        | deleted   | []
        nope  | 1          | no_topic    | 5        |           | []
    """
    answers = answers_of(
        reassignment=frame(reassignment.SPEC, moves),
        topic_lifecycle=frame(topic_lifecycle.SPEC, lives),
        source_file=frame(source_file.SPEC, "last_logged_at\n9"),
    )
    found = what_happened(answers, at(5), timedelta(seconds=5), About())
    assert [one.text for one in found.told] == [
        "t-1: reassignment [1] -> [2] began",
        "t-1: reassignment to [2] completed",
        "topic gone was gone: deleted",
    ]


def test_those_told_together_are_named() -> None:
    rows = "topic | partition | kind | outcome | elected_at | leader | evidence\n" + "\n".join(
        f"t | {number} | init | done | 1 | 1 | []" for number in range(9)
    )
    answers = answers_of(
        leader_election=frame(leader_election.SPEC, rows),
        source_file=frame(source_file.SPEC, "last_logged_at\n9"),
    )
    (told,) = what_happened(answers, at(1), timedelta(0), About()).told
    assert told.text.startswith("t-0: election (new partition) done")
    assert told.text.endswith(", and 8 more of the kind (t-1, t-2, t-3, t-4, t-5, …)")


def test_people_are_told_what_matters_and_programs_all(sample_answers: Answers) -> None:
    whole = what_happened(sample_answers, None, timedelta(minutes=5), About())
    found = what_happened(sample_answers, None, timedelta(minutes=5), About(), is_all=False)
    assert [replace(one, is_minor=False) for one in found.told] == list(whole.told)
    shown = [one for one in found.told if not one.is_minor]
    assert len(shown) == MOST and not any(one.is_minor for one in whole.told)
    assert any("UNCLEAN" in one.text or "unclean" in one.text for one in shown)
    lines = answer_lines(with_evidence_lines(sample_answers, "what-happened", found))
    assert lines[-1] == f"  {len(found.told) - MOST:,} more that matter less: --all"
    assert len(lines) < 120
