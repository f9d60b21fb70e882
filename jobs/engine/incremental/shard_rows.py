"""What executors hold of a run's tables, as the driver asks for it."""

from collections.abc import Callable, Iterable, Iterator

import polars as pl
import pyarrow as pa

from jobs.engine.incremental.at_hand import topics_of
from pipeline.catalog.kernels import PARTIALS
from pipeline.core.executors import PackedRows
from pipeline.core.frames import empty_frame, frame_of
from pipeline.core.shard_steps import ShardInputs, ShardStep
from pipeline.core.shards import TOPICS
from schemas.spec import TableSpec

# Of the rows of a table that executors hold what breaks its promises (broken, row), how many are left out for it, and
# how many are not.
Judge = Callable[[TableSpec, pl.DataFrame, int, int], None]


class NoRows:
    """What steps give without the rows of topics: the columns of partials, and what the driver makes of rows of no
    topic."""

    def __init__(self, inputs: ShardInputs) -> None:
        self.of_no_topic = inputs.known({})
        self.known = {
            key: one.clear() if key in inputs.packs else one for key, one in self.of_no_topic.items()
        }

    def apart(self, step: ShardStep) -> pl.DataFrame:
        """Of a step that takes rows of topics alone what it gives of the others."""
        return step.build(**step.taken(self.of_no_topic))

    def of(self, step: ShardStep) -> pl.DataFrame:
        rows = step.build(**step.taken(self.known)).clear()
        if step.is_by_topic:
            self.known[step.key] = rows
        return rows


def judge_nothing(spec: TableSpec, broken: pl.DataFrame, left_out: int, sound: int) -> None:
    """Where no gate is."""


def partials_behind(names: Iterable[str]) -> Iterator[str]:
    """The partials among the names, each behind those that it takes."""
    for name in names:
        if name in PARTIALS:
            yield from partials_behind(PARTIALS[name].inputs)
            yield name


NO_BROKEN = pl.DataFrame(schema={"broken": pl.String, "row": pl.String})


def rows_or(rows: pa.Table | None, nothing: pl.DataFrame) -> pl.DataFrame:
    """What executors brought; where they have none, the columns without rows."""
    return nothing if rows is None else frame_of(rows)


def table_rows(packs: PackedRows, spec: TableSpec) -> pl.DataFrame:
    return rows_or(packs.named(spec.name), empty_frame(spec))


def packed_topics(packs: PackedRows, spec: TableSpec) -> list[str]:
    rows = packs.named(spec.name + TOPICS)
    return topics_of(frame_of(rows) if rows is not None else table_rows(packs, spec))
