"""Which leaders serve and since when not: the one place that decides it, for intervals of partitions and for outages.

A line is two columns with one prefix: <prefix>_file_id and <prefix>_byte_offset.
"""

from collections.abc import Sequence

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.touching import join_touching_spans
from pipeline.model.lines.log_holes import log_holes
from pipeline.model.partitions.statements import PARTITION

BROKER = ("cluster_id", "broker_id")
NO_LEADER = -1
A_WHILE_MS = 1000
# Topics of thousands of partitions are created by a write to ZooKeeper each.
A_CREATION = pl.duration(minutes=1)
BOUNCED, FOUND = "bounced", "listed_at_startup"
OFFLINE, NEW = "OfflinePartition", "NewPartition"
INFERRED = "inferred"
LEADER_GONE, NEVER_LED = "leader_gone", "never_led"
LINE = ("file_id", "byte_offset")
LEFT = ("left_at", "left_how", "left_term_id", "left_event_seq", "left_file_id", "left_byte_offset")


def with_next_row(rows: pl.DataFrame, order: Sequence[str], names: Sequence[str]) -> pl.DataFrame:
    """Rows sorted by partition and order, with what follows each at once: next_<name>, has_next."""
    is_same_partition = pl.all_horizontal(col(name) == col(name).shift(-1) for name in PARTITION)
    follows_at_once = is_same_partition & (col("valid_from_at").shift(-1) == col("valid_until_at"))
    following = {f"next_{name}": when(follows_at_once).then(col(name).shift(-1)) for name in names}
    return rows.sort(*PARTITION, *order).with_columns(
        has_next=follows_at_once.fill_null(value=False), **following
    )


def unserved_reason() -> pl.Expr:
    """Why nobody serves a partition, by its own state, of rows with_next (term_id, event_seq): it is Offline, or has no
    leader, or is New beyond the controller's act that created it. Null: it has a leader, or its topic is deleted."""
    is_other_term = col("term_id").ne_missing(col("next_term_id"))
    # What a leader writes, or that lines are missing from then on, is no act of a controller.
    is_act = col("next_event_seq") != 0
    is_other_act = is_other_term | (col("event_seq").ne_missing(col("next_event_seq")) & is_act)
    lasted_ms = col("valid_until_at").dt.epoch("ms") - col("valid_from_at").dt.epoch("ms")
    # Without controller.log no line opens an act.
    is_long = (col("event_seq") == 0) & (lasted_ms > A_WHILE_MS)
    outlasts_its_act = ~col("has_next") | is_other_act | is_long
    is_unborn = (col("state") == NEW) & col("leader").is_null() & outlasts_its_act
    reason = (
        when(col("state") == OFFLINE)
        .then(lit("offline"))
        .when(col("leader") == NO_LEADER)
        .then(lit("no_leader"))
        .when(is_unborn)
        .then(lit(NEVER_LED))
    )
    return when(~col("is_deleting")).then(reason)


