"""CHANGELOG.md and SECURITY.md say what is so."""

import ast
import re
import tomllib

import pytest

from jobs.cli import COMMANDS
from tests.house.source import REPOSITORY, python_files, short, tree_of

# What opens a connection, or listens for one.
OF_THE_NETWORK = re.compile(
    r"(urllib\.request|http\.(client|server)|socketserver|smtplib|ftplib|ssl|asyncio|requests|httpx|urllib3|aiohttp)\b"
)


def text_of(document: str) -> str:
    return (REPOSITORY / document).read_text(encoding="utf-8")


def imported(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{one.name}" for one in node.names}
    return found


def test_the_newest_changes_are_of_this_version() -> None:
    version = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    headings = re.findall(r"^## (\S+) \((unreleased|\d{4}-\d\d-\d\d)\)$", text_of("CHANGELOG.md"), re.M)
    assert headings[0][0] == version
    assert len(headings) == len(re.findall(r"^## ", text_of("CHANGELOG.md"), re.M))


@pytest.mark.parametrize("document", ["CHANGELOG.md", "SECURITY.md"])
def test_commands_files_and_settings_that_are_named_are_there(document: str) -> None:
    named = re.findall(r"`([^`]+)`", text_of(document))
    files = {one for one in named if re.fullmatch(r"[\w/-]+(/|\.(txt|md|yaml))", one)}
    assert not [one for one in files if not (REPOSITORY / one).exists()]
    listed = [line for line in text_of(document).splitlines() if re.match(r"- `\w+`[:,]", line)]
    commands = {one for line in listed for one in re.findall(r"`(\w+)`", line)}
    assert commands <= COMMANDS.keys()
    assert (document == "CHANGELOG.md") == bool(commands)


def test_what_talks_over_the_network_is_named_in_security() -> None:
    found = {
        short(file): names
        for file in python_files("jobs", "pipeline", "schemas")
        if (names := {one for one in imported(tree_of(file)) if OF_THE_NETWORK.match(one)})
    }
    assert not [one for one in found if f"`{one}`" not in text_of("SECURITY.md")], found


def test_an_import_of_the_network_is_seen() -> None:
    source = "import http.client\nfrom urllib.request import urlopen\nfrom urllib.parse import unquote\nimport socket"
    assert len([one for one in imported(ast.parse(source)) if OF_THE_NETWORK.match(one)]) == 2
