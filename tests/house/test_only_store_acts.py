"""Only pipeline.store reads, writes, collects and checks; everything else says what is to be computed."""

import ast

import pytest

from tests.house.source import REPOSITORY, python_files, short, tree_of

ACTIONS = frozenset(
    [
        "collect",
        "toPandas",
        "toArrow",
        "show",
        "writeTo",
        "writeStream",
        "cache",
        "persist",
        "unpersist",
        "checkpoint",
        "localCheckpoint",
        "foreach",
        "foreachPartition",
        "toLocalIterator",
        "isEmpty",
        "saveAsTable",
        "insertInto",
        "sql",
    ]
)
# These act only without arguments: F.count("x"), F.first("x") and text.count("x") are no actions.
ACTIONS_WITHOUT_ARGUMENTS = frozenset({"count", "first", "head"})
ACTING_LIBRARIES = frozenset({"great_expectations", "delta"})


def actions_in(tree: ast.AST) -> list[tuple[int, str]]:
    """Line and name of everything in a module that makes Spark work."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = [*calls_in(tree), *libraries_in(tree)]
    for node in ast.walk(tree):
        # frame.write is the writer of a DataFrame; stream.write("text") is a file.
        if not isinstance(node, ast.Attribute) or id(node) in called:
            continue
        if node.attr in {"write", "writeStream"}:
            found.append((node.lineno, "write"))
    return sorted(found)


def calls_in(tree: ast.AST) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name = node.func.attr
        is_bare = not node.args and not node.keywords
        if name in ACTIONS or (is_bare and name in ACTIONS_WITHOUT_ARGUMENTS):
            found.append((node.lineno, name))
    return found


def libraries_in(tree: ast.AST) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        found += [(node.lineno, f"import {name}") for name in names if name.split(".")[0] in ACTING_LIBRARIES]
    return found


def is_about_spark(tree: ast.AST) -> bool:
    """Frames in memory have methods of the same names, which start no job."""
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = [one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names]
    return any(name.split(".")[0] in {"pyspark", *ACTING_LIBRARIES} for name in (*modules, *names))


def test_only_the_store_acts() -> None:
    store = REPOSITORY / "pipeline" / "store"
    files = [file for file in python_files("pipeline", "schemas", "jobs") if store not in file.parents]
    files = [file for file in files if is_about_spark(tree_of(file))]
    found = [f"{short(file)}:{line} {name}" for file in files for line, name in actions_in(tree_of(file))]
    assert not found, "actions outside of pipeline.store:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("snippet", "name"),
    [
        ("rows = frame.collect()", "collect"),
        ("n = frame.where(x).count()", "count"),
        ("row = frame.first()", "first"),
        ("row = frame.head()", "head"),
        ("frame.write.format('delta').save(path)", "write"),
        ("writer = frame.write", "write"),
        ("frame.writeTo('t').append()", "writeTo"),
        ("kept = frame.cache()", "cache"),
        ("spark.sql('select 1')", "sql"),
        ("frame.toPandas()", "toPandas"),
        ("frame.show(5, truncate=False)", "show"),
        ("import great_expectations as gx", "import great_expectations"),
        ("def f():\n    from delta.tables import DeltaTable", "import delta.tables"),
    ],
)
def test_an_action_is_caught(snippet: str, name: str) -> None:
    assert name in [found for _, found in actions_in(ast.parse(snippet))]


@pytest.mark.parametrize(
    "snippet",
    [
        "F.count('x')",
        "F.first('x', ignorenulls=True)",
        "text.count('x')",
        "stream.write('text')",
        "sql = 1",
        "@functools.cache\ndef f(): ...",
    ],
)
def test_what_does_not_act_is_left_alone(snippet: str) -> None:
    assert actions_in(ast.parse(snippet)) == []
