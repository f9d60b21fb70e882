"""Nights of a cluster in memory: the production builder on segments that come in any order of nights."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl
import pyarrow as pa
from polars import col

from jobs.incremental.builder import Builder
from jobs.incremental.night import Night
from jobs.load_settings import load
from pipeline.catalog.tables import TABLES
from pipeline.core.frames import declared, frame_of, with_absent
from pipeline.core.stored_tables import MemoryTables
from schemas.bronze import log_record, source_file

# gold.finding tells what is new since the last run.
BUILT = tuple(one for one in TABLES if one.build is not None and one.spec.table != "finding")
NAMES = frozenset(one.spec.name for one in BUILT)
STRETCHED = 4000  # a minute of a lab is three days


@dataclass(frozen=True)
class Segments:
    """Records of one cluster, each with the segment (load_seq) that brings it, and the night of each segment."""

    records: pl.DataFrame
    nights: dict[int, int]


def stretched(lines: pa.Table) -> pl.DataFrame:
    """The same lines as if each second had been an hour or more."""
    rows = frame_of(lines)
    first = rows["logged_at"].min()
    moved = pl.lit(first) + (col("logged_at") - pl.lit(first)) * STRETCHED
    return rows.with_columns(logged_at=moved)


def segments_of(rows: pl.DataFrame, late: Sequence[int] = (), seed: int = 0) -> Segments:
    """Each file in pieces, one a day of its own clock (the running maximum). late: nodes whose pieces come some nights
    after their day, by a random number of them; a file's pieces come in their order."""
    chance = random.Random(seed)  # noqa: S311 - which night a file comes in
    ordered = rows.sort("file_id", "byte_offset").with_columns(
        piece=col("logged_at")
        .cum_max()
        .over("file_id")
        .forward_fill()
        .over("file_id")
        .dt.truncate("1d")
        .fill_null(datetime(2000, 1, 1, tzinfo=UTC))
    )
    pieces = ordered.group_by("file_id", "piece", maintain_order=True).agg(node_id=col("node_id").first())
    days = sorted(set(pieces["piece"].to_list()))
    night_of: list[int] = []
    last: dict[str, int] = {}
    for file_id, piece, node_id in pieces.iter_rows():
        delay = chance.choice((0, 0, 1, 2, 5)) if node_id in late else 0
        night = max(days.index(piece) + delay, last.get(file_id, 0))
        last[file_id] = night
        night_of.append(night)
    planned = pieces.with_columns(night=pl.Series(night_of)).sort("night", "file_id", "piece")
    planned = planned.with_columns(number=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))
    records = ordered.join(planned.select("file_id", "piece", "number"), on=("file_id", "piece"))
    records = records.with_columns(load_seq="number").select(log_record.SPEC.columns)
    return Segments(records, dict(planned.select("number", "night").iter_rows()))


def manifest(records: pl.DataFrame) -> pl.DataFrame:
    """Rows of bronze.source_file of the segments of these records."""
    rows = records.group_by("cluster_id", "node_id", "file_id", "load_seq").agg(
        log=pl.when(col("log").n_unique() > 1).then(pl.lit("mixed")).otherwise(col("log").first()),
        path=col("file_id").first(),
        start_offset=col("byte_offset").min(),
        consumed_bytes=(col("byte_offset") + col("byte_length")).max(),
        first_logged_at=col("logged_at").min(),
        last_logged_at=col("logged_at").max(),
        record_count=pl.len().cast(pl.Int64),
        understood_count=col("event").count().cast(pl.Int64),
        record_bytes=col("byte_length").sum(),
    )
    return with_absent(rows, source_file.SPEC).select(source_file.SPEC.columns)


def in_nights(segments: Segments, *, at_once: bool = False) -> Iterator[dict[str, pl.DataFrame]]:
    """The tables after each night; at_once: after the one in which all comes."""
    settings = load(None, {"cluster": "c"}, {}, None)
    tables, before = MemoryTables(), 0
    cluster_id = segments.records["cluster_id"][0]
    numbers = sorted(segments.nights)
    last = (
        {0: numbers}
        if at_once
        else {
            night: [one for one in numbers if segments.nights[one] == night]
            for night in sorted(set(segments.nights.values()))
        }
    )
    for night, brought in last.items():
        records = segments.records.filter(col("load_seq").is_in(brought))
        tables.append(log_record.SPEC, records.to_arrow(compat_level=pl.CompatLevel.oldest()))
        tables.append(source_file.SPEC, manifest(records).to_arrow(compat_level=pl.CompatLevel.oldest()))
        fresh = NAMES if before else frozenset[str]()
        run = Night(tables, settings, cluster_id, f"run-{night}", before, fresh)
        Builder(run, lambda *_: None).build(BUILT)
        before = max(brought)
        yield dict(tables.rows)


def rows_of(tables: dict[str, pl.DataFrame], name: str) -> list[str]:
    """The rows of a table as text, in order."""
    spec = next(one.spec for one in BUILT if one.spec.name == name)
    rows = tables.get(name)
    return [] if rows is None else sorted(str(row) for row in declared(rows, spec).to_pylist())


def differences(found: dict[str, pl.DataFrame], expected: dict[str, pl.DataFrame]) -> list[str]:
    """Rows that only one of the two has, by table."""
    said = []
    for name in sorted(NAMES):
        ours, whole = rows_of(found, name), rows_of(expected, name)
        if ours != whole:
            said += [f"{name} + {one}" for one in sorted(set(ours) - set(whole))[:3]]
            said += [f"{name} - {one}" for one in sorted(set(whole) - set(ours))[:3]]
            said += [f"{name}: {len(ours)} rows, not {len(whole)}"]
    return said
