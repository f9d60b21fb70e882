"""Kernels, and steps of kernels, whose rows are made of the rows of some of their inputs.

On empty frames they cost as much as on a hundred rows: a kernel is some hundred operations of Polars, a tenth of a
millisecond or two each. A cluster of one mode has nothing of the other, and a good night has few rows of most tables.
"""

from collections.abc import Callable
from functools import cache, wraps
from inspect import signature
from typing import Any, ParamSpec

import polars as pl
import pyarrow as pa

from pipeline.core.frames import empty_frame
from schemas.spec import TableSpec

P = ParamSpec("P")
MOST_KNOWN = 100


def made_of(
    schema: TableSpec | pa.Schema, *names: str
) -> Callable[[Callable[P, pl.DataFrame]], Callable[P, pl.DataFrame]]:
    """Decorates a kernel whose every row is made of a row of the inputs of these names: where all of them are empty it
    does not run, and gives no rows of this schema. The names stay with it, as its attribute made_of."""
    rows = cache(lambda: empty_frame(schema))

    def decorated(kernel: Callable[P, pl.DataFrame]) -> Callable[P, pl.DataFrame]:
        are_empty = emptiness_of(kernel, names)

        @wraps(kernel)
        def built(*args: P.args, **kwargs: P.kwargs) -> pl.DataFrame:
            return rows() if are_empty(args, kwargs) else kernel(*args, **kwargs)

        vars(built)["made_of"] = names
        return built

    return decorated


def needs_rows_of(*names: str) -> Callable[[Callable[P, pl.DataFrame]], Callable[P, pl.DataFrame]]:
    """The same of a step whose columns follow from those of its inputs: on empty ones it runs once for each schema of
    them. Where it takes an expression, or another input that has no hash, it runs each time. The names stay with it, as
    its attribute needs_rows_of."""

    def decorated(step: Callable[P, pl.DataFrame]) -> Callable[P, pl.DataFrame]:
        are_empty = emptiness_of(step, names)
        known: dict[Any, pl.DataFrame] = {}

        @wraps(step)
        def built(*args: P.args, **kwargs: P.kwargs) -> pl.DataFrame:
            if not are_empty(args, kwargs):
                return step(*args, **kwargs)
            key = (*map(of_input, args), *((name, of_input(one)) for name, one in kwargs.items()))
            try:
                rows = known.get(key)
            except TypeError:
                return step(*args, **kwargs)
            if rows is None:
                if len(known) >= MOST_KNOWN:
                    known.clear()
                rows = known[key] = step(*args, **kwargs)
            return rows

        vars(built)["needs_rows_of"] = names
        return built

    return decorated


def emptiness_of(
    kernel: Callable[..., object], names: tuple[str, ...]
) -> Callable[[tuple[Any, ...], dict[str, Any]], bool]:
    """Whether the inputs of these names are all frames without rows, by how the kernel is called."""
    parameters = list(signature(kernel).parameters)
    places = {name: parameters.index(name) for name in names}

    def are_empty(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        given = (kwargs[name] if name in kwargs else args[at] for name, at in places.items())
        return all(isinstance(one, pl.DataFrame) and one.is_empty() for one in given)

    return are_empty


def of_input(given: Any) -> Any:
    """What of an input decides the columns."""
    return tuple(given.schema.items()) if isinstance(given, pl.DataFrame) else given
