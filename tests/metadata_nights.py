"""Nights of the tables of the metadata log alone, by the engine that runs them, in memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pyarrow as pa

from jobs.engine.incremental.builder import Builder
from jobs.engine.incremental.night import Night
from jobs.settings.load import load_settings
from pipeline.bronze.metadata_rows import Coverage, record_row, snapshot_row, stretch_rows
from pipeline.catalog.tables import BY_NAME, BY_SHORT_NAME
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import MemoryTables
from pipeline.kafka.metadata_log.segment import MetadataPart
from schemas.bronze import metadata_part, metadata_record

TABLES = ("metadata_span", "metadata_partition", "metadata_broker")
WRITTEN_AT = datetime(2026, 11, 28, tzinfo=UTC)
SETTINGS = load_settings(None, {"cluster": "c"}, {}, None)


def slowed_part(part: MetadataPart, times: int) -> MetadataPart:
    """The same with so many times as long between its records, so that minutes become days."""
    no_ops = part.no_ops.copy()
    starts = [one.at_ms for one in part.records] + no_ops["at_ms"].tolist()
    begin = min(starts)
    no_ops["at_ms"] = begin + (no_ops["at_ms"] - begin) * times
    records = [replace(one, at_ms=begin + (one.at_ms - begin) * times) for one in part.records]
    return replace(part, records=records, no_ops=no_ops)


def cut_part(part: MetadataPart, first: int, last: int) -> MetadataPart:
    """Records of offsets from first until before last."""
    records = [one for one in part.records if first <= one.offset < last]
    offsets = part.no_ops["offset"]
    return replace(part, records=records, no_ops=part.no_ops[(offsets >= first) & (offsets < last)])


class MetadataNights:
    """A warehouse of a cluster. `nodes`: by node what is read so far of its copy."""

    def __init__(self) -> None:
        self.tables, self.count = MemoryTables(), 0

    def load(self, parts: Sequence[tuple[int, MetadataPart]]) -> None:
        """Writes what the copies (node, part) bring beside what is known."""
        self.count += 1
        stored = frame_of(self.tables.read(metadata_part.SPEC))
        coverage, records, rows = Coverage.of_parts(stored), [], []
        for node_id, part in parts:
            copy = {"cluster_id": "c", "file_id": f"f{node_id}", "load_seq": self.count}
            whole = copy | {
                "node_id": node_id,
                "log_cluster_id": None,
                "path": f"node-{node_id}",
                "size_bytes": 1,
                "modified_at": WRITTEN_AT,
                "form": "segment" if part.snapshot is None else "snapshot",
                "last_batch_byte": 0,
                "consumed_bytes": 1,
            }
            if part.snapshot is not None:
                records += [record_row(one, part.snapshot[0], copy) for one in part.records]
                rows.append(snapshot_row(part, whole, is_base=True))
                continue
            kept = [
                one
                for one, is_known in zip(part.records, coverage.holds(part.records), strict=True)
                if not is_known
            ]
            records += [record_row(one, None, copy) for one in kept]
            new = stretch_rows(part, kept, whole)
            rows += new
            for one in new:
                coverage.add(one["controller_epoch"], one["first_offset"], one["last_offset"])
        for spec, found in ((metadata_record.SPEC, records), (metadata_part.SPEC, rows)):
            self.tables.append(spec, pa.Table.from_pylist(found, schema=spec.arrow))

    def night(self, parts: Sequence[tuple[int, MetadataPart]], goals: Sequence[str] = TABLES) -> None:
        before = self.count
        self.load(parts)
        fresh = frozenset(BY_NAME) if before else frozenset[str]()
        night = Night(self.tables, SETTINGS, "c", f"run-{self.count}", before, fresh, metadata_before=before)
        Builder(night, lambda _, rows: rows).build([BY_SHORT_NAME[name] for name in goals])

    def rows(self, name: str) -> pl.DataFrame:
        """Without what tells which load brought a row."""
        spec = BY_SHORT_NAME[name].spec
        found = frame_of(self.tables.read(spec)).drop("file_id", "byte_offset", "path", strict=False)
        return found.sort([one for one in spec.key if one in found.columns])


def random_cuts(part: MetadataPart, count: int, seed: int) -> list[int]:
    offsets = np.array([one.offset for one in part.records])
    inner = np.random.default_rng(seed).choice(offsets[1:], count, replace=False)
    return [int(offsets.min()), *sorted(inner.tolist()), int(offsets.max()) + 1 + len(part.no_ops)]
