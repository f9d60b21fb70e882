"""Names of functions and classes say what they are: two words or more, each defined once (CONTRIBUTING.md, Words)."""

import ast
from collections import Counter
from collections.abc import Iterator

from tests.house.source import REPOSITORY

ROOMS = ("jobs", "pipeline", "schemas")
# Wired by their names, one a module.
WIRED = {"build", "find", "main", "prove"}
# Shares of all definitions, of all functions: they only go down.
MOST_DEFINED_TWICE, MOST_OF_ONE_WORD = 0.01, 0.01
# They say nothing of what they name.
BANNED = {
    "told",
    "said",
    "heard",
    "own",
    "given",
    "found",
    "one",
    "placed",
    "looked",
    "looking",
    "office",
    "stay",
    "stays",
}
BANNED |= {"tenure", "beside", "anew"}


def definitions() -> Iterator[ast.FunctionDef | ast.ClassDef]:
    for room in ROOMS:
        for path in (REPOSITORY / room).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and is_judged(node.name):
                    yield node


def is_judged(name: str) -> bool:
    return name not in WIRED and not name.startswith("_")


ALL = [*definitions()]


def test_a_name_is_defined_once() -> None:
    counts = Counter(node.name for node in ALL)
    twice = sorted(name for name, count in counts.items() if count > 1)
    assert sum(counts[name] for name in twice) <= MOST_DEFINED_TWICE * len(ALL), twice


def test_a_function_has_two_words() -> None:
    functions = [node.name for node in ALL if isinstance(node, ast.FunctionDef)]
    short = sorted(name for name in functions if "_" not in name)
    assert len(short) <= MOST_OF_ONE_WORD * len(functions), short


def test_no_name_has_a_word_that_says_nothing() -> None:
    assert sorted({node.name for node in ALL if BANNED & set(node.name.lower().split("_"))}) == []
