"""What rows break of their declaration: missing values, closed lists, checks, keys."""

import polars as pl
import pytest
from polars import col

from pipeline.catalog.tables import SPECS
from pipeline.core.expectations import Expectation, broken_rows, check_expression, expectation_of, sound_rows
from schemas.spec import Check, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING, array_type

SPEC = TableSpec(
    "silver.example",
    grain="One row.",
    key=("id",),
    fields=(
        required_field("id", INTEGER, "Number."),
        nullable_field("kind", STRING, "Kind.", accepted=("a", "b")),
        nullable_field("ids", array_type(INTEGER), "Some."),
    ),
    checks=(Check("few", "cardinality(ids) < 3"), Check("of_a_kind", "(kind <=> 'a') OR id > 0")),
)


def rows(*some: tuple[int | None, str | None, list[int] | None]) -> pl.DataFrame:
    return pl.DataFrame(
        some, schema={"id": pl.Int32, "kind": pl.String, "ids": pl.List(pl.Int32)}, orient="row"
    )


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ((1, "a", [1]), None),
        ((1, None, [1, 2]), None),
        ((None, "a", []), "id is missing"),
        ((1, "c", []), "kind is not in its list"),
        ((1, "a", [1, 2, 3]), "not few"),
        ((0, "b", []), "not of_a_kind"),
        ((None, "c", [1, 2, 3]), "id is missing, kind is not in its list, not few"),
    ],
)
def test_a_row_is_held_against_each_rule(
    row: tuple[int | None, str | None, list[int] | None], said: str | None
) -> None:
    found = broken_rows(rows(row), expectation_of(SPEC))
    assert found["broken"].to_list() == ([] if said is None else [said])


def test_of_rows_with_one_key_one_is_told() -> None:
    found = broken_rows(rows((1, "a", []), (1, "b", []), (2, "a", [])), expectation_of(SPEC))
    assert found.rows() == [("key is not unique", '{"id":1}')]


def test_rows_that_are_alike_are_no_fault_where_no_key_is_asked() -> None:
    none = Expectation("silver.example", "as_declared", "warning", (("id is negative", col("id") < 0),))
    assert broken_rows(rows((1, "a", []), (1, "a", []), (-1, "a", [])), none).height == 1


@pytest.mark.parametrize("spec", [one for one in SPECS if one.checks], ids=lambda one: one.name)
def test_frames_know_the_conditions_of_all_tables(spec: TableSpec) -> None:
    types = pl.DataFrame(pl.from_arrow(spec.arrow.empty_table())).schema
    assert [types_of(check_expression(check), types) for check in spec.checks] == [pl.Boolean] * len(
        spec.checks
    )


def types_of(expression: pl.Expr, types: pl.Schema) -> pl.DataType:
    return pl.DataFrame(schema=types).select(expression).schema.dtypes()[0]


def test_rows_that_break_something_are_left_out() -> None:
    """Of two with one key both: nothing tells which is right."""
    given = rows(
        (1, "a", []), (1, "b", []), (2, "a", []), (3, "c", []), (4, None, [1, 2, 3]), (5, None, None)
    )
    assert sound_rows(given, expectation_of(SPEC)).rows() == [(2, "a", []), (5, None, None)]
    assert sound_rows(given.clear(), expectation_of(SPEC)).is_empty()
