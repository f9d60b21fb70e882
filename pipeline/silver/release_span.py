"""Releases by node and time, from silver.wording_seen."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import zip_longest
from typing import Any

import polars as pl
from polars import col, lit, when

from pipeline.core.frames import empty_frame
from pipeline.core.incremental import AFFECTS, Incremental
from pipeline.core.stretch import INFERRED, UNDETERMINED, Stretch, ValueSighting, spans_of_sightings
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.releases import (
    all_release_bits,
    join_bits,
    oldest_and_newest,
    read_release_signs,
    release_bits,
    releases_by_wording,
    releases_of_bits,
    split_bits,
)
from pipeline.model.brokers.session_limits import default_seconds
from pipeline.model.brokers.silent_signals import without_signal
from pipeline.model.settings import ReleaseSetting
from schemas.silver.release_span import SPEC

NODE = ("cluster_id", "node_id")
BITS = ("older", "later")
FIRST = ("first_at", "first_file", "first_offset")
LAST = ("last_at", "last_file", "last_offset")
DAY = (*NODE, "process", "day")
NOT_TOLD = "no line tells releases apart"
CONTRADICTORY = "lines of releases that exclude one another in turn, and no start of a process between them"
DAY_US = 86_400_000_000
LINE_US = 1_000  # lines carry milliseconds: the end of the one at t is t + 1 ms

Row = dict[str, Any]


def build(wording_seen: pl.DataFrame, release_setting: ReleaseSetting) -> pl.DataFrame:
    """One row per stretch of one node.

    Each wording and sign says which releases print it, at the first and the last time it was seen. What this leaves
    is folded in order of time by core.stretch; a start of a process is where a release may change.
    What is folded grows with processes and kinds of wording, with hours only while they contradict one another.
    """
    fixed = {node_id: release_bits(release, release) for node_id, release in release_setting.by_node}
    sights = deciding_sights(seen_once(sights_with_release_bits(wording_seen)))
    rows = [row for node in sights.partition_by(*NODE) for row in node_release_spans(node, fixed)]
    times = ("valid_from_at", "valid_until_at")
    types = dict(empty_frame(SPEC).schema)
    in_micros = pl.DataFrame(rows, schema=types | dict.fromkeys(times, pl.Int64()))
    return in_micros.with_columns(col(name).cast(types[name]) for name in times)


def sights_with_release_bits(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """Sights with the bits (BITS) of the releases that print the wording; a row more for each sign."""
    seen = wording_seen.filter(col("template").is_not_null() & col("first_at").is_not_null()).select(
        *NODE, "seen_at", "is_start", "logger", "template", "signs",
        "first_at", "first_offset", "last_at", "last_offset",
        first_file="file_id", last_file="file_id",
    )  # fmt: skip
    by_wording = seen.join(bits_of_wordings(), on=["logger", "template"]).with_columns(
        place=when("is_start").then(place_of_start()).otherwise(0)
    )
    by_sign = (
        seen.with_columns(place=lit(0, pl.Int64))
        .explode("signs", empty_as_null=False)
        .join(bits_of_signs(), left_on="signs", right_on="sign")
    )
    columns = (*NODE, "seen_at", "place", *BITS, *FIRST, *LAST)
    return pl.concat([by_wording.select(columns), by_sign.select(columns)])


def place_of_start() -> pl.Expr:
    """Which of the lines that a process prints as it starts it is: process_starts.tsv."""
    places = (
        when((col("logger") == row["logger"]) & col("template").str.contains(row["template"])).then(
            lit(int(row["place"]), pl.Int64)
        )
        for row in read_fact_table("wording/process_starts.tsv")
    )
    return pl.coalesce(*places)


@cache
def bits_of_wordings() -> pl.DataFrame:
    """(logger, template, older, later)."""
    rows = [(*key, *split_bits(releases)) for key, releases in releases_by_wording().items()]
    return pl.DataFrame(
        rows,
        schema=dict.fromkeys(("logger", "template"), pl.String) | dict.fromkeys(BITS, pl.Int64),
        orient="row",
    )


@cache
def bits_of_signs() -> pl.DataFrame:
    """(sign, older, later)."""
    rows = [(sign.name, *split_bits(sign.releases)) for sign in read_release_signs()]
    return pl.DataFrame(rows, schema={"sign": pl.String} | dict.fromkeys(BITS, pl.Int64), orient="row")


def seen_once(said: pl.DataFrame) -> pl.DataFrame:
    """Per node, hour and bits the first and the last sight, with their places; in order of node and time. is_start: the
    first of the lines that a process prints as it starts."""
    once = (
        said.group_by(*NODE, "seen_at", "place", *BITS)
        .agg(col(FIRST).sort_by(FIRST).first(), col(LAST).sort_by(LAST).last())
        .sort(*NODE, *FIRST, *LAST, "place", *BITS)
    )
    place = when(col("place") > 0).then("place")
    before = place.forward_fill().shift().over(NODE)
    is_first = place.is_not_null() & (place <= before).fill_null(value=True)
    return once.with_columns(is_start=is_first).drop("place")


def deciding_sights(sights: pl.DataFrame) -> pl.DataFrame:
    """Both ends of the sights, (NODE, at, file_id, offset, is_start, BITS), in order of node and time: of each kind the
    first and the last of a block, as the others decide nothing; all of a day that leaves no release."""
    ordered = sight_ends_in_order(sights)
    days = ordered.group_by(DAY, maintain_order=True).agg(col(BITS).bitwise_and())
    numbered = days.select(
        *DAY,
        is_told=pl.any_horizontal(col(BITS) != 0),
        block=pl.Series([*block_numbers(days)], dtype=pl.Int64),
    )
    kind = pl.struct("block", *BITS)
    return ordered.join(numbered, on=DAY, nulls_equal=True, maintain_order="left").filter(
        ~col("is_told") | kind.is_first_distinct() | kind.is_last_distinct()
    )


def sight_ends_in_order(sights: pl.DataFrame) -> pl.DataFrame:
    """Both ends of the sights with process, its number on the node, and day, that of its time."""
    numbered = sights.with_columns(col("first_at", "last_at").dt.epoch("us")).with_row_index("row")
    shared = (*NODE, *BITS, "row")
    first = numbered.select(
        *shared,
        "is_start",
        at="first_at",
        file_id="first_file",
        offset="first_offset",
        is_end=lit(value=False),
    )
    last = numbered.filter(col("last_at") > col("first_at")).select(
        *shared,
        is_start=lit(value=False), at="last_at", file_id="last_file", offset="last_offset", is_end=lit(value=True),
    )  # fmt: skip
    return (
        pl.concat([first, last], how="diagonal")
        .sort(*NODE, "at", ~col("is_start"), "row", "is_end")
        .with_columns(process=col("is_start").cum_sum().over(NODE), day=col("at") // DAY_US)
    )


def block_numbers(days: pl.DataFrame) -> Iterator[int]:
    """For each day (DAY, BITS) the number of its block: the days of a process, one after another, that leave a release
    in common."""
    number, left, before = 0, 0, None
    for *process, _, older, later in days.iter_rows():
        told = join_bits(older, later)
        left = left & told if process == before else 0
        number, left, before = (number, left, process) if left else (number + 1, told, process)
        yield number


def node_release_spans(node: pl.DataFrame, fixed: Mapping[int | None, int]) -> Iterator[Row]:
    """The stretches of one node from its sights (deciding): a loop over few of them."""
    found = spans_of_sightings(release_sightings(node))
    starts = (one.first_at for one in found[1:])
    place = node.select(NODE).row(0, named=True)
    settled = fixed.get(place["node_id"], fixed.get(None))
    for one, following_at in zip_longest(found, starts):
        row = place | release_span_row(one, following_at)
        yield row if settled is None else row | as_fixed(one, settled)


def release_sightings(node: pl.DataFrame) -> Iterator[ValueSighting]:
    for row in node.iter_rows(named=True):
        releases = join_bits(row["older"], row["later"])
        yield ValueSighting(row["at"], releases, row["is_start"], (row["file_id"], row["offset"]))


def release_span_row(one: Stretch, following_at: int | None) -> Row:
    end = one.last_at + LINE_US
    if following_at is not None:
        end = max(min(end, following_at), one.first_at + 1)
    is_told = one.allowed != all_release_bits()
    reason = CONTRADICTORY if one.is_contradictory else None if is_told else NOT_TOLD
    places = dict.fromkeys(sighting.place for sighting in one.evidence)
    return {
        "valid_from_at": one.first_at,
        "valid_until_at": end,
        **release_columns(one.allowed),
        "source": "lines",
        "begins_with": one.begins,
        "certainty": UNDETERMINED if reason else one.certainty,
        "reason": reason,
        "evidence": [{"file_id": file_id, "byte_offset": offset} for file_id, offset in places],
    }


def as_fixed(one: Stretch, releases: int) -> Row:
    """What conf fixes stands in place of what lines tell; lines that exclude it are said."""
    since, until = oldest_and_newest(one.allowed)
    said = " to ".join(filter(None, (since, until or "the newest")))
    agrees = bool(one.allowed & releases)
    return {
        **release_columns(releases),
        "source": "setting",
        "certainty": INFERRED if agrees else UNDETERMINED,
        "reason": None if agrees else f"fixed in conf, but its lines are of {said}",
    }


def release_columns(releases: int) -> Row:
    since, until = oldest_and_newest(releases)
    return {"since_release": since, "until_release": until, "releases": releases_of_bits(releases)}


def session_defaults(release_span: pl.DataFrame) -> pl.DataFrame:
    """How long a broker may have been silent rests on its release, where it lists no session time-out."""
    return default_seconds(release_span).rename({"told_at": AFFECTS})


def silent_signals(release_span: pl.DataFrame) -> pl.DataFrame:
    """Why a process stopped rests on whether its release prints signals."""
    of_release = without_signal(release_span).filter("is_without_signal")
    return of_release.with_columns(col("valid_from_at").alias(AFFECTS))


INCREMENTAL = Incremental(changes_verdicts=(session_defaults, silent_signals))
