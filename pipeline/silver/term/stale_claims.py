"""KRaft controllers that take a term for theirs that they held before their process ended."""

import polars as pl
from polars import col, when

from pipeline.core.made_of import needs_rows_of

CLAIM = "controller_active"
GIVING_UP = ("renounced", "event_failed")
OBSERVED = "observed"
OF_QUORUM = ("controller_observed_leader", "controller_renounce", "controller_event_failed")
GIVEN_UP_MS = 10_000
LINE = ("cluster_id", "file_id", "byte_offset")


def without_stale_claims(controller_step: pl.DataFrame) -> pl.DataFrame:
    """silver.controller_step without the lines in which a controller becomes active by mistake.

    A process that was leader when it was killed starts as leader that has resigned, of the old epoch, and its
    controller takes itself for active until its first write fails: seen with 3.7, ms after the start. Told by an epoch
    that is not above those before, given up at once; an epoch that begins anew as the metadata were wiped is kept.
    Source: KafkaRaftClient.initialize, QuorumState.initialize, QuorumController.QuorumMetaLogListener, from 2.8.
    """
    is_claim = col("event") == CLAIM
    is_of_quorum = col("step").is_in([*GIVING_UP, OBSERVED]) & col("event").is_in(OF_QUORUM)
    said = controller_step.filter(is_claim | is_of_quorum)
    stale = said.pipe(with_context).filter(is_claim & is_old() & is_claim_abandoned())
    return controller_step.join(stale, on=LINE, how="anti")


@needs_rows_of("said")
def with_context(said: pl.DataFrame) -> pl.DataFrame:
    """The highest epochs before, claimed and heard of in this life of the metadata, and what the node says next. A
    claim of an epoch that was there, and that is not given up, begins a life: its epochs count from there on."""
    epoch = col("controller_epoch")
    claimed = when(col("event") == CLAIM).then(epoch)
    heard = when(col("step") == OBSERVED).then(epoch)
    node = pl.coalesce("node_id", "controller_id")
    following = col("step", "logged_at", "controller_epoch").shift(-1).over("cluster_id", node)
    begins = (col("event") == CLAIM) & (epoch <= col("claimed")) & ~is_claim_abandoned()

    def with_highest(lines: pl.DataFrame, *of: str) -> pl.DataFrame:
        named = {"claimed": claimed, "heard": heard}
        return lines.with_columns(
            one.cum_max().forward_fill().shift(1).over(of).alias(name) for name, one in named.items()
        )

    return (
        said.sort("logged_at", *LINE[1:])
        .with_columns(following.name.prefix("next_"))
        .pipe(with_highest, "cluster_id")
        .with_columns(begun=begins.fill_null(value=False).cast(pl.Int32).cum_sum().over("cluster_id"))
        .pipe(with_highest, "cluster_id", "begun")
    )


def is_old() -> pl.Expr:
    epoch = col("controller_epoch")
    is_claimed = (epoch <= col("claimed")).fill_null(value=False)
    is_passed = (epoch < col("heard")).fill_null(value=False)
    return is_claimed | is_passed


def is_claim_abandoned() -> pl.Expr:
    after_ms = col("next_logged_at").dt.epoch("ms") - col("logged_at").dt.epoch("ms")
    highest = pl.max_horizontal("claimed", "heard", col("controller_epoch") + 1)
    hears_of_later = (col("next_step") == OBSERVED) & (col("next_controller_epoch") >= highest)
    is_over = col("next_step").is_in(GIVING_UP) | hears_of_later
    return (is_over & (after_ms <= GIVEN_UP_MS)).fill_null(value=False)
