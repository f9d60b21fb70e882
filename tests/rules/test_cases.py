"""What the lines of a case say is confirmed; one altered byte, or one altered fact, is not."""

from datetime import timedelta

import pytest

from pipeline.rules.order import RULE_NAMES
from pipeline.rules.proving.proof import CONFIRMED, NOT_CONFIRMED, Claim, Fact
from pipeline.rules.registry import RULES
from pipeline.rules.verified import verify_claim
from tests.rules.cases import Case, all_cases, cases_of, records, unshown

CASES = {f"{case.rule}: {case.name}": case for case in all_cases()}
CHANGED = [(name, *one) for name, case in CASES.items() for one in case.changed]
CLAIMED = [(name, *one) for name, case in CASES.items() for one in case.claimed]
# The records of a finding do not say when, or say it of another broker.
UNTIMED = {"standing_imbalance", "not_understood", "missing_logs"}
NUMBERS = (0, 1, 2, 1_000_000)


def altered(claim: Claim, name: str, value: Fact) -> Claim:
    return claim._replace(facts={**claim.facts, name: value})


@pytest.mark.parametrize("name", CASES)
def test_its_lines_prove_it_as_far_as_it_says(name: str) -> None:
    case = CASES[name]
    assert verify_claim(case.claim, records(*case.texts))[0] == case.proof


@pytest.mark.parametrize(("name", "old", "new", "why"), CHANGED)
def test_an_altered_record_is_not_confirmed(name: str, old: str, new: str, why: str) -> None:
    case = CASES[name]
    assert sum(old in text for text in case.texts) == 1
    changed = records(*(text.replace(old, new) for text in case.texts))
    outcome, sentence = verify_claim(case.claim, changed)
    assert outcome == NOT_CONFIRMED and why in sentence


@pytest.mark.parametrize(("name", "fact", "value", "why"), CLAIMED)
def test_a_fact_that_says_otherwise_is_not_confirmed(name: str, fact: str, value: Fact, why: str) -> None:
    case = CASES[name]
    outcome, sentence = verify_claim(altered(case.claim, fact, value), records(*case.texts))
    assert outcome == NOT_CONFIRMED and why in sentence


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_cases_carry_facts_that_the_rule_declares(rule: str) -> None:
    for case in cases_of(rule):
        assert case.claim.facts.keys() <= set(RULES[rule].facts), case.name


def others(value: Fact) -> list[Fact]:
    """Values of the same type."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, list) and isinstance(value[0], dict):
        return [[{"cause": "fault", "count": 1_000_000}]]
    if isinstance(value, list):
        return [[], *([one] for one in others(value[0]) if one not in value)]
    same: list[Fact] = [str(one) if isinstance(value, str) else one for one in NUMBERS]
    return [one for one in same if one != value]


def is_shown(case: Case, name: str) -> bool:
    """True if the records prove the claim no more with another value."""
    claims = [altered(case.claim, name, one) for one in others(case.claim.facts[name])]
    found = {verify_claim(claim, records(*case.texts))[0] for claim in claims}
    return not found <= {CONFIRMED, case.proof}


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_facts_are_proved_but_for_those_that_no_record_shows(rule: str) -> None:
    shown = {name for case in cases_of(rule) for name in case.claim.facts if is_shown(case, name)}
    assert set(RULES[rule].facts) - shown == unshown(rule)


@pytest.mark.parametrize("name", CASES)
def test_no_record_is_dispensable(name: str) -> None:
    texts = CASES[name].texts
    left = [records(*texts[:place], *texts[place + 1 :]) for place in range(len(texts))]
    assert CONFIRMED not in [verify_claim(CASES[name].claim, one)[0] for one in left]


@pytest.mark.parametrize("name", CASES)
def test_another_interval_is_not_confirmed(name: str) -> None:
    case = CASES[name]
    if case.rule not in UNTIMED:
        later = case.claim._replace(valid_from_at=case.claim.valid_from_at + timedelta(milliseconds=1))
        assert verify_claim(later, records(*case.texts))[0] == NOT_CONFIRMED
