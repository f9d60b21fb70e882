"""What is said to be made of some rows is not there without them, whatever else is known."""

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import polars as pl
import pytest

from pipeline import rules
from pipeline.catalog.tables import TABLES
from pipeline.rules.registry import LIMITS, RULES, Findings
from pipeline.rules.views import VIEWS
from tests.chain import ORDER, built, kernel
from tests.lab import READ, folder_of, records

Kernel = Callable[..., pl.DataFrame]
LABS = ("2.2.2-zk-stock", "3.9.2-kraft-separate-stock")
MORE_LABS = (
    "0.11.0.3-zk-stock",
    "2.6.3-zk-trace",
    "3.9.1-zk-moves",
    "3.9.2-kraft-migration-stock",
    "4.0.0-kraft-combined-moves",
    "4.3.1-kraft-combined-trace",
)
RULE_KERNELS = {
    f"{module.name.split('.')[2]}.{name}": rule
    for module in walk_packages(rules.__path__, f"{rules.__name__}.")
    for name, rule in inspect.getmembers(import_module(module.name), inspect.isfunction)
    if rule.__module__ == module.name and "made_of" in vars(rule)
}
TABLE_KERNELS = {
    one.spec.table: build
    for one in TABLES
    if one.build is not None and "made_of" in vars(build := kernel(one.spec))
}


@pytest.fixture(
    scope="module", params=[*LABS, *(pytest.param(one, marks=pytest.mark.soak) for one in MORE_LABS)]
)
def known(request: pytest.FixtureRequest, shared: Path) -> dict[str, Any]:
    """All tables of a lab cluster, and what rules take besides."""
    tables = built(records(folder_of(shared, request.param), (*READ, "server")), *ORDER)
    of_all = {"earlier": tables["finding"], "waited": tables["finding"]}
    found = Findings(tables)
    return tables | of_all | {name: found.input(name, RULES["outage"]) for name in (*VIEWS, *LIMITS)}


def test_kernels_and_rules_say_what_they_are_made_of() -> None:
    assert len(TABLE_KERNELS) > 10
    assert len(RULE_KERNELS) > 30


def test_without_what_it_is_made_of_there_is_no_row(known: dict[str, Any]) -> None:
    found = {}
    for name, made in (TABLE_KERNELS | RULE_KERNELS).items():
        kernel_of_rows = inspect.unwrap(made)
        given = {one: known[one] for one in inspect.signature(kernel_of_rows).parameters}
        without = {one: given[one].clear() for one in vars(made)["made_of"]}
        found[name] = kernel_of_rows(**given | without).height
    assert {name: height for name, height in found.items() if height} == {}
