"""What kernels of single records give: computed in the driver, or on the executors where the records stay there."""

from collections.abc import Sequence
from datetime import datetime

import polars as pl
import pyarrow as pa
from polars import col

from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.night import SAID, Night
from pipeline.catalog.tables import EXTRACTS, CatalogTable, Refresh
from pipeline.core.conditions import Condition, is_in
from pipeline.core.executors import KernelExecutors, PackedRows
from pipeline.core.frames import frame_of
from pipeline.core.packed_rows import RowKernel
from pipeline.core.reach import Reach
from pipeline.core.shards import LINE, SHARDS
from schemas.bronze import duplicate_record, log_record
from schemas.bronze.log_record import NOT_WHOLE

# The driver writes tables of no more rows: executors look through what they hold of all tables for the rows of one.
ROWS_HERE = 500_000
# What a kernel makes of records on its way takes some times as much memory as they do.
ROWS_AT_ONCE = 100_000


class RunRecords:
    """The records of one run, and what follows from each of them alone. What is read is kept: many tables take it.

    tables: those of the run; executors work out in one pass what all of them want of the same records.
    line_shards: (LINE, SHARDS) of the lines that tables by lines are made of, where executors part them by topics.
    """

    def __init__(self, night: Night, at_hand: AtHand) -> None:
        self.night, self.at_hand = night, at_hand
        self.tables: Sequence[CatalogTable] = ()
        self.of_run: pl.DataFrame | None = None
        self.packs: dict[Condition | None, PackedRows] = {}
        self.line_shards: pl.DataFrame | None = None
        self.sifted: set[str] = set()  # tables of which not all rows are written

    def of_table(self, table: CatalogTable) -> pl.DataFrame:
        """The rows of a table by segments: of those of the run where it adds to what is stored, else of all."""
        if self.night.executors is None:
            records = self.here(self.condition(table))
            if len(records) <= ROWS_AT_ONCE:
                return table.row_kernel.build(records)
            rows = in_slices(table.row_kernel, records)
        else:
            rows = frame_of(self.packed(self.condition(table)).rows(table.row_kernel))
        return rows if table.incremental.merged is None else table.incremental.merged(rows)

    def extract(self, kernel: RowKernel, table: CatalogTable, begin: datetime | None) -> pl.DataFrame:
        """The same for what a table takes besides tables: of segments that reach the begin, or of all."""
        if self.night.shards:
            return self.parted_extract(kernel, begin)
        condition = self.condition(table) if begin is None else self.reaching(begin)
        if self.night.executors is None:
            return in_slices(kernel, self.here(condition))
        return self.computed(kernel, condition)

    def computed(self, kernel: RowKernel, condition: Condition | None) -> pl.DataFrame:
        pack = self.executors.run([kernel], condition)
        rows = frame_of(pack.rows(kernel))
        pack.release()
        return rows

    def parted_extract(self, kernel: RowKernel, begin: datetime | None) -> pl.DataFrame:
        """The same where executors part by topics the records of the run; which topics lines of segments before it name
        is not asked."""
        rows = frame_of(self.packed(None if begin is None else self.night.is_of_run()).rows(kernel))
        self.line_shards = rows.select(*LINE, SHARDS) if SHARDS in rows.columns else None
        rows = rows.drop(SHARDS, strict=False)
        if begin is None:
            return rows
        reaching = self.at_hand.segments_reaching(begin)
        is_of_run = self.night.is_of_run().polars()
        stored = pl.DataFrame({"load_seq": reaching}).filter(~is_of_run)["load_seq"].to_list()
        rows = rows.filter(col("load_seq").is_in(reaching))
        return pl.concat([self.computed(kernel, is_in("load_seq", stored)), rows]) if stored else rows

    @property
    def executors(self) -> KernelExecutors:
        if self.night.executors is None:
            raise TypeError("the driver runs the kernels of this run")
        return self.night.executors

    def packed(self, condition: Condition | None) -> PackedRows:
        """What the executors gave of the records that meet the condition, of all tables of the run that take them."""
        if condition not in self.packs:
            alike = [one for one in self.tables if self.condition(one) == condition]
            kernels = [one.row_kernel for one in alike if one.refresh is Refresh.APPEND]
            asked = {name for one in self.tables for name in one.parameters} if self.night.shards else set()
            kernels += [kernel for name, kernel in EXTRACTS.items() if name in asked]
            self.packs[condition] = self.executors.run(kernels, condition, self.night.shards)
        return self.packs[condition]

    def is_parted(self, table: CatalogTable) -> bool:
        """True if executors hold its rows by topic: those of single records, and what is made in shards."""
        return bool(self.night.shards) and (self.is_by_topic(table) or table.reach is Reach.PARTITION)

    def is_by_topic(self, table: CatalogTable) -> bool:
        """True if executors hold the rows of the table in shards of topics."""
        is_sharded = bool(self.night.shards) and table.refresh is Refresh.APPEND
        return is_sharded and table.row_kernel.is_by_topic

    def is_written_there(self, table: CatalogTable, rows: pa.Table) -> bool:
        """True if executors hold the rows of the table as they are written, and so many that they write them."""
        is_there = self.night.executors is not None and table.refresh is Refresh.APPEND
        is_as_given = table.incremental.merged is None and table.spec.name not in self.sifted
        return is_there and is_as_given and rows.num_rows > ROWS_HERE

    def condition(self, table: CatalogTable) -> Condition | None:
        """Records that the table follows from; None: all. A first run has no others than its own."""
        return self.night.is_of_run() if self.night.is_appended(table) else None

    def reaching(self, begin: datetime) -> Condition:
        return is_in("load_seq", self.at_hand.segments_reaching(begin))

    def here(self, condition: Condition | None) -> pl.DataFrame:
        """The records that meet the condition, without those that another file brought before."""
        is_first = condition is None and not self.night.before
        if not is_first and condition != self.night.is_of_run():
            rows = self.night.tables.read(log_record.SPEC, condition, SAID)
            return self.completed(frame_of(rows), condition)
        if self.of_run is None:
            self.of_run = self.completed(frame_of(self.night.records_of_run()), condition)
        return self.of_run

    def forget(self) -> None:
        """No other kernel takes them: they are most of what a run holds."""
        self.of_run = None
        self.night.keep_asked_later()

    def release(self) -> None:
        """Lets go of what executors hold."""
        for pack in self.packs.values():
            pack.release()
        self.packs.clear()

    def completed(self, records: pl.DataFrame, condition: Condition | None) -> pl.DataFrame:
        """Without copies, and with the bytes of records that are not whole: nothing else tells what they say."""
        tables = self.night.tables
        if tables.has_rows(duplicate_record.SPEC):
            copies = frame_of(tables.read(duplicate_record.SPEC, condition, LINE))
            records = records.join(copies, on=LINE, how="anti")
        if "raw" in records.columns:
            return records
        if records.filter(col("not_understood_reason").is_in(NOT_WHOLE)).is_empty():
            return records.with_columns(raw=pl.lit(None, pl.Binary))
        damaged = is_in("not_understood_reason", NOT_WHOLE)
        asked = damaged if condition is None else condition & damaged
        raw = frame_of(tables.read(log_record.SPEC, asked, (*LINE, "raw")))
        return records.join(raw, on=LINE, how="left")


def in_slices(kernel: RowKernel, records: pl.DataFrame) -> pl.DataFrame:
    """What the kernel gives of the records part by part, as on executors."""
    parts = [kernel.build(one) for one in records.iter_slices(ROWS_AT_ONCE)]
    return pl.concat(parts) if parts else kernel.build(records)
