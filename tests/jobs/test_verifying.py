"""Findings are proved again from bytes alone: what their lines say is confirmed, one altered byte is not."""

from collections import Counter
from datetime import timedelta

import pytest

from jobs import cli
from jobs.proof import CONFIRMED, NOT_CONFIRMED, UNDECIDED
from jobs.verify import report, require_confirmed
from jobs.verifying import RULES, verified
from pipeline.core.errors import NotConfirmed
from tests.jobs import (
    broker_findings_said,
    election_findings_said,
    findings_said,
    partition_findings_said,
    term_findings_said,
)
from tests.jobs.finding_records import REFUSED
from tests.jobs.findings_said import records

STORIES = (
    findings_said,
    term_findings_said,
    partition_findings_said,
    broker_findings_said,
    election_findings_said,
)
CASES = {name: case for one in STORIES for name, case in one.CASES.items()}
ALTERED = [each for one in STORIES for each in one.ALTERED]
SAID_WRONGLY = [each for one in STORIES for each in one.SAID_WRONGLY]
# When the broker asked stands in a record that the finding does not name.
UNTIMED = {"standing_imbalance", "not_understood", "unclean_shutdown"}


def test_every_rule_has_a_case() -> None:
    assert {claim["rule"] for claim, _, _ in CASES.values()} == set(RULES)
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


@pytest.mark.parametrize(("case", "old", "new", "why"), SAID_WRONGLY)
def test_a_sentence_that_says_otherwise_is_not_confirmed(case: str, old: str, new: str, why: str) -> None:
    claim, texts, _ = CASES[case]
    outcome, sentence = verified({**claim, "sentence": claim["sentence"].replace(old, new)}, records(*texts))
    assert outcome == NOT_CONFIRMED and why in sentence


@pytest.mark.parametrize("case", CASES)
def test_no_record_is_dispensable(case: str) -> None:
    claim, texts, _ = CASES[case]
    left = [records(*texts[:place], *texts[place + 1 :]) for place in range(len(texts))]
    assert [verified(claim, one)[0] == CONFIRMED for one in left] == [False] * len(texts)


def test_another_interval_is_not_confirmed() -> None:
    timed = [one for one in CASES.values() if one[0]["rule"] not in UNTIMED]
    shift = timedelta(milliseconds=1)
    later = [({**claim, "valid_from_at": claim["valid_from_at"] + shift}, texts) for claim, texts, _ in timed]
    assert {verified(claim, records(*texts))[0] for claim, texts in later} == {NOT_CONFIRMED}


def test_local_times_count_in_the_zone_of_the_file() -> None:
    claim, texts, _ = CASES["controller_outlived"]
    hour = timedelta(hours=1)
    local = {**claim, **{name: claim[name] - hour for name in ("valid_from_at", "valid_until_at")}}
    there = [one._replace(zone="Europe/Berlin") for one in records(*texts)]
    assert verified(local, there)[0] == CONFIRMED and verified(claim, there)[0] == NOT_CONFIRMED
    twice = [one._replace(raw=(one.raw or b"").replace(b"11-21 09", b"10-25 02")) for one in there]
    assert verified(local, twice)[0] == UNDECIDED
    with_offset = [one._replace(raw=(one.raw or b"").replace(b"] ", b"+01:00] ", 1)) for one in there]
    assert verified(local, with_offset)[0] == CONFIRMED


def test_what_the_records_do_not_tell_is_not_decided() -> None:
    claim, texts, _ = CASES["refused_move"]
    done = REFUSED.partition(" failed")[0].replace(
        "Controller 2 epoch 8 initiated state change", "Changed state"
    )
    illegal = {**claim, "rule": "illegal_move", "sentence": claim["sentence"].replace("refused", "made")}
    assert "legal from 2.3 on" in verified(illegal, records(done))[1]
    old = done.replace("[Controller id=2 epoch=8] Changed", "Controller 2 epoch 8 changed")
    assert verified(illegal, records(old))[0] == CONFIRMED
    claim, texts, _ = CASES["discontinuity"]
    above = records(*(text.replace("TRACE", "INFO") for text in texts))
    assert verified(claim, above)[0] == UNDECIDED
    assert verified(claim, [one._replace(raw=None) for one in above])[0] == UNDECIDED
    assert verified({**claim, "rule": "new_rule"}, above)[0] == UNDECIDED


def test_the_report_says_which_and_how_many() -> None:
    claim, texts, _ = CASES["no_controller"]
    places = [{"file_id": "f", "byte_offset": one} for one in range(len(texts))]
    row = {**claim, "finding_id": "aa11", "evidence": places}
    known = {"path": "c.log", "node_id": None, "zone": "UTC"}
    stored = {("f", place): known | {"raw": text.encode()} for place, text in enumerate(texts)}
    lines, counts = report([row], stored)
    assert lines[0].startswith("aa11  no_controller  confirmed: last line 2026-11-21 08:57:45.839")
    assert lines[1] == "FINDINGS  1: 1 confirmed, 0 not confirmed, 0 cannot be decided"
    require_confirmed(counts)
    forgotten = {place: one for place, one in stored.items() if place != ("f", 1)}
    assert report([row], forgotten)[1] == {CONFIRMED: 0, NOT_CONFIRMED: 0, UNDECIDED: 1}
    with pytest.raises(NotConfirmed, match="found 1 not confirmed"):
        require_confirmed(report([{**row, "evidence": places[:2]}], stored)[1])


@pytest.mark.spark
def test_findings_of_the_sample_are_confirmed(
    sample_warehouse: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["verify", "--warehouse", sample_warehouse]) == 0
    *lines, total = capsys.readouterr().out.splitlines()
    assert total == "FINDINGS  22: 21 confirmed, 0 not confirmed, 1 cannot be decided"
    assert Counter(line.split("  ")[1] for line in lines) == {
        "unclean_election": 1,
        "outage": 15,
        "controller_powerless": 1,
        "controller_outlived": 1,
        "broker_flapping": 2,
        "blocked_deletion": 2,
    }
    assert "1 was away from 2026-11-21 08:59:26.395" in lines[0]
    assert "put off 2026-11-21 09:00:21.702" in lines[-1]
