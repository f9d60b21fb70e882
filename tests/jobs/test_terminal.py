"""What stands on a terminal: colours for severities only, and never through a pipe."""

import io
import os
import subprocess
import sys

import pytest

from jobs import cli, start
from jobs.terminal import PLAIN, RED, YELLOW, colour_line, print_lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("CRIT F1 unclean", f"{RED}CRIT{PLAIN} F1 unclean"),
        ("WARN F2 CRIT", f"{YELLOW}WARN{PLAIN} F2 CRIT"),
        ("VERDICT  NOT OK: 1 critical", f"{RED}VERDICT  NOT OK{PLAIN}: 1 critical"),
        ("VERDICT  nothing found", "VERDICT  nothing found"),
        ("  CRIT", "  CRIT"),
        ("my lab  NOT OK  1  2", f"my lab  {RED}NOT OK{PLAIN}  1  2"),
        ("lab  NO EVIDENCE  ?  ?", f"lab  {YELLOW}NO EVIDENCE{PLAIN}  ?  ?"),
        ("lab  nothing found  0  0", "lab  nothing found  0  0"),
        ("CRITERIA", "CRITERIA"),
    ],
)
def test_the_word_that_tells_how_bad_it_is_has_a_colour(line: str, expected: str) -> None:
    assert colour_line(line) == expected


@pytest.mark.parametrize(
    ("stream", "no_color", "expected"),
    [
        (Terminal(), "", f"{RED}CRIT{PLAIN} a.b\n"),
        (Terminal(), "1", "CRIT a.b\n"),
        (io.StringIO(), "", "CRIT a.b\n"),
    ],
    ids=["terminal", "NO_COLOR", "pipe"],
)
def test_colours_are_for_terminals(
    stream: io.StringIO, no_color: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", stream)
    print_lines(["CRIT a\x1bb".replace("\x1b", "\x07")])
    assert stream.getvalue().replace("·", ".") == expected


def test_an_interrupt_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("jobs.questions.status.main", stopped)
    monkeypatch.setattr("logging.disable", lambda: None)
    assert cli.main(["status"]) == 130
    assert capsys.readouterr().err == "status: interrupted, nothing was changed\n"


def test_an_interrupt_while_modules_are_loaded_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupts:
        def find_spec(self, *_: object) -> None:
            raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "jobs.cli")
    monkeypatch.setattr(sys, "meta_path", [Interrupts()])
    monkeypatch.setattr(sys, "argv", ["kafka-controller-audit", "status"])
    assert start.main() == 130
    assert capsys.readouterr().err == "status: interrupted, nothing was changed\n"


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["--version"], "kafka-controller-audit "),
        (["help", "status"], "usage: kafka-controller-audit"),
    ):
        with pytest.raises(SystemExit) as ended:
            cli.main(words)
        assert ended.value.code == 0
        assert capsys.readouterr().out.startswith(said)


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    """As head does; of the whole process, as what is left in the buffer is written when it ends."""
    reader, writer = os.pipe()
    os.close(reader)
    found = subprocess.run(
        [sys.executable, "-m", "jobs", "ask"], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (found.returncode, found.stderr) == (141, b"")
