"""Releases by node and time, from silver.wording_seen."""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import LongType, StructField, StructType

from pipeline.core.stretch import INFERRED, UNDETERMINED, Sighting, Stretch, stretches
from pipeline.kafka.releases import ends, everything, halves, joined, members, signs, wordings
from schemas.silver.release_span import SPEC

BITS = ("older", "later")
FOLDED = StructType([*SPEC.struct.fields, *(StructField(name, LongType()) for name in BITS)])
NOT_TOLD = "no line tells releases apart"
CONTRADICTORY = "lines of releases that exclude one another in turn, and no start of a process between them"
LINE_US = 1_000  # lines carry milliseconds: the end of the one at t is t + 1 ms


def build(wording_seen: DataFrame, release_setting: DataFrame) -> DataFrame:
    """One row per stretch of one node.

    Each wording and sign says which releases print it, at the first and the last time it was seen. What this leaves
    is folded in order of time by core.stretch; a start of a process is where a release may change.
    What is folded grows with nodes, hours and kinds of wording, never with lines.
    release_setting: releases fixed in conf (node_id or null for all, bits as older and later, and their names).
    """
    return (
        wording_seen.where("template IS NOT NULL AND first_at IS NOT NULL")
        .transform(with_releases)
        .transform(seen_once)
        .groupBy("cluster_id", "node_id")
        .applyInArrow(fold, schema=FOLDED)
        .transform(with_setting, release_setting)
        .select(*SPEC.columns)
    )


def with_releases(seen: DataFrame) -> DataFrame:
    """(older, later): bits of the releases that print the wording; a row more for each sign."""
    spark = seen.sparkSession
    wording = spark.createDataFrame(
        [(*key, *halves(releases)) for key, releases in wordings().items()],
        "logger string, template string, older long, later long",
    )
    sign = spark.createDataFrame(
        [(sign.name, *halves(sign.releases)) for sign in signs()], "sign string, older long, later long"
    )
    by_wording = seen.join(F.broadcast(wording), on=["logger", "template"], how="inner")
    by_sign = (
        seen.withColumn("sign", F.explode("signs"))
        .withColumn("is_start", F.lit(False))
        .join(F.broadcast(sign), on="sign", how="inner")
    )
    columns = [*seen.columns, *BITS]
    return by_wording.select(*columns).unionByName(by_sign.select(*columns))


def seen_once(said: DataFrame) -> DataFrame:
    """Per node, hour and bits the first and the last sight, with their places."""
    first = F.struct("first_at", F.struct("file_id", "first_offset").alias("place"))
    last = F.struct("last_at", F.struct("file_id", "last_offset").alias("place"))
    return (
        said.groupBy("cluster_id", "node_id", "seen_at", "is_start", *BITS)
        .agg(F.min(first).alias("first"), F.max(last).alias("last"))
        .select(
            "cluster_id", "node_id", "is_start", *BITS,
            "first.first_at", F.col("first.place.file_id").alias("first_file"), "first.place.first_offset",
            "last.last_at", F.col("last.place.file_id").alias("last_file"), "last.place.last_offset",
        )
    )  # fmt: skip


def fold(seen: pa.Table) -> pa.Table:
    """The stretches of one node (FOLDED) from its sights; a loop over wordings of hours, not over lines."""
    found = stretches(sightings(seen)) if len(seen) else []
    starts = [one.first_at for one in found[1:]]
    node = {name: seen[name][0].as_py() for name in ("cluster_id", "node_id")} if len(seen) else {}
    rows = [node | as_row(one, until) for one, until in zip_longest(found, starts)]
    return pa.Table.from_pylist(rows, schema=to_arrow_schema(FOLDED))


def sightings(seen: pa.Table) -> Iterable[Sighting]:
    times = {name: seen[name].cast(pa.int64()).to_pylist() for name in ("first_at", "last_at")}
    rest = seen.drop_columns(["cluster_id", "node_id", "first_at", "last_at"]).to_pylist()
    for first_at, last_at, row in zip(*times.values(), rest, strict=True):
        releases = joined(row["older"], row["later"])
        yield Sighting(first_at, releases, row["is_start"], (row["first_file"], row["first_offset"]))
        if last_at > first_at:
            yield Sighting(last_at, releases, False, (row["last_file"], row["last_offset"]))


def as_row(one: Stretch, following_at: int | None) -> dict[str, Any]:
    since, until = ends(one.allowed)
    older, later = halves(one.allowed)
    is_told = one.allowed != everything()
    end = one.last_at + LINE_US
    if following_at is not None:
        end = max(min(end, following_at), one.first_at + 1)
    reason = CONTRADICTORY if one.is_contradictory else None if is_told else NOT_TOLD
    places = dict.fromkeys(sighting.place for sighting in one.evidence)
    return {
        "valid_from_at": one.first_at,
        "valid_until_at": end,
        "since_release": since,
        "until_release": until,
        "releases": members(one.allowed),
        "source": "lines",
        "begins_with": one.begins,
        "certainty": UNDETERMINED if reason else one.certainty,
        "reason": reason,
        "evidence": [{"file_id": file_id, "byte_offset": offset} for file_id, offset in places],
        "older": older,
        "later": later,
    }


def with_setting(spans: DataFrame, release_setting: DataFrame) -> DataFrame:
    """What conf fixes stands in place of what lines tell; lines that exclude it are said."""
    names = ("since_release", "until_release", "releases")
    fixed = F.struct(*BITS, *names).alias("fixed")
    of_all = release_setting.where("node_id IS NULL").select("cluster_id", fixed).alias("of_all")
    own = release_setting.where("node_id IS NOT NULL").select("cluster_id", "node_id", fixed).alias("own")
    is_own = (F.col("span.cluster_id") == F.col("own.cluster_id")) & (
        F.col("span.node_id") == F.col("own.node_id")
    )
    is_fixed = F.col("fixed").isNotNull()
    agree = (F.col("older").bitwiseAND(F.col("fixed.older")) != 0) | (
        F.col("later").bitwiseAND(F.col("fixed.later")) != 0
    )
    said = F.concat_ws(" to ", "since_release", F.coalesce("until_release", F.lit("the newest")))
    denied = F.concat(F.lit("fixed in conf, but its lines are of "), said)
    return (
        spans.alias("span")
        .join(F.broadcast(own), is_own, how="left")
        .join(F.broadcast(of_all), F.col("span.cluster_id") == F.col("of_all.cluster_id"), how="left")
        .select("span.*", F.coalesce("own.fixed", "of_all.fixed").alias("fixed"))
        .withColumns(
            {
                "reason": F.when(is_fixed, F.when(~agree, denied)).otherwise(F.col("reason")),
                "certainty": F.when(is_fixed, F.when(agree, INFERRED).otherwise(UNDETERMINED)).otherwise(
                    F.col("certainty")
                ),
                "source": F.when(is_fixed, "setting").otherwise(F.col("source")),
            }
        )
        .withColumns(
            {name: F.when(is_fixed, F.col(f"fixed.{name}")).otherwise(F.col(name)) for name in names}
        )
    )
