"""What kernels of a whole cluster take of large tables: rows that each shard of its topics gives by itself."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

BY_LINE, BY_TOPIC, APART = "is_by_line", "is_by_topic", "is_apart"
Build = Callable[..., pl.DataFrame]


def by_line(build: Build) -> Build:
    """Marks a partial: see Partial.is_by_line."""
    vars(build)[BY_LINE] = True
    return build


def by_topic(build: Build) -> Build:
    """Marks a partial: see Partial.is_by_topic."""
    vars(build)[BY_TOPIC] = True
    return build


def apart(build: Build) -> Build:
    """Marks a partial: see Partial.is_apart."""
    vars(build)[APART] = True
    return build


@dataclass(frozen=True)
class Partial:
    """A function of the rows of some topics, and of tables that are of no topic. What it gives of each shard of the
    topics, put together, serves as well as what it gives of all: the kernel that takes it filters, counts or adds up.

    A kernel, or another partial, takes it by its name, as it takes a table; it is made anew in each run and never
    stored. One that takes nothing of topics, but what other partials gave of all of them, is made once, in the driver.
    """

    build: Build

    @property
    def name(self) -> str:
        return self.build.__name__

    @property
    def is_by_line(self) -> bool:
        """Its rows are of lines (file_id, byte_offset), and a shard needs those alone that name its topics."""
        return bool(getattr(self.build, BY_LINE, False))

    @property
    def is_by_topic(self) -> bool:
        """Its rows stay in the shards of their topics, for what else is made there: nothing takes all of them."""
        return bool(getattr(self.build, BY_TOPIC, False))

    @property
    def is_apart(self) -> bool:
        """What it gives of rows of topics, and of rows of none, follows from each of them alone: the driver makes the
        latter, once. Of any other partial each shard takes all rows of no topic, and may give what follows of them."""
        return bool(getattr(self.build, APART, False))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Short names of the tables and other things that it takes."""
        return tuple(inspect.signature(self.build).parameters)
