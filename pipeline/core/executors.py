"""Who runs kernels where the rows are, as the engine of nights sees it; pipeline.store.executors is of Spark."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, Self

import pyarrow as pa

from pipeline.core.conditions import Condition
from pipeline.core.packed_rows import Pack, RowKernel
from pipeline.core.shard_steps import ShardInputs, ShardStep
from schemas.spec import TableSpec


class PackedRows(Protocol):
    """What kernels gave, held by whoever computed it until it is released."""

    def count(self, name: str) -> int:
        """How many rows there are of this name."""

    def count_of_topics(self, name: str) -> int:
        """How many of them are in a shard."""

    def rows(self, kernel: RowKernel) -> pa.Table:
        """Brings the rows of one kernel of records to the driver."""

    def named(self, name: str) -> pa.Table | None:
        """Brings the rows of this name, whatever gave them; None: there are none."""

    def of_no_topic(self, name: str) -> pa.Table | None:
        """Brings those of them that are in no shard; None: there are none."""

    def write(self, spec: TableSpec, *, is_added: bool) -> None:
        """Writes the rows of a table from where they are: beside what is stored, or in place of it."""

    def write_from(self, spec: TableSpec, column: str, start: datetime) -> None:
        """Writes them in place of those whose column reaches `start`, or is null."""

    def run_shards(self, steps: Sequence[ShardStep], inputs: ShardInputs, more: Sequence[Self]) -> Self:
        """Runs the steps in turn on each shard of these packs and more: a task a shard."""

    def release(self) -> None:
        """Lets go of them."""


class KernelExecutors(Protocol):
    """Runs kernels where the records are."""

    def run(self, kernels: Sequence[RowKernel], condition: Condition | None, shards: int = 0) -> PackedRows:
        """What the kernels give of the records that meet the condition, copies left out. shards: into so many parts go
        the rows of topics (pack_rows_in_shards); 0: into none (pack_kernel_rows)."""

    def stored(self, asked: Sequence[tuple[str, TableSpec, Condition | None]], shards: int) -> PackedRows:
        """Rows of tables that have a topic, as they are stored, in shards (pack_stored_rows): under each name those of
        a table that meet the condition, None: all."""

    def hold(self, packs: Sequence[Pack], shards: int) -> PackedRows:
        """What the driver has packed, handed over."""
