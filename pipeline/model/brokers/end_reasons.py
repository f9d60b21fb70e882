"""Why brokers and controllers were gone: by how the run of their process went on, and by their own lines."""

from datetime import UTC, datetime, timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import FAR, TIME
from pipeline.model.lines.evidence import LINE, NO_LINES, evidence_line
from schemas.end_reasons import KILLED, LIVED_ON, MISSING, NO_LOG, SESSION, START, UNKNOWN

NODE = ("cluster_id", "node_id")
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
CLOCKS = timedelta(seconds=2)  # two nodes print the same moment so far apart at most
# A session that was lost is told once the process goes on, however long it was frozen; another one is lost later.
TOLD_LATE = timedelta(hours=1)
EXPIRED = (
    *("zk_session_expired", "zk_client_session_expired", "broker_reregistering", "broker_reregistered"),
)
EXPIRED_STATE = "Expired"
# Of who is fenced and lives on, where no line lets it back in.
HEARD_SOON = timedelta(seconds=10)
# A process is heard so long before others notice that it is gone at most, where nothing else tells.
LONGEST = timedelta(seconds=60)
ENDS = (
    *NODE,
    "mode",
    "begin_at",
    "end_at",
    "came_at",
    "silent_from_at",
    "gone_from_at",
    "is_fenced",
    "is_bounced",
)
# What is told of the run whose end it was.
OF_RUN = ("run_reason", "run_at", "run_detail", "run_why", "run_lines", "run_last_at", "is_begin_seen")
# run_last_at: the last line of the run of its process.
REASON = ("end_reason", "end_reason_at", "end_detail", "end_unknown_why", "end_lines", "run_last_at")


def with_end_reason(ends: pl.DataFrame, process_run: pl.DataFrame, said: pl.DataFrame) -> pl.DataFrame:
    """Ends (ENDS) with REASON, null where end_at is null.

    begin_at, end_at: when it was there first, and when others noticed that it was gone; came_at: when it came (null:
    it may have been there before begin_at); silent_from_at: since when it can have been silent; gone_from_at: since
    when its process can have been gone (null: nothing tells); is_fenced: a KRaft controller fenced it for its silence;
    is_bounced: another process came.
    What ended the run of its process counts if it was said by then. A process that says something later lived on: in
    ZooKeeper mode it lost its session if it says so, in KRaft mode a broker that was fenced did, as no heartbeat of it
    came, if it is let back in or says something at once. Its own line of that is printed late, by as much as it was
    frozen: never when it was, nor once it was there again. Where the begin of its run is not there, only a line from
    before it fell silent shows that it is the same process.
    said: lines of nodes about themselves (NODE, logged_at, event, detail, LINE), since they ended at least.
    """
    own = said.filter(col("node_id").is_not_null())
    numbered = ends.drop(REASON, strict=False).with_row_index("number")
    again_at = col("begin_at").shift(-1).over(NODE, order_by="begin_at")
    gone = (
        numbered.select("number", *ENDS, again_at=again_at)
        .filter(col("end_at").is_not_null())
        .pipe(with_ended_run, process_run)
        .with_columns(when(~is_of_earlier_life()).then(one).alias(one) for one in OF_RUN)
        .join(process_run.group_by(NODE).agg(first_own_at=col("first_line_at").min()), on=NODE, how="left")
        .pipe(with_first_line_in_run, own, "later", col("end_at") + CLOCKS)
        .pipe(
            with_first_line_in_run,
            own.filter(is_expiry()),
            "expired",
            pl.coalesce("silent_from_at", "begin_at"),
        )
    )
    reasons = gone.with_columns(end_reason_columns()).select("number", *REASON)
    return (
        numbered.join(reasons, on="number", how="left")
        .sort("number")
        .drop("number")
        .with_columns(col("end_lines").fill_null(NO_LINES))
    )


def is_expiry() -> pl.Expr:
    is_state = (col("event") == "zkclient_state") & (col("detail") == EXPIRED_STATE).fill_null(value=False)
    return col("event").is_in(EXPIRED) | is_state


def with_ended_run(gone: pl.DataFrame, process_run: pl.DataFrame) -> pl.DataFrame:
    """Ends with the run whose end it was: run_reason, run_at, run_detail, run_why, run_lines, run_last_at, next_at;
    has_log: a line of the node's server.log is there.

    In ZooKeeper mode the last one that had registered by then, as no list may tell that a broker came back as another
    process (up to 2.1); where it does (is_bounced), and in KRaft mode, the one that was there when it began.
    """
    started_at = col("started_at").fill_null(lit(BEGINNING, TIME))
    is_failed = ((col("end_reason") == START) & col("in_service_at").is_null()).fill_null(value=False)
    runs = process_run.select(
        *NODE,
        from_at=started_at,
        is_begin_seen=col("started_at").is_not_null(),
        service_at=pl.coalesce("in_service_at", when(~is_failed).then(started_at)),
        run_reason="end_reason",
        run_at="end_at",
        run_detail="end_detail",
        run_why="unknown_why",
        run_lines=col("evidence").list.tail(1),
        run_last_at="last_line_at",
        next_at=col("next_started_at").fill_null(FAR),
    )
    nodes = process_run.select(*NODE, has_log=lit(value=True)).unique()
    is_last = (col("mode") == "zookeeper") & ~col("is_bounced")
    found = (
        rows.sort(at).join_asof(
            runs.drop_nulls(since).sort(since),
            left_on=at,
            right_on=since,
            by=NODE,
            check_sortedness=False,
            coalesce=False,
        )
        for rows, at, since in (
            (gone.filter(is_last), "end_at", "service_at"),
            (gone.filter(~is_last), "begin_at", "from_at"),
        )
    )
    has_log = col("has_log").fill_null(value=False)
    return pl.concat(found).join(nodes, on=NODE, how="left").with_columns(has_log)  # fmt: skip


