"""A table that is declared is wired: schemas, kernels and the list of tables name each other."""

from importlib import import_module
from pathlib import Path

import pytest

from pipeline.catalog.knowledge import PACKAGES
from pipeline.catalog.tables import CARRIED, KEPT, TABLES, CatalogTable, Refresh
from pipeline.core.incremental import watched_tables
from schemas.ops import run
from schemas.spec import LAYERS
from tests.house.source import REPOSITORY

# Not of the catalog: the run itself, which every job writes.
BY_ITSELF = {run.SPEC.name}


def declared_tables() -> list[str]:
    """Full names of the tables whose declaration stands in schemas."""
    files = (one for layer in LAYERS for one in (REPOSITORY / "schemas" / layer).glob("*.py"))
    modules = (f"schemas.{one.parent.name}.{one.stem}" for one in files if one.stem != "__init__")
    specs = (getattr(import_module(one), "SPEC", None) for one in modules)
    return sorted(one.name for one in specs if one is not None)


def test_each_declaration_is_in_the_list_of_tables() -> None:
    assert declared_tables() == sorted({table.spec.name for table in TABLES} | BY_ITSELF)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.spec.name)
def test_a_table_has_a_kernel_or_is_kept(table: CatalogTable) -> None:
    assert (table.build is None) is (table.refresh in KEPT)


@pytest.mark.parametrize("name", [table.spec.name for table in TABLES if table.build is not None])
def test_a_table_with_a_kernel_has_a_test(name: str) -> None:
    layer, _, table = name.partition(".")
    texts = (path.read_text(encoding="utf-8") for path in (REPOSITORY / "tests").rglob("test_*.py"))
    assert Path(REPOSITORY / "tests" / layer / f"test_{table}.py").exists() or any(
        f'"{table}"' in text for text in texts
    )


def test_what_is_watched_is_built_before_the_first_table_by_days() -> None:
    """Two versions of it are compared as soon as days are asked for."""
    names = [table.spec.table for table in TABLES]
    by_days = [table for table in TABLES if table.refresh is Refresh.INCREMENTAL]
    judged = [table for table in by_days if table.incremental.lookback_days is not None]
    first, first_judged = names.index(by_days[0].spec.table), names.index(judged[0].spec.table)
    of_lines = {
        one for table in TABLES for watch in table.incremental.changes_lines for one in watched_tables(watch)
    }
    of_verdicts = {
        one
        for table in TABLES
        for watch in table.incremental.changes_verdicts
        for one in watched_tables(watch)
    }
    assert of_lines <= set(names[:first])
    assert of_verdicts <= set(names[:first_judged])


def test_carried_states_are_declared_once_and_taken() -> None:
    declared = [name for table in TABLES for name in table.incremental.carried]
    assert sorted(declared) == sorted(CARRIED)
    assert set(declared) == {name for table in TABLES for name in table.inputs if name.endswith("_before")}


def test_each_package_that_builds_of_tables_import_is_part_of_what_the_product_knows() -> None:
    """Else a mended rule builds no finding anew."""
    rooms = {one.name for one in (REPOSITORY / "pipeline").iterdir() if (one / "__init__.py").exists()}
    known = {one.removeprefix("pipeline.") for one in PACKAGES}
    assert rooms - known == {"catalog", "store", "views"}
