"""Records that are damaged, and files whose time goes back."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import known_lines

NODE = ("cluster_id", "node_id")
OWN_LOGS = ("controller", "state-change")
DAMAGED = ("cut", "bad_bytes", "too_long", "no_envelope")
NO_WRITER = "no_writer"
BACK_SECONDS = 60


def damaged_line_gaps(seen: pl.DataFrame, source_file: pl.DataFrame) -> pl.DataFrame:
    """Per file, hour and reason; the beginning and the end of a file by themselves. What names no node in a file of
    several may be of any of them: its node is null."""
    reason = col("not_understood_reason")
    read = source_file.group_by("file_id").agg(col("consumed_bytes").max())
    counted = (
        seen.filter((reason.is_in(DAMAGED) & col("log").is_in(OWN_LOGS)) | (reason == NO_WRITER))
        .group_by(*NODE, "log", "file_id", "seen_at", "not_understood_reason")
        .agg(
            col("record_count").sum(),
            from_at=col("first_at").min(),
            until_at=col("last_at").max(),
            first_offset=col("first_offset").min(),
            end_offset=col("end_offset").max(),
        )
    )
    sentence = pl.format("{} records from byte {} on: {}", "record_count", "first_offset", reason)
    return counted.join(read, on="file_id", how="left").select(
        *NODE, "log", "file_id", "from_at", "until_at", "record_count",
        kind=kind_of_damage(),
        certainty=lit("proved"),
        sentence=sentence,
        evidence=known_lines(("file_id", "first_offset")),
    )  # fmt: skip


def kind_of_damage() -> pl.Expr:
    reason = col("not_understood_reason")
    is_first = (col("first_offset") == 0) & (reason == "no_envelope")
    is_at_end = (col("end_offset") == col("consumed_bytes")) & (col("record_count") == 1)
    return (
        when(is_first)
        .then(lit("begins_inside_record"))
        .when(is_at_end & (reason == "cut"))
        .then(lit("ends_inside_record"))
        .when(reason == "cut")
        .then(lit("cut_records"))
        .otherwise(lit("unreadable_records"))
    )


def back_in_time(seen: pl.DataFrame) -> pl.DataFrame:
    """Per file the hours of which a line stands behind lines of later hours; small disorder of threads is usual."""
    hours = (
        seen.filter(col("first_at").is_not_null() & col("log").is_in(OWN_LOGS))
        .sort("first_offset", "first_at")
        .group_by(*NODE, "log", "file_id", hour_at=col("seen_at").dt.truncate("1h"))
        .agg(col("first_offset", "first_at").first(), col("last_offset").max(), until_at=col("last_at").max())
    )
    seconds = col("from_at").dt.epoch("s") - col("until_at").dt.epoch("s")
    is_behind = col("before_offset") < col("last_offset")
    sentence = "time goes back by {} s or more: a clock was set, or files were put together out of order"
    return (
        hours.pipe(with_first_of_later)
        .with_columns(back_seconds=seconds)
        .filter(is_behind & (col("back_seconds") >= BACK_SECONDS))
        .select(
            *NODE, "log", "file_id", "from_at", "until_at",
            kind=lit("time_goes_back"),
            certainty=lit("inferred"),
            sentence=pl.format(sentence, "back_seconds"),
            evidence=known_lines(("file_id", "before_offset"), ("file_id", "last_offset")),
        )
    )  # fmt: skip


def with_first_of_later(hours: pl.DataFrame) -> pl.DataFrame:
    """before_offset and from_at: place and time of the first line in the file that is of a later hour."""
    file = ("cluster_id", "file_id")
    is_first = col("first_offset") == col("first_offset").cum_min().over(file)
    return (
        hours.sort("hour_at", descending=True)
        .with_columns(
            before_offset=when(is_first).then("first_offset"), from_at=when(is_first).then("first_at")
        )
        .with_columns(col("before_offset", "from_at").forward_fill().shift(1).over(file))
    )
