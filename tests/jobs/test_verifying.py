"""Findings are proved again from bytes alone: what their lines say is confirmed, one altered byte is not."""

from collections import Counter
from datetime import timedelta

import pytest

from jobs import cli
from jobs.questions.answers import Answers
from jobs.questions.rows import Place, Row
from jobs.questions.verify_findings import report, require_confirmed
from jobs.verify.proof import CONFIRMED, HEAD, NOT_CONFIRMED, UNDECIDED, Claim
from jobs.verify.rules import RULES, verified
from pipeline.core.errors import NotConfirmed
from schemas.gold.finding import FACTS_OF_RULE
from tests.jobs import (
    broker_findings_said,
    disk_findings_said,
    election_findings_said,
    fault_findings_said,
    findings_said,
    life_findings_said,
    migration_findings_said,
    partition_findings_said,
    quorum_findings_said,
    reason_findings_said,
    start_findings_said,
    term_findings_said,
    topic_findings_said,
    unreached_findings_said,
)
from tests.jobs.finding_records import REFUSED
from tests.jobs.findings_said import records

STORIES = (
    findings_said,
    term_findings_said,
    migration_findings_said,
    partition_findings_said,
    broker_findings_said,
    disk_findings_said,
    election_findings_said,
    life_findings_said,
    fault_findings_said,
    start_findings_said,
    quorum_findings_said,
    reason_findings_said,
    topic_findings_said,
    unreached_findings_said,
)
CASES = {name: case for one in STORIES for name, case in one.CASES.items()}
ALTERED = [each for one in STORIES for each in one.ALTERED]
SAID_WRONGLY = [each for one in STORIES for each in one.SAID_WRONGLY]
# When the broker asked stands in a record that the finding does not name.
UNTIMED = {"standing_imbalance", "not_understood"}
# What no record of a finding shows, or no record that it names.
UNSHOWN = {
    ("broker_flapping", "shortest_ms"),
    ("controller_outlived", "overlap"),
    ("controller_outlived", "writes_count"),
    ("failed_start", "owner_node_id"),
    ("failover_slow", "longest_step"),
    ("fatal_fault", "node_id"),
    ("leader_choice", "expected_leader"),
    ("leader_choice", "kind"),
    ("log_dir_failed", "is_at_start"),
    ("log_dir_failed", "leaderless_count"),
    ("log_dir_failed", "led_count"),
    ("logged_fault", "node_id"),
    ("outage", "log_dirs"),
    ("outage", "open_count"),
    ("outage", "partitions_count"),
    ("outage", "total_ms"),
    ("ratio_disagreement", "controller_epoch"),
    ("ratio_disagreement", "imbalance_ratio"),
    ("ratio_disagreement", "lines_count"),
    ("ratio_disagreement", "only_kafka"),
    ("ratio_disagreement", "only_kafka_count"),
    ("refused_registration", "broker_id"),
    ("replay_disagreement", "controller_epoch"),
    ("replay_disagreement", "controller_id"),
    ("replay_disagreement", "differing_count"),
    ("replay_disagreement", "said_count"),
    ("slow_creation", "broker_ids"),
    ("slow_creation", "controller_id"),
    ("slow_creation", "partition"),
    ("standing_imbalance", "is_auto_rebalance_enabled"),
    ("topic_without_leader_since_creation", "broker_ids"),
    ("topic_without_leader_since_creation", "partition"),
    ("unclean_shutdown", "led_count"),
    ("unclean_shutdown", "unmoved_count"),
}
OTHERS = ("0", "1", "2", "1000000")
SENTENCES = (
    "",
    "something else is the matter",
    "controller 9 (epoch 9) made 9 replica moves A -> B, first of c-9",
)


def altered(claim: Claim, name: str, value: str) -> Claim:
    return claim._replace(facts={**(claim.facts or {}), name: value})


def facts_of(case: str) -> dict[str, str]:
    return dict(CASES[case][0].facts or {})


def test_every_rule_has_a_case() -> None:
    assert {claim.rule for claim, _, _ in CASES.values()} == set(RULES)
    assert {case.split()[0] for case, *_ in ALTERED} == set(RULES)


@pytest.mark.parametrize("case", CASES)
def test_what_the_lines_say_is_confirmed(case: str) -> None:
    claim, texts, outcome = CASES[case]
    assert verified(claim, records(*texts))[0] == outcome


