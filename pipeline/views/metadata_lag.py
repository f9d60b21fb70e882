"""How long after a KRaft controller's decision brokers applied it, where lines of both and the clocks prove it."""

from datetime import datetime, timedelta

import polars as pl
from polars import col, when

from pipeline.rules.shared.clocks import DAY, bounds_of_days
from pipeline.views.reading.answers import Answers

TIMELINE, STATE = "gold.partition_timeline", "silver.partition_state"
SESSION, RUN, CLOCKS = "gold.broker_session", "silver.process_run", "gold.clock_skew"
# A broker prints one where it applies a new leader epoch, and again when it starts.
APPLIED = ("broker_leader_started", "broker_follower_started")
LINE = ("file_id", "byte_offset")
LEADER = ("topic", "partition", "leader", "leader_epoch")
# A broker that has just registered takes seconds without being slow.
WARMING = timedelta(seconds=5)


def metadata_lags(answers: Answers, since: datetime | None = None) -> pl.DataFrame:
    """One row per leader that a controller decided, since that time, and broker that applied it in the stay in which it
    was then; those of the first 5 s of a stay are left out.

    broker_id, controller_id (the node whose line decides it), decided_at, applied_at (the broker's first line at that
    leader epoch, by its clock), least_ms, most_ms (null: no line bounds how far their clocks are apart), decided and
    applied (places of the lines), LEADER. Source: Partition.makeLeader, makeFollower; 2.8 to 4.4.
    """
    lines = answers.rows(STATE).filter(col("event").is_in(APPLIED))
    decided = decided_leaders(answers, lines, since)
    first = (
        lines.sort("logged_at", *LINE)
        .unique(["node_id", *LEADER, "topic_id"], keep="first", maintain_order=True)
        .select(*LEADER, "topic_id", broker_id="node_id", applied_at="logged_at", applied=pl.struct(LINE))
    )
    # Followers print no topic id: of a topic that was created anew nothing says which of both is meant.
    both = decided.join(first, on=LEADER, suffix="_said").filter(
        col("topic_id_said").eq_missing(col("topic_id"))
        | (col("topic_id_said").is_null() & col("is_only_life"))
    )
    return (
        both.pipe(without_restarted, answers)
        .sort("applied_at", "broker_id", *LEADER)
        .unique(["broker_id", *LEADER, "topic_id"], keep="first", maintain_order=True)
        .pipe(with_bounds, answers)
    )


def decided_leaders(answers: Answers, applied: pl.DataFrame, since: datetime | None) -> pl.DataFrame:
    """Leaders that begin with the line of a controller, not with that of a broker which applied them."""
    is_asked = pl.lit(value=True) if since is None else col("decided_at") >= since
    nodes = answers.segments.drop_nulls("node_id").group_by("file_id").agg(
        controller_id=col("node_id").first(), writers=col("node_id").n_unique()
    )  # fmt: skip
    return (
        answers.rows(TIMELINE)
        .filter(col("topic_id").is_not_null(), col("leader") >= 0)
        .with_columns(is_only_life=col("topic_id").n_unique().over(LEADER) == 1)
        .filter(col("evidence").list.len() > 0)
        .sort("stated_from_at", "interval_seq", "part_seq")
        .unique([*LEADER, "topic_id"], keep="first", maintain_order=True)
        .select(
            *LEADER,
            "topic_id",
            "is_only_life",
            decided_at="stated_from_at",
            decided=col("evidence").list.first(),
        )
        .filter(is_asked)
        .with_columns(
            file_id=col("decided").struct["file_id"], byte_offset=col("decided").struct["byte_offset"]
        )
        .join(applied.select(LINE), on=LINE, how="anti")
        .join(nodes.filter(col("writers") == 1), on="file_id")
        .select(*LEADER, "topic_id", "is_only_life", "decided_at", "decided", "controller_id")
    )


def without_restarted(rows: pl.DataFrame, answers: Answers) -> pl.DataFrame:
    """Those whose broker was there when it was decided, for 5 s already, and neither left nor was started before it
    applied it."""
    runs = (
        answers.rows(RUN)
        .drop_nulls("started_at")
        .select("started_at", broker_id="node_id")
        .sort("started_at")
    )
    stays = (
        answers.rows(SESSION).select("broker_id", "joined_at", "left_at", "silent_from_at").sort("joined_at")
    )
    gone_at = pl.min_horizontal("left_at", "silent_from_at")
    return (
        rows.sort("decided_at")
        .join_asof(stays, left_on="decided_at", right_on="joined_at", by="broker_id", check_sortedness=False)
        .filter(
            col("decided_at") >= col("joined_at") + WARMING,
            gone_at.is_null() | ((gone_at > col("decided_at")) & (gone_at > col("applied_at"))),
        )
        .sort("applied_at")
        .join_asof(runs, left_on="applied_at", right_on="started_at", by="broker_id", check_sortedness=False)
        .filter((col("started_at") <= col("decided_at") - WARMING).fill_null(value=True))
        .drop("joined_at", "left_at", "silent_from_at", "started_at")
    )


def with_bounds(rows: pl.DataFrame, answers: Answers) -> pl.DataFrame:
    bounds = bounds_of_days(answers.rows(CLOCKS)).select(
        "controller_id", DAY, "clock_low_ms", "clock_high_ms", broker_id="next_id"
    )
    ms = (col("applied_at") - col("decided_at")).dt.total_milliseconds()
    is_same_node = col("broker_id") == col("controller_id")
    return (
        rows.with_columns(col("decided_at").dt.date().alias(DAY))
        .join(bounds, on=["controller_id", "broker_id", DAY], how="left", maintain_order="left")
        .with_columns(
            least_ms=when(is_same_node).then(ms).otherwise((ms - col("clock_high_ms")).clip(0)),
            most_ms=when(is_same_node).then(ms).otherwise((ms - col("clock_low_ms")).clip(0)),
        )
        .select(
            "broker_id", "controller_id", "decided_at", "applied_at", "least_ms", "most_ms", "decided", "applied",
            *LEADER,
        )
    )  # fmt: skip
