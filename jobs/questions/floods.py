"""Warnings and errors that a node printed over and over: one line for each, as they hide what stands between them."""

import re
from datetime import datetime

from polars import col

from jobs.text import clock_by
from pipeline.core.conditions import all_conditions, is_in
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import reached_since

LEVELS = ("WARN", "ERROR", "FATAL")
OF_AN_HOUR = 10_000  # so many of one wording within an hour are a flood
SHOWN = 3
WORDING = ("node_id", "logger", "template")
PREFIX, FIELD = re.compile(r"^\[[^\]]*\]:? "), re.compile(r"\{\w+\}")


def floods_of(answers: Answers, since: datetime | None = None) -> list[Row]:
    """(node_id, logger, template, count, first_at, last_at), the largest first: the hours that hold so many, those
    that reach `since` alone."""
    names = (*WORDING, "seen_at", "record_count", "first_at", "last_at")
    asked = all_conditions(
        is_in("level", LEVELS),
        reached_since("seen_at", since and since.replace(minute=0, second=0, microsecond=0)),
    )
    rows = answers.rows("silver.wording_seen", asked, names).drop_nulls("template")
    count, first, last = col("record_count").sum(), col("first_at").min(), col("last_at").max()
    hours = rows.group_by(*WORDING, col("seen_at").dt.truncate("1h")).agg(
        count=count, first_at=first, last_at=last
    )
    return (
        hours.filter(col("count") >= OF_AN_HOUR)
        .group_by(WORDING)
        .agg(col("count").sum(), col("first_at").min(), col("last_at").max())
        .sort(-col("count"), *WORDING)
        .head(SHOWN)
        .to_dicts()
    )


def flood_text(one: Row) -> str:
    """104,078 times by node 2 from 22:34:05.100 to 22:37:02.780: Error processing append operation on partition …"""
    node = "a node" if one["node_id"] is None else f"node {one['node_id']}"
    said = FIELD.sub("…", PREFIX.sub("", one["template"])).replace("…-…", "…")
    first, last = clock_by(one["first_at"], one["last_at"]), clock_by(one["last_at"], one["first_at"])
    return f"{one['count']:,} times by {node} from {first} to {last}: {said}"
