"""How many records an unclean election may have cost: what former in-sync replicas have beyond the new leader's log."""

import polars as pl
from polars import col, when

from pipeline.core.made_of import needs_rows_of
from pipeline.gold.leader_election.evidence import line_struct, with_source_lines

PARTITION = ("cluster_id", "topic", "partition")
DAYS = 1  # what comes back later than on the next day in UTC is not looked for
STARTS = ("logged_at", "broker_id", "step", "start_epoch", "log_end_offset", "file_id", "byte_offset")
END = ("log_end_offset", "file_id", "byte_offset")
LINES = ("led_file_id", "led_byte_offset", "own_file_id", "own_byte_offset")
RETURN = ("election", "broker_id")


def with_bound(elections: pl.DataFrame, replica_offset: pl.DataFrame) -> pl.DataFrame:
    """Adds records_at_risk to unclean elections, and its two lines to their evidence: what the log of a former
    in-sync replica (any other one where the ISR before is not known) had beyond that of the new leader when it first
    came back, the largest of all that came back by the end of the next day, at least 0; null: no two such lines, or it
    is not the first time (without_later_returns).

    Who came back: where its log ends when it begins to follow (from 2.6), else as its broker loads it when it starts
    (server.log, up to 2.5). The new leader: where its log ends when it begins to lead (from 0.11, up to 2.5 in
    server.log); before that as loaded, if it has copied nothing since; else what the other one is cut off to, which may
    be more than the leader had: not where brokers say where the log ends as they lead it.

    An upper bound, as not all of it was acknowledged to its producers; what is cut off up to 0.10 is all beyond the
    high watermark, part of which is copied again.
    Source: Partition.makeLeader, makeFollower; Log.truncateTo; the follower truncates to where the logs part (KIP-101).
    """
    rows = elections.with_row_index("election")
    unclean = rows.filter(~col("is_clean"))
    starts = starts_near(unclean, replica_offset)
    own = log_ends_of_former_isr(unclean, starts).pipe(without_later_returns, rows)
    led = leader_ends(starts)
    says_ends = (col("step") == "leads") & col("log_end_offset").is_not_null()
    saying = starts.filter(says_ends).select("election").unique()
    cut = cut_ends(own, starts).join(saying, on="election", how="anti")
    ends = own.join(led, on="election", how="left").join(cut, on=RETURN, how="left")
    is_led = col("led_log_end_offset").is_not_null()
    bounds = (
        ends.with_columns(
            when(is_led).then(f"led_{name}").otherwise(f"cut_{name}").alias(f"led_{name}") for name in END
        )
        .with_columns(records=col("own_log_end_offset") - col("led_log_end_offset"))
        .filter(col("records").is_not_null())
        .sort("records", *LINES)
        .unique("election", keep="last", maintain_order=True)
        .with_columns(records_at_risk=col("records").clip(lower_bound=0))
        .select("election", "records_at_risk", *LINES)
    )
    told = rows.join(bounds, on="election", how="left")
    return with_source_lines(told, col("evidence"), line_struct("led_"), line_struct("own_")).drop(
        "election", *LINES
    )


def starts_near(unclean: pl.DataFrame, replica_offset: pl.DataFrame) -> pl.DataFrame:
    """What logs of the partition tell, a row per election and start, in order of time: STARTS, and election,
    elected_at, leader and leader_epoch. is_soon: by the end of the next day, and not before the election but for the
    lines of one event."""
    asked = unclean.select(*PARTITION, "election", "elected_at", "leader", "leader_epoch")
    at, elected_at = col("logged_at"), col("elected_at")
    is_after = at >= elected_at - pl.duration(seconds=1)
    is_in_time = at.dt.date() <= elected_at.dt.date() + pl.duration(days=DAYS)
    return (
        replica_offset.rename({"leader_epoch": "start_epoch"})
        .select(*PARTITION, *STARTS)
        .join(asked, on=PARTITION)
        .with_columns(is_soon=is_after & is_in_time)
        .sort("election", *STARTS)
    )


