"""What is said to be made of some rows is not there without them, whatever else is known."""

import inspect
import sys
from collections import OrderedDict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import CodeType, FrameType
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import pipeline
from pipeline import rules
from pipeline.catalog.tables import TABLES
from pipeline.core.frames import frame_of
from pipeline.rules.registry import LIMITS, RULES, Findings
from pipeline.rules.views import VIEWS
from tests.chain import ORDER, built, kernel
from tests.lab import READ, folder_of, records

MADE_IN = ("core", "model", "silver", "state", "gold", "rules")
Kernel = Callable[..., pl.DataFrame]
LABS = ("3.9.2-kraft-separate-stock",)
MORE_LABS = (
    "2.2.2-zk-stock",
    "0.11.0.3-zk-stock",
    "2.6.3-zk-trace",
    "3.9.1-zk-moves",
    "3.9.2-kraft-migration-stock",
    "3.9.2-kraft-separate-moves",
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


STEPS = {
    inspect.unwrap(step).__code__: step
    for module in walk_packages(pipeline.__path__, f"{pipeline.__name__}.")
    if module.name.split(".")[1] in MADE_IN
    for _, step in inspect.getmembers(import_module(module.name), inspect.isfunction)
    if step.__module__ == module.name and "needs_rows_of" in vars(step)
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


@pytest.mark.parametrize("name", [*LABS, *(pytest.param(one, marks=pytest.mark.soak) for one in MORE_LABS)])
def test_a_step_gives_no_row_without_those_that_it_needs(shared: Path, name: str) -> None:
    """As it is called while the tables of a lab cluster are built."""
    calls = calls_of_steps(records(folder_of(shared, name), (*READ, "server")))
    found = {}
    for code, given in calls.items():
        step = STEPS[code]
        without = {one: given[one].clear() for one in vars(step)["needs_rows_of"]}
        call = inspect.BoundArguments(inspect.signature(step), OrderedDict(given | without))
        rows = inspect.unwrap(step)(*call.args, **call.kwargs)
        found[f"{step.__module__}.{step.__name__}"] = rows.height
        assert step(*call.args, **call.kwargs).equals(rows)
    assert len(found) > 30
    assert {step: height for step, height in found.items() if height} == {}


def calls_of_steps(log_record: pa.Table) -> dict[CodeType, dict[str, Any]]:
    """What each step was given the first time that it ran."""
    calls: dict[CodeType, dict[str, Any]] = {}

    def keep(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in STEPS and frame.f_code not in calls:
            calls[frame.f_code] = dict(frame.f_locals)

    # Of another name: what a process of this run has built would be read, and no step called.
    rows = frame_of(log_record).with_columns(cluster_id=pl.lit("of steps"))
    sys.setprofile(keep)
    try:
        built(rows, *ORDER)
    finally:
        sys.setprofile(None)
    return calls
