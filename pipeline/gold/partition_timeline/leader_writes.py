"""The ISR between two statements of controllers: what leaders write and print (ZooKeeper mode, up to 2.6)."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.model.partitions.statements import SENT
from pipeline.model.partitions.topic_lives import GONE

WRITTEN, CONFLICT, ALTERED = "isr_written", "isr_version_conflict", "alter_partition_updated"
INTENDED = ("isr_shrinking", "isr_expanding")
# A controller took a replica out of the ISR; the last one stays in it without a leader.
REMOVALS = ("replica_removed_from_isr", "isr_updated")
BY_WRITER = ("cluster_id", "topic", "partition", "leader")
OWN = ("cluster_id", "topic", "partition")
# A controller's line and one of a broker may be of one instant, whatever their order.
GRACE = timedelta(minutes=1)


def leader_writes(leader_and_isr: pl.DataFrame, wording_seen: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(OWN, at, event, writer, isr, previous_isr, partition_epoch, is_counted, file_id, byte_offset): each write of an
    ISR that its leader, the writer, prints in the span. is_counted: it has no number of its own.

    Up to 2.3 the line is the intention: it is written unless the next line of its broker on the partition says that
    somebody else had written before. From 2.4 on the line that it is written counts; a broker that prints such lines
    writes nothing that it does not say.
    Source: Partition.updateIsr up to 2.3, maybeUpdateIsrAndVersionWithZk since.
    """
    told = leader_and_isr.filter(col("teller") == "leader")
    place = ("logged_at", "file_id", "byte_offset")
    answer = col("event").shift(-1).over(BY_WRITER)
    is_answered = answer.is_in([WRITTEN, CONFLICT]).fill_null(value=False)
    says_written = (
        wording_seen.filter(col("event") == WRITTEN)
        .group_by("cluster_id", leader="node_id")
        .agg(since=col("first_at").min().dt.truncate("1d"))
    )
    is_silent = (col("logged_at") < col("since")).fill_null(value=True)
    is_counted = col("event").is_in(INTENDED) & ~col("is_answered") & is_silent
    is_later = span.since("logged_at")
    return (
        told.sort(*BY_WRITER, *place)
        .with_columns(is_answered=is_answered)
        .join(says_written, on=["cluster_id", "leader"], how="left")
        .with_columns(is_counted=is_counted)
        .filter(is_later, col("is_counted") | (col("event") == WRITTEN))
        .select(
            *(
                *OWN,
                "event",
                "isr",
                "previous_isr",
                "partition_epoch",
                "is_counted",
                "file_id",
                "byte_offset",
            ),
            at="logged_at",
            writer="leader",
        )
    )