def log_ends_of_former_isr(unclean: pl.DataFrame, starts: pl.DataFrame) -> pl.DataFrame:
    """Of each replica that was in sync where its log ends as it comes back: RETURN, own_logged_at and END with own_."""
    has_isr = col("isr_before").list.len() > 0
    before = when(has_isr).then("isr_before").otherwise("replicas")
    others = unclean.select("election", "leader", broker_id=before).explode("broker_id")
    follows = (col("step") == "follows") & (col("start_epoch") >= col("leader_epoch"))
    is_loaded = col("step") == "loaded"
    return (
        starts.filter(col("is_soon"), follows | is_loaded)
        .sort("election", "broker_id", is_loaded, *STARTS)
        .unique(RETURN, keep="first", maintain_order=True)
        .join(others.filter(col("broker_id") != col("leader")), on=RETURN, how="semi")
        .select(*RETURN, col("logged_at", *END).name.prefix("own_"))
    )


def without_later_returns(own: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Without those that were back before, as an election in between shows: it found them in sync, or made them leader,
    or lines are missing before it. What their logs had at first is not known."""
    asked = rows.select(*PARTITION, "election", from_at="elected_at")
    between = rows.select(*PARTITION, "elected_at", "leader", "isr_before", "missing_epochs")
    is_between = (col("elected_at") > col("from_at")) & (col("elected_at") <= col("own_logged_at"))
    was_back = (col("leader") == col("broker_id")) | col("isr_before").list.contains(col("broker_id"))
    is_unread = (col("missing_epochs") > 0).fill_null(value=False)
    later = (
        own.join(asked, on="election")
        .join(between, on=PARTITION)
        .filter(is_between, was_back.fill_null(value=False) | is_unread)
    )
    return own.join(later, on=list(RETURN), how="anti")


def leader_ends(starts: pl.DataFrame) -> pl.DataFrame:
    """Where the log of the new leader ends: election and END with led_."""
    is_its_own = col("broker_id") == col("leader")
    leads = (col("step") == "leads") & (col("start_epoch") == col("leader_epoch")) & col("is_soon")
    # Who follows anybody prints where its log is cut or kept: without that line it has copied nothing. On the same
    # day in UTC, as a run that begins with that day knows no others.
    is_same_day = col("logged_at").dt.date() == col("elected_at").dt.date()
    is_before = (col("logged_at") <= col("elected_at")) & is_same_day
    led = starts.filter(is_its_own & leads).unique("election", keep="first", maintain_order=True)
    last = starts.filter(is_its_own & is_before, col("step").is_in(["loaded", "cut", "kept"])).unique(
        "election", keep="last", maintain_order=True
    )
    return (
        pl.concat([led, last.filter(col("step") == "loaded")])
        .unique("election", keep="first", maintain_order=True)
        .select("election", col(END).name.prefix("led_"))
    )


@needs_rows_of("own")
def cut_ends(own: pl.DataFrame, starts: pl.DataFrame) -> pl.DataFrame:
    """To where a broker is cut off as it comes back, RETURN and END with cut_: what is kept at first may be out of the
    leader's range as soon as it fetches, and is cut within seconds."""
    is_later = col("logged_at") >= col("own_logged_at")
    is_within = col("logged_at") <= col("logged_at").first().over(RETURN) + pl.duration(seconds=10)
    return (
        starts.filter(col("is_soon"), col("step").is_in(["cut", "kept"]))
        .join(own.select(*RETURN, "own_logged_at"), on=RETURN)
        .filter(is_later)
        .sort(*RETURN, *STARTS)
        .filter(is_within)
        .sort(*RETURN, "log_end_offset", *STARTS)
        .unique(RETURN, keep="first", maintain_order=True)
        .select(*RETURN, col(END).name.prefix("cut_"))
    )
