"""What the rules on terms of controllers share."""

from datetime import timedelta

import polars as pl
from polars import col, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.evidence import NO_LINES
from pipeline.rules.shared.outage_causes import CHOSEN, ONE_STOP
from pipeline.rules.shared.wording import CONTROLLER, controller_name, facts_column, root_columns

WROTE = "zombie_wrote"
# Of its end: who lost its session learns it soon after it acts again.
OUTLIVES = timedelta(minutes=1)


def of_term(
    terms: pl.DataFrame,
    named: tuple[pl.Expr, ...],
    sentence: pl.Expr,
    times: tuple[str, str],
    evidence: pl.Expr,
    **others: str | pl.Expr,
) -> pl.DataFrame:
    """Findings about the controller of a term, for which the term is the root event. times: since when, until when;
    others: facts beside who it is."""
    since, until = times
    return terms.select(
        *("cluster_id", "term_id", "certainty"),
        *named,
        entity=controller_name(),
        root_event=controller_name(),
        **root_columns("controller", broker_id="controller_id"),
        valid_from_at=since,
        valid_until_at=until,
        sentence=sentence,
        facts=facts_column(**CONTROLLER, **others),
        evidence=evidence.list.unique(maintain_order=True),
    )


def records_of_term(*names: str) -> pl.Expr:
    """The records of a term that say so, in that order."""
    return pl.concat_list(col("lines").map.get(name).fill_null(NO_LINES) for name in names)


def with_reason_lines(controller_term: pl.DataFrame) -> pl.DataFrame:
    """Terms with the lines of REASON as columns."""
    return controller_term.with_columns(
        end_lines=records_of_term("reason"), first_sign_lines=records_of_term("first_sign")
    )


def is_late(overlap_ms: int) -> pl.Expr:
    """True if the controller outlived its term for longer than conf allows."""
    return -col("gap_ms") > overlap_ms


@needs_rows_of("gap")
def without_stopped(gap: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Without the KRaft terms at whose vacancy_at all brokers had left that were ever there; and without the last one
    where the logs end soon after, amid a stop: a broker had just been shut down."""
    own, at = ("cluster_id", "term_id"), col("vacancy_at")
    stays = broker_session.select("cluster_id", "mode", "joined_at", "left_at", "left_how")
    came = (
        gap.filter(col("mode") == "kraft")
        .join(stays, on=["cluster_id", "mode"])
        .filter(col("joined_at") <= at)
    )
    is_there = (col("left_at") > at).fill_null(value=True)
    is_end = col("superseded_at").is_null() & (col("until_at") <= at + ONE_STOP)
    is_just_stopped = (col("left_how") == CHOSEN) & col("left_at").is_between(at - ONE_STOP, at)
    stopped = came.join(came.filter(is_there), on=own, how="anti")
    amid_stop = came.filter(is_end, is_just_stopped.fill_null(value=False))
    return gap.join(stopped, on=own, how="anti").join(amid_stop, on=own, how="anti")


def with_data_end(controller_term: pl.DataFrame, data_end: pl.DataFrame) -> pl.DataFrame:
    """Adds until_at, the end of the data of the cluster."""
    return controller_term.join(data_end.select("cluster_id", "until_at"), on="cluster_id", how="inner")


def deposed_times(controller_term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, term_id, controller_epoch, deposed_at): from when on a controller of ZooKeeper mode may have been
    deposed: the next election, or OUTLIVES before its end where that is not read; null: it goes on."""
    life = ("cluster_id", "life")
    in_turn = controller_term.sort(*life, "controller_epoch")
    is_next_read = (
        col("elected_at").is_not_null().shift(-1)
        & (col("controller_epoch").shift(-1) == col("controller_epoch") + 1)
    ).over(life)
    is_over = col("superseded_at").is_not_null() | (col("ended_how") != "open").fill_null(value=False)
    may_be_at = when(is_over).then(pl.coalesce("ended_at", "last_act_at") - OUTLIVES)
    at = (
        when(is_next_read.fill_null(value=False))
        .then("superseded_at")
        .otherwise(pl.min_horizontal("superseded_at", may_be_at))
    )
    return in_turn.select("cluster_id", "term_id", "controller_epoch", deposed_at=at)
