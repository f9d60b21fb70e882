"""All tables in the order in which they are built: the signature of a table's build is its wiring."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import polars as pl

from pipeline.catalog.kernels import KERNELS, PARTIALS
from pipeline.core.incremental import CarriedState, Incremental
from pipeline.core.packed_rows import RowKernel
from pipeline.core.reach import Reach
from pipeline.silver import controller_line
from schemas.bronze import (
    duplicate_record,
    file_sighting,
    log_record,
    lost_segment,
    metadata_part,
    metadata_record,
    source_file,
)
from schemas.ops import quality_result
from schemas.spec import TableSpec


class Refresh(Enum):
    """What a run writes of a table."""

    LOADED = "written by the loading of segments"
    APPEND = "rows of the run's segments are appended; each follows from single records"
    INCREMENTAL = "rows from the start on are replaced: the earliest time that what is new changes"
    FULL = "built anew from the tables it stands on"
    RUN = "rows about the run are appended"
    REPAIRED = "rows are appended by repair alone: what the warehouse has lost of what was read"


def tables_behind(names: Iterable[str]) -> Iterator[str]:
    """The names, with what partials are made of in their place."""
    for name in names:
        if name in PARTIALS:
            yield from tables_behind(PARTIALS[name].inputs)
        else:
            yield name


# Of tables that declare nothing of the nights.
WHOLE = Incremental()
# No build gives these rows again.
KEPT = frozenset({Refresh.LOADED, Refresh.RUN, Refresh.REPAIRED})


@dataclass(frozen=True)
class CatalogTable:
    """A table: its declaration, what a run writes of it, its kernel, how it follows the nights, and how much of a
    cluster its rows need."""

    spec: TableSpec
    refresh: Refresh
    build: Callable[..., pl.DataFrame] | None = None
    incremental: Incremental = WHOLE
    reach: Reach = Reach.CLUSTER

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of what build takes: tables, partials, settings and other things."""
        return tuple(inspect.signature(self.build).parameters) if self.build else ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """The same, with what partials are made of in their place."""
        return tuple(dict.fromkeys(tables_behind(self.parameters)))

    @property
    def row_kernel(self) -> RowKernel:
        """The build of a table by segments."""
        if self.build is None or self.refresh is not Refresh.APPEND:
            raise TypeError(f"{self.spec.name} does not follow from single records")
        return RowKernel(self.spec.name, self.build, self.spec)


def table_of_kernel(kernel: ModuleType) -> CatalogTable:
    """The table of a kernel: its declaration stands under the same name in schemas, what it declares of the nights in
    its module `incremental` or beside its build. What takes records alone follows from single records."""
    declaration = import_module(kernel.__name__.replace("pipeline.", "schemas."))
    incremental = declared_incremental(kernel)
    takes = set(inspect.signature(kernel.build).parameters)
    refresh = Refresh.INCREMENTAL if incremental.ordered_by else Refresh.FULL
    reach: Reach = getattr(kernel, "REACH", Reach.CLUSTER)
    if takes == {log_record.SPEC.table}:
        refresh, reach = Refresh.APPEND, Reach.ROW
    return CatalogTable(declaration.SPEC, refresh, kernel.build, incremental, reach)


def declared_incremental(kernel: ModuleType) -> Incremental:
    """What the package or module of a kernel declares of the nights; a table that declares nothing is built whole."""
    if hasattr(kernel, "__path__") and find_spec(f"{kernel.__name__}.incremental"):
        kernel = import_module(f"{kernel.__name__}.incremental")
    declared: Incremental = getattr(kernel, "INCREMENTAL", WHOLE)
    return declared


TABLES: tuple[CatalogTable, ...] = (
    CatalogTable(log_record.SPEC, Refresh.LOADED),
    CatalogTable(source_file.SPEC, Refresh.LOADED),
    CatalogTable(duplicate_record.SPEC, Refresh.LOADED),
    CatalogTable(metadata_record.SPEC, Refresh.LOADED),
    CatalogTable(metadata_part.SPEC, Refresh.LOADED),
    CatalogTable(lost_segment.SPEC, Refresh.REPAIRED),
    CatalogTable(file_sighting.SPEC, Refresh.RUN),
    *map(table_of_kernel, KERNELS),
    CatalogTable(quality_result.SPEC, Refresh.RUN),
)
BY_NAME = {table.spec.name: table for table in TABLES}
BY_SHORT_NAME = {table.spec.table: table for table in TABLES}
SPECS: tuple[TableSpec, ...] = tuple(table.spec for table in TABLES)
# By parameter name what kernels that begin at a day take of the time before it.
CARRIED: Mapping[str, CarriedState] = {
    name: state for table in TABLES for name, state in table.incremental.carried.items()
}
# Tables that keep a carried state day by day, by the name of its parameter.
CARRIED_BY_DAY = {
    name: table.spec.name
    for table in TABLES
    for name, state in table.incremental.carried.items()
    if state.is_of_each_day
}

# What kernels take of single records besides tables.
EXTRACTS = {"controller_record": RowKernel("controller_record", controller_line.controller_record)}
RECORDS = frozenset({log_record.SPEC.table, *EXTRACTS})
# Tables by days that are made of records: what is built by days beside them stands on their lines.
LINES_BY_DAYS = tuple(
    table for table in TABLES if table.refresh is Refresh.INCREMENTAL and set(table.inputs) & set(EXTRACTS)
)

LIMITS = "audit_limit"
SETTINGS = ("balancing_setting", LIMITS, "release_setting", "session_limit")


@cache
def stands_on(name: str) -> frozenset[str]:
    """Short names of all that a table is built from, directly or not, itself included."""
    table = BY_SHORT_NAME.get(name)
    inputs = table.inputs if table else ()
    return frozenset({name}).union(*(stands_on(one) for one in inputs))
