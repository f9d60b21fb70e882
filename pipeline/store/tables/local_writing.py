"""Delta tables of a local warehouse made and written by delta-rs: no Spark job, no plan, no JVM.

Spark takes some 0.4 s of a processor for each table that it writes and 0.13 s for each that it makes, however few the
rows; here it is 0.02 s. Both declare, refuse and leave the same (tests/store/test_local_writing.py).
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import ColumnProperties, CommitProperties, DeltaTable, WriterProperties
from deltalake import write_deltalake as write
from deltalake.exceptions import DeltaError

from pipeline.core.errors import NeedsSpark
from pipeline.store.files.durable import LOG
from pipeline.store.files.hadoop_sums import keep_sums
from pipeline.store.files.local_files import LocalFiles, link_new
from pipeline.store.spark.session import WITHOUT_DICTIONARY
from pipeline.store.spark.spark_configuration import SKIPPED_BY
from pipeline.store.tables.commit_files import actions_of
from pipeline.store.tables.data_files import GROUP_ROWS, PAGE_BYTES
from pipeline.store.tables.delta import stretches_of
from pipeline.store.tables.first_commit import comparable_metadata, first_commit, metadata_of
from pipeline.store.tables.local_commit import NO_HOOKS, add_files, finish_commit, require_room
from pipeline.store.tables.task_rows import Rows, TaskRows
from schemas.spec import TableSpec

PAGE_ROWS = 1_000_000
MILLISECOND = timedelta(milliseconds=1)
# So much of older days a night may write again in a table to bring its own.
REWRITTEN_BYTES = 256 << 10


@dataclass(frozen=True)
class LocalWriter:
    """`<warehouse>/<cluster_id>` on this machine; each commit is noted. retention_days, zstd_level: as in the settings
    of storage."""

    folder: Path
    retention_days: int
    zstd_level: int

    def of(self, spec: TableSpec) -> Path:
        return self.folder / spec.layer / spec.table

    def create(self, spec: TableSpec, note: str) -> None:
        """An empty table as `DeltaFolder.create` makes it: version 0. FileExistsError: it is there."""
        log = self.of(spec) / LOG
        log.mkdir(parents=True, exist_ok=True)
        require_room(log)
        first = log / f"{0:020d}.json"
        if not link_new(first, first_commit(spec, self.retention_days, note)):
            raise FileExistsError(f"ConcurrentWrite: {first}")
        keep_sums(first)

    def append(self, spec: TableSpec, rows: Rows, note: str) -> None:
        self.write(spec, rows, note, "append", None)

    def overwrite(self, spec: TableSpec, rows: Rows, note: str) -> None:
        self.write(spec, rows, note, "overwrite", None)

    def replace_from(self, spec: TableSpec, rows: Rows, column: str, start: datetime, note: str) -> None:
        """The rows whose column reaches the start, or is null, are taken out and these put in: in one commit, as long
        as that writes little of what is older again and the driver holds them. Else in two, after which what is older
        has files of its own, and later nights leave it alone: what a night writes does not grow with the nights before
        it."""
        moment = start.astimezone(UTC).isoformat(timespec="microseconds")
        reached = f"{column} >= '{moment}' OR {column} IS NULL"
        if isinstance(rows, TaskRows) or self.bytes_across(spec, column, start) > REWRITTEN_BYTES:
            self.delete(spec, reached, note)
            self.append(spec, rows, note)
        else:
            self.write(spec, rows, note, "overwrite", reached)

    def bytes_across(self, spec: TableSpec, column: str, start: datetime) -> int:
        """Bytes of the data files that hold rows on both sides of the start, or do not say. What they say of their last
        moment is cut to the millisecond."""
        with needing_spark():
            files = pa.table(self.opened(spec).get_add_actions(flatten=True)).to_pylist()
        begin = start.astimezone(UTC)
        return sum(
            one["size_bytes"]
            for one in files
            if not is_beyond(one.get(f"max.{column}"), lambda last: last + MILLISECOND <= begin)
            and not is_beyond(one.get(f"min.{column}"), lambda first: first >= begin)
        )

    def delete_segments(self, spec: TableSpec, load_seqs: Iterable[int], note: str) -> None:
        """Takes out the rows of segments: those that are read again, or kept no longer."""
        stretches = [f"load_seq BETWEEN {first} AND {last}" for first, last in stretches_of(load_seqs)]
        if stretches:
            self.delete(spec, " OR ".join(stretches), note)

    def delete(self, spec: TableSpec, condition: str, note: str) -> None:
        """condition: as of `DeltaFolder.delete`, with no character in it that Spark and DataFusion escape apart."""
        with needing_spark():
            table = self.opened(spec)
            table.delete(condition, writer_properties=self.parquet(spec), **noted(note))
            finish_commit(self.of(spec), table)

    def restore(self, spec: TableSpec, version: int, note: str) -> None:
        """A new version that holds what an older one held. NeedsSpark: that one cannot be read by delta-rs."""
        with needing_spark():
            table = self.opened(spec)
            table.restore(version, **noted(note))
            finish_commit(self.of(spec), DeltaTable(str(self.of(spec))))

    def empty(self, spec: TableSpec, note: str) -> None:
        """A new version without rows. NeedsSpark: the table was not made as it is declared now."""
        made = next((one for one in read_actions(self.of(spec), 0) if "metaData" in one), {})
        if comparable_metadata(made.get("metaData", {})) != comparable_metadata(
            metadata_of(spec, self.retention_days)["metaData"]
        ):
            raise NeedsSpark
        self.restore(spec, 0, note)

    def write(self, spec: TableSpec, rows: Rows, note: str, mode: Any, predicate: str | None) -> None:
        """NeedsSpark: delta-rs refuses it, as it does what it cannot do with a table; Spark may, or says why not."""
        if isinstance(rows, TaskRows):
            self.write_in_tasks(spec, rows, note, mode)
            return
        with needing_spark():
            table = self.opened(spec)
            write(
                table,
                rows.select(spec.columns).cast(spec.arrow),
                mode=mode,
                predicate=predicate,
                writer_properties=self.parquet(spec),
                **noted(note),
            )
            finish_commit(self.of(spec), table)

    def write_in_tasks(self, spec: TableSpec, rows: TaskRows, note: str, mode: Any) -> None:
        """The tasks write files, and one commit names those of the tasks that ended well. What others left behind no
        version names: `maintain` takes it away."""
        folder = self.of(spec)
        with needing_spark():
            table = self.opened(spec)
            if [one.name for one in table.schema().fields] != list(spec.columns):
                raise NeedsSpark
            add_files(folder, table, rows.as_files(spec, folder, self.zstd_level), mode, **noted(note))
            finish_commit(folder, table)

    def opened(self, spec: TableSpec) -> DeltaTable:
        require_room(self.of(spec))
        return DeltaTable(str(self.of(spec)))

    def parquet(self, spec: TableSpec) -> WriterProperties:
        """As `tune_storage` has Spark write it."""
        columns = {
            name: ColumnProperties(
                dictionary_enabled=name not in WITHOUT_DICTIONARY,
                statistics_enabled="CHUNK" if name in SKIPPED_BY else "NONE",
            )
            for name in spec.columns
        }
        return WriterProperties(
            compression="ZSTD",
            compression_level=self.zstd_level,
            data_page_size_limit=PAGE_BYTES,
            data_page_row_count_limit=PAGE_ROWS,
            max_row_group_size=GROUP_ROWS,
            default_column_properties=ColumnProperties(statistics_enabled="NONE"),
            column_properties=columns,
        )


def is_beyond(told: Any, test: Callable[[datetime], bool]) -> bool:
    """Whether what a file says of a column passes; it does not if it says nothing."""
    return isinstance(told, datetime) and test(told if told.tzinfo else told.replace(tzinfo=UTC))


@contextmanager
def needing_spark() -> Iterator[None]:
    try:
        yield
    except DeltaError as problem:
        raise NeedsSpark from problem


def noted(note: str) -> dict[str, Any]:
    committed = CommitProperties({"userMetadata": note})
    return {"commit_properties": committed, "post_commithook_properties": NO_HOOKS}


def read_actions(table: Path, version: int) -> list[dict[str, Any]]:
    """What a commit says; nothing of one that is gone or torn."""
    return actions_of(LocalFiles(), str(table), version) or []
