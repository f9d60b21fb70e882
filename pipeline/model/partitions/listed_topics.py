"""Topics that a controller of ZooKeeper mode does not list as it starts: what ended them stands in lines not read."""

import polars as pl
from polars import col

from pipeline.model.partitions.topic_lives import ENDED, GONE

LIST, LISTED = "controller_topics", "listed"
TOPIC_LIFE = ("cluster_id", "topic", "topic_life", "life")


def ends_by_lists(
    lived: pl.DataFrame,
    before: pl.DataFrame,
    partitions: pl.DataFrame,
    lines: pl.DataFrame,
    topic_event: pl.DataFrame,
) -> pl.DataFrame:
    """The end of each partition of which no line tells it, at the first list of topics of a later controller that does
    not name its topic. Such a list is read from ZooKeeper.

    lived: statements and deletions, with topic_life. before: statements.partitions_known_before. partitions:
    (cluster_id, topic, topic_life, partition, life, known_from_at, ...), one row each. lines: those of controllers, in
    their places. Columns: those of partitions and the place of the list.
    Source: KafkaController.initializeControllerContext, 0.8.0 to 3.9.
    """
    lists = lines.filter(col("line_event") == LIST).select(
        *("cluster_id", "life", "controller_epoch", "seq", "event_seq", "file_id", "byte_offset"),
        *("term_id", "cause", "at"),
        event="line_event",
    )
    if lists.is_empty():
        return partitions.clear().drop("known_from_at", "known_in")
    is_end = (col("step").is_in(ENDED) | (col("state") == GONE)).fill_null(value=False)
    told = lived.filter(is_end).select(TOPIC_LIFE).unique()
    known = [lived.select(*TOPIC_LIFE, "controller_epoch", said_at="at")]
    if "is_there" in before.columns:
        known.append(before.filter("is_there").select(*TOPIC_LIFE, said_at="at"))
    named = topic_event.filter(col("step") == LISTED).select("file_id", "byte_offset", "topic")
    is_earlier = (col("controller_epoch") < col("controller_epoch_list")).fill_null(value=True)
    missed = (
        pl.concat(known, how="diagonal")
        .unique()
        .join(told, on=TOPIC_LIFE, how="anti")
        .sort("said_at")
        .join_asof(
            lists.sort("at"), left_on="said_at", right_on="at", by=["cluster_id", "life"], strategy="forward",
            suffix="_list", allow_exact_matches=False, check_sortedness=False,
        )
        .filter(col("at").is_not_null(), is_earlier)
        .join(named, on=["file_id", "byte_offset", "topic"], how="anti")
        .drop("controller_epoch", "said_at")
        .rename({"controller_epoch_list": "controller_epoch"})
        .unique([*TOPIC_LIFE, "at"])
    )  # fmt: skip
    return (
        partitions.join(missed, on=TOPIC_LIFE)
        .filter(col("known_from_at") < col("at"))
        .drop("known_from_at", "known_in")
    )
