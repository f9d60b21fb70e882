"""Why a partition had no leader: the cause is what was done to the lab, and what lines do not tell is not told."""

from collections.abc import Callable

import polars as pl
import pytest

from jobs.questions.given_names import TopicPartition
from jobs.questions.named.partitions import LEFT, leaderless_cause, why_leaderless
from jobs.questions.outages import outage_lines, worst_outages
from pipeline.views.reading.answers import Answers
from schemas.bronze import source_file
from schemas.gold import controller_term, partition_outage, partition_timeline
from schemas.gold.broker_session import LEFT_HOW
from tests.frames import at, frame
from tests.jobs.answering import answers_of
from tests.jobs.cluster_scores import Compared
from tests.jobs.question_scores import of_why_leaderless

# By lab: within outages right and not told (they last some ms, or had begun unnoticed), and the same between them. None
# is wrong.
LABS = {
    "2.6.3-zk-stock": ((108, 48), (96, 131)),
    "1.0.2-zk-stock": ((36, 44), (108, 134)),
    "2.2.2-zk-stock": ((177, 57), (121, 184)),
    "3.9.1-zk-stock": ((64, 44), (72, 179)),
    "3.9.1-zk-moves": ((264, 76), (155, 282)),
    "3.9.2-kraft-separate-stock": ((58, 0), (54, 4)),
    "4.0.0-kraft-combined-stock": ((70, 0), (70, 0)),
    "3.9.2-kraft-separate-moves": ((176, 0), (161, 15)),
}
QUICK = "2.6.3-zk-stock"
T0 = TopicPartition("t", 0)


@pytest.mark.parametrize(
    "name", [name if name == QUICK else pytest.param(name, marks=pytest.mark.soak) for name in LABS]
)
def test_the_cause_is_what_was_done(compared: Callable[[str], Compared], name: str) -> None:
    within, between = of_why_leaderless(compared(name))
    assert ((within["right"], within["not told"]), (between["right"], between["not told"])) == LABS[name]
    assert not within["wrong"] and not between["wrong"]


OUTAGES = """
    topic | topic_life | partition | noticed_at | unserved_from_at | ended_at | ended_how | root_event          | root_broker_id | root_left_how      | old_leader | new_leader | term_id
    t     | 1          | 0         | 100        | 91               | 101      | elected   | broker failure      | 3              | uncontrolled       | 3          | 1          | 1-1
    t     | 1          | 0         | 110        | 95               | 112      | elected   | controller start-up | 1              | missing_at_startup | 1          | 2          | 1-2
    t     | 1          | 0         | 200        | 191              |          |           | broker failure      | 2              | controlled         | 1          |            | 1-2
"""


def answers() -> Answers:
    terms = """
        term_id | life | mode      | controller_id | controller_epoch | elected_at | ended_at | ended_how | last_act_at
        1-1     | 1    | zookeeper | 1             | 1                | 0          | 105      | shutdown  | 105
        1-2     | 1    | zookeeper | 2             | 2                | 109        |          |           | 300
    """
    timeline = """
        topic | topic_life | partition | interval_seq | part_seq | valid_from_at | valid_until_at | is_served | certainty
        t     | 1          | 0         | 1            | 1        | 50            | 250            | true      | proved
        t     | 1          | 0         | 2            | 1        | 250           |                |           | undetermined
    """
    return answers_of(
        partition_outage=frame(partition_outage.SPEC, OUTAGES),
        controller_term=frame(controller_term.SPEC, terms),
        partition_timeline=frame(partition_timeline.SPEC, timeline),
        source_file=frame(source_file.SPEC, "last_logged_at\n300"),
    )


@pytest.mark.parametrize(
    ("seconds", "begin", "end"),
    [
        (100.5, "t-0 had no leader that serves it since", "broker 3 was gone without a controlled shutdown."),
        (
            111,
            "t-0 had no leader that serves it since",
            "broker 1, controller until then (epoch 1, its end: shutdown), was gone when the next one started up.",
        ),
        (250, "t-0 has had no leader that serves it since", ": controlled shutdown of broker 2."),
        (
            92,
            "Not enough evidence of 2026-11-21 00:01:32.000 UTC: it can have been without a leader from 2026-11-21 "
            "00:01:31.000 UTC on, before a controller noticed. t-0 had",
            "broker 3 was gone without a controlled shutdown.",
        ),
        # No earlier than it was served again.
        (103, "Not enough evidence of 2026-11-21 00:01:43.000 UTC: it can have been without a leader from 2026-11-21 "
         "00:01:41.000 UTC on", "started up."),
        (150, "No line shows t-0 without a leader at 2026-11-21 00:02:30.000 UTC; it had 3 outages at other", "."),
    ],
)  # fmt: skip
def test_the_outage_of_a_time(seconds: float, begin: str, end: str) -> None:
    found = why_leaderless(answers(), T0, at(seconds))
    assert found.sentence.startswith(begin) and found.sentence.endswith(end)


def test_what_no_line_tells_of_the_time() -> None:
    """Who was asked to be shut down did not fail; the leader before may be another than the broker at the root."""
    assert why_leaderless(answers(), T0, at(150)).not_known == []
    assert why_leaderless(answers(), T0, at(40)).not_known == ["whether it was there then: no line names it"]
    last = why_leaderless(answers(), T0, None)
    assert last.told[0].text == "leader before: 1 is the last that a line names, broker 2 left: controlled"


def test_every_cause_has_words() -> None:
    assert set(LEFT) == set(LEFT_HOW)
    row = {"root_event": "log-dir failure", "root_broker_id": 2, "root_left_how": None}
    assert leaderless_cause(row, None) == "a log directory of broker 2 failed"
    assert (
        leaderless_cause(row | {"root_event": "topic creation", "root_broker_id": None}, None)
        == "topic creation"
    )
    assert (
        leaderless_cause(row | {"root_event": "unknown", "root_broker_id": None}, None) == "no line tells why"
    )
    assert (
        leaderless_cause(row | {"root_event": "controller start-up"}, None)
        == "controller start-up: broker 2 was gone"
    )


def test_a_shutdown_is_no_failure_among_outages() -> None:
    """Unless others of the event were not asked."""
    rows = frame(partition_outage.SPEC, OUTAGES)
    stop = rows.tail(1)
    lines = outage_lines(worst_outages(rows, at(300)))
    assert any("controlled shutdown: broker 2 gone" in line for line in lines)
    other = stop.with_columns(root_broker_id=pl.lit(3, pl.Int32), root_left_how=pl.lit("uncontrolled"))
    both = outage_lines(worst_outages(pl.concat([stop, other]), at(300)))
    assert any("broker failure: brokers 2,3 gone" in line for line in both)


def test_outages_over_missing_lines_are_marked() -> None:
    """No finding is made of them."""
    rows = frame(partition_outage.SPEC, OUTAGES)
    assert "undetermined" not in "".join(outage_lines(worst_outages(rows, at(300))))
    unsure = rows.with_columns(certainty=pl.Series(["proved", "inferred", "undetermined"]))
    said = " ".join(" ".join(outage_lines(worst_outages(unsure, at(300)))).split())
    assert (
        "in total over all partitions; up to 1 of 1 s or more, 100.0 s more where lines are missing, from 3 events"
        in said
    )
    assert said.count("[undetermined]") == 1 and "longest 100.0 s [undetermined]" in said
