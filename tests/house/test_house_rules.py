"""Rules that a program can see: no master in code, names that say something, tests that share no test."""

import ast

import pytest

from tests.house.source import python_files, short, tree_of

LIBRARY = ("jobs", "pipeline", "schemas")
EVERYTHING = (*LIBRARY, "tests")
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


def masters_in(tree: ast.AST) -> list[int]:
    """Lines that choose Spark's master or its jars: both belong to whoever submits."""
    found = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        first = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else ""
        is_fixed = node.func.attr in {"config", "set"} and str(first).startswith(
            ("spark.master", "spark.jars")
        )
        if is_fixed or node.func.attr == "master":
            found.append(node.lineno)
    return found


def test_no_master_and_no_jars_in_code() -> None:
    found = [f"{short(file)}:{line}" for file in python_files(*LIBRARY) for line in masters_in(tree_of(file))]
    assert not found, found


@pytest.mark.parametrize(
    "snippet", ["builder.master('local[2]')", "builder.config('spark.jars.packages', 'x')"]
)
def test_a_master_is_caught(snippet: str) -> None:
    assert masters_in(ast.parse(snippet)) == [1]


def test_modules_have_names_that_say_something() -> None:
    files = python_files(*EVERYTHING)
    found = [short(file) for file in files if {file.stem, file.parent.name} & NAMES_THAT_SAY_NOTHING]
    assert not found, found


def test_every_module_opens_with_one_sentence() -> None:
    modules = [(file, tree_of(file)) for file in python_files(*EVERYTHING)]
    found = [short(file) for file, tree in modules if tree.body and not ast.get_docstring(tree)]
    assert not found, found


def imported_tests(tree: ast.AST) -> list[str]:
    """Modules of tests that are imported: what tests share lies in a module of its own."""
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names]
    return [one for one in modules if one.startswith("tests.") and one.rpartition(".")[2].startswith("test_")]


def test_no_test_imports_a_test() -> None:
    found = {short(file): names for file in python_files("tests") if (names := imported_tests(tree_of(file)))}
    assert not found, found


def test_an_imported_test_is_caught() -> None:
    assert imported_tests(ast.parse("from tests.gold.test_x import y")) == ["tests.gold.test_x"]
