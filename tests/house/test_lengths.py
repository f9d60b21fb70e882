"""Files and functions that are longer than they should be: there are only ever fewer (CONTRIBUTING.md)."""

import ast

from tests.house.source import python_files, short, tree_of

ROOMS = ("jobs", "pipeline", "schemas", "tests")
# Lines that a file and a function should have at most, and lines that no file may have more of.
FILE_LINES, FUNCTION_LINES, MOST_FILE_LINES = 250, 50, 300
# How many are longer. Whoever splits one writes down the new number; nobody writes a larger one.
LONG_FILES, LONG_FUNCTIONS = 28, 36


def lengths_of_files() -> dict[str, int]:
    return {short(file): len(file.read_text(encoding="utf-8").splitlines()) for file in python_files(*ROOMS)}


def lengths_of_functions(tree: ast.AST) -> dict[str, int]:
    """Lines of each, from its `def` to its last."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node.name: (node.end_lineno or node.lineno) - node.lineno + 1 for node in functions}


def test_no_file_is_too_long_to_be_read_in_one_go() -> None:
    found = {name: count for name, count in lengths_of_files().items() if count > MOST_FILE_LINES}
    assert not found, found


def test_long_files_become_fewer() -> None:
    found = {name: count for name, count in lengths_of_files().items() if count > FILE_LINES}
    assert len(found) <= LONG_FILES, sorted(found.items(), key=lambda one: one[1])


def test_long_functions_become_fewer() -> None:
    found = {
        f"{short(file)}:{name}": count
        for file in python_files(*ROOMS)
        for name, count in lengths_of_functions(tree_of(file)).items()
        if count > FUNCTION_LINES
    }
    assert len(found) <= LONG_FUNCTIONS, sorted(found.items(), key=lambda one: one[1])


def test_a_function_is_measured_whole() -> None:
    assert lengths_of_functions(ast.parse("def f():\n    a = 1\n\n    return a\n")) == {"f": 4}
