"""Lines hold the width of what shows them; nothing is lost, and what proves stays whole."""

import shutil

import pytest

from jobs import cli
from jobs.layout import command_lines, format_table, screen_width, wrap_text
from jobs.questions.catalog import QUESTIONS
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.log_folder import folder_of, path_below
from tests.jobs.asking import words_of

# Of the last two the sample in memory has no table.
ASKED = sorted(QUESTIONS.keys() - {"runs", "compare-nights"})
COMMANDS = (
    "findings", "show F3", "status", "verify", "context --partitions", "ask what-happened --around 5s",
    "imbalance --at 09:00:13", "ask", *(" ".join(["ask", *words_of(name)]) for name in ASKED),
)  # fmt: skip


def may_be_long(line: str) -> bool:
    """A line of a log, a path, or the command that shows it."""
    words = line.split()
    return words[0] in ("[2026-11-21", "$") or len(words) == 1 or words[:2] == ["logs", "in"]


@pytest.mark.usefixtures("sample_in_memory")
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_hold_80_columns_and_lose_nothing(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {}
    for width in ("80", "1000"):
        monkeypatch.setenv("COLUMNS", width)
        assert cli.main(command.split()) == 0
        said[width] = capsys.readouterr().out
    lines = said["80"].splitlines()
    assert [line for line in lines if len(line) > 80 and not may_be_long(line)] == []
    assert sorted(said["80"].split()) == sorted(said["1000"].split())


def test_the_width_is_what_columns_says_else_80(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert screen_width() == 60
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr(shutil.os, "get_terminal_size", lambda _: (_ for _ in ()).throw(OSError))  # type: ignore[attr-defined]
    assert screen_width() == 80


def test_items_numbers_and_long_words_are_not_torn_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert wrap_text(f"{'a' * 42}  12 of 15 records | 3 files", 2) == [
        "a" * 42,
        "  12 of 15 records | 3 files",
    ]
    assert wrap_text("x" * 56 + " 12 s, broker 3") == ["x" * 56, "    12 s, broker 3"]
    assert wrap_text("a b\x1b " + "p" * 70) == ["a b·", "    " + "p" * 70]
    assert wrap_text("a\x00b" * 20) == ["a·b" * 20]


def test_a_table_that_is_too_wide_stands_in_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert format_table(("A", "", "B"), [("1", "", "2")]) == ["A  B", "1  2"]
    wide = ("n" * 30, "m" * 30, "")
    assert format_table(("NAME", "more", ""), [wide, ("a", "", "x")]) == [
        "NAME", "    more", "n" * 30, "    " + "m" * 30, "a", "    " + " " * 32 + "x",
    ]  # fmt: skip
    assert format_table(("NAME", "why"), [("n" * 52, "so it is")]) == [
        f"{'NAME':<52}  why", f"{'n' * 52}  so it", " " * 54 + "is",
    ]  # fmt: skip


def test_a_command_that_goes_on_can_be_pasted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    words = ["kafka-controller-audit", "show F1", "--warehouse w", "--cluster " + "c" * 20]
    assert command_lines(words, "NEXT   ", 9) == [
        "NEXT   kafka-controller-audit show F1 --warehouse w \\",
        "         --cluster " + "c" * 20,
    ]


@pytest.mark.parametrize(
    ("paths", "folder", "near"),
    [
        (["/l/b1/c.log", "/l/b2/c.log"], "/l", "b1/c.log"),
        (["/a/b1/c.log", "/b/b1/c.log"], "", "/a/b1/c.log"),
        (["/l/a/b1/c.log", "/l/b/b1/c.log"], "/l", "a/b1/c.log"),
        (["/l/b/c.log", "/l/b-1/c.log"], "/l", "b/c.log"),
        (["/l/x.tgz!b1/c.log", "/l/x.tgz!b2/c.log"], "/l", "x.tgz!b1/c.log"),
        (["s3://a/c.log", "s3://b/c.log"], "", "s3://a/c.log"),
        (["s3://a/l/c.log", "s3://a/m/c.log"], "s3://a", "l/c.log"),
        (["stdin!a", "stdin!b"], "", "stdin!a"),
    ],
)
def test_the_folder_of_all_logs_is_said_once(paths: list[str], folder: str, near: str) -> None:
    assert folder_of(paths) == folder
    assert path_below(paths[0], folder) == near
    assert len({path_below(path, folder) for path in paths}) == len(paths)


def test_paths_of_json_are_whole(sample_in_memory: Answers) -> None:
    places = [place for one in sample_in_memory.findings()[:1] for place in one["evidence"]]
    for found in sample_in_memory.lines(places).values():
        assert found["path"].endswith(f"/{found['near']}") or found["path"] == found["near"]
