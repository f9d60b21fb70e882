"""What a shell completes, by the script that the command prints: asked of the shells themselves."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.cli import COMMANDS
from jobs.completion import completion_script
from jobs.questions.catalog import QUESTIONS
from tests.conftest import REPOSITORY

PROGRAM = "kafka-controller-audit"
# A shell that completes: sets what a press of TAB sets, calls what is registered for the program.
BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
$(complete -p kafka-controller-audit | sed 's/.*-F \\([^ ]*\\).*/\\1/') kafka-controller-audit "${@: -1}" "${@: -2:1}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / PROGRAM
    path.write_text(completion_script("bash"))
    return path


def completed(bash: Path, *words: str) -> list[str]:
    command = ["bash", "--norc", "-c", BASH, "bash", str(bash), PROGRAM, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.split()


def test_commands_and_questions_are_completed(bash: Path) -> None:
    assert set(completed(bash, "")) == {*COMMANDS, "help"}
    assert completed(bash, "outa") == ["outages"]
    assert completed(bash, "ask", "") == [*QUESTIONS]
    assert completed(bash, "help", "ter") == ["term", "terms"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("show", "--"), "--help --warehouse --cluster --run-id --format --schema"),
        (("ask", "why-leaderless", "--a"), "--at"),
        (("ask", "unclean", "--format", ""), "text json jsonl"),
        (("maintain", "--ret"), "--retain"),
        (("imbalance", "--lo"), "--logs"),
        (("imbalance", "--thr"), "--threshold"),
        (("findings", "--cluster", "x", "--format", "j"), "json jsonl"),
        (("nightly", "--fail-on", "c"), "critical"),
        (("incident", "x", "--ask", "why-l"), "why-leaderless"),
        (("completion", ""), "bash zsh fish"),
    ],
)
def test_options_and_choices_are_completed(bash: Path, words: tuple[str, ...], expected: str) -> None:
    assert completed(bash, *words) == expected.split()


def test_files_and_folders_are_completed(bash: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs.tgz").touch()
    given = f"{tmp_path}/lo"
    assert sorted(completed(bash, "incident", given)) == [f"{tmp_path}/logs", f"{tmp_path}/logs.tgz"]
    assert completed(bash, "findings", "--warehouse", given) == [f"{tmp_path}/logs"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_one_too(shell: str, tmp_path: Path) -> None:
    text = completion_script(shell)
    assert all(name in text for name in (*COMMANDS, *QUESTIONS))
    if shutil.which(shell):
        (tmp_path / "script").write_text(text)
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


def test_other_commands_do_not_load_it() -> None:
    asked = "import sys; from jobs.cli import command_of; command_of('show'); print('shtab' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], cwd=REPOSITORY, capture_output=True, check=True)
    assert done.stdout == b"False\n"
