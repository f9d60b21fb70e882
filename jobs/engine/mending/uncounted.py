"""What a run published of the logs and no table has any more: nothing but its counts tells of it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import polars as pl
from polars import col

from jobs.engine.mending.segments import segments_with_lost_records, segments_without_row, whole_segments
from pipeline.model.lines.lost_segments import UNNAMED
from pipeline.store.runs.published import EXPIRED_BEFORE, Published
from pipeline.store.tables.stated import Contents
from pipeline.store.warehouse import RUN_ID
from schemas.bronze import log_record, source_file


def count_missing_records(published: Published, segments: pl.DataFrame, counts: pl.DataFrame) -> int:
    """At least how many published records no row of the manifest and no record tells of.

    segments: rows of bronze.source_file that are left; counts: of the records that are left, as `segments.counted`.
    """
    stated: Mapping[str, Contents] = published.contents
    missing = segments_with_lost_records(segments, counts, published.counts.get(EXPIRED_BEFORE, 0))
    nameless = segments_without_row(segments, counts)
    known = (
        *whole_segments(segments, counts)["record_count"],
        *missing["record_count"],
        *nameless["row_count"],
    )
    records, rows = sum(known), len(segments) + len(nameless)
    load_seqs = [*segments["load_seq"], *nameless["load_seq"]]
    short = [published.counts.get("load_seq", 0) - max(load_seqs, default=0)]
    if log_record.SPEC.name in stated and source_file.SPEC.name in stated:
        short += [stated[log_record.SPEC.name].rows - records, stated[source_file.SPEC.name].rows - rows]
    return max(0, *short)


def uncounted_row(published: Published, segments: pl.DataFrame, count: int) -> dict[str, object]:
    """The row of bronze.lost_segment that says so, without its run. It may be about any log of any node: from the first
    time that is known of, until that run began."""
    size = published.counts.get("total_bytes", 0) - sum(segments["record_bytes"].to_list())
    return {
        "node_id": None,
        "file_id": UNNAMED,
        "path": UNNAMED,
        "log": "mixed",
        "start_offset": 0,
        "consumed_bytes": max(1, size),
        "record_count": count,
        "first_logged_at": segments["first_logged_at"].min(),
        "last_logged_at": datetime.strptime(str(published.run_id), RUN_ID).replace(tzinfo=UTC),
        "is_shared": True,
        "load_seq": max(segments["load_seq"].to_list(), default=0) + 1,
    }


def read_again(gap: Mapping[str, Any], records: pl.DataFrame) -> bool:
    """Whether as many records were read since as the row counts. records: (load_seq, logged_at) of all."""
    is_since = col("load_seq") >= gap["load_seq"]
    is_of_then = (col("logged_at") <= gap["last_logged_at"]).fill_null(value=True)
    return records.filter(is_since, is_of_then).height >= int(gap["record_count"])
