"""Nights of a cluster in memory: the production builder on segments that come in any order of nights."""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import polars as pl
import pyarrow as pa
from polars import col

from jobs.engine.incremental.builder import Builder
from jobs.engine.incremental.night import Night
from jobs.settings.load import load_settings
from pipeline.catalog.tables import TABLES, CatalogTable
from pipeline.core.frames import declared_table, empty_frame, frame_of, with_absent
from pipeline.core.stored_tables import MemoryTables
from schemas.bronze import log_record, source_file
from schemas.gold import finding
from schemas.spec import TableSpec
from tests.incremental.cutting import Segments, by_files
from tests.reach.in_memory import MemoryExecutors

BUILT = tuple(one for one in TABLES if one.build is not None)
NAMES = frozenset(one.spec.name for one in BUILT)
SHOWN = 3
MIDNIGHT = datetime(2026, 11, 23, tzinfo=UTC)
TIME = pl.Datetime("us", "UTC")
# How late lines of a node come: nights after that of their day.
SOME, FILES = (0, 0, 1, 2, 5), (0, 1, 2, 4, 8)


def stretched(lines: pa.Table, times: int) -> pl.DataFrame:
    """The same lines as if each second had been that many. A minute of a lab is three days at 4,000 times; what Kafka
    does within milliseconds then takes minutes, and a grace of a minute is none."""
    rows = frame_of(lines)
    first = rows["logged_at"].min()
    moved = pl.lit(first) + (col("logged_at") - pl.lit(first)) * times
    return rows.with_columns(logged_at=moved)