@pytest.mark.parametrize(("case", "old", "new", "why"), ALTERED)
def test_an_altered_record_is_not_confirmed(case: str, old: str, new: str, why: str) -> None:
    claim, texts, _ = CASES[case]
    assert sum(old in text for text in texts) == 1
    outcome, sentence = verified(claim, records(*(text.replace(old, new) for text in texts)))
    assert outcome == NOT_CONFIRMED and why in sentence


@pytest.mark.parametrize(("case", "name", "value", "why"), SAID_WRONGLY)
def test_a_fact_that_says_otherwise_is_not_confirmed(case: str, name: str, value: str, why: str) -> None:
    claim, texts, _ = CASES[case]
    outcome, sentence = verified(altered(claim, name, value), records(*texts))
    assert outcome == NOT_CONFIRMED and why in sentence


@pytest.mark.parametrize("case", CASES)
def test_cases_carry_the_facts_that_their_rule_declares(case: str) -> None:
    assert facts_of(case).keys() <= set(FACTS_OF_RULE[CASES[case][0].rule])


def is_shown(case: str, name: str) -> bool:
    """True if the records prove the claim no more with another value."""
    claim, texts, outcome = CASES[case]
    others = [one for one in OTHERS if one != facts_of(case)[name]]
    found = {verified(altered(claim, name, one), records(*texts))[0] for one in others}
    return not found <= {CONFIRMED, outcome}


def test_facts_are_proved_but_for_those_that_no_record_shows() -> None:
    shown = {(CASES[case][0].rule, name) for case in CASES for name in facts_of(case) if is_shown(case, name)}
    assert {(rule, name) for rule in RULES for name in FACTS_OF_RULE[rule]} - shown == UNSHOWN


@pytest.mark.parametrize("case", CASES)
def test_no_record_is_dispensable(case: str) -> None:
    claim, texts, _ = CASES[case]
    left = [records(*texts[:place], *texts[place + 1 :]) for place in range(len(texts))]
    assert [verified(claim, one)[0] == CONFIRMED for one in left] == [False] * len(texts)


def test_another_interval_is_not_confirmed() -> None:
    timed = [one for one in CASES.values() if one[0].rule not in UNTIMED]
    shift = timedelta(milliseconds=1)
    later = [(claim._replace(valid_from_at=claim.valid_from_at + shift), texts) for claim, texts, _ in timed]
    assert {verified(claim, records(*texts))[0] for claim, texts in later} == {NOT_CONFIRMED}


def test_local_times_count_in_the_zone_of_the_file() -> None:
    claim, texts, _ = CASES["controller_outlived"]
    hour = timedelta(hours=1)
    assert claim.valid_until_at
    local = claim._replace(
        valid_from_at=claim.valid_from_at - hour, valid_until_at=claim.valid_until_at - hour
    )
    there = [one._replace(zone="Europe/Berlin") for one in records(*texts)]
    assert verified(local, there)[0] == CONFIRMED and verified(claim, there)[0] == NOT_CONFIRMED
    twice = [one._replace(raw=(one.raw or b"").replace(b"11-21 09", b"10-25 02")) for one in there]
    assert verified(local, twice)[0] == UNDECIDED
    with_offset = [one._replace(raw=(one.raw or b"").replace(b"] ", b"+01:00] ", 1)) for one in there]
    assert verified(local, with_offset)[0] == CONFIRMED


@pytest.mark.parametrize(
    "line",
    [
        "[2024-03-01 12:00:00,123] INFO x",
        "[INFO ] 2024-03-01T12:00:00.123 [t] x",
        "2024/03/01 12:00:00.123 INFO x",
    ],
)
def test_times_are_read_in_any_layout(line: str) -> None:
    found = HEAD.search(line)
    assert found and found.group("clock", "fraction") == ("12:00:00", "123")


def test_what_the_records_do_not_tell_is_not_decided() -> None:
    claim, texts, _ = CASES["refused_move"]
    done = REFUSED.partition(" failed")[0].replace(
        "Controller 2 epoch 8 initiated state change", "Changed state"
    )
    illegal = claim._replace(rule="illegal_move")
    assert "legal from 2.3 on" in verified(illegal, records(done))[1]
    old = done.replace("[Controller id=2 epoch=8] Changed", "Controller 2 epoch 8 changed")
    assert verified(illegal, records(old))[0] == CONFIRMED
    claim, texts, _ = CASES["discontinuity"]
    above = records(*(text.replace("TRACE", "INFO") for text in texts))
    assert verified(claim, above)[0] == UNDECIDED
    assert verified(claim, [one._replace(raw=None) for one in above])[0] == UNDECIDED
    assert verified(claim._replace(rule="new_rule"), above)[0] == UNDECIDED
    assert verified(claim._replace(facts={}), above) == (UNDECIDED, "it carries no fact controller_id")
    assert verified(altered(claim, "moves_count", "many"), above)[0] == UNDECIDED


