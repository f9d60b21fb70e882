"""Every rule has a playbook of one form, which names commands, settings and tables as they are."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from jobs.cli import COMMANDS
from jobs.playbook.markdown import plain_markdown
from jobs.playbook.pages import GOES_ON, OVER, playbook_page
from jobs.playbook.text import CODE as INDENT
from jobs.playbook.text import page_lines
from jobs.settings.defaults import default_tree
from pipeline.catalog.tables import SPECS
from pipeline.rules.order import RULE_NAMES
from schemas.ops import run
from tests.deploy.given import PROGRAM, parsed
from tests.house.source import REPOSITORY

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode as Node

FILES = {one.parent.name: one for one in (REPOSITORY / "pipeline" / "rules").glob("*/*.md")}
TEXTS = {name: one.read_text(encoding="utf-8") for name, one in sorted(FILES.items())}
HEADINGS = ["What it means", "What to do", "What not to do", "How sure this is", "Source"]
MOST = 140  # characters of what is to be done first: it stands below each finding
# What stands for a value in commands.
GIVEN = {"TIME": "2026-11-21T08:00", "N": "1", "TOPIC": "t", "TOPIC-N": "t-1", "PATH...": "logs"}
# Of CommonMark: what the terminal and the page of `report` show as it is meant.
SHOWN = {"heading", "paragraph", "inline", "fence", "bullet_list", "ordered_list", "list_item"}
SHOWN |= {"text", "softbreak", "code_inline", "strong", "em", "link"}
SETTING = re.compile(
    r"(?<![\w.])(findings|known_findings|\w+(?=\.[a-z]+_))\.([a-z_]+)(?![\w.]*\.\w)`?(?: \((\d+)(?: (ms|s|min))?\))?"
)
OF_MS = {"ms": 1, "s": 1000, "min": 60_000}
TABLE = re.compile(r"\b(?:bronze|silver|gold|state|ops)\.[a-z_]+")


def test_every_rule_has_a_page_and_no_page_is_of_none() -> None:
    assert sorted(TEXTS) == sorted(RULE_NAMES)


@pytest.mark.parametrize("rule", TEXTS)
def test_a_page_is_of_the_form(rule: str) -> None:
    found = playbook_page(rule)
    assert found is not None
    title, sentence, first, *others = found.tree.children
    assert [plain_markdown(one) for one in (title, *others) if one.type == "heading"] == [rule, *HEADINGS]
    assert all(map(found.part, HEADINGS)) and found.part("What to do")[0].type != "fence"
    assert found.sentence == plain_markdown(sentence) and found.sentence.endswith(".")
    assert [f"{label}: {said}" for label, said in found.to_do.items()] == plain_markdown(first).split("\n")
    assert found.to_do.keys() <= {GOES_ON, OVER}
    said = [found.first_thing(is_open=is_open) for is_open in (True, False)]
    assert all(one and len(one) <= MOST and one.endswith(".") for one in said), said
    assert TEXTS[rule].count(":** ") == len(found.to_do)
    nodes = [*found.tree.walk(include_self=False)]
    assert {one.type for one in nodes} <= SHOWN
    assert all(one.children[0].type == "paragraph" for one in nodes if one.type == "list_item")
    prose = [
        line for one in nodes if one.type == "paragraph" for line in plain_markdown(one).split("\n")[:-1]
    ]
    assert not [line for line in prose if line[-1] not in ".:;!?)"], "a paragraph stands in one line"


@pytest.mark.parametrize("rule", TEXTS)
def test_a_page_stands_on_a_terminal_without_its_marks(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = playbook_page(rule)
    assert found is not None
    prose = [line for line in page_lines(found) if not line.startswith(" " * INDENT)]
    assert not [line for line in prose if re.search(r"\*\*|`|\]\(|\\", line)]
    assert not [line for line in prose if len(line) > 80 and " " in line.strip()]


def code_of(tree: "Node") -> Iterator[str]:
    """Lines of code, and code within lines."""
    for one in tree.walk():
        if one.type in ("fence", "code_inline"):
            yield from one.content.replace("\\\n", " ").splitlines()


@pytest.mark.parametrize("rule", TEXTS)
def test_commands_of_ours_are_there(rule: str) -> None:
    found = playbook_page(rule)
    assert found is not None
    named = [shlex.split(one, comments=True) for one in code_of(found.tree) if one.count("'") % 2 == 0]
    ours = [words[1:] for words in named if words[:1] == [PROGRAM]]
    ours += [words for words in named if words[1:] and words[0] in COMMANDS]
    for words in ours:
        parsed([GIVEN.get(one, one) for one in words])


@pytest.mark.parametrize("rule", TEXTS)
def test_settings_of_ours_are_there_with_their_defaults(rule: str) -> None:
    by_group: Mapping[str, Any] = default_tree()
    others = {one.name.partition(".")[0] for one in SPECS} | {"ops", "vm"}  # vm: settings of Linux
    for group, name, number, unit in SETTING.findall(TEXTS[rule]):
        if group in others:
            continue
        assert name in by_group.get(group, ()), f"{group}.{name}"
        if number:
            assert by_group[group][name] == int(number) * (OF_MS[unit] if unit else 1), f"{group}.{name}"


@pytest.mark.parametrize("rule", TEXTS)
def test_tables_that_are_named_are_there(rule: str) -> None:
    assert set(TABLE.findall(TEXTS[rule])) <= {one.name for one in (*SPECS, run.SPEC)}


def test_what_these_tests_find() -> None:
    text = "`findings.outage_ms` (1 s), kraft.broker_x and `zookeeper.session.timeout.ms`, findings. Then a.b"
    assert SETTING.findall(text) == [("findings", "outage_ms", "1", "s"), ("kraft", "broker_x", "", "")]
