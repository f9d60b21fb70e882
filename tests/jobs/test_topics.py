"""The line of the first screen on topics: what was created, grown, deleted; none where nothing was."""

from datetime import UTC, datetime

from jobs.questions.topics import topic_counts, topic_summary_lines
from pipeline.views.reading.answers import Answers

LATE = datetime(2026, 11, 21, 8, 59, 50, tzinfo=UTC)
AFTER = datetime(2026, 11, 22, tzinfo=UTC)


def test_what_became_of_topics_is_one_line(sample_answers: Answers) -> None:
    assert topic_summary_lines(topic_counts(sample_answers, None)) == [
        "TOPICS created 17, served after 9.0 s at most | grown 1 | deleted 5, 3 put off, after 14.8 s at most",
        "",
    ]


def test_what_was_over_by_then_is_left_out(sample_answers: Answers) -> None:
    assert topic_summary_lines(topic_counts(sample_answers, LATE)) == [
        "TOPICS created 1, served after 30 ms at most | deleted 2, 1 put off, after 4.4 s at most",
        "",
    ]
    assert topic_summary_lines(topic_counts(sample_answers, AFTER)) == []


def test_all_that_may_be_told() -> None:
    counts = {"created": 0, "slowest_ms": None, "grown": 0, "deleted": 1, "put_off": 0, "longest_ms": None}
    counts |= {"waiting": 2, "held": 1, "removed_by_hand": 3, "vanished": 4, "wiped": 5, "no_topic": 6}
    assert topic_summary_lines(counts)[0] == (
        "TOPICS deleted 1 | being deleted 2 (1 put off) | removed by hand 3 | vanished 4 | gone with the metadata 5 | "
        "asked to delete what is not there 6"
    )
    assert topic_summary_lines(None) == []
