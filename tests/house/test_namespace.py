"""Modules and packages that are named in text are found in the wheel, too, where they lie below another."""

import ast

from hatch_build import BELOW, below
from tests.house.source import python_files, short, tree_of

FOUND_BY_NAME = ("files", "import_module")


def plainly_named(tree: ast.AST) -> list[int]:
    """Lines that ask for a module or package of ours by a text that is not given to `named`."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            text = node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else node.args[0]
            is_ours = isinstance(text, ast.Constant) and str(text.value).partition(".")[0] in BELOW
            found += [node.lineno] if name in FOUND_BY_NAME and is_ours else []
    return found


def test_no_text_names_a_module_of_ours_plainly() -> None:
    shipped = python_files(*BELOW)
    assert shipped
    assert not [f"{short(path)}:{line}" for path in shipped for line in plainly_named(tree_of(path))]
    assert plainly_named(ast.parse('files("pipeline.kafka")\nx.import_module(f"schemas.{a}")')) == [1, 2]


def test_all_imports_are_of_the_form_that_the_wheel_rewrites() -> None:
    for path in python_files(*BELOW):
        below(path.read_bytes(), path)
