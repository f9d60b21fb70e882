"""What a night takes of gold.partition_timeline: of the time before its first day the rows that count after it."""

from datetime import datetime

import polars as pl
from polars import col

from pipeline.core.conditions import (
    Condition,
    all_conditions,
    column_before,
    column_reaching,
    column_since,
    is_in,
)
from pipeline.core.frames import empty_frame
from pipeline.core.incremental import TablesAtHand, names_condition
from pipeline.model.partitions.partition_states import IDENTITY, since_printed_seq
from pipeline.model.partitions.statements import PARTITION
from schemas.gold.partition_timeline import SPEC

# Tables that say what state a partition is in.
SAYING = ("leader_and_isr", "partition_transition", "partition_state", "state_dump")
KEY = ("cluster_id", *SPEC.key)
TOPIC = ("cluster_id", "topic", "topic_id")
# What tells of a row whether it counts.
PLACE = (*KEY, "topic_id", "partition_epoch", "valid_from_at", "valid_until_at")


def timeline_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that begin before the day: those open then; and of the topics in which something is said
    afterwards, and of partitions that are open in KRaft by an inference, those that count_after().

    Of the other rows of a topic in KRaft the first one is told, by its PLACE alone: since when the topic is known.
    However long the history is, no more of it is read than where its rows lie.
    """
    earlier, is_open = column_before("valid_from_at", start), column_reaching("valid_until_at", start)
    open_rows = at_hand.stored(SPEC, earlier & is_open)
    is_inferred = col("topic_id").is_not_null() & col("partition_epoch").is_null()
    inferred = open_rows.filter(is_inferred).select(IDENTITY).unique()
    topics = [topic for name in SAYING for topic in at_hand.topics_since(name, start)]
    of_topics = names_condition("topic", pl.Series(topics, dtype=pl.String))
    is_asked = (
        None
        if of_topics is None
        else of_topics | is_in("topic_id", inferred["topic_id"].unique().sort().to_list())
    )
    places = at_hand.stored(SPEC, all_conditions(earlier, is_asked), PLACE)
    of_inferred = places.join(inferred, on=IDENTITY, how="semi")
    said = places if of_topics is None else places.filter(of_topics.polars())
    asked = pl.concat([said, of_inferred]).unique(KEY, keep="first")
    over = asked.filter(counts_after()).filter(~is_open.polars())
    first = (
        asked.filter(col("topic_id").is_not_null()).sort("valid_from_at", *KEY).unique(TOPIC, keep="first")
    )
    kept = pl.concat([open_rows, rows_of_places(at_hand, earlier, over)])
    return pl.concat([kept, first.join(kept, on=KEY, how="anti")], how="diagonal").select(SPEC.columns)


def counts_after() -> pl.Expr:
    """True for rows that tell what is known of a partition as a day begins: in ZooKeeper mode its last interval, in
    KRaft those from its last printed state on, all of a partition of which none is printed."""
    number = col("interval_seq")
    is_last = number == number.max().over(PARTITION)
    is_since_printed = (number >= since_printed_seq()).fill_null(value=True)
    return pl.when(col("topic_id").is_null()).then(is_last).otherwise(is_since_printed)


def rows_of_places(at_hand: TablesAtHand, earlier: Condition, places: pl.DataFrame) -> pl.DataFrame:
    """The rows at these places, whole."""
    since = places["valid_from_at"].min()
    if not isinstance(since, datetime):
        return empty_frame(SPEC)
    of_topics = names_condition("topic", places["topic"])
    asked = all_conditions(earlier, column_since("valid_from_at", since), of_topics)
    return at_hand.stored(SPEC, asked).join(places.select(KEY), on=KEY, how="semi")