def is_of_earlier_life() -> pl.Expr:
    """True if the run said its end, and all that it said, before this life began, or long before its process can have
    been gone: another process was there meanwhile, whose server.log is missing."""
    is_said = col("run_at").is_not_null() & (col("run_reason") != KILLED)
    since = pl.max_horizontal("begin_at", col("gone_from_at") - LONGEST)
    return (is_said & (pl.max_horizontal("run_at", "run_last_at") < since - CLOCKS)).fill_null(value=False)


def with_first_line_in_run(gone: pl.DataFrame, own: pl.DataFrame, name: str, since: pl.Expr) -> pl.DataFrame:
    """<name>_at, <name>_line: the first such line of the node from then on, in the same run."""
    at, place = f"{name}_at", f"{name}_line"
    lines = own.sort("logged_at", *LINE).select(
        *NODE, pl.col("logged_at").alias(at), evidence_line().alias(place)
    )
    is_same_run = (pl.col(at) < pl.col("next_at")).fill_null(value=False)
    return (
        gone.with_columns(since=since)
        .sort("since")
        .join_asof(
            lines.unique([*NODE, at], keep="first", maintain_order=True).sort(at),
            left_on="since", right_on=at, by=NODE, strategy="forward", coalesce=False, check_sortedness=False,
        )
        .with_columns(when(is_same_run).then(name).alias(name) for name in (at, place))
        .drop("since")
    )  # fmt: skip


def end_reason_columns() -> list[pl.Expr]:
    end_at = col("end_at")
    # Who was there then had not ended long before.
    since = pl.coalesce("came_at", col("begin_at") - LONGEST)
    is_since = (col("run_at") >= since).fill_null(value=True)
    is_told = ~col("run_reason").is_in([KILLED, UNKNOWN]) & is_since & (col("run_at") <= end_at + CLOCKS)
    is_ended = is_told.fill_null(value=False)
    told_until_at = pl.min_horizontal(end_at + TOLD_LATE, col("again_at") + CLOCKS)
    is_expired = (col("expired_at") <= told_until_at).fill_null(value=False)
    is_heard_later = (col("run_last_at") >= end_at + CLOCKS).fill_null(value=False)
    was_there = col("is_begin_seen") | (col("first_own_at") <= pl.coalesce("silent_from_at", "begin_at"))
    lives_on = is_heard_later & was_there.fill_null(value=False)
    # Else it may have begun anew, and been let back in, in lines that are missing.
    is_soon = (col("later_at") <= end_at + HEARD_SOON).fill_null(value=False)
    is_fenced = lives_on & col("is_fenced") & (is_soon | col("again_at").is_not_null())
    # Amid a stop whose begin is not there the first line is no sign of life.
    is_cut = (col("run_why") == MISSING) & (col("later_at") == col("run_at"))
    is_stopped = ((col("run_reason") == UNKNOWN) & (is_cut | (col("run_at") <= end_at + CLOCKS))).fill_null(
        value=False
    )
    is_lost = ~is_ended & ~is_stopped & (is_expired | is_fenced)
    # Who is there again before the next process starts, as far as its log tells, has another one in missing lines.
    is_unseen = (col("again_at") < col("next_at") - CLOCKS).fill_null(value=False)
    is_gone = ~is_ended & ~is_lost & ~is_heard_later
    is_killed = is_gone & ~is_unseen & (col("run_reason") == KILLED).fill_null(value=False)
    is_known = is_ended | is_lost | is_killed
    of_run = is_ended | is_killed
    is_before = col("has_log") & col("run_lines").is_null()
    why = (
        when(is_known).then(lit(None, pl.String))
        .when(is_stopped).then("run_why")
        .when(lives_on).then(lit(LIVED_ON))
        .when(is_heard_later | (is_gone & is_unseen)).then(lit(MISSING))
        .when(is_before).then(lit(MISSING))
        .otherwise(pl.coalesce("run_why", lit(NO_LOG)))
    )  # fmt: skip
    lost_line = when(is_expired).then("expired_line").otherwise("later_line")
    lost_at = when(is_expired).then("expired_at").otherwise("later_at")
    return [
        when(of_run)
        .then("run_reason")
        .when(is_lost)
        .then(lit(SESSION))
        .otherwise(lit(UNKNOWN))
        .alias("end_reason"),
        when(of_run).then("run_at").when(is_lost).then(lost_at).alias("end_reason_at"),
        when(of_run).then("run_detail").alias("end_detail"),
        why.alias("end_unknown_why"),
        when(of_run)
        .then("run_lines")
        .when(is_lost)
        .then(pl.concat_list(lost_line))
        .otherwise(NO_LINES)
        .alias("end_lines"),
    ]
