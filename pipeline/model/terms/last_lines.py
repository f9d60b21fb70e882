"""Until when lines of a controller prove that it is in office: its last ones may be those of one that was frozen."""

from datetime import timedelta

import polars as pl
from polars import col

TERM = ("cluster_id", "term_id")
LINE = ("file_id", "byte_offset")
HEARS = timedelta(seconds=60)  # how long it goes on writing
SESSION = timedelta(seconds=18)  # zookeeper.session.timeout.ms, as shipped since 2.5
LEAST_SESSION = timedelta(seconds=4)  # two ticks: ZooKeeper as shipped grants no shorter one
LOST = r"(?:Session|Client)ExpiredException$|ControllerMovedException$"
# What a controller prints as it finds another one's epoch, or gives up the office.
LEAVING = ("partition_election_aborted", "controller_resigning", "controller_resigned")


def lost_session_line(partition_transition: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, LINE) of moves that failed as the session, or the office, of the controller was lost."""
    return (
        partition_transition.filter(col("exception_class").str.contains(LOST))
        .select("cluster_id", *LINE)
        .unique()
    )


def proved_term(
    term: pl.DataFrame, controller_line: pl.DataFrame, lost_session_line: pl.DataFrame
) -> pl.DataFrame:
    """Terms with proved_until_at: told_until_at, or the last line before a silence as long as a session just before the
    last lines, of that day (UTC) and of the term: a silence that is longer begins with it. A process that was frozen
    for so long is deposed, and goes on writing until it hears of it. A session may be set to be shorter: a silence
    counts that is as long as the least one where moves that fail behind it say that the session, or the office, is
    lost, or the controller resigns.

    Source: KafkaController.Expire, ZooKeeperClientExpiredException, up to 3.9; kafka.server.KafkaConfig
    (zookeeper.session.timeout.ms); ZooKeeperServer (minSessionTimeout).
    """
    told = term.filter(col("told_until_at").is_not_null()).select(
        *TERM,
        "told_until_at",
        day=col("told_until_at").dt.truncate("1d"),
        begun_at="first_seen_at",
    )
    lines = (
        controller_line.select(*TERM, *LINE, at="logged_at", is_leaving=col("event").is_in(LEAVING))
        .join(told, on=TERM)
        .join(lost_session_line.with_columns(is_failed=True), on=["cluster_id", *LINE], how="left")
        .with_columns(is_lost=col("is_leaving") | col("is_failed"))
    )
    each = pl.concat(
        [lines.filter(col("at") >= col("day")), told.with_columns(at=pl.max_horizontal("day", "begun_at"))],
        how="diagonal",
    )
    before, lost_at = col("at").shift(1).over(TERM), col("at").filter("is_lost").max().over(TERM)
    silence = col("at") - col("silent_from_at")
    is_lost_behind = (col("at") <= col("lost_at")).fill_null(value=False)
    is_session = (silence >= SESSION) | ((silence >= LEAST_SESSION) & is_lost_behind)
    silent = (
        each.sort(*TERM, "at")
        .with_columns(silent_from_at=before, lost_at=lost_at)
        .filter(is_session, col("told_until_at") - col("at") <= HEARS)
        .group_by(TERM)
        .agg(col("silent_from_at").max())
    )
    return (
        term.join(silent, on=TERM, how="left")
        .with_columns(proved_until_at=pl.min_horizontal("told_until_at", "silent_from_at"))
        .drop("silent_from_at")
    )
