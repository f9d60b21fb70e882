"""What a controller was doing at a time, and what took it long: the answers and what they rest on."""

from datetime import datetime

import pytest

from jobs.questions.named.work import what_was_it_doing, why_slow
from jobs.questions.term_events import slowest_event_lines, slowest_events
from jobs.screen.sections import order_lines
from pipeline.views.context.event_in_work import event_in_work_rows
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.judged import count_event_orders
from schemas.bronze import source_file
from schemas.gold.controller_event import SPEC
from tests.frames import at, frame
from tests.jobs.answering import answers_of

EVENTS = """
    cluster_id | term_id | work_seq | controller_id | kind               | occasion  | subject | subject_count | began_at | ended_at | busy_ms | waited_ms | partitions_count | longest_gap_ms | order_ok | certainty | event_name
    c          | 1-1     | 1        | 1             | BrokerChange       | departure | [4]     | 1             | 10       | 128      | 118000  |           | 9812             | 2000           | true     | proved    |
    c          | 1-1     | 2        | 1             | ControlledShutdown |           | [5]     | 1             | 128.1    | 129      | 900     | 96000     | 0                | 0              |          | proved    |
    c          | 1-1     | 3        | 1             | TopicChange        | creation  | [a]     | 1             | 140      | 140.01   | 10      |           | 0                |                | false    | proved    |
"""  # fmt: skip
FILES = """
    cluster_id | file_id | load_seq | record_count | consumed_bytes | first_logged_at | last_logged_at
    c          | f       | 1        | 3            | 300            | 0               | 200
"""


@pytest.fixture
def answers() -> Answers:
    return answers_of(controller_event=frame(SPEC, EVENTS), source_file=frame(source_file.SPEC, FILES))


@pytest.mark.parametrize(
    ("asked", "sentence", "leads"),
    [
        (
            at(60),
            "was busy with the loss of broker 4 for 50.0 s; it took 118.0 s, 9,812 partitions, 12.0 ms each, 2.0 s of it "
            "between two lines.",
            ["in work", "in the queue", "next"],
        ),
        (
            at(135),
            "the last before, the controlled shutdown of broker 5, had ended 6.0 s before.",
            ["before it", "next"],
        ),
        (at(5), "no line shows an event in work.", ["next"]),
    ],
)
def test_what_it_was_doing(answers: Answers, asked: datetime, sentence: str, leads: list[str]) -> None:
    found = what_was_it_doing(answers, asked)
    assert found.sentence.endswith(sentence)
    assert [one.text.split(":")[0].split(",")[0] for one in found.told] == leads


def test_after_the_end_of_the_data_it_is_not_known(answers: Answers) -> None:
    assert what_was_it_doing(answers, at(300)).sentence.startswith("Not enough evidence: the data end before")


def test_what_took_it_long_and_what_waited(answers: Answers) -> None:
    found = why_slow(answers, None)
    assert found.sentence.startswith(
        "2 events of 3 took 100 ms or more; the longest, the loss of broker 4, 118.0 s"
    )
    assert [one.values["kind"] for one in found.told] == ["BrokerChange", "ControlledShutdown"]
    assert why_slow(answers, at(135)).sentence.startswith("No event of a controller took 100 ms")


def test_the_slowest_events_of_a_term(answers: Answers) -> None:
    lines = slowest_event_lines(slowest_events("1-1", answers))
    assert [line.split("ms  ")[-1].strip() for line in lines[2:]] == [
        "the loss of broker 4",
        "the controlled shutdown of broker 5",
    ]
    assert slowest_event_lines(slowest_events("1-2", answers)) == []


def test_the_event_in_work_stands_in_the_context(answers: Answers) -> None:
    (row,) = event_in_work_rows(answers, [{"term_id": "1-1"}], at(60))
    assert (row["key"], row["value"]["about"], row["since_at"]) == (
        "BrokerChange",
        "the loss of broker 4",
        at(10),
    )
    assert event_in_work_rows(answers, [{"term_id": "1-2"}], at(60)) == []
    assert event_in_work_rows(answers, [], at(60)) == []


def test_steps_in_another_order_are_counted_on_the_screen(answers: Answers) -> None:
    counted = count_event_orders(answers, None)
    assert counted == {"said": 2, "other": 1}
    assert order_lines(counted)[0].strip().startswith("steps in another order than Kafka's in 1 of 2 events")
    assert order_lines({"said": 2, "other": 0}) == []
