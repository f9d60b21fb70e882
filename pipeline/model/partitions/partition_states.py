"""The states that KRaft nodes print of each partition, one a partition epoch, in the order of these epochs."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.model.partitions.statements import MOVING
from pipeline.model.terms.kraft_terms import LINE

# How late lines of a state still tell of it when the next one is known: brokers apply a change one after another.
GRACE_SECONDS = 60
IDENTITY = ("cluster_id", "topic_id", "partition")
HELD = ("leader", "leader_epoch", "isr")
ASSIGNED = ("replicas", *MOVING)
PRINTED = (*IDENTITY, "topic", "partition_epoch", "at", *HELD, *ASSIGNED, *LINE)
LISTS = ("isr", *ASSIGNED)


def lines_with_topic_id(partition_state: pl.DataFrame, before: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Lines (silver.partition_state) in the span, each with at and the id of its topic.

    Lines of followers name no id: it is that of the last line of the same topic in the file that names one, else
    that of the topic of the name that was seen last. before: rows of gold.partition_timeline.
    """
    topic_of_file = ("cluster_id", "file_id", "topic")
    told = partition_state.sort("byte_offset").with_columns(
        col("topic_id").forward_fill().over(topic_of_file), at="logged_at"
    )
    is_named = col("topic_id").is_not_null()
    named, nameless = told.filter(is_named), told.filter(~is_named).drop("topic_id")
    own = ("cluster_id", "topic", "topic_id")
    seen = pl.concat([before.select(*own, at="valid_from_at"), named.select(*own, "at")])
    begun = seen.group_by(own).agg(named_at=col("at").min()).sort("named_at", "topic_id")
    by_name = (
        nameless.sort("at")
        .join_asof(
            begun, left_on="at", right_on="named_at", by=["cluster_id", "topic"], check_sortedness=False
        )
        .filter(is_named)
        .drop("named_at")
    )
    lines = pl.concat([named, by_name], how="diagonal")
    return lines.filter(span.since("at"))


def printed_states(lines: pl.DataFrame) -> pl.DataFrame:
    """Of the lines those that say which state a partition is in then: of brokers, and decisions."""
    is_state = col("partition").is_not_null() & col("partition_epoch").is_not_null()
    is_said = (col("step") == "stated") | col("is_decided")
    return lines.filter(is_state & is_said).select(
        *PRINTED, is_change=col("step") == "changed", is_birth=col("step") == "created"
    )


def states_by_epoch(printed: pl.DataFrame) -> pl.DataFrame:
    """One row per partition epoch that is known when it begins: at, the first line, and what its lines say.

    Where only a change was printed, what it leaves out is as it was before: who leads, where the leader epoch is the
    same, as each other leader adds one. Lines that come when a later epoch is
    known for a minute, as when a process starts and prints all it has, tell nothing; an epoch that is known only
    by then has no row. Sorted by IDENTITY and partition_epoch.
    """
    of_epoch = (*IDENTITY, "partition_epoch")
    is_in_time = col("at") <= col("superseded_at") + timedelta(seconds=GRACE_SECONDS)
    by_epoch = (
        printed.join(epoch_superseded_times(printed), on=of_epoch, how="left", nulls_equal=True)
        .filter(is_in_time.fill_null(value=True))
        .sort("at", "file_id", "byte_offset")
        .group_by(of_epoch)
        .agg(
            col("topic", "at", "superseded_at", "is_change").min(),
            col("first_seq", "known_certainty", "leader", "leader_epoch").max(),
            col(LISTS).sort().last(),
            col(LINE).first(),
        )
        .sort(of_epoch)
    )
    before = {name: col(name).forward_fill().over(IDENTITY) for name in HELD}
    is_other = (col("leader_epoch") != before["leader_epoch"].shift(1).over(IDENTITY)).fill_null(value=False)
    is_carried = {
        name: col("is_change") & ~is_other if name == "leader" else col("is_change") for name in HELD
    }
    carried = (pl.coalesce(name, when(is_carried[name]).then(before[name])) for name in HELD)
    is_known_first = (col("at") < col("superseded_at")).fill_null(value=True)
    return by_epoch.with_columns(carried).filter(is_known_first).drop("superseded_at", "is_change")


def epoch_superseded_times(printed: pl.DataFrame) -> pl.DataFrame:
    """(IDENTITY, partition_epoch, superseded_at): when a later epoch of the partition was printed first; null: none."""
    later_at = col("at").shift(-1).reverse().cum_min().forward_fill().reverse()
    return (
        printed.group_by(*IDENTITY, "partition_epoch")
        .agg(col("at").min())
        .sort(*IDENTITY, "partition_epoch")
        .select(*IDENTITY, "partition_epoch", superseded_at=later_at.over(IDENTITY))
    )


def since_printed(before: pl.DataFrame) -> pl.DataFrame:
    """Of rows of gold.partition_timeline those of each KRaft partition from its last printed state on,
    intervals_as_lines()."""
    return intervals_as_lines(before.filter(col("interval_seq") >= since_printed_seq()))


def since_printed_seq() -> pl.Expr:
    """Of rows of gold.partition_timeline interval_seq of the last printed state of each KRaft partition; null: none."""
    epoch, number = col("partition_epoch"), col("interval_seq")
    is_last_printed = (epoch == epoch.max().over(IDENTITY)).fill_null(value=False)
    return number.filter(is_last_printed).min().over(IDENTITY)


def intervals_as_lines(intervals: pl.DataFrame) -> pl.DataFrame:
    """The intervals with at, their begin, and its line as columns."""
    line = col("evidence").list.first().struct
    return intervals.with_columns(
        line.field("file_id"), line.field("byte_offset"), event=lit(""), at="valid_from_at"
    )


def seed_states(before: pl.DataFrame) -> pl.DataFrame:
    """Of each partition of rows of gold.partition_timeline the last state that was printed before the span, with the
    first of its intervals."""
    first = since_printed(before).sort("interval_seq").unique(IDENTITY, keep="first", maintain_order=True)
    return first.select(
        *PRINTED,
        is_change=lit(value=False),
        is_birth=lit(value=True),
        first_seq="interval_seq",
        known_certainty="certainty",
    )


def with_seeds(printed: pl.DataFrame, seeds: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """What is printed in the span after the last state before it, that state first.

    Of a cluster that was in ZooKeeper mode, where brokers print the same, from the partition's record on with which
    KRaft takes it over.
    """
    is_seed = col("first_seq").is_not_null()
    known_epoch = when(is_seed).then("partition_epoch").max().over(IDENTITY)
    born_at = when("is_birth").then("at").min().over(IDENTITY)
    migrated = term.filter(col("mode") == "zookeeper")["cluster_id"].unique()
    is_since_known = (col("partition_epoch") >= known_epoch).fill_null(value=True)
    is_since_born = (col("at") >= born_at).fill_null(value=False)
    is_of_kraft = ~col("cluster_id").is_in(migrated.implode()) | is_since_born
    return pl.concat([seeds, printed], how="diagonal").filter(is_since_known, is_of_kraft)
