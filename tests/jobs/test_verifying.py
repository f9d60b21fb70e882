"""The command `verify`: what proofs say of findings, and what they leave open."""

from collections import Counter
from datetime import timedelta

import pytest

from jobs import cli
from jobs.questions.verify_findings import require_confirmed, verification_report
from pipeline.core.errors import NotConfirmed
from pipeline.rules.proving.proof import CONFIRMED, HEAD, NOT_CONFIRMED, UNDECIDED, Claim
from pipeline.rules.registry import RULES
from pipeline.rules.verified import verify_claim
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Place, Row
from tests.rules.cases import Case, all_cases, cases_of, records

SENTENCES = (
    "",
    "something else is the matter",
    "controller 9 (epoch 9) made 9 replica moves A -> B, first of c-9",
)


def altered(claim: Claim, name: str, value: str) -> Claim:
    return claim._replace(facts={**claim.facts, name: value})


def case(rule: str) -> Case:
    """The first case of a rule."""
    return cases_of(rule)[0]


def test_local_times_count_in_the_zone_of_the_file() -> None:
    claim, texts = case("controller_outlived").claim, case("controller_outlived").texts
    hour = timedelta(hours=1)
    assert claim.valid_until_at
    local = claim._replace(
        valid_from_at=claim.valid_from_at - hour, valid_until_at=claim.valid_until_at - hour
    )
    there = [one._replace(zone="Europe/Berlin") for one in records(*texts)]
    assert verify_claim(local, there)[0] == CONFIRMED and verify_claim(claim, there)[0] == NOT_CONFIRMED
    twice = [one._replace(raw=(one.raw or b"").replace(b"11-21 09", b"10-25 02")) for one in there]
    assert verify_claim(local, twice)[0] == UNDECIDED
    with_offset = [one._replace(raw=(one.raw or b"").replace(b"] ", b"+01:00] ", 1)) for one in there]
    assert verify_claim(local, with_offset)[0] == CONFIRMED


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
    claim, texts = case("refused_move").claim, case("refused_move").texts
    done = (
        texts[0]
        .partition(" failed")[0]
        .replace("Controller 2 epoch 8 initiated state change", "Changed state")
    )
    illegal = claim._replace(rule="illegal_move")
    assert "legal from 2.3 on" in verify_claim(illegal, records(done))[1]
    old = done.replace("[Controller id=2 epoch=8] Changed", "Controller 2 epoch 8 changed")
    assert verify_claim(illegal, records(old))[0] == CONFIRMED
    claim, texts = case("discontinuity").claim, case("discontinuity").texts
    above = records(*(text.replace("TRACE", "INFO") for text in texts))
    assert verify_claim(claim, above)[0] == UNDECIDED
    assert verify_claim(claim, [one._replace(raw=None) for one in above])[0] == UNDECIDED
    assert verify_claim(claim._replace(rule="new_rule"), above)[0] == UNDECIDED
    assert verify_claim(claim._replace(facts={}), above) == (UNDECIDED, "it carries no fact controller_id")
    assert verify_claim(altered(claim, "moves_count", "many"), above)[0] == UNDECIDED


def stored(of: Case) -> tuple[Row, dict[Place, Row]]:
    """A row of gold.finding, and its records by their places."""
    claim, texts = of.claim, of.texts
    places = [{"file_id": "f", "byte_offset": one} for one in range(len(texts))]
    known = {"path": "c.log", "node_id": None, "zone": "UTC"}
    row = claim._asdict() | {"finding_id": "aa11", "sentence": "no controller", "evidence": places}
    return row, {("f", place): known | {"raw": one.raw} for place, one in enumerate(records(*texts))}


def test_the_report_says_which_and_how_many() -> None:
    row, found = stored(case("no_controller"))
    lines, counts = verification_report([row], found)
    assert lines[0].startswith("F1 aa11  no_controller  confirmed: last line 2026-11-21 08:57:45.839")
    assert lines[1] == "FINDINGS  1: 1 confirmed, 0 not confirmed, 0 cannot be decided"
    require_confirmed(counts)
    forgotten = {place: one for place, one in found.items() if place != ("f", 1)}
    assert verification_report([row], forgotten)[1] == {CONFIRMED: 0, NOT_CONFIRMED: 0, UNDECIDED: 1}
    with pytest.raises(NotConfirmed, match="found 1 not confirmed"):
        require_confirmed(verification_report([{**row, "evidence": row["evidence"][:2]}], found)[1])


@pytest.mark.parametrize("sentence", SENTENCES)
def test_another_wording_leaves_the_proof_as_it_is(sentence: str) -> None:
    for one in all_cases():
        row, found = stored(one)
        others = {"sentence": sentence, "entity": sentence, "root_kind": sentence}
        assert verification_report([row | others], found) == verification_report([row], found)


def test_findings_of_the_sample_are_proved_by_their_facts(sample_answers: Answers) -> None:
    findings = sample_answers.findings()
    found = sample_answers.records([one for row in findings for one in row["evidence"]])
    known = [{name for name, value in row["facts"].items() if value is not None} for row in findings]
    assert all(one <= set(RULES[row["rule"]].facts) for one, row in zip(known, findings, strict=True))
    assert verification_report(findings, found)[1] == {CONFIRMED: 23, NOT_CONFIRMED: 0, UNDECIDED: 1}
    said = " ".join(" ".join(verification_report(findings, found)[0]).split())
    assert "+00:00" not in said and "until 2026-11-21 08:57:55.281 UTC" in said
    reworded = [row | {"sentence": "reworded"} for row in findings]
    assert verification_report(reworded, found) == verification_report(findings, found)


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
