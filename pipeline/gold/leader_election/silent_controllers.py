"""Stretches in which a KRaft controller printed nothing though it took a leader away: its lines there are missing."""

import polars as pl
from polars import col

from pipeline.gold.leader_election.kraft_marks import RUNS
from pipeline.gold.leader_election.kraft_unread import with_unread
from pipeline.model.partitions.statements import PARTITION
from pipeline.model.terms.kraft_terms import decisions_in_effect

IN_TERM = ("cluster_id", "term_id")


def without_silent_controllers(
    found: pl.DataFrame,
    intervals: pl.DataFrame,
    broker_event: pl.DataFrame,
    election_event: pl.DataFrame,
    reassignment_event: pl.DataFrame,
    term: pl.DataFrame,
) -> pl.DataFrame:
    """Changes with is_term_read false where lines of the controller in office are missing, as lost_leaders() shows:
    from its last line before such a change on until its next one, of that day (UTC).

    found: with left_at, moved_at (kraft_marks), is_term_read.
    """
    signs = lost_leaders(found, intervals)
    if signs.is_empty():
        return found
    is_decision = (col("said_by") == "decision") & col("broker_id").is_not_null()
    runs = election_event.filter(col("event").is_in(RUNS))
    told = (broker_event.filter(is_decision), runs, reassignment_event)
    acts = pl.concat(decisions_in_effect(one, term).select(*IN_TERM, "at") for one in told)
    in_turn = acts.unique().sort("at")
    day = col("sign_at").dt.truncate("1d")
    holes = (
        signs.sort("sign_at")
        .join_asof(
            in_turn, left_on="sign_at", right_on="at", by=IN_TERM, coalesce=False, check_sortedness=False
        )
        .rename({"at": "last_at"})
        .join_asof(
            in_turn, left_on="sign_at", right_on="at", by=IN_TERM, strategy="forward",
            allow_exact_matches=False, coalesce=False, check_sortedness=False,
        )
        .select(
            *IN_TERM,
            since_at=pl.max_horizontal("last_at", day),
            until_at=pl.min_horizontal("at", day + pl.duration(days=1)),
        )
        .unique()
    )  # fmt: skip
    return (
        found.pipe(with_unread, holes)
        .with_columns(is_term_read=col("is_term_read") & ~col("is_unread"))
        .select(found.columns)
    )


def lost_leaders(found: pl.DataFrame, intervals: pl.DataFrame) -> pl.DataFrame:
    """(IN_TERM, sign_at): leaders that are out of the ISR of several partitions within a second though no line lets
    them go and no reassignment ended, and that are in it again later that day (UTC): so that none took them away. Of
    one partition alone two reassignments may have, of which only the second is in a line.

    A controller prints whom it fences, lets shut down or whose log directory failed, from 2.8 on.
    """
    was_led = (col("leader_before") >= 0).fill_null(value=False)
    is_out = ~col("isr").list.contains(col("leader_before")).fill_null(value=True)
    is_unsaid = col("left_at").is_null() & col("moved_at").is_null() & col("is_term_read")
    day = col("valid_from_at").dt.truncate("1d")
    lost = found.filter(was_led & is_out & is_unsaid).select(
        *PARTITION, "term_id", broker_id="leader_before", day=day, sign_at="valid_from_at"
    )
    if lost.is_empty():
        return lost.select(*IN_TERM, "sign_at")
    of_broker = (*PARTITION, "day", "broker_id")
    back = (
        intervals.filter(~col("is_isr_stale").fill_null(value=True))
        .join(lost.select(PARTITION).unique(), on=PARTITION, how="semi")
        .select(*PARTITION, day=day, broker_id="isr", back_at="valid_from_at")
        .explode("broker_id")
        .group_by(of_broker)
        .agg(col("back_at").max())
    )
    together = (*IN_TERM, "broker_id", col("sign_at").dt.truncate("1s"))
    kept = lost.join(back, on=of_broker).filter(col("back_at") > col("sign_at"))
    return kept.filter(pl.len().over(together) > 1).select(*IN_TERM, "sign_at")
