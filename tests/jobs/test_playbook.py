"""Playbooks: what a page gives, how it stands on a terminal and beside findings, and what is said of what is not there."""

import csv
import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from jobs import cli
from jobs.engine.intake.discovery import Listing
from jobs.engine.run.request import RunRequest
from jobs.incident.screen import what_next
from jobs.layout import installed_command
from jobs.playbook.markdown import parse_markdown, plain_markdown
from jobs.playbook.pages import page_of, playbook_page, what_to_do
from jobs.playbook.text import page_lines
from jobs.questions.finding_lines import every_line, screen_finding_lines
from jobs.screen.facts import gather_facts
from jobs.screen.where_next import where_next
from jobs.settings.load import load_settings
from pipeline.catalog.tables import SPECS
from pipeline.rules.order import RULE_NAMES
from pipeline.views.reading.answers import Answers
from tests.conftest import REPOSITORY

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
TEXT = """\
# outage

Partitions were without a leader, so that nobody could read or write them.
*Nothing* is lost.

**While it goes on:** Start broker 1: `systemctl start kafka`.
**Once it is over:** Look at why it went with `show` F1.

## What to do
1. Ask which:
   ```
   bin/kafka-topics.sh --bootstrap-server localhost:9092 --describe --unavailable-partitions  # from 0.8.2
     --command-config x
   ```
2. Then wait, or [no_controller](no_controller.md), see [KIP-460](https://cwiki.apache.org/KIP-460).
   - not \\*too\\* long, a_b_c and 2 * 3 * 4

## What not to do
- `rm`: **no `rm -r x` here**, as what is in the directories of a log is nowhere else and is lost with them
"""


def test_a_page_gives_its_sentences_and_parts() -> None:
    found = page_of(TEXT, "outage")
    assert found.sentence == "Partitions were without a leader, so that nobody could read or write them."
    assert found.first_thing(is_open=True) == "Start broker 1: 'systemctl start kafka'."
    assert found.first_thing(is_open=False) == "Look at why it went with show F1."
    (steps,) = found.part("What to do")
    assert [[below.type for below in one.children] for one in steps.children] == [
        ["paragraph", "fence"],
        ["paragraph", "bullet_list"],
    ]
    assert [one.type for one in found.part("What not to do")] == ["bullet_list"]
    assert found.part("Source") == []


@pytest.mark.parametrize("label", ["While it goes on", "Once it is over"])
def test_where_there_is_one_line_it_is_of_both(label: str) -> None:
    found = page_of(f"# outage\n\nIt was.\n\n**{label}:** Do it.\n", "outage")
    assert found.first_thing(is_open=True) == found.first_thing(is_open=False) == "Do it."
    assert page_of("# outage\n\nIt was.\n", "outage").first_thing(is_open=True) is None


def test_a_page_wraps_and_what_is_to_be_pasted_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert page_lines(page_of(TEXT, "outage")) == [
        "outage",
        "",
        "Partitions were without a leader, so that nobody could read",
        "or write them.",
        "Nothing is lost.",
        "",
        "While it goes on: Start broker 1: 'systemctl start kafka'.",
        "Once it is over: Look at why it went with show F1.",
        "",
        "WHAT TO DO",
        "1. Ask which:",
        "     bin/kafka-topics.sh --bootstrap-server localhost:9092 --describe --unavailable-partitions  # from 0.8.2",
        "       --command-config x",
        "2. Then wait, or no_controller, see KIP-460",
        "   (https://cwiki.apache.org/KIP-460).",
        "   - not *too* long, a_b_c and 2 * 3 * 4",
        "",
        "WHAT NOT TO DO",
        "- rm: no 'rm -r x' here, as what is in the directories of a",
        "  log is nowhere else and is lost with them",
    ]


def test_marks_are_taken_off_and_nothing_else() -> None:
    for text in ("controller* and *.log", "a_b_c", "a \\ b", "<id>", "[x] (y)", "2 ** 3"):
        assert marks_off(text) == text
    assert marks_off("``a ` b``, `'x' y`") == "'a ` b', 'x' y"


def marks_off(text: str) -> str:
    (paragraph,) = parse_markdown(text).children
    return plain_markdown(paragraph)


def test_blank_lines_stay_and_lists_are_indented() -> None:
    text = "## a\n\n- b\n\n  c **d**\n  e\n\n  ~~~\n  f\n\n    g\n  ~~~\n- h\n  1) i\n\nj"
    lines = ["A", "", "- b", "", "  c d", "  e", "", "    f", "", "      g", "- h", "  1) i", "", "j"]
    assert page_lines(page_of(text, "outage")) == lines


