"""Who felt it, and the share of time that was served: by hand."""

import argparse
import json
from datetime import datetime

import polars as pl
import pytest

from jobs.questions.impact import show_impact
from jobs.questions.named.clients import by_audience_and_topic, impact_item, is_usual_wait, who_felt_it
from pipeline.core.frames import declared_table, frame_of
from pipeline.views.impact.availability import availability_by_hour
from pipeline.views.reading.answers import Answers
from schemas.bronze import source_file
from schemas.gold import client_impact, partition_timeline
from tests.frames import at, frame
from tests.gold.impact_frames import dead_leader_impact, impact_of
from tests.jobs.answering import answers_of

FILES = """
    cluster_id | file_id | load_seq | record_count | consumed_bytes | first_logged_at | last_logged_at | node_id | record_bytes | understood_count | zone
    c          | f       | 1        | 3            | 300            | 0               | 7200           | 1       | 300          | 3                | UTC
"""


def answers(impact: pl.DataFrame, states: str) -> Answers:
    return answers_of(
        client_impact=frame_of(declared_table(impact, client_impact.SPEC)),
        partition_timeline=frame(partition_timeline.SPEC, states).with_columns(is_served=pl.lit(value=True)),
        source_file=frame(source_file.SPEC, FILES),
    )


@pytest.fixture(scope="module")
def told() -> Answers:
    impact, states = dead_leader_impact()
    return answers(impact, states)


def test_who_felt_a_dead_leader_is_told_the_worst_first_with_bounds(told: Answers) -> None:
    found = who_felt_it(told, at(105), None, None)
    assert found.sentence.startswith(
        "producers with acks=all, producers, consumers of 2 topics could feel it at 2026-11-21 00:01:45.000"
    )
    assert [one.text for one in found.told if one.values["audience"] == "producers"] == [
        "producers orders (partition 0): 8.8 s to 13.8 s: leader dead or frozen, not noticed yet (broker 2)"
    ]


def test_before_it_nobody_felt_anything(told: Answers) -> None:
    assert who_felt_it(told, at(50), None, None).sentence.startswith("Nobody, as far as lines tell, at")
    assert who_felt_it(told, at(9000), None, None).sentence.startswith("Not enough evidence")


def test_the_share_that_served_is_bounded_from_below_and_above(told: Answers) -> None:
    hours = availability_by_hour(told, at(0), at(7200))
    first = hours.filter(pl.col("topic") == "orders").row(0, named=True)
    assert (first["partition_ms"], first["unserved_low_ms"], first["unserved_high_ms"]) == (
        3_600_000,
        110_000 - 101_200,
        110_300 - 100_500,
    )
    second = hours.filter(pl.col("topic") == "orders").row(1, named=True)
    assert (second["unserved_low_ms"], second["unserved_high_ms"]) == (0, 0)
    waited = hours.filter(pl.col("topic") == "clicks")["unserved_high_ms"].to_list()
    assert waited == [0, 0]  # acks that wait are late, and served


@pytest.mark.parametrize("form", ["text", "json", "openmetrics"])
def test_each_form_tells_both_bounds(told: Answers, form: str) -> None:
    given = argparse.Namespace(topic=None, since=None, until=None, every=60, format=form)
    text = "\n".join(show_impact(given, told))
    if form == "json":
        row = next(one for one in json.loads(text)["hours"] if one["topic"] == "orders")
        assert (round(row["served_at_least"], 6), round(row["served_at_most"], 6)) == (0.997278, 0.997556)
    else:
        both = ("0.997278", "0.997556") if form == "openmetrics" else ("99.864 %", "99.878 %")
        assert all(one in text for one in both)


def test_the_worst_of_a_topic_stands_for_it(told: Answers) -> None:
    (first, *others) = by_audience_and_topic(told.rows("gold.client_impact"))
    assert (first["topic"], first["low_ms"], first["open_count"]) == ("clicks", 10_800, 0)
    assert [one["low_ms"] for one in others] == [10_800, 8_800, 8_800, 8_800]


def test_before_the_data_nothing_is_known(told: Answers) -> None:
    found = who_felt_it(told, None, None, at(-9))
    assert found.sentence == "Not enough evidence: the data begin after 2026-11-20 23:59:51.000 UTC."


def test_a_creation_that_waits_as_usual_matters_less() -> None:
    lives = """
        cluster_id | topic | topic_life | mode      | created_how | created_at | online_at | serving_at
        c          | slow  | 1          | zookeeper | created     | 10         | 16        | 16.2
        c          | fast  | 1          | zookeeper | created     | 10         | 10.1      | 10.2
    """
    no = (
        "cluster_id | topic | step | logged_at | file_id | byte_offset\nc | no | create_refused | 20 | f1 | 1"
    )
    rows = by_audience_and_topic(impact_of(topic_lifecycle=lives, topic_event=no))
    assert [(impact_item(row).text, is_usual_wait(row)) for row in rows] == [
        ("who created slow: 6.0 s to 10.2 s: creation waited for leaders", False),
        ("who created fast: 0.1 s to 4.2 s: creation waited for leaders", True),
        ("who created no: creation refused", False),
    ]


def impact_text(states: str) -> str:
    given = argparse.Namespace(topic=None, since=None, until=None, every=60, format="text")
    return "\n".join(show_impact(given, answers(impact_of(), states)))


def test_of_a_topic_whose_leader_is_in_doubt_it_is_not_known_whether_it_was_served() -> None:
    doubtful = dead_leader_impact()[1].replace("proved", "undetermined")
    assert "not known whether served, as no line tells: 2 topics (clicks, orders)" in impact_text(doubtful)
    assert "100 %" not in impact_text(doubtful)


def test_where_no_partition_is_known_that_is_said() -> None:
    assert "no partition is known in that time" in impact_text("cluster_id")


@pytest.mark.parametrize(
    ("asked", "begin"), [(at(50), "Not enough evidence"), (None, "Nobody, as far as lines tell")]
)
def test_while_nobody_knows_who_served_nobody_is_not_the_answer(asked: datetime | None, begin: str) -> None:
    doubtful = dead_leader_impact()[1].replace("proved", "undetermined")
    found = who_felt_it(answers(impact_of(), doubtful), asked, None, None)
    assert found.sentence.startswith(begin)
    assert "whether 2 of 2 partitions were served" in found.not_known
