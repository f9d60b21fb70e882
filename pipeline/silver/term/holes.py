"""KRaft terms that no line proves to go on after a stretch of time of which no log is there."""

from datetime import timedelta

import polars as pl
from polars import col

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.log_holes import log_holes
from pipeline.model.terms.term_steps import LEAVING, STARTED
from pipeline.silver.term.unnamed_terms import LEAST, NODE, OBSERVED, active_controller_lines

TERM = ("cluster_id", "term_id")
HEARS = timedelta(seconds=5)  # a leader of the quorum tells the others again and again, until each answers
NEAR = timedelta(minutes=1)  # what is further apart need not be of one tenure
KRAFT_LOGGERS = "org.apache.kafka.controller."


def with_holes(terms: pl.DataFrame, wording_seen: pl.DataFrame) -> pl.DataFrame:
    """Terms with unproved_from_at: KRaft: the first line after a day or more of which no file of a node of the quorum
    has lines, while the term went on as far as lines tell.

    Other terms may have come and gone meanwhile, and the same controller may have been elected once more: what it
    prints in office names no epoch. What a process that starts says of the quorum may be what it had stored.
    Source: QuorumController, from 2.8.
    """
    in_turn = (
        terms.filter(col("mode") == "kraft")
        .select(*TERM, "controller_epoch", begun_at="first_seen_at")
        .sort("cluster_id", "begun_at", "controller_epoch")
        .with_columns(next_at=col("begun_at").shift(-1).over("cluster_id"))
    )
    is_before_next = (col("hole_until_at") <= col("next_at")).fill_null(value=True)
    found = (
        in_turn.join(quorum_log_holes(wording_seen), on="cluster_id")
        .filter(col("hole_from_at") >= col("begun_at"), is_before_next)
        .group_by(TERM)
        .agg(unproved_from_at=col("hole_until_at").min())
    )
    return terms.join(found, on=TERM, how="left")


def quorum_log_holes(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """log_holes of the nodes of a quorum."""
    is_of_quorum = col("logger").str.starts_with(KRAFT_LOGGERS).fill_null(value=False)
    node = ("cluster_id", "node_id")
    quorum = wording_seen.filter(is_of_quorum).select(node).unique()
    return log_holes(wording_seen.join(quorum, on=node, how="semi", nulls_equal=True))


def with_unelected_acts(
    terms: pl.DataFrame, wording_seen: pl.DataFrame, controller_step: pl.DataFrame
) -> pl.DataFrame:
    """Terms with unproved_from_at also where, while a KRaft term goes on as far as lines tell, a controller acts in
    office of which no line tells that it was elected since it started, or heard of another leader: a term was elected
    unseen. told_until_at of such a term is the last act of its own controller before it.

    Who is deposed writes such lines for a while until it hears of it (unnamed_terms.LEAST): one that does so for longer
    was elected again, and its own term before is over, too.
    """
    acts = pl.concat(
        active_controller_lines(wording_seen).select(*NODE, at=name) for name in ("first_at", "last_at")
    ).filter(col("at").is_not_null())
    in_kraft = terms.filter(col("mode") == "kraft")
    begun = in_kraft.select(*NODE, "term_id", "controller_epoch", begun_at="first_seen_at").sort("begun_at")
    own = begun.select(*NODE, "begun_at", own_at="begun_at", own_id="term_id")
    held = begun.select(
        "cluster_id", *TERM[1:], "begun_at", "controller_epoch", held_at="begun_at", holder_id="controller_id"
    )
    is_unelected = ((col("own_at") <= col("gone_at")) | col("own_at").is_null()).fill_null(value=False)
    is_late = (col("at") - col("gone_at") >= LEAST).fill_null(value=True)
    placed = (
        acts.unique()
        .sort("at")
        .join_asof(own, left_on="at", right_on="begun_at", by=NODE, check_sortedness=False)
        .join_asof(
            active_controller_ends(controller_step), left_on="at", right_on="gone_at", by=NODE, coalesce=False,
            check_sortedness=False,
        )
        .join_asof(held, left_on="at", right_on="begun_at", by="cluster_id", check_sortedness=False)
        .filter(col("term_id").is_not_null())
        .pipe(without_acts_before_renouncing, controller_step)
        .with_columns(is_again=is_long_deposed())
    )  # fmt: skip
    unseen = first_unelected_acts(placed, (is_unelected & is_late) | col("is_again"))
    is_own = (col("holder_id") == col("controller_id")) & (col("at") < col("unelected_at"))
    last = placed.join(unseen, on=TERM).filter(is_own).group_by(TERM).agg(acted_at=col("at").max())
    is_unseen = col("unelected_at").is_not_null()
    return (
        terms.join(unseen, on=TERM, how="left")
        .join(last, on=TERM, how="left")
        .with_columns(
            unproved_from_at=pl.min_horizontal("unproved_from_at", "unelected_at"),
            told_until_at=pl.when(is_unseen)
            .then(pl.max_horizontal("told_until_at", "acted_at"))
            .otherwise("told_until_at"),
        )
        .drop("unelected_at", "acted_at")
    )


@needs_rows_of("acts")
def without_acts_before_renouncing(acts: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """Acts (NODE, at, controller_epoch of the term in office then) without those of a node that gives up an earlier
    epoch soon after: it was not elected meanwhile."""
    is_told = col("step").is_in(LEAVING) & col("controller_epoch").is_not_null()
    node = pl.coalesce("node_id", "controller_id")
    given_up = controller_step.filter(is_told).select(
        "cluster_id", controller_id=node, given_up_at="logged_at", own_epoch="controller_epoch"
    )
    is_old = (col("own_epoch") < col("controller_epoch")) & (col("given_up_at") - col("at") <= NEAR)
    return (
        acts.sort("at")
        .join_asof(
            given_up.sort("given_up_at"), left_on="at", right_on="given_up_at", by=NODE, strategy="forward",
            coalesce=False, check_sortedness=False,
        )
        .filter(~is_old.fill_null(value=False))
        .drop("given_up_at", "own_epoch")
    )  # fmt: skip


def is_long_deposed() -> pl.Expr:
    """True of an act so long after the first one since its controller was deposed that it would have heard of it."""
    is_of_other = (col("holder_id") != col("controller_id")) & (col("own_at") < col("held_at"))
    is_deposed = is_of_other.fill_null(value=False)
    late_from = pl.when(is_deposed).then("at").min().over(*NODE, "own_at")
    return (is_deposed & (col("at") - late_from).is_between(HEARS, NEAR)).fill_null(value=False)


def first_unelected_acts(placed: pl.DataFrame, is_unelected: pl.Expr) -> pl.DataFrame:
    """(TERM, unelected_at): of terms that are over by such an act, that of who was in office and its own (own_id)."""
    own = placed.filter("is_again").select("cluster_id", "at", term_id="own_id")
    both = pl.concat([placed.filter(is_unelected).select(*TERM, "at"), own.select(*TERM, "at")])
    return both.group_by(TERM).agg(unelected_at=col("at").min())


def active_controller_ends(controller_step: pl.DataFrame) -> pl.DataFrame:
    """(NODE, gone_at): when a controller is in office no more, be it that it starts or hears of another leader."""
    node = pl.coalesce("node_id", "controller_id")
    is_of_other = (col("event") == OBSERVED) & col("active_controller_id").ne_missing(node)
    gone = controller_step.filter(col("step").is_in([*LEAVING, *STARTED]) | is_of_other)
    return gone.select("cluster_id", controller_id=node, gone_at="logged_at").sort("gone_at")
