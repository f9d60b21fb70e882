"""What a run brings to a cluster: which segments are new, and which tables hold what follows from those before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from jobs.settings.model import Settings
from pipeline.catalog.tables import CatalogTable, Refresh
from pipeline.core.conditions import Condition, column_since, is_in
from pipeline.core.executors import KernelExecutors
from pipeline.core.frames import empty_frame, frame_of, kept_only
from pipeline.core.stored_tables import StoredTables
from schemas.bronze import log_record, source_file
from schemas.bronze.log_record import NOT_WHOLE

# Kernels read what a record says, never its bytes.
SAID = tuple(name for name in log_record.SPEC.columns if name != "raw")
# What is asked of records once the tables are built: where they stand, and which of them are not understood.
ASKED_LATER = (
    "cluster_id", "load_seq", "file_id", "node_id", "log", "byte_offset", "line_count", "logged_at", "event",
    "not_understood_reason",
)  # fmt: skip


@dataclass
class Night:
    """One run on one cluster.

    before: the highest load_seq of earlier runs. fresh: tables that hold what follows from all rows up to `before`; the
    others are built from everything. derived: segments of earlier runs that are derived anew beside the new ones. gone:
    rows of bronze.source_file of those that others replace. executors: who runs kernels of single records; None: the
    driver does. shards: into so many parts, by topic, they divide its tables; 0: into none. records:
    what is loaded, once it is asked for. goes_on: the run before read a part of what it found, and no screen told of
    it. metadata_before: the last load of copies of the metadata log of earlier runs. parts: the segments of the run
    (load_seq) in groups whose records the driver can hold; none: all at once.
    """

    tables: StoredTables
    settings: Settings
    cluster_id: str
    run_id: str
    before: int
    fresh: frozenset[str]
    derived: frozenset[int] = frozenset()
    gone: pl.DataFrame = field(default_factory=lambda: empty_frame(source_file.SPEC))
    executors: KernelExecutors | None = None
    shards: int = 0
    records: pa.Table | None = None
    goes_on: bool = False
    metadata_before: int = 0
    parts: Sequence[Sequence[int]] = ()

    def is_of_run(self) -> Condition:
        """True for rows of segments that this run loads or derives anew."""
        is_new = column_since("load_seq", self.before + 1)
        return is_new | is_in("load_seq", sorted(self.derived)) if self.derived else is_new

    def records_of_run(self) -> pa.Table:
        """Rows of bronze.log_record of these segments: read once, as SAID, or at hand as the driver has read them."""
        if self.records is None:
            self.records = self.tables.read(log_record.SPEC, self.is_of_run(), SAID)
        return self.records

    def columns_of_run(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Some columns of these rows, those of one segment together. Where executors run the kernels, the driver never
        holds all of them."""
        if self.executors is None:
            yield frame_of(self.records_of_run().select(names))
            return
        for load_seqs in self.parts or [()]:
            among = is_in("load_seq", load_seqs) if load_seqs else self.is_of_run()
            yield frame_of(self.tables.read(log_record.SPEC, among, names))

    def forget_records(self) -> None:
        """They are read again: the segments of the run are others than before."""
        self.records = None

    def keep_asked_later(self) -> None:
        """No kernel takes them any more: what they say is most of what a run holds, and lets go of."""
        if self.records is not None:
            self.records = self.records.select(ASKED_LATER)

    def is_fresh(self, table: CatalogTable) -> bool:
        return table.spec.name in self.fresh

    def is_appended(self, table: CatalogTable) -> bool:
        """True if the run adds rows of its segments to those that are there."""
        return table.refresh is Refresh.APPEND and self.is_fresh(table) and self.before > 0


def without_bytes(records: pa.Table) -> pa.Table:
    """Rows of bronze.log_record with the bytes of those alone that are not whole."""
    is_damaged = pc.fill_null(pc.is_in(records["not_understood_reason"], pa.array(NOT_WHOLE)), False)
    kept = kept_only(records["raw"], is_damaged)
    return records.set_column(records.schema.get_field_index("raw"), records.schema.field("raw"), kept)
