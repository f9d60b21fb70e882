"""Parts of the intervals of partitions in which nobody leads: by their own state, or as their leader is gone.

A line is two columns with one prefix: <prefix>_file_id and <prefix>_byte_offset.
"""

import polars as pl
from polars import col, lit, when

from pipeline.core.touching import touching
from pipeline.model.partitions.statements import PARTITION

BROKER = ("cluster_id", "broker_id")
NO_LEADER = -1
TAKEN = "partition_created"  # a KRaft controller took the partition over from ZooKeeper
A_WHILE_MS = 1000
BOUNCED, RETURNED, ELECTED = "bounced", "leader_returned", "elected"
OFFLINE, NEW = "OfflinePartition", "NewPartition"
LINE = ("file_id", "byte_offset")
INTERVAL = (
    *PARTITION, "topic_id", "valid_from_at", "valid_until_at", "state", "leader", "replicas", "is_deleting", "term_id",
    "event_seq", "ended_by", "certainty",
)  # fmt: skip
NEXT = ("leader", "is_deleting", "is_unknown", "term_id", "event_seq", "line_file_id", "line_byte_offset")


def with_following(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """Intervals with their first line, what follows each at once (NEXT, prefixed next_; has_next), how an outage would
    end with it (ending; null: it goes on), and led_by: its own leader, else the last one before."""
    is_doubted = col("certainty") == "undetermined"
    first = col("evidence").list.first().struct
    marked = partition_timeline.sort(*PARTITION, "interval_seq").select(
        *INTERVAL,
        is_unknown=is_doubted & col("leader").is_null() & col("state").is_null(),
        **{f"line_{name}": first.field(name) for name in LINE},
    )
    is_same_partition = pl.all_horizontal(col(name) == col(name).shift(-1) for name in PARTITION)
    follows_at_once = is_same_partition & (col("valid_from_at").shift(-1) == col("valid_until_at"))
    following = {f"next_{name}": when(follows_at_once).then(col(name).shift(-1)) for name in NEXT}
    its_leader = when(col("leader") >= 0).then("leader")
    return marked.with_columns(
        led_by=its_leader.forward_fill().over(PARTITION),
        has_next=follows_at_once.fill_null(value=False),
        **following,
    ).with_columns(ending=when(col("valid_until_at").is_not_null()).then(its_ending()))


def its_ending() -> pl.Expr:
    is_taken_over = ~col("has_next") & (col("ended_by") == TAKEN)
    is_gone = ~col("has_next") | col("next_is_deleting")
    return (
        when(is_taken_over)
        .then(lit("taken_over"))
        .when(is_gone)
        .then(lit("deleted"))
        .when("next_is_unknown")
        .then(lit("lines_missing"))
        .otherwise(lit(ELECTED))
    )


def leaderless(intervals: pl.DataFrame) -> pl.DataFrame:
    """Intervals whose own state says that nobody leads."""
    is_other_term = col("term_id").ne_missing(col("next_term_id"))
    is_other_act = is_other_term | col("event_seq").ne_missing(col("next_event_seq"))
    lasted_ms = col("valid_until_at").dt.epoch("ms") - col("valid_from_at").dt.epoch("ms")
    # Without controller.log no line opens an act.
    is_long = (col("event_seq") == 0) & (lasted_ms > A_WHILE_MS)
    outlasts_its_act = ~col("has_next") | is_other_act | is_long
    is_unborn = (col("state") == NEW) & col("leader").is_null() & outlasts_its_act
    is_without = (col("state") == OFFLINE) | (col("leader") == NO_LEADER) | is_unborn
    nothing = lit(None, pl.String)
    return pieces(
        intervals.filter(~col("is_deleting") & is_without).with_columns(
            from_at="valid_from_at",
            until_at="valid_until_at",
            is_absent=lit(value=False),
            root_broker_id=lit(None, pl.Int32),
            root_left_how=nothing,
            back_file_id=nothing,
            back_byte_offset=lit(None, pl.Int64),
        )
    )


def pieces(found: pl.DataFrame) -> pl.DataFrame:
    """Stretches without a leader: where they are, how each begins and ends, and the lines of both."""
    is_elected, has_returned = col("ending") == ELECTED, col("ending") == RETURNED
    ending_line = {
        f"ending_{name}": when(is_elected).then(f"next_line_{name}").when(has_returned).then(f"back_{name}")
        for name in LINE
    }
    return found.select(
        *(
            *PARTITION,
            "from_at",
            "until_at",
            "term_id",
            "replicas",
            "is_absent",
            "root_broker_id",
            "root_left_how",
            "ending",
        ),
        *(f"line_{name}" for name in LINE),
        root_event=lit(None, pl.String),
        is_in_doubt=col("certainty") == "undetermined",
        old_leader="led_by",
        new_leader=when(is_elected).then("next_leader"),
        **ending_line,
    )


def absences(intervals: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Times in which leaders are in no session: begin_at, end_at (null: open), and the session that ended before:
    left_how, left_term_id, left_event_seq, and its last line (left_); null where the broker was not listed before. The
    line that ends the absence (back_)."""
    left = ("left_at", "left_how", "left_term_id", "left_event_seq", "left_file_id", "left_byte_offset")
    first, last = col("evidence").list.first().struct, col("evidence").list.last().struct
    sessions = broker_session.sort(*BROKER, "joined_at").with_columns(
        **{f"back_{name}": first.field(name) for name in LINE},
        **{f"left_{name}": last.field(name) for name in LINE},
    )
    before = sessions.select(
        *(*BROKER, "back_file_id", "back_byte_offset"),
        col(left).shift(1).over(BROKER),
        end_at="joined_at",
    )
    after_last = sessions.group_by(BROKER).agg(col(left).last()).filter(col("left_at").is_not_null())
    leaders = intervals.filter(col("leader") >= 0).select("cluster_id", broker_id="leader").unique()
    never_listed = leaders.join(broker_session, on=BROKER, how="anti")
    listed = broker_session.group_by("cluster_id").agg(listed_from_at=col("joined_at").min())
    is_some_time = (col("begin_at") < col("end_at")) | (col("left_how") == BOUNCED)
    return (
        pl.concat([before, after_last, never_listed], how="diagonal")
        .join(listed, on="cluster_id", how="inner")
        .with_columns(begin_at=pl.coalesce("left_at", "listed_from_at"))
        .filter(col("end_at").is_null() | is_some_time)
        .drop("left_at", "listed_from_at")
    )


def left_alone(intervals: pl.DataFrame, absent: pl.DataFrame) -> pl.DataFrame:
    """Parts of intervals in which their leader is absent. One of no length counts where the very act of the controller
    that noticed the absence ended the interval."""
    led = intervals.filter((col("leader") >= 0) & ~col("is_deleting")).with_columns(
        broker_id="leader", from_at="valid_from_at", until_at="valid_until_at"
    )
    is_same_act = (col("next_term_id") == col("left_term_id")) & (
        col("next_event_seq") == col("left_event_seq")
    )
    is_at_once = (is_same_act & (col("from_at") < col("begin_at"))).fill_null(value=False)
    ends_before_absence = (col("until_at") <= col("end_at")).fill_null(col("end_at").is_null())
    ends_by_itself = col("is_at_once") | ends_before_absence
    # A broker that bounced is back at once, and the act that noticed it still elects.
    until_at = when("is_at_once").then("until_at").otherwise(pl.min_horizontal("until_at", "end_at"))
    has_length = (col("from_at") < col("until_at")).fill_null(value=True)
    return pieces(
        touching(led, absent, BROKER)
        .with_columns(is_at_once=is_at_once)
        .with_columns(
            from_at=pl.max_horizontal("from_at", "begin_at"),
            until_at=until_at,
            ending=when(ends_by_itself).then("ending").otherwise(lit(RETURNED)),
        )
        .filter(has_length | col("is_at_once"))
        .with_columns(
            is_absent=lit(value=True),
            root_broker_id="broker_id",
            root_left_how="left_how",
            term_id=pl.coalesce("left_term_id", "term_id"),
            **{f"line_{name}": pl.coalesce(f"left_{name}", f"line_{name}") for name in LINE},
        )
    )
