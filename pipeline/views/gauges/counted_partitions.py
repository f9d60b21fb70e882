"""How many partitions there were, as stretches of each, and when the logs do not tell all of them."""

from collections.abc import Iterator
from datetime import datetime

import polars as pl
from polars import col, lit

from pipeline.core.conditions import column_equals
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.terms.tenures import KRAFT, ZOOKEEPER
from pipeline.views.terms.told_stretches import SPAN, Stretch

LIFE = ("topic", "mode", "created_how", "created_at", "first_seen_at", "ended_at")


def counted_partition_spans(
    answers: Answers, terms: pl.DataFrame, lives: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(from_at, until_at, weight) of partitions, and (from_at, until_at) while there may be others.

    lives: rows of gold.topic_lifecycle. A topic has the partitions that lines tell, until it is gone: while it is being
    deleted, too. One that was there before the logs, or that a controller without lines may have given more, is known
    with all of them once a controller that starts prints them.
    """
    columns = ("topic", "partition", "logged_at", "is_complete")
    dumped = answers.rows("silver.state_dump", column_equals("machine", "partition"), columns).filter(
        "is_complete"
    )
    listed_at: list[datetime] = dumped["logged_at"].unique().sort().to_list()
    silent = silent_election_times(terms)
    named = lives.select(*LIFE, "partitions").with_row_index("life")
    doubts = [
        each
        for one in named.drop("partitions").to_dicts()
        for each in doubtful_life_spans(one, silent, listed_at)
    ]
    told = named.select("life", "ended_at", "partitions").explode("partitions").drop_nulls("partitions")
    added = told.select("life", "ended_at", col("partitions").struct.unnest()).select(
        "life", "ended_at", "partition", from_at="added_at"
    )
    begin = pl.coalesce("created_at", "first_seen_at")
    listed = (
        named.select("life", "topic", "ended_at", begin=begin)
        .join(dumped, on="topic", how="inner")
        .filter(
            col("logged_at") >= col("begin"), col("ended_at").is_null() | (col("logged_at") < col("ended_at"))
        )
        .select("life", "ended_at", "partition", from_at="logged_at")
    )
    each = pl.concat([added, listed]).group_by("life", "partition", "ended_at").agg(col("from_at").min())
    hidden = pl.DataFrame(doubts, schema=SPAN, orient="row")
    return each.select("from_at", until_at="ended_at", weight=lit(1, pl.Int64)), hidden


def silent_election_times(terms: pl.DataFrame) -> list[datetime]:
    """When ZooKeeper controllers were elected of which the start is in no log, or no line at all."""
    found = []
    before: Row | None = None
    for one in terms.filter(col("mode") == ZOOKEEPER).sort("life", "controller_epoch").to_dicts():
        is_next = (
            before is None
            or before["life"] != one["life"]
            or before["controller_epoch"] + 1 == one["controller_epoch"]
        )
        if not one["is_begin_seen"]:
            found.append(one["began_at"])
        elif before is not None and not is_next:
            found.append(before["until_at"] or before["began_at"])
        before = one
    return sorted(found)


def doubtful_life_spans(life: Row, silent: list[datetime], listed_at: list[datetime]) -> Iterator[Stretch]:
    """From when to when its partitions are not all told; None: from then on."""
    begin, end = life["created_at"] or life["first_seen_at"], life["ended_at"]
    if life["mode"] == KRAFT:
        if life["created_how"] == "lines_missing":
            yield begin, end
        return
    since = [at for at in silent if at >= begin and (end is None or at < end)]
    for at in since if life["created_how"] == "created" else [begin, *since]:
        yield at, min((one for one in (*listed_at, end) if one is not None and one >= at), default=None)
