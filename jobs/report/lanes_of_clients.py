"""Lanes of a drawing that tell what clients could feel, one for each kind of them."""

from collections.abc import Iterator
from datetime import datetime

import polars as pl
from polars import col

from jobs.questions.named.clients import TABLE, WHO
from jobs.report.scale import Lane, Scale, times_text
from jobs.report.told import ClusterTold
from jobs.text import format_count
from pipeline.core.stretches import TIME, with_island
from schemas.gold.client_impact import AUDIENCES

COLUMNS = ("audience", "topic", "from_at", "from_latest_at", "until_earliest_at", "until_at")


def client_lanes(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    """Of all topics together, as long as clients of one of them could feel something: pale where perhaps."""
    last = told.facts.read["last_at"]
    if TABLE not in told.built or last is None:
        return
    rows = told.within.rows(TABLE, None, COLUMNS)
    if rows.is_empty():
        return
    yield Lane("what clients could feel", is_heading=True)
    for audience in AUDIENCES:
        own = rows.filter(col("audience") == audience)
        if own.is_empty():
            continue
        marks = []
        for class_, begin, end in (
            ("felt perhaps", "from_at", "until_at"),
            ("felt", "from_latest_at", "until_earliest_at"),
        ):
            for from_at, until_at, topics in felt_together(own, begin, end, last):
                what = f"{WHO[audience]}: {format_count(topics, 'topic')}, {times_text(from_at, until_at)}"
                marks += scale.bar(class_, from_at, until_at, what)
        yield Lane(WHO[audience], marks)


def felt_together(
    rows: pl.DataFrame, begin: str, end: str, last: datetime
) -> list[tuple[datetime, datetime, int]]:
    """(from, until, how many topics) of stretches that touch; none of those without length."""
    until = pl.coalesce(end, "until_earliest_at", pl.lit(last, TIME))
    spans = rows.select("audience", "topic", from_at=begin, until_at=until).filter(
        col("until_at") > col("from_at")
    )
    joined = with_island(spans, ["audience"]).group_by("island", maintain_order=True)
    found = joined.agg(col("from_at").min(), col("until_at").max(), topics=col("topic").n_unique())
    return [(row["from_at"], row["until_at"], row["topics"]) for row in found.drop("island").to_dicts()]
