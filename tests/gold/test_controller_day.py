"""Days of terms: whichever lines midnight parts, the verdict on the term is the same."""

from functools import reduce

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampType

from schemas.gold.controller_term import SPEC
from tests.gold.term_stories import STORIES, records
from tests.tables import built_in_turn, same_rows

pytestmark = pytest.mark.spark
LATE = ("tail", "harmless", "talked", "wrote", "deeds not printed", "clocks differ", "znode_gone", "renounced late")  # fmt: skip
MIDNIGHTS = (5, 11, 14.5, 15.2, 15.5)  # seconds of the stories: what is late begins with the twelfth
DAY = 86_400


def later(column: str, seconds: float) -> Column:
    return F.timestamp_micros(F.unix_micros(column) + F.lit(int(seconds * 1_000_000)))


def moved(told: DataFrame, midnight: float) -> DataFrame:
    """The same lines as another cluster each, at that second of the story a new day begins."""
    named = {name: F.concat(name, F.lit(f"@{midnight}")) for name in ("cluster_id", "file_id")}
    return told.withColumns(named | {"logged_at": later("logged_at", DAY - midnight)})


def verdicts(terms: DataFrame, midnight: float | None) -> DataFrame:
    """Rows of that midnight, named and timed as in the story, with places as offsets."""
    mark, seconds = ("", 0.0) if midnight is None else (f"@{midnight}", midnight - DAY)
    own = terms.where(F.col("cluster_id").isin(*(f"{name}{mark}" for name in LATE)))
    times = [one.name for one in SPEC.struct.fields if isinstance(one.dataType, TimestampType)]
    story = F.split_part("cluster_id", F.lit("@"), F.lit(1))
    places = F.transform_values("lines", lambda _, some: some["byte_offset"])
    plain = {"evidence": F.col("evidence.byte_offset"), "cluster_id": story}
    maps = {"lines": F.array_sort(F.map_entries(places)), "steps": F.array_sort(F.map_entries("steps"))}
    return own.withColumns({name: later(name, seconds) for name in times} | plain | maps)


def test_midnight_changes_no_verdict(spark: SparkSession) -> None:
    told = records(spark, {name: STORIES[name] for name in LATE})
    every = reduce(DataFrame.unionByName, [told, *(moved(told, one) for one in MIDNIGHTS)])
    tables = built_in_turn(spark, every, "controller_term")
    terms, days = tables["controller_term"], tables["controller_day"]
    parted = days.where("late_count > 0 OR write_count > 0").groupBy("cluster_id", "term_id").count()
    assert parted.where("count > 1").count() >= 3
    expected = verdicts(terms, None)
    assert expected.where("overlap IS NOT NULL").select("overlap").distinct().count() == 4
    for midnight in MIDNIGHTS:
        same_rows(verdicts(terms, midnight), expected, *SPEC.columns)
