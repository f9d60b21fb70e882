"""Whether the records of each segment of a log file are there, byte by byte, and each file without a hole."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import polars as pl
from polars import col, lit

from pipeline.core.frames import empty_frame
from pipeline.store.examination.answer import SegmentsState
from pipeline.store.examination.data_columns import read_data_file, read_data_files
from pipeline.store.runs.damage import Damage
from pipeline.store.tables.stated import DataFile
from schemas.bronze import log_record, lost_segment, source_file

RECORDS, FILES, LOST = log_record.SPEC.name, source_file.SPEC.name, lost_segment.SPEC.name
SEGMENT = ("load_seq", "file_id")
PLACED = (*SEGMENT, "byte_offset", "byte_length")
STRETCH = (*SEGMENT, "path", "start_offset", "consumed_bytes", "record_count")
BITS = 40  # of the number that a byte of a file gives: so many that sums of them do not run over


@dataclass(frozen=True)
class StoredFiles:
    """Of a table where it is, and the data files of the version that is looked at."""

    uri: str
    files: Collection[DataFile]


def segments_of(
    manifest: StoredFiles, records: StoredFiles, lost: StoredFiles | None, expired_before_ms: int
) -> tuple[SegmentsState, list[Damage]]:
    """What bronze.source_file says that was read against bronze.log_record. One of UNREADABLE: a file of them cannot be
    read. expired_before_ms: segments whose last record is older may have no records any more."""
    segments = read_data_files(manifest.uri, manifest.files, source_file.SPEC, (*STRETCH, "last_logged_at"))
    losses = empty_frame(lost_segment.SPEC).select(STRETCH)
    if lost is not None:
        losses = read_data_files(lost.uri, lost.files, lost_segment.SPEC, STRETCH)
    placed = [
        segment_placements(read_data_file(records.uri, one.path, log_record.SPEC, PLACED))
        for one in records.files
    ]
    found = added_up(pl.concat([segment_placements(empty_frame(log_record.SPEC).select(PLACED)), *placed]))
    is_old = (col("last_logged_at").dt.epoch("ms") < expired_before_ms).fill_null(value=False)
    held = segments.join(found, on=SEGMENT, how="left").with_columns(
        is_gone=col("count").is_null() & ~is_old, is_expired=col("count").is_null() & is_old
    )
    state = SegmentsState(
        segments["file_id"].n_unique(),
        len(segments),
        int(found["count"].sum()),
        int(found["bytes"].sum()),
        int(held["is_expired"].sum()),
        len(losses),
        int(losses["record_count"].sum()),
    )
    damages = (*of_records(held), *of_no_segment(found, segments), *of_order(segments, losses))
    return state, list(damages)


def place_hash(place: pl.Expr) -> pl.Expr:
    return place.hash() % (1 << BITS)


def segment_placements(records: pl.DataFrame) -> pl.DataFrame:
    """By segment how many records, their bytes, where the first begins and the last ends, and two sums: of numbers of
    the places where records begin, and where they end."""
    begin, end = col("byte_offset"), col("byte_offset") + col("byte_length")
    return records.group_by(SEGMENT).agg(
        count=pl.len().cast(pl.Int64),
        bytes=col("byte_length").cast(pl.Int64).sum(),
        first=begin.min(),
        end=end.max(),
        begins=place_hash(begin).sum(),
        ends=place_hash(end).sum(),
    )


def added_up(placed: pl.DataFrame) -> pl.DataFrame:
    """The same of all data files; is_whole: each record begins where another one of the segment ends."""
    sums = placed.group_by(SEGMENT).agg(
        col("count", "bytes", "begins", "ends").sum(), col("first").min(), col("end").max()
    )
    return sums.with_columns(
        is_whole=col("begins") + place_hash(col("end")) == col("ends") + place_hash(col("first"))
    )


def of_records(held: pl.DataFrame) -> Iterator[Damage]:
    """Segments without records, and those whose records are others than were read."""
    gone = held.filter("is_gone")
    if not gone.is_empty():
        told = f"{gone['record_count'].sum():,} records of {len(gone):,} segments are not in {RECORDS}"
        yield Damage(RECORDS, "segment_gone", f"{told}, first {segment_range_text(gone)}")
    is_as_read = (
        col("is_whole")
        & (col("count") == col("record_count"))
        & (col("first") == col("start_offset"))
        & (col("end") == col("consumed_bytes"))
        & (col("bytes") == col("consumed_bytes") - col("start_offset"))
    )
    odd = held.filter(col("count").is_not_null(), ~is_as_read)
    if not odd.is_empty():
        first = odd.sort("load_seq").row(0, named=True)
        told = f"{first['count']:,} records and {first['bytes']:,} bytes in {RECORDS} of {segment_range_text(odd)}"
        read = (
            f"{first['record_count']:,} records and {first['consumed_bytes'] - first['start_offset']:,} bytes"
        )
        more = f"; {len(odd) - 1:,} more segments differ" if len(odd) > 1 else ""
        yield Damage(RECORDS, "segment_differs", f"{told}, of which {read} were read{more}")


def of_no_segment(found: pl.DataFrame, segments: pl.DataFrame) -> Iterator[Damage]:
    unknown = found.join(segments, on=SEGMENT, how="anti")
    if not unknown.is_empty():
        told = f"{unknown['count'].sum():,} records in {RECORDS} of {len(unknown):,} segments"
        yield Damage(FILES, "segment_unknown", f"{told} that {FILES} does not have")


def of_order(segments: pl.DataFrame, losses: pl.DataFrame) -> Iterator[Damage]:
    """Segments of a file that share bytes, and bytes between two that none has and that were not found lost."""
    ordered = segments.sort("file_id", "start_offset").with_columns(before=reached_bytes())
    twice = ordered.filter(col("start_offset") < col("before"))
    if not twice.is_empty():
        told = f"{len(twice):,} segments in {FILES} begin before the one before them ends"
        yield Damage(FILES, "segments_overlap", f"{told}, first {segment_range_text(twice)}")
    both = pl.concat(
        [
            segments.select(STRETCH).with_columns(is_lost=lit(value=False)),
            losses.with_columns(is_lost=lit(value=True)),
        ]
    )
    holes = both.sort("file_id", "start_offset").with_columns(before=reached_bytes())
    holes = holes.filter(col("start_offset") > col("before"))
    if not holes.is_empty():
        first = holes.sort("load_seq").row(0, named=True)
        told = f"no segment in {FILES} of bytes {first['before']:,} to {first['start_offset']:,} of {first['path']}"
        more = f"; {len(holes) - 1:,} more holes" if len(holes) > 1 else ""
        yield Damage(FILES, "segment_missing", f"{told}{more}")


def reached_bytes() -> pl.Expr:
    """Until where the segments before reach, of rows that are sorted by file and place."""
    return col("consumed_bytes").cum_max().shift(1).over("file_id")


def segment_range_text(segments: pl.DataFrame) -> str:
    """The first of them."""
    first = segments.sort("load_seq").row(0, named=True)
    return f"{first['path']}, bytes {first['start_offset']:,} to {first['consumed_bytes']:,}"
