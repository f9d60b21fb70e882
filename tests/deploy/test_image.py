"""The images: what they copy is there and no more, nobody runs as root, and a read-only root is enough."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path, PurePosixPath

import pytest

from hatch_build import BELOW, COPIED, PACKAGE
from jobs.preflight import PYTHONS
from tests.conftest import REPOSITORY
from tests.deploy.given import DEPLOY, PROGRAM, checked, parsed, text_of
from tests.jobs.conftest import SAMPLE

DOCKERFILE = "Dockerfile"
TARGETS = ("questions", "nightly")
# No network, and a file system that takes no byte but below $1: what a container with a read-only root has.
READ_ONLY = """
mount --make-rprivate / && mount -t tmpfs tmpfs "$1" && mount -o remount,bind,ro / && shift && exec "$@"
"""


def stages() -> dict[str, list[tuple[str, str]]]:
    """Instructions of each stage, by its name."""
    found: dict[str, list[tuple[str, str]]] = {}
    lines = [line for line in text_of(DOCKERFILE).splitlines() if not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found[name] = [*found.get(base, ())]
        if word:
            found[name].append((word, rest))
    return found


def last(target: str, word: str) -> str:
    return [rest for name, rest in stages()[target] if name == word][-1]


def test_hadolint_has_nothing_against_it() -> None:
    checked("hadolint", str(DEPLOY / DOCKERFILE))


def test_what_is_copied_is_there_and_reaches_the_builder() -> None:
    whole = {(word, rest) for own in stages().values() for word, rest in own}
    named = {
        one for word, rest in whole if word == "COPY" and "--from" not in rest for one in rest.split()[:-1]
    }
    assert not [one for one in named if not (REPOSITORY / one).exists()]
    ignored = [line for line in text_of("Dockerfile.dockerignore").splitlines() if not line.startswith("#")]
    assert ignored[0] == "*" and {line[1:] for line in ignored if line.startswith("!")} == named
    build = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    sources = build["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {*BELOW, *sources} <= named


@pytest.mark.parametrize("target", TARGETS)
def test_nobody_is_root_and_what_is_started_is_a_command(target: str) -> None:
    user, _, group = last(target, "USER").partition(":")
    assert int(user) == int(group) > 0
    assert f"useradd --uid {user} " in last(target, "RUN")
    words: list[str] = json.loads(last(target, "CMD"))
    assert json.loads(last(target, "ENTRYPOINT")) == [PROGRAM] and words[-1] == "--help"
    if target == "nightly":
        parsed([*words[:-1], "--logs", "/logs"])


def test_every_stage_stands_on_one_python_that_the_jobs_run_on() -> None:
    pythons = set(re.findall(r"^FROM python:(\S+)-slim-(\S+)", text_of(DOCKERFILE), re.M))
    assert len(pythons) == 1
    number, _ = pythons.pop()
    assert tuple(map(int, number.split("."))) in PYTHONS
    assert set(re.findall(r"openjdk-(\d+)-jre", text_of(DOCKERFILE))) <= {"17", "21"}


def test_jars_lie_where_a_session_looks_for_them() -> None:
    beside = ".".join((PACKAGE, *PurePosixPath(COPIED["conf"]).parent.parts))
    (run,) = [rest for word, rest in stages()["packages-of-nightly"] if "warm_up" in rest]
    assert f'files("{beside}")' in run and '/jars" ' in run


def test_a_read_only_root_is_enough(tmp_path: Path) -> None:
    """Of what asks no Spark: logs in, an answer out, and nothing left in the folder for temporary files."""
    alone = ["unshare", "--mount", "--net", "bash", "-c", READ_ONLY, "bash", str(tmp_path)]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no right to mount here")
    written = subprocess.run([*alone, "touch", str(tmp_path.parent / "x")], capture_output=True, check=False)
    assert b"Read-only file system" in written.stderr
    log = SAMPLE / "lab-2.2.2" / "broker-1" / "controller.log"
    ask = ["-m", "jobs", "incident"]
    environ = os.environ | {"TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    shell = ["bash", "-c", '"$@" && echo LEFT && ls -A "$TMPDIR"', "bash", sys.executable, *ask, str(log)]
    done = subprocess.run(
        [*alone, *shell], env=environ, cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "VERDICT" in done.stdout and done.stdout.endswith("\nLEFT\n")


@pytest.mark.parametrize("target", TARGETS)
def test_the_documents_run_commands_that_are_there(target: str) -> None:
    lines = (
        (REPOSITORY / "docs" / "operate" / "deploy.md")
        .read_text(encoding="utf-8")
        .replace("\\\n", " ")
        .splitlines()
    )
    image = f"{PROGRAM}:{target}"
    (words,) = [shlex.split(line) for line in lines if line.startswith("docker run ") and image in line]
    assert parsed(words[words.index(image) + 1 :])
    (room,) = [after for one, after in pairwise(words) if one == "--tmpfs"]
    assert "--read-only" in words and ("exec" in room) == (target == "nightly")
