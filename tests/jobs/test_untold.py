"""Of logs that were not given nothing is said to be well, and what nobody knows is no number."""

import argparse
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from jobs.questions import brokers, imbalance, outages, status
from jobs.questions.asking import answer_to
from jobs.questions.catalog import QUESTIONS
from jobs.questions.question_parsers import parse_question
from jobs.questions.untold import find_unknowns
from jobs.screen.facts import gather_facts
from jobs.screen.first_screen import at_end, outage_part
from jobs.screen.sections import screen_broker_lines, screen_move_lines
from jobs.screen.verdict import verdict_lines
from jobs.text import bounds_text
from pipeline.catalog.tables import SPECS
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.in_doubt import doubted_leaders
from tests.jobs.answering import answers_of_logs, timeline
from tests.jobs.conftest import SAMPLE

KINDS = ("server", "controller", "state-change")
RESTING = [name for name, one in QUESTIONS.items() if one.rests_on]
NUMBER = re.compile(r"(offline|not preferred|deleting) (\d+)(?!\d| to)")


@cache
def part(kind: str) -> Answers:
    """One kind of log of all three nodes alone."""
    return answers_of_logs(Path(SAMPLE) / "lab-2.2.2", (kind,))


def facts_of(answers: Answers) -> Any:
    return gather_facts(answers, {one.name: "1 a" for one in SPECS}, 0)


def words_of(name: str, answers: Answers) -> list[str]:
    """A question with the partition and the node that it takes."""
    known = answers.partition_counts()
    taken = {"partition": f"{next(iter(known), 'orders')}-0", "node": "1"}
    return [name, *(taken[one] for one in QUESTIONS[name].takes if one in taken)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", RESTING)
def test_no_question_says_of_one_kind_of_log_that_all_is_well(kind: str, name: str) -> None:
    answers = part(kind)
    if kind == "server" and {"partition", "node"} & {*QUESTIONS[name].takes}:
        pytest.skip("no line names a partition or a broker")
    found = answer_to(parse_question(words_of(name, answers)), answers).answer
    is_whole = getattr(find_unknowns(answers), str(QUESTIONS[name].rests_on)) is None
    is_bad = found.sentence.startswith("NO: ")
    is_doubted = found.sentence.startswith("Not enough evidence") or (found.told and found.not_known)
    assert is_doubted or is_bad or (is_whole and found.told)


def test_of_all_of_the_logs_the_answers_are_as_they_were(sample_answers: Answers) -> None:
    found = {
        name: answer_to(parse_question(words_of(name, sample_answers)), sample_answers).answer
        for name in RESTING
    }
    assert found["stuck"].sentence == "Nothing is told to be stuck."
    unsure = [name for name, one in found.items() if one.sentence.startswith("Not enough evidence")]
    assert unsure == []
    assert find_unknowns(sample_answers).any is None


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("server", "no line of a controller in office was read"),
        ("controller", "no line of state-change.log of controllers 1, 2, 3 was read"),
        ("state-change", "of controllers 1, 2, 3 no line in office of controller.log was read"),
    ],
)
def test_the_verdict_is_never_nothing_found(kind: str, why: str) -> None:
    facts = facts_of(part(kind))
    facts.findings.clear()
    (said,) = verdict_lines(facts, 0, is_judged=True)
    assert said.startswith(f"VERDICT  NOT ENOUGH EVIDENCE: {why}")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("server", "AT END  partitions: not enough evidence | controller not known"),
        (
            "controller",
            "AT END  offline ? | not preferred ?/44 | not known 44 | deleting 0 | controller 2 (epoch 8)",
        ),
    ],
)
def test_at_the_end_a_number_that_is_not_known_is_none(kind: str, said: str) -> None:
    assert at_end(facts_of(part(kind))) == [said]


