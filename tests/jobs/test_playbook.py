"""Playbooks: what a page gives, how it stands on a terminal, and what the command says of what is not there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs import cli
from jobs.playbook import pages
from jobs.playbook.blocks import blocks, plain
from jobs.playbook.pages import page_of
from jobs.playbook.text import page_lines
from schemas.gold.finding import RULES

TEXT = """\
# outage

Partitions were without a leader, so that *nobody* could read or write
them.

**While it goes on:** Start broker **1**: `systemctl start kafka`.
**Once it is over:** Look at why it went with `show` F1.

## What to do
1. Ask which:
   ```
   bin/kafka-topics.sh --bootstrap-server localhost:9092 --describe --unavailable-partitions  # from 0.8.2
     --command-config x
   ```
2. Then wait, see [KIP-460](https://cwiki.apache.org/KIP-460).
   - not \\*too\\* long, a_b_c and 2 * 3 * 4

## What not to do
- `rm`: **no `rm -r x` here**, as what is in the directories of a log is nowhere else and is lost with them
"""


def test_a_page_gives_its_sentences_and_parts() -> None:
    found = page_of(TEXT, "outage")
    assert found.sentence == "Partitions were without a leader, so that nobody could read or write them."
    assert found.first_thing(is_open=True) == "Start broker 1: 'systemctl start kafka'."
    assert found.first_thing(is_open=False) == "Look at why it went with show F1."
    kinds = [(one.kind, one.mark, one.indent) for one in found.part("What to do")]
    assert kinds == [("item", "1.", 0), ("code", "", 3), ("item", "2.", 0), ("item", "-", 3)]
    assert [one.mark for one in found.part("What not to do")] == ["-"]
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
        "",
        "While it goes on: Start broker 1: 'systemctl start kafka'.",
        "Once it is over: Look at why it went with show F1.",
        "",
        "WHAT TO DO",
        "1. Ask which:",
        "     bin/kafka-topics.sh --bootstrap-server localhost:9092 --describe --unavailable-partitions  # from 0.8.2",
        "       --command-config x",
        "2. Then wait, see KIP-460",
        "   (https://cwiki.apache.org/KIP-460).",
        "   - not *too* long, a_b_c and 2 * 3 * 4",
        "",
        "WHAT NOT TO DO",
        "- rm: no 'rm -r x' here, as what is in the directories of a",
        "  log is nowhere else and is lost with them",
    ]


def test_marks_are_taken_off_and_nothing_else() -> None:
    for text in ("controller* and *.log", "a_b_c", "a \\ b", "<id>", "[x] (y)", "2 ** 3"):
        assert plain(text) == text
    assert plain("``a ` b``, `'x' y`") == "'a ` b', 'x' y"
    assert [one.kind for one in blocks("```\nnever\nclosed")] == ["code"]


@pytest.fixture
def one_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """There is one page, of unclean elections."""
    (tmp_path / "unclean_election.md").write_text(TEXT.replace("# outage", "# unclean_election"))
    monkeypatch.setattr(pages, "folder", lambda: tmp_path)
    pages.page.cache_clear()
    yield
    pages.page.cache_clear()


@pytest.mark.usefixtures("one_page", "sample_in_memory")
@pytest.mark.parametrize("name", ["unclean_election", "Unclean-Election", "F1"])
def test_the_command_prints_the_page(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["playbook", name]) == 0
    assert capsys.readouterr().out.startswith("unclean_election\n\nPartitions were without")


@pytest.mark.usefixtures("one_page", "sample_in_memory")
@pytest.mark.parametrize(
    ("name", "said"), [("outage", "a playbook of the rule outage, found none"), ("F99", "a finding F99")]
)
def test_what_has_no_page_is_said(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["playbook", name]) == 4
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("one_page")
def test_all_rules_are_listed_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["playbook"]) == 0
    listed = capsys.readouterr().out
    assert [line.strip() for line in listed.splitlines() if line.strip() in RULES] == [*RULES]
    assert listed.startswith("WHAT USERS FEEL\n  unclean_election\n      Partitions were without")
    assert listed.count("no page yet") == len(RULES) - 1


@pytest.mark.parametrize(
    ("name", "said"), [("outge", "a rule such as outage"), ("xyzzy", f"a rule of {', '.join(RULES)}")]
)
def test_a_wrong_name_is_answered_with_what_is_there(
    name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["playbook", name]) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and said in err
