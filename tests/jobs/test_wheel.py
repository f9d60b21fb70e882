"""The wheel: one package at the top, which answers as the checkout does, without Spark and wherever it lies."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import polars
import pytest

from hatch_build import BELOW, COPIED, PACKAGE, below
from jobs.cli import COMMANDS
from jobs.playbook.text import rule_lines
from jobs.preflight import PYTHONS
from pipeline.catalog.knowledge import forms_fingerprint, knowledge_fingerprint
from tests.conftest import REPOSITORY
from tests.golden import WHOLE, write_logs

# -I and -S: neither the working folder nor what is installed for development is found, only what is named here.
ASKED = f"""
import sys
sys.path += sys.argv[1:3]
sys.modules.update(dict.fromkeys(("pyspark", "py4j", "delta")))
from {PACKAGE}.jobs.cli import main
from {PACKAGE}.pipeline.catalog.knowledge import forms_fingerprint, knowledge_fingerprint
code = main(["incident", sys.argv[3]])
print(knowledge_fingerprint(), forms_fingerprint(), code)
main(["playbook"])
main(["playbook", "outage"])
for command in sys.argv[4:]:
    try:
        code = main([command, "--help"])
    except SystemExit as ended:
        code = ended.code
    print("EXIT", command, code)
print("OTHERS", set({BELOW!r}) & sys.modules.keys())
"""


def built(source: Path, folder: Path) -> Path:
    """The wheel of a checkout or of an sdist."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(folder), str(source)], check=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(REPOSITORY, tmp_path_factory.mktemp("wheel"))


def content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_says_what_it_is(wheel: Path) -> None:
    (told,) = [text for name, text in content(wheel).items() if name.endswith("METADATA")]
    said = Parser().parsestr(told.decode())
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (said["Version"], said["License-Expression"]) == (declared["version"], "Apache-2.0")
    assert said["Description-Content-Type"] == "text/markdown"
    assert str(said.get_payload()).strip() == (REPOSITORY / "README.md").read_text(encoding="utf-8").strip()
    pythons = {one.rpartition(" ")[2] for one in said.get_all("Classifier", ()) if "Python :: 3." in one}
    assert pythons == {f"{major}.{minor}" for major, minor in PYTHONS}


def test_its_version_is_written_once() -> None:
    version = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    look = [
        "git",
        "grep",
        "--name-only",
        "--extended-regexp",
        f"(audit|audit:|version)[-= ]+{re.escape(version)}",
    ]
    named = [*BELOW, "deploy", "conf", "Makefile", "README.md", "hatch_build.py", "CONTRIBUTING.md"]
    done = subprocess.run([*look, "--", *named], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")  # 1: nothing was found


def test_an_sdist_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    make = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(tmp_path)]
    subprocess.run(make, cwd=REPOSITORY, capture_output=True, check=True)
    (source,) = tmp_path.glob("*.tar.gz")
    assert content(built(source, tmp_path / "wheel")) == content(wheel)


def test_it_has_one_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (told,) = [name for name in names if name.endswith("entry_points.txt")]
        assert f"= {PACKAGE}.jobs.start:main" in archive.read(told).decode()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {PACKAGE}
    assert {name.partition("/")[0] for name in names} == {PACKAGE, told.partition("/")[0]}
    data = {
        path.relative_to(REPOSITORY).as_posix()
        for name in BELOW
        for kind in ("*.tsv", "*.css", "*.js")
        for path in (REPOSITORY / name).rglob(kind)
    }
    assert data and {f"{PACKAGE}/{name}" for name in data} <= set(names)
    copies = {
        f"{PACKAGE}/{place}/{path.name}"
        for source, place in COPIED.items()
        for path in (REPOSITORY / source).iterdir()
    }
    assert copies and copies <= set(names)


def test_it_answers_as_the_checkout(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not unpacked, as executors import it from a zip."""
    packages, logs = str(Path(polars.__file__).parents[1]), tmp_path / "logs"
    write_logs(logs, WHOLE)
    command = [sys.executable, "-I", "-S", "-c", ASKED, str(wheel), packages, str(logs), *COMMANDS]
    plain = {name: value for name, value in os.environ.items() if "SPARK" not in name}
    done = subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "VERDICT  NOT OK: 2 critical, 1 warning" in done.stdout
    assert f"{knowledge_fingerprint()} {forms_fingerprint()} 0\n" in done.stdout
    codes = dict(line.split()[1:] for line in done.stdout.splitlines() if line.startswith("EXIT "))
    assert set(codes) == set(COMMANDS) and set(codes.values()) == {"0", "3"}
    monkeypatch.chdir(tmp_path)  # commands are named as they can be pasted there
    assert " ".join("\n".join(rule_lines()).split()) in " ".join(done.stdout.split())
    assert "\noutage\n\nOne event left partitions" in done.stdout
    assert codes["show"] == codes["ask"] == "0" and codes["maintain"] == "3"
    assert done.stdout.endswith("OTHERS set()\n")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from jobs.a import b", f"from {PACKAGE}.jobs.a import b"),
        ("from schemas import b", f"from {PACKAGE}.schemas import b"),
        ("if x:\n    from pipeline.a import (\n        b,\n    )", None),
        ("from jobsite import b", "from jobsite import b"),
        ('"""\nfrom jobs.a import b\n"""', '"""\nfrom jobs.a import b\n"""'),
    ],
)
def test_imports_are_rewritten_and_nothing_else(source: str, expected: str | None) -> None:
    wanted = source.replace("from pipeline", f"from {PACKAGE}.pipeline") if expected is None else expected
    assert below(source.encode(), Path("x.py")) == wanted.encode()


@pytest.mark.parametrize(
    "source", ["import jobs", "import os, pipeline.core", "from . import b", "x = 1; from jobs import a"]
)
def test_an_import_that_is_not_rewritten_breaks_the_build(source: str) -> None:
    with pytest.raises(ValueError, match=r"x\.py:1"):
        below(source.encode(), Path("x.py"))
