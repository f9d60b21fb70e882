"""Gaps of the logs, from what was seen of files, wordings and terms."""

import polars as pl
from polars import col

from pipeline.core.frames import empty_frame
from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.evidence import NO_LINES
from pipeline.silver.log_gap.broken_lines import back_in_time, damaged_line_gaps
from pipeline.silver.log_gap.lost_lines import lost_in_warehouse
from pipeline.silver.log_gap.missing_files import missing_indexes, replaced_file_gaps, unreadable_file_gaps
from pipeline.silver.log_gap.missing_lines import missing_log_gaps, silent_log_gaps
from pipeline.silver.log_gap.missing_terms import missing_days, missing_elections, missing_terms
from schemas.silver.log_gap import SPEC


def build(
    wording_seen: pl.DataFrame,
    source_file: pl.DataFrame,
    lost_segment: pl.DataFrame,
    file_sighting: pl.DataFrame,
    term: pl.DataFrame,
) -> pl.DataFrame:
    """One row per gap; none where the logs tell of none. Reads no log line: all inputs are small.

    proved: lines are missing or cannot be read. inferred: lines are missing unless something else explains it,
    which the sentence names. Silence of a log that writes nothing of its own accord is no gap.
    """
    found = (
        damaged_line_gaps(wording_seen, source_file),
        back_in_time(wording_seen),
        silent_log_gaps(wording_seen),
        *missing_log_gaps(wording_seen),
        missing_terms(term),
        missing_elections(term),
        missing_days(term, wording_seen),
        unreadable_file_gaps(file_sighting, source_file),
        missing_indexes(file_sighting),
        replaced_file_gaps(file_sighting, source_file),
        lost_in_warehouse(lost_segment, source_file),
    )
    gaps = pl.concat([empty_frame(SPEC), *map(of_table, found)], how="diagonal")
    return gaps.with_columns(col("evidence").fill_null(NO_LINES))


@needs_rows_of("gaps")
def of_table(gaps: pl.DataFrame) -> pl.DataFrame:
    return gaps.select(name for name in SPEC.columns if name in gaps.columns)