def test_a_finding_of_an_older_release_has_to_be_judged_anew() -> None:
    claim, texts, _ = CASES["illegal_move"]
    older = verified(claim._replace(facts=None), records(*texts))
    assert older == (
        UNDECIDED,
        "an older release wrote it, without the facts that are proved: a run has to judge it anew",
    )


def stored(case: str) -> tuple[Row, dict[Place, Row]]:
    """A row of gold.finding, and its records by their places."""
    claim, texts, _ = CASES[case]
    places = [{"file_id": "f", "byte_offset": one} for one in range(len(texts))]
    known = {"path": "c.log", "node_id": None, "zone": "UTC"}
    row = claim._asdict() | {"finding_id": "aa11", "sentence": "no controller", "evidence": places}
    return row, {("f", place): known | {"raw": one.raw} for place, one in enumerate(records(*texts))}


def test_the_report_says_which_and_how_many() -> None:
    row, found = stored("no_controller")
    lines, counts = report([row], found)
    assert lines[0].startswith("F1 aa11  no_controller  confirmed: last line 2026-11-21 08:57:45.839")
    assert lines[1] == "FINDINGS  1: 1 confirmed, 0 not confirmed, 0 cannot be decided"
    require_confirmed(counts)
    forgotten = {place: one for place, one in found.items() if place != ("f", 1)}
    assert report([row], forgotten)[1] == {CONFIRMED: 0, NOT_CONFIRMED: 0, UNDECIDED: 1}
    with pytest.raises(NotConfirmed, match="found 1 not confirmed"):
        require_confirmed(report([{**row, "evidence": row["evidence"][:2]}], found)[1])


@pytest.mark.parametrize("sentence", SENTENCES)
def test_another_wording_leaves_the_proof_as_it_is(sentence: str) -> None:
    for case in CASES:
        row, found = stored(case)
        others = {"sentence": sentence, "entity": sentence, "root_kind": sentence}
        assert report([row | others], found) == report([row], found)


def test_findings_of_the_sample_are_proved_by_their_facts(sample_answers: Answers) -> None:
    """Those of an older release, which has none, are not decided, and end no job."""
    findings = sample_answers.findings()
    found = sample_answers.records([one for row in findings for one in row["evidence"]])
    assert all(row["facts"].keys() <= set(FACTS_OF_RULE[row["rule"]]) for row in findings)
    assert report(findings, found)[1] == {CONFIRMED: 23, NOT_CONFIRMED: 0, UNDECIDED: 1}
    said = " ".join(" ".join(report(findings, found)[0]).split())
    assert "+00:00" not in said and "until 2026-11-21 08:57:55.281 UTC" in said
    reworded = [row | {"sentence": "reworded"} for row in findings]
    assert report(reworded, found) == report(findings, found)
    lines, counts = report([row | {"facts": None} for row in findings], found)
    assert all("a run has to judge it anew" in line for line in lines[:-1])
    require_confirmed(counts)


@pytest.mark.spark
def test_findings_of_the_sample_are_confirmed(
    sample_warehouse: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["verify", "--warehouse", sample_warehouse]) == 0
    cluster, *lines, total = capsys.readouterr().out.splitlines()
    assert cluster == "lab-2.2.2"
    assert total == "FINDINGS  24: 23 confirmed, 0 not confirmed, 1 cannot be decided"
    assert Counter(line.split("  ")[1] for line in lines) == {
        "unclean_election": 1,
        "outage": 15,
        "controller_powerless": 1,
        "controller_outlived": 1,
        "broker_flapping": 2,
        "stuck_deletion": 1,
        "slow_creation": 2,
        "recreated_at_once": 1,
    }
    assert "in sync were 3, then 1 was elected with nothing written between" in lines[0]
    assert "put off 2026-11-21 08:58:44.439" in lines[-4]
