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


def rows_by_shards(kernel: ModuleType, shards: int, **inputs: Any) -> pl.DataFrame:
    """The same, where each shard of the topics gives its part of what is taken by shards."""
    parts = [
        {name: of_shard(one, number, shards) for name, one in inputs.items()} for number in range(shards)
    ]
    partials = {
        name: pl.concat([input_of(name, part) for part in parts])
        for name in signature(kernel.build).parameters
        if name in PARTIALS
    }
    return rows_of(kernel, **inputs, **partials)


def of_shard(rows: Any, number: int, shards: int) -> Any:
    """Of a table by topics the rows of one shard, and those that are of no topic."""
    if not (isinstance(rows, pl.DataFrame) and "topic" in rows.columns):
        return rows
    return rows.filter(pl.col("topic").is_null() | (pl.col("topic").hash(1) % shards == number))


def input_of(name: str, inputs: dict[str, Any]) -> Any:
    if name in inputs or name not in PARTIALS:
        return inputs[name]
    partial = PARTIALS[name]
    return partial.build(**{one: input_of(one, inputs) for one in partial.inputs})