@pytest.mark.parametrize("kind", KINDS)
def test_no_number_at_the_end_that_the_whole_has_not(kind: str, sample_answers: Answers) -> None:
    (whole,), (some,) = at_end(facts_of(sample_answers)), at_end(facts_of(part(kind)))
    assert set(NUMBER.findall(some)) <= set(NUMBER.findall(whole))


@pytest.mark.parametrize("kind", KINDS)
def test_moves_of_a_log_that_was_not_given(kind: str) -> None:
    said = " ".join(" ".join(screen_move_lines(facts_of(part(kind)))).split())
    is_given = kind == "state-change"
    assert ("state-change.log, which tells of them, was not given" in said) is not is_given
    assert ("log level" in said or "TRACE" in said) is False or is_given


@pytest.mark.parametrize("kind", KINDS)
def test_outages_of_which_nothing_tells(kind: str) -> None:
    facts = facts_of(part(kind))
    said = " ".join(" ".join(outage_part(facts)).split())
    assert "OUTAGE none was noticed" not in said
    at_end = part(kind).partitions_at_end()
    are_all_known = bool(at_end["partitions"]) and not at_end["service_unknown"]
    assert ("open 0;" in said) is are_all_known
    given = argparse.Namespace(topic=None, open=True)
    listed = " ".join(outages.show_outages(given, part(kind)))
    assert ("no partition is without" in listed) is are_all_known


def test_ratios_of_leaders_that_are_not_known() -> None:
    """With controller.log alone preferred leaders are known, and no leader is."""
    rows = [line.split() for line in screen_broker_lines(facts_of(part("controller"))) if line[:1] in "123"]
    assert [row[:6] for row in rows if row] == [
        ["1", "?", "?", "13?", "?", "?"],
        ["2", "?", "?", "12?", "?", "?"],
        ["3", "?", "?", "19?", "?", "?"],
    ]
    given = argparse.Namespace(at=None, broker=None, threshold=None, format="csv", output=None)
    head, *lines = imbalance.show_imbalance(given, part("controller"))
    names = head.split(",")
    for line in lines:
        row = dict(zip(names, line.split(","), strict=True))
        told = ("led_elsewhere_count", "imbalance_ratio", "is_breach", "seconds_over")
        assert [row[name] for name in told] == [""] * 4


def test_no_broker_is_over_its_limit_of_which_lines_are_missing() -> None:
    found = answer_to(parse_question(["imbalance-now"]), part("state-change")).answer
    assert found.sentence.startswith("Not enough evidence: no broker is known to be over its limit")
    assert "breach" not in " ".join(brokers.show_brokers(None, part("server"))).lower()


@pytest.mark.parametrize("kind", ["server", "controller"])
def test_the_line_of_a_cluster_has_no_zero_for_what_is_not_known(kind: str) -> None:
    found = status.cluster_status(part(kind))
    assert (found.offline, found.over_limit) == (None, None)
    if kind == "server":
        assert (found.verdict, status.count_text(found, found.critical)) == ("NO EVIDENCE", "?")


@pytest.mark.parametrize(
    ("least", "unsure", "count", "said"),
    [(0, 0, 9, "0"), (3, 0, 9, "3"), (0, 9, 9, "?"), (0, 4, 9, "up to 4"), (2, 7, 9, "2 to 9")],
)
def test_bounds(least: int, unsure: int, count: int, said: str) -> None:
    assert bounds_text(least, unsure, count) == said


@pytest.mark.parametrize(
    ("rows", "doubted"),
    [
        ([{}], set()),
        ([{"leader": None}], {1, 2, 3}),
        ([{"leader": None, "replicas": None}], None),
        ([{"leader": None, "is_assignment_stale": True}], None),
        ([{"leader": None, "is_deleting": True}], set()),
        ([{}, {"certainty": "undetermined"}], None),
    ],
)
def test_who_may_lead_a_partition_whose_leader_is_not_known(
    rows: Sequence[dict[str, object]], doubted: set[int] | None
) -> None:
    held = pl.concat([timeline(**one) for one in rows], how="vertical_relaxed")
    assert doubted_leaders(held) == doubted
