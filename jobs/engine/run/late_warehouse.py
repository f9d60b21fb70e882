"""What reads a warehouse without Spark, loaded once one is asked: logs alone need none of it, nor its packages."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from pipeline.core.errors import EnvironmentProblem
from schemas.namespace import full_module_name

if TYPE_CHECKING:
    from pipeline.store.readers.readable_warehouse import DirectWarehouse, ReadableWarehouse

READERS = "pipeline.store.readers.readable_warehouse"
# What the extra `warehouse` installs.
OF_WAREHOUSE = ("deltalake", "arro3")


def open_warehouse(uri: str) -> "ReadableWarehouse":
    """As readable_warehouse. EnvironmentProblem: what reads it is not installed."""
    return cast("ReadableWarehouse", warehouse_readers().readable_warehouse(uri))


def open_directly(uri: str) -> "DirectWarehouse | None":
    """As direct_warehouse. EnvironmentProblem: what reads it is not installed."""
    return cast("DirectWarehouse | None", warehouse_readers().direct_warehouse(uri))


def warehouse_readers() -> Any:
    try:
        return import_module(full_module_name(READERS))
    except ModuleNotFoundError as problem:
        if not is_of_warehouse(problem):
            raise
        raise missing_reader(problem) from problem


def is_of_warehouse(problem: ModuleNotFoundError) -> bool:
    return (problem.name or "").partition(".")[0] in OF_WAREHOUSE


def missing_reader(problem: ModuleNotFoundError) -> EnvironmentProblem:
    return EnvironmentProblem(
        expected="what reads a warehouse",
        found=f"no module {problem.name}",
        todo="install kafka-controller-audit[warehouse]; incident, explain and mcp --logs do without",
    )
