"""What kernels of a whole cluster take of large tables: rows that each shard of its topics gives by itself."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Partial:
    """A function of the rows of some topics, and of tables that are of no topic. What it gives of each shard of the
    topics, put together, serves as well as what it gives of all: the kernel that takes it filters, counts or adds up.

    A kernel takes it by its name, as it takes a table; it is made anew in each run and never stored.
    """

    build: Callable[..., pl.DataFrame]

    @property
    def name(self) -> str:
        return self.build.__name__

    @property
    def inputs(self) -> tuple[str, ...]:
        """Short names of the tables and other things that it takes."""
        return tuple(inspect.signature(self.build).parameters)
