"""A kernel called with tables: what it takes of them by shards is made of them first."""

from inspect import signature
from types import ModuleType
from typing import Any

import polars as pl

from pipeline.catalog.kernels import PARTIALS


def rows_of(kernel: ModuleType, **inputs: Any) -> pl.DataFrame:
    """What the build of a kernel gives of tables and other inputs, by the names that it or its partials take."""
    rows: pl.DataFrame = kernel.build(
        **{name: input_of(name, inputs) for name in signature(kernel.build).parameters}
    )
    return rows


def input_of(name: str, inputs: dict[str, Any]) -> Any:
    if name in inputs or name not in PARTIALS:
        return inputs[name]
    partial = PARTIALS[name]
    return partial.build(**{one: inputs[one] for one in partial.inputs})
