"""Content that was in files and was not read, by what runs sighted."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.stretches import TIME
from pipeline.kafka.layout.paths import is_named_as_kafkas
from schemas.bronze.file_sighting import LOOKS_LIKE, PROBLEMS, READ_UNTIL

PATH = ("cluster_id", "path")
# The path of a log that was rolled by the hour, and the hour.
HOURLY = r"[.]log[.](\d{4}-\d{2}-\d{2}-\d{2})(?:\.gz|\.zst)?$"
NUMBERED = r"^(.*\.log)\.([0-9]{1,3})(?:\.gz|\.zst)?$"  # the path without its number, and the number


@needs_rows_of("sightings")
def unreadable_file_gaps(sightings: pl.DataFrame, source_file: pl.DataFrame) -> pl.DataFrame:
    """Paths whose last sighting is a problem, or of a file that is a controller's log by its name or its lines and of
    which none can be read, or of an archive that breaks off and was whole nowhere since. Their time is the hour in the
    name, as Kafka rolls its logs, where all logs are in UTC."""
    newest = sightings.sort("run_id").unique(PATH, keep="last", maintain_order=True)
    is_named = pl.Series("is_named", [is_named_as_kafkas(path) for path in newest["path"]], pl.Boolean)
    is_like = col("sentence").str.contains(LOOKS_LIKE, literal=True).fill_null(value=False)
    is_other = (col("state") == "not_kafka") & (is_named | is_like)
    hour = col("path").str.extract(HOURLY, 1) + ":00"
    hour_at = hour.str.to_datetime("%Y-%m-%d-%H:%M", time_unit="us", time_zone="UTC", strict=False)
    is_in_utc = (source_file["zone"] == "UTC").all()
    from_at = hour_at if is_in_utc else lit(None, TIME)
    broken = newest.filter(breaks_off()).join(
        whole_since(sightings), on=["cluster_id", "file_id"], how="left"
    )
    of_broken = broken.filter(col("whole_run_id").is_null() | (col("whole_run_id") < col("run_id")))
    found = newest.filter(col("state").is_in(PROBLEMS) | is_other)
    return pl.concat([found, of_broken.select(found.columns)]).select(
        *PATH,
        from_at=from_at,
        until_at=from_at + timedelta(hours=1),
        kind=lit("not_read"),
        certainty=lit("proved"),
        sentence=pl.format("not read: {}", pl.coalesce("sentence", "state")),
    )


def breaks_off() -> pl.Expr:
    """Of a file of which only the beginning was read."""
    return ~col("state").is_in(PROBLEMS) & col("sentence").str.contains(READ_UNTIL, literal=True)


def whole_since(sightings: pl.DataFrame) -> pl.DataFrame:
    """By file_id the last run that saw it to its end (whole_run_id)."""
    is_whole = col("state").is_in(["read", "known"]) & ~breaks_off().fill_null(value=False)
    whole = sightings.filter(is_whole, col("file_id").is_not_null())
    return whole.group_by("cluster_id", "file_id").agg(whole_run_id=col("run_id").max())


@needs_rows_of("sightings")
def missing_indexes(sightings: pl.DataFrame) -> pl.DataFrame:
    """controller.log.1 and .3 without a .2: rotation by size counts upwards, so each number was there once."""
    logs = sightings.filter(~col("state").is_in(["not_kafka", "not_asked"]))
    sentence = "of the files numbered by rotation these were never seen: {}"
    return absent_numbers(logs).select(
        *PATH,
        kind=lit("index_missing"),
        certainty=lit("inferred"),
        sentence=pl.format(sentence, "absent"),
    )


def absent_numbers(sightings: pl.DataFrame) -> pl.DataFrame:
    """Paths of whose numbers up to the highest some were never seen; absent: these numbers, as text."""
    number = col("number")
    numbered = sightings.select(
        "cluster_id",
        path=col("path").str.extract(NUMBERED, 1),
        number=col("path").str.extract(NUMBERED, 2).cast(pl.Int64),
    ).filter(number.is_not_null())
    counted = numbered.group_by(PATH).agg(number=pl.int_range(1, number.max() + 1))
    return (
        counted.explode("number")
        .filter(number.is_not_null())
        .join(numbered, on=[*PATH, "number"], how="anti")
        .group_by(PATH)
        .agg(absent=number.sort().cast(pl.String).str.join(", "))
    )


@needs_rows_of("sightings")
def replaced_file_gaps(sightings: pl.DataFrame, source_file: pl.DataFrame) -> pl.DataFrame:
    """Rotation by renaming keeps what was written last; truncation (copytruncate) and deletion may not."""
    files = source_file.group_by("cluster_id", "node_id", "log", "file_id").agg(
        begins_at=col("first_logged_at").min(), ends_at=col("last_logged_at").max()
    )
    log = when(col("log") != "mixed").then("log")
    before = files.select("cluster_id", "node_id", log.alias("log"), before_id="file_id", from_at="ends_at")
    after = files.select("cluster_id", "file_id", until_at="begins_at")
    sentence = "file {} stood here and was not seen again: what was written to it last may be lost"
    return (
        lost_after_reading(sightings)
        .join(before, on=["cluster_id", "before_id"], how="inner")
        .join(after, on=["cluster_id", "file_id"], how="left")
        .with_columns(
            kind=lit("replaced"), certainty=lit("inferred"), sentence=pl.format(sentence, "before_id")
        )
    )


def lost_after_reading(sightings: pl.DataFrame) -> pl.DataFrame:
    """A path that holds another file than before, where the earlier one (before_id) was seen nowhere since.

    A path may hold two files by turns, as when a backup is put back and undone: only its last change is told.
    """
    made_out = sightings.filter(~col("state").is_in(PROBLEMS) & col("file_id").is_not_null())
    last_seen = made_out.group_by("cluster_id", before_id="file_id").agg(last_run_id=col("run_id").max())
    return (
        made_out.sort("run_id")
        .with_columns(before_id=col("file_id").shift(1).over(PATH))
        .filter(col("before_id") != col("file_id"))
        .join(last_seen, on=["cluster_id", "before_id"], how="inner")
        .filter(col("last_run_id") < col("run_id"))
        .select(*PATH, "before_id", "file_id")
    )
