"""A table that is declared is wired: schemas, kernels and the list of tables name each other."""

from importlib import import_module
from pathlib import Path

import pytest

from pipeline.catalog.tables import KEPT, TABLES, CatalogTable
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
