"""What of an outage is certain: its begin, its end, and the lines that tell both."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.model.brokers.outage_bounds import WIPED

UNTOLD, DELETED = "unknown", "deleted"
AT_ONCE = timedelta(seconds=1)


def is_begin_unknown() -> pl.Expr:
    """True where nobody knows since when: it may have been so in doubt, or before all that is known of it. Behind a
    doubt only who left tells since when, but not who may exit then of whom no line says that it may begin to: its
    leaders were moved before."""
    is_first = col("is_first_known") & (col("root_event") == UNTOLD)
    is_exit_alone = col("is_exit_alone").fill_null(value=False)
    is_untold = col("is_behind_doubt").fill_null(value=False) & col("root_left_how").is_null()
    return (col("is_since_doubt") | is_first | is_untold).fill_null(value=False) | is_exit_alone


def with_its_end() -> pl.Expr:
    """What no line ends is not proved as a whole. What a deletion ends at once may be its first step: that makes
    all partitions Offline, up to 3.9, and controller.log alone tells why."""
    is_of_deletion = (col("ended_how") == DELETED) & (col("ended_at") - col("noticed_at") <= AT_ONCE)
    is_unended = col("ended_how").is_in(["lines_missing", WIPED]) & (col("certainty") == "proved")
    return (
        when(is_of_deletion.fill_null(value=False))
        .then(lit("undetermined"))
        .when(is_unended)
        .then(lit("inferred"))
        .otherwise("certainty")
    )


def outage_evidence() -> pl.Expr:
    """The line with which it begins, and the one with which it ends if there is one."""
    begin = pl.struct(file_id="line_file_id", byte_offset="line_byte_offset")
    end = pl.struct(file_id="ending_file_id", byte_offset="ending_byte_offset")
    has_end = col("ending_file_id").is_not_null()
    return when(has_end).then(pl.concat_list(begin, end)).otherwise(pl.concat_list(begin))
