"""KRaft controllers that take an office for theirs that they held before their process ended."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

CLAIM = "controller_active"
GIVING_UP = ("renounced", "event_failed")
OBSERVED = "observed"
GIVEN_UP_MS = 10_000
LINE = ("cluster_id", "file_id", "byte_offset")


def without_stale_claims(controller_event: DataFrame) -> DataFrame:
    """silver.controller_event without the lines in which a controller becomes active by mistake.

    A process that was leader when it was killed starts as leader that has resigned, of the old epoch, and its
    controller takes itself for active until its first write fails: seen with 3.7, ms after the start. Told by an epoch
    that is not above those before, given up at once; an epoch that begins anew as the metadata were wiped is kept.
    Source: KafkaRaftClient.initialize, QuorumState.initialize, QuorumController.QuorumMetaLogListener, from 2.8.
    """
    said = controller_event.where(
        (F.col("event") == CLAIM) | ((F.col("step").isin(*GIVING_UP, OBSERVED)) & is_of_quorum())
    )
    stale = said.transform(with_context).where((F.col("event") == CLAIM) & is_old() & is_given_up())
    return controller_event.join(F.broadcast(stale.select(*LINE)), on=[*LINE], how="left_anti")


def is_of_quorum() -> Column:
    return F.col("event").isin("controller_observed_leader", "controller_renounce", "controller_event_failed")


def with_context(said: DataFrame) -> DataFrame:
    """The highest epochs before, claimed and heard of, and what the node says next."""
    in_turn = ("logged_at", *LINE[1:])
    before = Window.partitionBy("cluster_id").orderBy(*in_turn).rowsBetween(Window.unboundedPreceding, -1)
    own = Window.partitionBy("cluster_id", F.coalesce("node_id", "controller_id")).orderBy(*in_turn)
    epoch = F.col("controller_epoch")
    return said.withColumns(
        {
            "claimed": F.max(F.when(F.col("event") == CLAIM, epoch)).over(before),
            "heard": F.max(F.when(F.col("step") == OBSERVED, epoch)).over(before),
            "next": F.lead(F.struct("step", "logged_at", "controller_epoch")).over(own),
        }
    )


def is_old() -> Column:
    epoch = F.col("controller_epoch")
    return F.coalesce(epoch <= F.col("claimed"), F.lit(False)) | F.coalesce(
        epoch < F.col("heard"), F.lit(False)
    )


def is_given_up() -> Column:
    after_ms = F.unix_millis("next.logged_at") - F.unix_millis("logged_at")
    highest = F.greatest("claimed", "heard", F.col("controller_epoch") + 1)
    hears = (F.col("next.step") == OBSERVED) & (F.col("next.controller_epoch") >= highest)
    is_over = F.col("next.step").isin(*GIVING_UP) | hears
    return F.coalesce(is_over & (after_ms <= GIVEN_UP_MS), F.lit(False))