def around_midnights(lines: pa.Table, count: int, minute: int = 0) -> pl.DataFrame:
    """The same lines in so many parts, each around a midnight of its own, where much is written, or so many minutes
    later. Nothing within a part is stretched: as in the field, what Kafka does then is parted, and most of a day is
    between two parts."""
    rows = frame_of(lines)
    times = rows["logged_at"].drop_nulls().sort().to_list()
    moments = sorted({times[len(times) * (2 * part + 1) // (2 * count)] for part in range(count)})
    later = (col("logged_at") >= one + (other - one) / 2 for one, other in pairwise(moments))
    parted = rows.with_columns(part=pl.sum_horizontal(pl.lit(0), *(one.cast(pl.Int64) for one in later)))
    midnight = pl.lit(MIDNIGHT) + pl.duration(days=col("part"), minutes=minute)
    moment = col("part").replace_strict(dict(enumerate(moments)), return_dtype=TIME)
    return parted.with_columns(logged_at=midnight + (col("logged_at") - moment)).drop("part")


def segments_of(
    rows: pl.DataFrame,
    late: Sequence[int] = (),
    seed: int = 0,
    how: str = "some",
    days_a_night: int = 1,
    hour: int = 0,
    minute: int = 0,
) -> Segments:
    """Each file in pieces, one a day of its own clock (the running maximum); a file's pieces come in their order.

    hour, minute: when the day of a night ends. late: nodes whose pieces come after their night. how: some: by a random number
    of nights each; files: by one number of each file; last: all in a night after all others.
    """
    chance = random.Random(seed)  # noqa: S311 - which night a file comes in
    ordered = rows.sort("file_id", "byte_offset").with_columns(
        piece=col("logged_at")
        .cum_max()
        .over("file_id")
        .forward_fill()
        .over("file_id")
        .dt.offset_by(f"-{hour}h{minute}m")
        .dt.truncate("1d")
        .fill_null(datetime(2000, 1, 1, tzinfo=UTC))
    )
    pieces = ordered.group_by("file_id", "piece", maintain_order=True).agg(node_id=col("node_id").first())
    days = sorted(set(pieces["piece"].to_list()))
    night_of: list[int] = []
    last: dict[str, int] = {}
    of_files = {file_id: chance.choice(FILES) for file_id in pieces["file_id"].unique().sort()}
    for file_id, piece, node_id in pieces.iter_rows():
        delays = {"some": chance.choice(SOME), "files": of_files[file_id], "last": len(days)}
        day = days.index(piece) // days_a_night
        night = max(day + delays[how] if node_id in late else day, last.get(file_id, 0))
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


def in_nights(segments: Segments, shards: int = 0) -> Iterator[dict[str, pl.DataFrame]]:
    """The tables after each night, built in the driver or in so many shards."""
    for _, tables in builders(segments, shards):
        yield dict(tables.rows)


def builders(segments: Segments, shards: int = 0) -> Iterator[tuple[Builder, MemoryTables]]:
    """What built each night, and the tables after it."""
    settings = load_settings(None, {"cluster": "c"}, {}, None)
    tables, before = MemoryTables(), 0
    cluster_id = segments.records["cluster_id"][0]
    for night in sorted(set(segments.nights.values())):
        brought = [number for number, its in segments.nights.items() if its == night]
        records = segments.records.filter(col("load_seq").is_in(brought))
        tables.append(log_record.SPEC, records.to_arrow(compat_level=pl.CompatLevel.oldest()))
        tables.append(source_file.SPEC, manifest(records).to_arrow(compat_level=pl.CompatLevel.oldest()))
        fresh = NAMES if before else frozenset[str]()
        run = Night(tables, settings, cluster_id, f"run-{night}", before, fresh, shards=shards)
        run.executors = MemoryExecutors(tables, []) if shards else None
        builder = Builder(run, lambda _, rows: rows)
        builder.build(BUILT)
        before = max(brought)
        yield builder, tables


def at_once(segments: Segments, nights: int) -> dict[str, pl.DataFrame]:
    """The tables of what so many nights bring, read in one: each file is one segment, which no night has cut."""
    those = sorted(set(segments.nights.values()))[:nights]
    numbers = [number for number, night in segments.nights.items() if night in those]
    (tables,) = in_nights(by_files(segments.records.filter(col("load_seq").is_in(numbers))))
    return tables


def differences(found: dict[str, pl.DataFrame], expected: dict[str, pl.DataFrame]) -> list[str]:
    """Of each table that is not as expected, in the order of building, the first rows that differ, in whichever
    segments they came."""
    ours, theirs = (
        {table.spec.name: of_content(table, tables) for table in BUILT} for tables in (found, expected)
    )
    return [one for table in BUILT for one in differing(table.spec, ours, theirs)]


def of_content(table: CatalogTable, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """The rows of a table as far as the lines tell them, and not which night brought what: load_seq is 0, what is
    written by segments is added up, and findings are neither new nor taken back."""
    spec = table.spec
    rows = tables.get(spec.name, empty_frame(spec))
    if table.incremental.taken is not None:
        rows = table.incremental.taken(rows)
    if spec == finding.SPEC:
        rows = rows.filter(col("status") != "retracted").with_columns(status=pl.lit("new"))
    return rows.with_columns(load_seq=pl.lit(0, pl.Int64)) if "load_seq" in spec.columns else rows


def differing(
    spec: TableSpec, found: dict[str, pl.DataFrame], expected: dict[str, pl.DataFrame]
) -> Iterator[str]:
    """A line per key of which rows differ, at most SHOWN: a column and its two values, or all of a row that only one
    of the two has; and how many there are."""
    if is_alike(spec, found.get(spec.name), expected.get(spec.name)):
        return
    ours, theirs = (by_key(spec, tables.get(spec.name)) for tables in (found, expected))
    others = [key for key in sorted({*ours, *theirs}) if ours.get(key) != theirs.get(key)]
    for key in others[:SHOWN]:
        yield f"{spec.name} {' '.join(key)}: {said(ours.get(key, []), theirs.get(key, []))}"
    if others:
        yield f"{spec.name}: {len(others)} keys of {len({*ours, *theirs})} differ"


def is_alike(spec: TableSpec, one: pl.DataFrame | None, other: pl.DataFrame | None) -> bool:
    """The same rows in order of their keys. Where not, texts tell: rows that share a key have no order."""
    if one is None or other is None or one.schema != other.schema:
        return False
    names = [name for name in one.columns if name != "cluster_id"]
    key = [name for name in spec.key if name in names]
    return one.select(names).sort(key).equals(other.select(names).sort(key))


def by_key(spec: TableSpec, rows: pl.DataFrame | None) -> dict[tuple[str, ...], list[dict[str, str]]]:
    """Rows by their key, all values as text."""
    keyed: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in [] if rows is None else declared_table(rows, spec).to_pylist():
        told = {name: text_of(value) for name, value in row.items() if name != "cluster_id"}
        keyed.setdefault(tuple(told[name] for name in spec.key if name in told), []).append(told)
    return {key: sorted(each, key=str) for key, each in keyed.items()}


def said(ours: list[dict[str, str]], theirs: list[dict[str, str]]) -> str:
    if len(ours) != 1 or len(theirs) != 1:
        return f"by nights {ours or 'no row'}, at once {theirs or 'no row'}"
    both = ((name, value, theirs[0][name]) for name, value in ours[0].items())
    return ", ".join(
        f"{name} by nights {ours}, at once {theirs}" for name, ours, theirs in both if ours != theirs
    )


def text_of(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, list):
        return f"[{' '.join(map(text_of, value))}]"
    if isinstance(value, dict):
        return " ".join(map(text_of, value.values()))
    return str(value)