def with_writes(lived: pl.DataFrame, writes: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Statements, and writes of leaders on the partitions that are there then. has_place: the row has a place of its
    own within a term. Where controllers tell of every change nothing is counted."""
    told = term.select("cluster_id", "term_id", "is_isr_told")
    last = lived.select(*OWN, "topic_life", "term_id", "at", last_state="state").sort("at")
    is_told = col("is_isr_told").fill_null(value=False)
    placed = (
        writes.sort("at")
        .join_asof(last, on="at", by=OWN, check_sortedness=False)
        .filter(col("topic_life").is_not_null(), col("last_state").ne_missing(GONE))
        .join(told, on=["cluster_id", "term_id"], how="left")
        .filter(~(is_told & col("is_counted")))
        .with_columns(has_place=lit(value=False))
        .drop("last_state", "is_isr_told")
    )
    own = lived.with_columns(is_counted=lit(value=False), has_place=lit(value=True))
    return pl.concat([own, placed], how="diagonal")


def in_writing_order(lived: pl.DataFrame, *, is_read: bool) -> pl.DataFrame:
    """Statements (partition_no, in order, none with a lower leader epoch than one before it) with partition_epoch, the
    number of the last write that is known, is_unseen: before it there was a write that no line tells, and is_base.

    Each write raises the number by one, one of a controller the leader epoch too. So a line of a leader whose number is
    not above what is known was passed by a later write, and a controller that says less than is known, within a leader
    epoch, repeats what it has read before. Without a number a request repeats it too. is_read: a server.log was read;
    else nothing is to be found of leaders.
    Source: LeaderAndIsr.newEpochAndZkVersion, KafkaZkClient.updateLeaderAndIsr.
    """
    number = "partition_no"
    if not is_read:
        told = with_count(lived.with_columns(epoch=col("leader_epoch").forward_fill().over(number)))
        nothing = told.drop("epoch", "partition_epoch").rename({"count": "partition_epoch"})
        return nothing.with_columns(is_unseen=lit(value=False), is_base=lit(value=False))
    is_write, of_write = col("writer").is_not_null(), col("is_of_write").fill_null(value=False)
    led = col("leader").forward_fill().over(number)
    by_leader = (
        lived.filter((~is_write | (col("writer") == led)).fill_null(value=False))
        .with_columns(epoch=col("leader_epoch").forward_fill().over(number))
        .pipe(with_count)
        .with_columns(most=col("count").cum_max().forward_fill().shift(1).over(number))
    )
    is_passed = (is_write & (col("partition_epoch") <= col("most"))).fill_null(value=False)
    return (
        by_leader.filter(~is_passed)
        .with_columns(
            is_same=(col("epoch") == col("epoch").shift(1).over(number)).fill_null(value=False),
            was_written=is_write.cum_max().shift(1, fill_value=False).over(number, "epoch"),
            was_written_before=of_write.cum_max().shift(1, fill_value=False).over(number, "epoch"),
        )
        .pipe(without_repeated)
        .pipe(with_count)
        .with_columns(isr_known=col("isr").forward_fill().shift(1).over(number))
        .pipe(with_unseen_writes)
        .drop("epoch", "most", "is_same", "was_written", "isr_known", "was_written_before")
        .rename({"count": "partition_epoch"})
    )


def with_count(rows: pl.DataFrame) -> pl.DataFrame:
    """count: the number of the last write that is known, as said last and counted since: at least. Where the lines of a
    controller are missing a leader epoch that is higher by several may be of writes that are counted already."""
    number = "partition_no"
    raised = (col("leader_epoch") - col("epoch").shift(1).over(number)).clip(0, 1)
    own = when("is_counted").then(lit(1)).otherwise(raised.fill_null(0))
    is_said = col("partition_epoch").is_not_null()
    counted = when(~is_said).then(own).otherwise(lit(0)).cast(pl.Int32).cum_sum().over(number)
    said = (
        when(is_said).then(one).forward_fill().over(number) for one in (col("partition_epoch"), "counted")
    )
    last, before = said
    return (
        rows.with_columns(counted=counted).with_columns(count=last + col("counted") - before).drop("counted")
    )


def without_repeated(rows: pl.DataFrame) -> pl.DataFrame:
    """Statements of controllers that repeat, after writes of the leader, what they read before say no ISR."""
    is_less = (col("partition_epoch") < col("most")) & (col("was_written") | col("was_written_before"))
    is_unnumbered = col("partition_epoch").is_null() & col("event").is_in(SENT) & col("was_written")
    is_own = col("writer").is_null() & col("is_same")
    is_repeated = (is_own & (is_less | is_unnumbered)).fill_null(value=False)
    return rows.with_columns(when(~is_repeated).then(col("isr", "partition_epoch")))


def with_unseen_writes(rows: pl.DataFrame) -> pl.DataFrame:
    """is_unseen: the numbers say so, or the leader held another ISR for the one before, or a controller states another
    one that it did not write, or one with more brokers, or took out a broker that was not known to be in it. is_base:
    what is known of the ISR begins with this line."""
    number = "partition_no"
    is_write, is_same = col("writer").is_not_null(), col("is_same")
    # From 2.7 on the controller writes what the leader asks for, within the leader epoch.
    is_within = is_write | (col("event") == ALTERED).fill_null(value=False)
    steps = col("partition_epoch") - col("count").shift(1).over(number)
    raised = (col("epoch") - col("epoch").shift(1).over(number)).fill_null(0)
    is_skipped = steps > raised + is_within.cast(pl.Int32)
    is_contrary = is_write & ~is_same_set("previous_isr", "isr_known")
    is_foreign = ~is_within & is_same & ~is_same_set("isr", "isr_known")
    has_more = col("isr").list.set_difference("isr_known").list.len() > 0
    is_grown = (
        ~is_write & ~is_same & col("partition_epoch").is_null() & has_more & (col("isr").list.len() > 1)
    )
    is_removal = col("event").is_in(REMOVALS) & ~is_same & (col("leader") >= 0)
    is_vain = is_removal & is_same_set("isr", "isr_known")
    unseen = (is_skipped, is_contrary, is_foreign, is_grown, is_vain)
    is_stated = col("count").is_null() & col("isr").is_not_null()
    return rows.with_columns(
        is_unseen=pl.any_horizontal(one.fill_null(value=False) for one in unseen),
        is_base=col("partition_epoch").is_not_null() | is_stated,
    ).drop("partition_epoch")


def is_followed_unseen() -> pl.Expr:
    """True of an interval of a partition (partition_no, in order) after which a line is_unseen before another is_base:
    from the day on (UTC) of that line; what stands before that day is not changed any more."""
    row = pl.int_range(pl.len())
    unseen, base = (
        when(name).then(row).shift(-1).backward_fill().over("partition_no")
        for name in ("is_unseen", "is_base")
    )
    unseen_at = when("is_unseen").then("at").shift(-1).backward_fill().over("partition_no")
    until_at = col("at").shift(-1).over("partition_no")
    is_before_base = (unseen <= base).fill_null(unseen.is_not_null())
    return (is_before_base & (until_at >= unseen_at.dt.truncate("1d"))).fill_null(value=False)


def is_same_set(one: str, other: str) -> pl.Expr:
    """Null where one of them is not known."""
    return col(one).list.sort() == col(other).list.sort()


def with_stale_isr(intervals: pl.DataFrame, term: pl.DataFrame, wording_seen: pl.DataFrame) -> pl.DataFrame:
    """is_isr_stale: somebody leads who may have changed the ISR without a line of a controller, and what it prints into
    server.log was not read, or is not all there: of such a stretch nothing is known until its end.

    is_followed_unseen: a write within the interval is told by no line.
    """
    told = term.select("cluster_id", "term_id", "is_isr_told")
    read = (
        wording_seen.filter(col("log") == "server", col("level") == "INFO")
        .group_by("cluster_id", leader="node_id")
        .agg(read_from_at=col("first_at").min())
    )
    is_led = (col("leader") >= 0).fill_null(value=True)
    is_told = col("is_isr_told").fill_null(value=False)
    # At the end of a move the assignment is written before the ISR.
    is_alone = ((col("replicas").list.len() == 1) & (col("isr").list.len() <= 1)).fill_null(value=False)
    is_read = (col("read_from_at") <= col("valid_from_at") + GRACE).fill_null(value=False)
    is_said = is_read & ~col("is_followed_unseen").fill_null(value=False)
    is_stale = when(col("isr").is_not_null()).then(is_led & ~is_told & ~is_alone & ~is_said)
    return (
        intervals.join(told, on=["cluster_id", "term_id"], how="left")
        .join(read, on=["cluster_id", "leader"], how="left")
        .with_columns(is_isr_stale=is_stale)
    )