def without_cut_creations(parts: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Parts (is_served, unserved_why) of which those that are New to the end of what controllers say, for no longer
    than a creation takes, are not known: the logs may end, or be copied, in the middle of the act that created them."""
    told = term.filter(col("mode") == "zookeeper").group_by("cluster_id")
    is_new_at_end = (col("unserved_why") == NEVER_LED) & col("valid_until_at").is_null()
    is_cut = is_new_at_end & ~(col("told_until_at") > col("valid_from_at") + A_CREATION).fill_null(
        value=False
    )
    known = when(~is_cut.fill_null(value=False))
    return (
        parts.join(told.agg(col("told_until_at").max()), on="cluster_id", how="left", maintain_order="left")
        .with_columns(
            known.then("is_served").alias("is_served"), known.then("unserved_why").alias("unserved_why")
        )
        .drop("told_until_at")
    )


@needs_rows_of("sessions")
def broker_absences(leaders: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Times in which brokers are in no session (ZooKeeper mode): begin_at, end_at (null: open), and the session that
    ended before: LEFT without its time; null where the broker was not listed before. The line that ends the absence
    (back_). leaders: BROKER; of those that no list ever names the absence begins with the first list of all."""
    first, last = col("evidence").list.first().struct, col("evidence").list.last().struct
    listed_sessions = sessions.sort(*BROKER, "joined_at").with_columns(
        **{f"back_{name}": first.field(name) for name in LINE},
        **{f"left_{name}": last.field(name) for name in LINE},
    )
    before = listed_sessions.select(
        *(*BROKER, "back_file_id", "back_byte_offset"),
        col(LEFT).shift(1).over(BROKER),
        left_certainty=col("certainty").shift(1).over(BROKER),
        end_at="joined_at",
        back_how="joined_how",
    )
    after_last = listed_sessions.group_by(BROKER).agg(col(LEFT).last()).filter(col("left_at").is_not_null())
    never_listed = leaders.join(sessions, on=BROKER, how="anti")
    listed = sessions.group_by("cluster_id").agg(listed_from_at=col("joined_at").min())
    # Who finds a broker under another registration, as it starts or where no line says so, does not handle that it was
    # gone: it came back in a time of which lines are missing.
    is_handled = (
        (col("left_how") == BOUNCED)
        & (col("left_certainty").ne_missing(lit(INFERRED)))
        & col("back_how").ne_missing(lit(FOUND))
    )
    is_some_time = (col("begin_at") < col("end_at")) | is_handled
    return (
        pl.concat([before, after_last, never_listed], how="diagonal")
        .join(listed, on="cluster_id", how="inner")
        .with_columns(begin_at=pl.coalesce("left_at", "listed_from_at"))
        .filter(col("end_at").is_null() | is_some_time)
        .drop("left_at", "listed_from_at", "back_how", "left_certainty")
    )


def led_by_absent(rows: pl.DataFrame, absent: pl.DataFrame, unlisted: pl.DataFrame) -> pl.DataFrame:
    """Parts of intervals in which their leader is absent: row_no, gone_from_at, gone_until_at (null: the interval ends
    before the leader is back), is_at_once, and the lines left_ and back_.

    One of no length counts where the very act of the controller that noticed the absence ended the interval: a broker
    that bounced is back at once, and the act that noticed it still elects.
    rows: with_next (term_id, event_seq), row_no; those whose leader serves unless it is absent. unlisted: (cluster_id,
    unlisted_at) begins of terms of which no list of live brokers need be read. is_unsure: a leader that is stated from
    then on may be back since the absence.
    """
    led = rows.select(
        "row_no", "cluster_id", "next_term_id", "next_event_seq", broker_id="leader", from_at="valid_from_at",
        until_at="valid_until_at",
    )  # fmt: skip
    is_same_act = (col("next_term_id") == col("left_term_id")) & (
        col("next_event_seq") == col("left_event_seq")
    )
    is_at_once = (is_same_act & (col("from_at") < col("begin_at"))).fill_null(value=False)
    ends_before_absence = (col("until_at") <= col("end_at")).fill_null(col("end_at").is_null())
    until_at = when("is_at_once").then("until_at").otherwise(pl.min_horizontal("until_at", "end_at"))
    has_length = (col("from_at") < col("until_at")).fill_null(value=True)
    return (
        join_touching_spans(with_unlisted(led, unlisted), absent, BROKER)
        .with_columns(is_unsure=(col("unlisted_at") > col("begin_at")).fill_null(value=False))
        .with_columns(is_at_once=is_at_once)
        .with_columns(
            from_at=pl.max_horizontal("from_at", "begin_at"),
            until_at=until_at,
            is_to_its_end=col("is_at_once") | ends_before_absence,
        )
        .filter(has_length | col("is_at_once"))
        .select(
            *(
                "row_no",
                "is_at_once",
                "is_unsure",
                *(f"{whose}_{name}" for whose in ("left", "back") for name in LINE),
            ),
            gone_from_at="from_at",
            gone_until_at=when(~col("is_to_its_end")).then("until_at"),
        )
    )


def with_unlisted(led: pl.DataFrame, unlisted: pl.DataFrame) -> pl.DataFrame:
    """unlisted_at: the last of these begins by the begin of each row; null: none."""
    return led.sort("from_at").join_asof(
        unlisted.sort("unlisted_at"), left_on="from_at", right_on="unlisted_at", by="cluster_id",
        coalesce=False, check_sortedness=False,
    )  # fmt: skip


def unlisted_terms(term: pl.DataFrame, wording_seen: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, unlisted_at): begins of terms of ZooKeeper mode whose election no line tells: controller.log, which
    has the lists of live brokers, is missing then; and ends of log_holes, in which lists are missing, too."""
    is_unseen = (col("mode") == "zookeeper") & col("elected_at").is_null()
    terms = term.filter(is_unseen, col("first_seen_at").is_not_null())
    holes = log_holes(wording_seen).select("cluster_id", unlisted_at="hole_until_at")
    return pl.concat([terms.select("cluster_id", unlisted_at="first_seen_at"), holes])