def test_only_a_whole_page_loads_the_parser() -> None:
    asked = (
        "import sys; from jobs.cli import command_of; from jobs.playbook.pages import playbook_page\n"
        "for name in ('findings', 'incident', 'report'): command_of(name)\n"
        "assert playbook_page('outage').sentence and 'markdown_it' not in sys.modules\n"
        "print(playbook_page('outage').tree.type, 'markdown_it' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", asked], cwd=REPOSITORY, capture_output=True, check=True)
    assert done.stdout == b"root True\n"


def first_thing(rule: str, *, is_open: bool) -> str:
    """As its page says it, below a finding."""
    found = playbook_page(rule)
    assert found is not None
    return f"        do: {found.first_thing(is_open=is_open)}"


@pytest.mark.usefixtures("sample_in_memory")
@pytest.mark.parametrize("name", ["unclean_election", "Unclean-Election", "F1"])
def test_the_command_prints_the_page(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["playbook", name]) == 0
    said = capsys.readouterr().out
    assert said.startswith("unclean_election\n\nA replica that was not in sync was made leader")
    assert "From logs alone: incident PATH... --show F1" in " ".join(said.split())


@pytest.mark.usefixtures("sample_in_memory")
def test_a_finding_that_is_not_there_has_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["playbook", "F99"]) == 4
    assert "a finding F99" in capsys.readouterr().err


def test_all_rules_are_listed_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["playbook"]) == 0
    listed = capsys.readouterr().out
    assert [line.strip() for line in listed.splitlines() if line.strip() in RULE_NAMES] == [*RULE_NAMES]
    assert listed.startswith("WHAT USERS FEEL\n  unclean_election\n      A replica that was not in sync")


def finding(severity: str, until: datetime | None, rule: str = "unclean_election") -> dict[str, Any]:
    return {
        "rule": rule, "status": "new", "severity": severity, "certainty": "proved", "sentence": "s", "evidence": [],
        "suppressed_by": None, "valid_from_at": AT, "valid_until_at": until, "facts": {},
    }  # fmt: skip


def test_what_to_do_of_alike_findings_stands_once() -> None:
    lines = screen_finding_lines([finding("warning", AT), finding("warning", AT)], {}, AT)
    assert [line[:7].rstrip() for line in lines] == ["WARN F1", "WARN F2", "", ""]
    assert lines[2] == first_thing("unclean_election", is_open=False)[: len(lines[2])]


def test_a_finding_ends_with_what_to_do() -> None:
    goes_on, over = (first_thing("outage", is_open=one) for one in (True, False))
    assert goes_on != over
    findings = [
        finding("critical", None, "outage"),
        finding("warning", AT, "outage"),
        finding("info", AT, "outage"),
        finding("warning", AT, "of_a_later_release"),
    ]
    lines = screen_finding_lines(findings, {}, AT)
    assert [line for line in lines if line.startswith("  ")] == [goes_on, over]
    assert [line[:7] for line in lines] == [
        "CRIT F1",
        goes_on[:7],
        "WARN F2",
        over[:7],
        "INFO F3",
        "WARN F4",
        "",
    ]
    assert every_line(findings[:1], {}, AT)[-1] == goes_on


@pytest.mark.usefixtures("sample_in_memory")
def test_all_of_a_finding_is_shown_with_its_playbook(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "F1"]) == 0
    shown, first = capsys.readouterr().out, what_to_do("unclean_election", is_open=False)
    assert first and f"\n  WHAT TO DO  {first[:40]}" in shown
    assert shown.endswith(f"    $ {installed_command()} playbook unclean_election\n")
    assert cli.main(["findings", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told[0]["what_to_do"] == first
    assert cli.main(["findings", "--format", "csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert rows[0]["what_to_do"] == first


def test_the_screen_names_the_playbook_of_the_first_finding(sample_answers: Answers) -> None:
    facts = gather_facts(sample_answers, {one.name: "1 a" for one in SPECS}, 0)
    request = RunRequest("nightly", "w", "c", lambda: Listing([]), load_settings(None, {}, {}, None))
    named = "playbook unclean_election"
    assert any(line.endswith(f"kafka-controller-audit {named}") for line in where_next(request, "w/c", facts))
    assert what_next(facts)[-1] == f"        {installed_command()} {named}"
    later = replace(facts, findings=[facts.findings[0] | {"rule": "of_a_later_release"}])
    assert "playbook" not in "".join([*where_next(request, "w/c", later), *what_next(later)])


@pytest.mark.parametrize(
    ("name", "said"), [("outge", "a rule such as outage"), ("xyzzy", f"a rule of {', '.join(RULE_NAMES)}")]
)
def test_a_wrong_name_is_answered_with_what_is_there(
    name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["playbook", name]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and said in err
