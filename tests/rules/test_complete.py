"""Emitted = declared = proved = documented = has cases: a rule that lacks one of them fails by name."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.rules.order import RULE_NAMES
from pipeline.rules.registry import LIMITS, OF_LIMITS, RULES
from pipeline.rules.rule import LEAST
from pipeline.rules.verified import proof_of
from pipeline.rules.views import parameters
from schemas.gold.finding import FACTS, SEVERITIES
from tests.chain import ORDER, built
from tests.lab import READ, folder_of, records
from tests.rules.cases import FOLDER, cases_of

OF_ALL = {"shared", "proving"}
FOLDERS = sorted(
    one.name for one in FOLDER.iterdir() if (one / "__init__.py").is_file() and one.name not in OF_ALL
)
LABS = ("2.2.2-zk-stock", "4.3.1-kraft-combined-trace")
MORE_LABS = (
    "0.11.0.3-zk-stock",
    "3.9.1-zk-moves",
    "3.9.2-kraft-migration-stock",
    "4.0.0-kraft-combined-moves",
)


def test_each_folder_is_in_the_list_and_each_name_has_a_folder() -> None:
    assert sorted(RULE_NAMES) == FOLDERS


@pytest.mark.parametrize("name", FOLDERS)
def test_a_rule_has_all_of_its_parts(name: str) -> None:
    rule = import_module(f"pipeline.rules.{name}.rule").RULE
    assert rule.name == name
    assert rule.version > 0
    assert rule.severities and set(rule.severities) <= set(SEVERITIES)
    assert set(rule.facts) <= set(FACTS)
    assert set(rule.after) | set(rule.absorbed) <= set(RULE_NAMES)
    assert proof_of(name).__name__ == "prove"
    assert (FOLDER / name / "playbook.md").read_text(encoding="utf-8").startswith(f"# {name}\n")
    assert any(case.changed for case in cases_of(name)) or all(not case.texts[1:] for case in cases_of(name))


def test_each_fact_belongs_to_a_rule() -> None:
    assert sorted(FACTS) == sorted({fact for rule in RULES.values() for fact in rule.facts})


@pytest.mark.parametrize("name", FOLDERS)
def test_its_limits_are_used_and_documented(name: str) -> None:
    """By find or absorb, as their parameters, or by a table that find reads."""
    rule = RULES[name]
    taken = {*rule.inputs, *(parameters(rule.absorb) if rule.absorb else ())}
    by_tables = [
        one for one in rule.inputs if one in BY_SHORT_NAME and OF_LIMITS in BY_SHORT_NAME[one].inputs
    ]
    declared = {one.name for one in rule.limits}
    assert taken & LIMITS.keys() <= declared
    assert declared <= taken or by_tables
    page = (FOLDER / name / "playbook.md").read_text(encoding="utf-8")
    assert [one for one in declared if f"`findings.{one}`" not in page] == []
    for one in rule.limits:
        assert one is LIMITS[one.name], "a limit of several rules is declared once, in rules/shared/limits.py"
        assert one.name.endswith(f"_{one.unit}") or one.unit == "times"
        assert one.default >= LEAST[one.unit] and one.meaning.endswith(".")


@pytest.mark.parametrize("lab", [*LABS, *(pytest.param(one, marks=pytest.mark.soak) for one in MORE_LABS)])
def test_what_is_emitted_is_declared(lab: str, shared: Path) -> None:
    found: list[dict[str, Any]] = built(records(folder_of(shared, lab), (*READ, "server")), *ORDER)[
        "finding"
    ].to_dicts()
    assert found
    for row in found:
        rule = RULES[row["rule"]]
        assert row["severity"] in rule.severities, rule.name
        assert {name for name, value in row["facts"].items() if value is not None} <= set(rule.facts), (
            rule.name
        )


@pytest.mark.parametrize("name", FOLDERS)
def test_a_rule_imports_no_other_rule(name: str) -> None:
    """What two rules share lies in shared, what two proofs share in proving."""
    modules = [one.read_text(encoding="utf-8") for one in (FOLDER / name).glob("*.py")]
    imported = {one for text in modules for one in re.findall(r"^from pipeline\.rules\.(\w+)\.", text, re.M)}
    assert imported <= {name, *OF_ALL}
