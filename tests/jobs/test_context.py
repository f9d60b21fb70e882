"""The state of a cluster at one time: against what ZooKeeper and the metadata log say, and as it is told."""

import argparse
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from jobs.questions import context as question
from jobs.questions.asking import ask_by_command
from pipeline.core.conditions import column_equals
from pipeline.core.errors import InputProblem
from pipeline.views.context.context_rows import Context, context_at
from pipeline.views.context.own_context import context_of
from pipeline.views.reading.answers import Answers
from tests.jobs.cluster_scores import Compared
from tests.jobs.cluster_truth import SETS, Score

# By cluster: how many samples are equal at once, of SETS. All are equal within a second.
ZOOKEEPER = {
    "0.11.0.3-zk-stock": (669, (668, 667, 669, 669)),
    "1.0.2-zk-stock": (581, (579, 578, 581, 581)),
    "2.2.2-zk-stock": (652, (652, 652, 652, 652)),
    "2.5.1-zk-stock": (719, (714, 719, 719, 718)),
    "2.6.3-zk-stock": (651, (651, 650, 651, 650)),
    "2.6.3-zk-trace": (599, (599, 597, 599, 599)),
    "3.2.3-zk-stock": (718, (715, 718, 718, 717)),
    "3.2.3-zk-trace": (446, (444, 446, 446, 446)),
    "3.9.1-zk-stock": (658, (657, 658, 658, 658)),
    "3.9.1-zk-trace": (466, (464, 465, 466, 465)),
}
KRAFT = {
    "3.3.2-kraft-combined-stock": (1428, (1428, 1428, 1428, 1428)),
    "3.9.2-kraft-migration-stock": (297, (297, 297, 297, 297)),
    "3.9.2-kraft-separate-stock": (844, (844, 844, 844, 844)),
    "4.0.0-kraft-combined-stock": (1482, (1482, 1482, 1482, 1482)),
    "4.3.1-kraft-combined-trace": (1386, (1386, 1386, 1386, 1386)),
    "4.3.1-kraft-separate-stock": (955, (955, 955, 955, 955)),
}
LABS = ZOOKEEPER | KRAFT
QUICK = ("2.6.3-zk-stock", "4.0.0-kraft-combined-stock")
EVERY = [*QUICK, *(pytest.param(one, marks=pytest.mark.soak) for one in LABS if one not in QUICK)]
PUT_OFF_AT = datetime(2026, 11, 21, 8, 15, 31, tzinfo=UTC)
DEPOSED_AT = datetime(2026, 11, 21, 8, 15, 49, tzinfo=UTC)
Of = Callable[[str], Compared]


@pytest.mark.parametrize("name", EVERY)
def test_sets_are_those_of_the_truth(compared: Of, name: str) -> None:
    samples, at_once = LABS[name]
    expected = {part: Score(count, samples - count, 0, 0) for part, count in zip(SETS, at_once, strict=True)}
    assert compared(name).sets() == expected


@pytest.mark.parametrize("name", EVERY)
def test_topics_and_partitions_at_the_end_are_those_that_were_there(compared: Of, name: str) -> None:
    folder, answers = compared(name).folder, compared(name).answers
    final = json.loads((folder / "truth" / "final.json").read_text())
    there = {(one["topic"], one["partition"]): one for one in final["partitions"]}
    found = end_of(answers)
    assert {one["key"] for one in found.parts["topic"]} == {topic for topic, _ in there}
    held = found.partitions.filter(~pl.col("is_assignment_stale"))
    named = {(one["topic"], one["partition"]): one["replicas"] for one in held.iter_rows(named=True)}
    assert set(found.partitions.select("topic", "partition").rows()) == set(there)
    assert named == {one: there[one]["replicas"] for one in named}


def end_of(answers: Answers) -> Context:
    last = answers.last_at()
    assert last is not None
    return context_at(answers, last)


def of_part(held: Context, part: str) -> list[tuple[Any, ...]]:
    return [(one["key"], one["value"], one["known_by"]) for one in held.parts[part]]


def test_a_deletion_that_is_put_off_names_what_it_waits_for(compared: Of) -> None:
    held = context_at(compared(QUICK[0]).answers, PUT_OFF_AT)
    waits = [{"partition": one, "broker_id": 1, "why": "broker gone"} for one in range(3)]
    value = {"state": "put_off", "replicas_left": 3, "replicas_not_deletable": waits}
    assert of_part(held, "queued_for_deletion") == [("email.out", value, "1-6")]
    assert [one["key"] for one in held.parts["without_leader"]] == ["alerts-0", "geo-points-0"]


def test_a_deposed_controller_holds_what_it_was_told_last(compared: Of) -> None:
    """The broker was frozen while another one was elected, and woke up at 08:15:49.534."""
    answers = compared(QUICK[0]).answers
    whole, own = context_at(answers, DEPOSED_AT), context_of(answers, 2, DEPOSED_AT)
    assert [(one["key"], one["value"]["controller_id"]) for one in whole.parts["controller"]] == [
        ("controller", 3),
        ("deposed controller", 2),
    ]
    assert ids(whole) == ["1", "3"]
    assert ids(own) == ["1", "2", "3"]
    led = {(one["topic"], one["partition"]): one["leader"] for one in own.partitions.iter_rows(named=True)}
    assert led["alerts", 1] == 2
    assert own.parts["without_leader"] == []
    assert [one["key"] for one in whole.parts["without_leader"]] == ["alerts-1"]


