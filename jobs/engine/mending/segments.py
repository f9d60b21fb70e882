"""Which segments of a cluster are whole, by what the manifest and the records say of one another."""

import polars as pl
from polars import col, lit

NAMED = ("file_id", "load_seq")
ROW = ("file_id", "byte_offset")
RANGE = ("start_offset", "consumed_bytes")
UNKNOWN = "unknown"


def count_segment_records(records: pl.DataFrame) -> pl.DataFrame:
    """By segment how many records there are (row_count), and of how many bytes (row_bytes)."""
    return records.group_by(NAMED).agg(row_count=pl.len().cast(pl.Int64), row_bytes=col("byte_length").sum())


def whole_segments(segments: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """Rows of bronze.source_file of which all records are there."""
    found = segments.join(counts, on=NAMED, how="inner", maintain_order="left")
    is_whole = (col("record_count") == col("row_count")) & (col("record_bytes") == col("row_bytes"))
    return found.filter(is_whole).select(segments.columns)


def segments_with_lost_records(
    segments: pl.DataFrame, counts: pl.DataFrame, expired_before_ms: int
) -> pl.DataFrame:
    """The other rows, but for those that `maintain` left without records as they are older than wanted."""
    is_old = (col("last_logged_at").dt.epoch("ms") < expired_before_ms).fill_null(value=False)
    old = segments.filter(is_old).join(counts, on=NAMED, how="anti")
    rest = segments.join(whole_segments(segments, counts), on=NAMED, how="anti", maintain_order="left")
    return rest.join(old, on=NAMED, how="anti", maintain_order="left")


def segments_without_row(segments: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """Segments of which there are records and no row of bronze.source_file."""
    return counts.join(segments, on=NAMED, how="anti").sort(NAMED)


def replaced_segments(segments: pl.DataFrame) -> pl.DataFrame:
    """Rows whose bytes a later segment of the same file holds, too: it was read again."""
    later = segments.select(
        "file_id", *(col(one).alias(f"later_{one}") for one in RANGE), later_seq="load_seq"
    )
    start, end = (col(one) for one in RANGE)
    is_over = (col("later_start_offset") < end) & (start < col("later_consumed_bytes"))
    both = segments.join(later, on="file_id").filter((col("later_seq") > col("load_seq")) & is_over)
    return both.select(segments.columns).unique(maintain_order=True)


def manifest_left(left: pl.DataFrame, segments: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """Of rows of the manifest that no version names those of segments whose records are all there."""
    missing = left.join(segments, on=NAMED, how="anti")
    return whole_segments(missing, counts).unique(NAMED, keep="last", maintain_order=True)


def records_left(left: pl.DataFrame, records: pl.DataFrame, missing: pl.DataFrame) -> pl.DataFrame:
    """Of records that no version names those that make missing segments whole, with what is there of them.

    records: (file_id, load_seq, byte_offset, byte_length) that are there.
    """
    found = left.join(missing, on=NAMED, how="semi").unique(ROW, keep="last", maintain_order=True)
    new = found.join(records, on=(*NAMED, "byte_offset"), how="anti")
    there = records.join(missing, on=NAMED, how="semi").select(*NAMED, "byte_offset", "byte_length")
    both = pl.concat([there, new.select(there.columns)])
    return new.join(
        whole_segments(missing, count_segment_records(both)), on=NAMED, how="semi", maintain_order="left"
    )


def manifest_of(records: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The manifest of segments as far as their records tell it: rows of bronze.source_file without zone and run_id.

    records: of whole files or not; a segment of which records are missing in between is left out. known: rows of the
    manifest, and (file_id, path) where a file was sighted. What neither tells reads 'unknown'.
    """
    node_id, log = (col(name).drop_nulls() for name in ("node_id", "log"))
    found = records.group_by(("cluster_id", *NAMED)).agg(
        node_id=pl.when(node_id.n_unique() == 1).then(node_id.first()),
        is_shared=node_id.n_unique() > 1,
        log=pl.when(log.n_unique() == 1).then(log.first()).otherwise(lit("mixed")),
        start_offset=col("byte_offset").min(),
        consumed_bytes=(col("byte_offset") + col("byte_length")).max(),
        record_count=pl.len().cast(pl.Int64),
        understood_count=col("event").is_not_null().sum().cast(pl.Int64),
        record_bytes=col("byte_length").sum(),
        first_logged_at=col("logged_at").min(),
        last_logged_at=col("logged_at").max(),
    )
    is_in_one = col("record_bytes") == col("consumed_bytes") - col("start_offset")
    told = known.group_by("file_id").agg(
        *(col(name).drop_nulls().last() for name in ("path", "codec", "envelope", "first_record_hash"))
    )
    return (
        found.filter(is_in_one)
        .join(told, on="file_id", how="left")
        .with_columns(
            col("path").fill_null(UNKNOWN),
            col("codec").fill_null("plain"),
            col("envelope").fill_null(UNKNOWN),
            col("first_record_hash").fill_null(UNKNOWN),
            size_bytes=col("consumed_bytes"),
            is_last_held_back=lit(value=False),
            consumed_hash=lit(UNKNOWN),
        )
    )
