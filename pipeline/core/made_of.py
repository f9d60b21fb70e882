"""Kernels whose rows are made of the rows of some of their inputs."""

from collections.abc import Callable
from functools import cache, wraps
from inspect import signature
from typing import ParamSpec

import polars as pl
import pyarrow as pa

from pipeline.core.frames import empty_frame
from schemas.spec import TableSpec

P = ParamSpec("P")


def made_of(
    schema: TableSpec | pa.Schema, *names: str
) -> Callable[[Callable[P, pl.DataFrame]], Callable[P, pl.DataFrame]]:
    """Decorates a kernel whose every row is made of a row of the inputs of these names: where all of them are empty it
    does not run, and gives no rows of this schema. The names stay with it, as its attribute made_of.

    On empty frames a kernel costs as much as on a hundred rows: some hundred steps of a third of a millisecond each.
    """
    rows = cache(lambda: empty_frame(schema))

    def decorated(kernel: Callable[P, pl.DataFrame]) -> Callable[P, pl.DataFrame]:
        parameters = list(signature(kernel).parameters)
        places = {name: parameters.index(name) for name in names}

        @wraps(kernel)
        def built(*args: P.args, **kwargs: P.kwargs) -> pl.DataFrame:
            given = [kwargs[name] if name in kwargs else args[at] for name, at in places.items()]
            if all(isinstance(one, pl.DataFrame) and one.is_empty() for one in given):
                return rows()
            return kernel(*args, **kwargs)

        vars(built)["made_of"] = names
        return built

    return decorated