def test_a_controller_in_office_holds_what_the_cluster_is(compared: Of) -> None:
    answers = compared(QUICK[0]).answers
    whole, own = context_at(answers, PUT_OFF_AT), context_of(answers, 2, PUT_OFF_AT)
    for part in (*SETS, "without_leader"):
        assert [one["key"] for one in whole.parts[part]] == [one["key"] for one in own.parts[part]], part
    same = ["topic", "partition", "leader", "replicas", "leader_epoch", "is_deleting"]
    assert own.partitions.select(same).equals(whole.partitions.select(same))


def ids(held: Context) -> list[str]:
    return [one["key"] for one in held.parts["live_broker"]]


def test_while_nobody_is_known_in_office_who_is_live_is_not_known(compared: Of) -> None:
    """Controller 3 was killed at 08:14:10.418, the next one was elected at 08:14:17.405."""
    held = context_at(compared(QUICK[0]).answers, datetime(2026, 11, 21, 8, 14, 13, tzinfo=UTC))
    (nobody,) = held.parts["controller"]
    assert (nobody["value"]["office"], nobody["value"]["last_controller_id"]) == ("not known", 3)
    assert {one["certainty"] for one in held.parts["live_broker"]} == {"undetermined"}
    assert "it is not known whether anybody was in office" in held.doubts[0]


def test_elections_are_pending_until_they_have_an_end(compared: Of) -> None:
    """Ten preferred elections were begun in the life of this cluster, each done within a tenth of a second."""
    answers = compared(QUICK[0]).answers
    begun = answers.rows(
        "silver.election_event", column_equals("selector", "PREFERRED") & column_equals("step", "started")
    )
    times = begun["logged_at"].unique().to_list()
    at_once = [context_at(answers, at).parts["pending_election"] for at in times]
    later = [context_at(answers, at + timedelta(seconds=0.1)).parts["pending_election"] for at in times]
    assert len(times) == 10 and all(at_once) and not any(later)


def test_who_was_no_controller_then_is_told_when_it_was(compared: Of) -> None:
    with pytest.raises(InputProblem, match=r"its last term until then ended 2026-11-21 08:14:10\.418"):
        context_of(compared(QUICK[0]).answers, 3, PUT_OFF_AT)
    with pytest.raises(
        InputProblem, match=r"no term of it until then \(controllers of these logs: 1, 2, 3\)"
    ):
        context_of(compared(QUICK[0]).answers, 9, PUT_OFF_AT)


def test_what_a_deposed_controller_of_kraft_holds_is_not_told(compared: Of) -> None:
    at = datetime(2026, 11, 21, 8, 28, 31, tzinfo=UTC)
    own = context_of(compared(QUICK[1]).answers, 1, at)
    assert "not enough evidence" in own.doubts[0]
    assert list(own.parts) == ["controller"]


def asked(**given: Any) -> argparse.Namespace:
    return argparse.Namespace(
        **{"at": None, "controller": None, "partitions": False, "format": "text"} | given
    )


def test_counts_come_first_then_what_is_not_well(sample_answers: Answers) -> None:
    at = datetime(2026, 11, 21, 9, 0, 13, tzinfo=UTC)
    lines = question.show_context(asked(at=at), sample_answers)
    assert [one.split()[0] for one in lines[1:5]] == ["CONTROLLER", "BROKERS", "TOPICS", "PARTITIONS"]
    short = len(lines)
    assert len(question.show_context(asked(at=at, partitions=True), sample_answers)) > short


def test_json_has_every_row_with_who_knows_it(sample_answers: Answers) -> None:
    at = datetime(2026, 11, 21, 9, 0, 13, tzinfo=UTC)
    told = json.loads("\n".join(question.show_context(asked(at=at, format="json"), sample_answers)))
    assert told["at"] == "2026-11-21T09:00:13+00:00"
    assert {"part", "key", "value", "since_at", "known_by", "certainty"} == set(told["rows"][0])
    held = context_at(sample_answers, at)
    assert sum(one["part"] == "partition" for one in told["rows"]) == len(held.partitions)


@pytest.mark.usefixtures("sample_in_memory")
def test_the_command_answers_or_says_in_one_sentence_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask_by_command("context", ["--at", "09:00:13", "--controller", "9"]) == InputProblem.exit_code
    assert capsys.readouterr().err.startswith(
        "context: Expected that node 9 acted as controller at 2026-11-21"
    )
    assert ask_by_command("context", ["--at", "2020-01-01"]) == InputProblem.exit_code
    assert ask_by_command("context", []) == 0
    assert "CONTROLLER" in capsys.readouterr().out
