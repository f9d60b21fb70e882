"""No SQL is put together from text: names out of logs are bound as values."""

import ast

import pytest

from tests.house.source import python_files, short, tree_of

TAKE_SQL = frozenset({"sql", "expr", "where", "filter", "selectExpr", "having", "call_function"})
# Names and conditions of declarations, and whole numbers; tests/store/test_delta.py has the folder that wants to act.
ALLOWED = frozenset({"pipeline/store/tables/delta.py", "pipeline/store/health/upkeep.py"})


def sql_of_text(tree: ast.AST) -> list[int]:
    """Lines where a method that takes SQL is given text that is put together there."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in TAKE_SQL
        and any(is_put_together(one) for one in [*node.args, *(given.value for given in node.keywords)])
    ]


def is_put_together(node: ast.expr) -> bool:
    is_text = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in ast.walk(node))
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(one, ast.FormattedValue) for one in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        sides = (node.left, node.right)
        return is_text and any(
            is_put_together(one) or isinstance(one, ast.Constant | ast.Name) for one in sides
        )
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return is_method and node.func.attr in {"format", "join", "replace"}  # type: ignore[attr-defined]


def test_no_sql_is_put_together() -> None:
    files = [file for file in python_files("jobs", "pipeline") if short(file) not in ALLOWED]
    found = [f"{short(file)}:{line}" for file in files for line in sql_of_text(tree_of(file))]
    assert not found, found


@pytest.mark.parametrize(
    "snippet",
    [
        "rows.where(f\"topic = '{topic}'\")",
        "F.expr('topic = ' + topic)",
        "spark.sql('SELECT %s' % topic)",
        "spark.sql('SELECT {}'.format(topic))",
        "rows.filter(', '.join(topics))",
    ],
)
def test_sql_of_text_is_caught(snippet: str) -> None:
    assert sql_of_text(ast.parse(snippet)) == [1]


@pytest.mark.parametrize(
    "snippet", ["rows.where('a = 1')", "rows.where(F.col('topic') == topic)", "F.expr(SAYS)", "F.lit(f'{x}')"]
)
def test_what_is_bound_is_left_alone(snippet: str) -> None:
    assert sql_of_text(ast.parse(snippet)) == []
