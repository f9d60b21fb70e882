"""Which partition epoch a decided change of an assignment has of which the line names none (up to Kafka 4.2)."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.model.partitions.partition_states import GRACE_SECONDS, IDENTITY, printed_states
from pipeline.model.partitions.statements import MOVING
from pipeline.model.terms.kraft_terms import LINE, SOON

CHANGE = (*IDENTITY, *LINE)
SLOT = (*IDENTITY, "slot")


def with_changed_epochs(lines: pl.DataFrame, seeds: pl.DataFrame) -> pl.DataFrame:
    """Lines (of with_decided) where a decision that names no partition epoch has that of the state that it made.

    That is proved if the first state with its adding and removing replicas has the epoch after the last one that is
    known of before, as each record adds one. Lines of brokers may be missing: else it stays unknown.
    seeds: the last state of each partition before these lines.
    Source: PartitionRegistration.merge; ReplicationControlManager.replay prints the epoch since 4.3.
    """
    is_unnumbered = col("is_decided") & (col("step") == "changed") & col("partition_epoch").is_null()
    is_named = col("partition").is_not_null() & pl.any_horizontal(col(MOVING).is_not_null())
    changes = lines.filter(is_unnumbered, is_named)
    if changes.is_empty():
        return lines
    columns = ("at", *CHANGE, "partition_epoch", *MOVING)
    told = pl.concat([changes.select(columns), printed_states(lines).select(columns), seeds.select(columns)])
    epochs = proved_change_epochs(
        in_slots(told.join(changes.select(IDENTITY).unique(), on=IDENTITY, how="semi"))
    )
    return (
        lines.join(epochs, on=CHANGE, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(pl.coalesce("partition_epoch", "made_epoch"))
        .drop("made_epoch")
    )


def in_slots(told: pl.DataFrame) -> pl.DataFrame:
    """slot: how many changes of the partition there are until then, the row itself included."""
    is_state = col("partition_epoch").is_not_null()
    in_order = told.sort(*IDENTITY, "at", is_state, *LINE)
    return in_order.with_columns(slot=(~is_state).cum_sum().over(IDENTITY))


def proved_change_epochs(told: pl.DataFrame) -> pl.DataFrame:
    """(CHANGE, made_epoch) of the changes of which it is proved. What is printed on the next day (UTC) proves nothing
    of a day before."""
    change = told.filter(col("partition_epoch").is_null()).drop("partition_epoch")
    moving = (col(name).alias(f"state_{name}") for name in MOVING)
    states = told.filter(col("partition_epoch").is_not_null()).select(
        *SLOT, *moving, said_at="at", epoch="partition_epoch"
    )
    before = states.with_columns(col("slot") + 1, is_before=lit(value=True))
    around = change.join(pl.concat([before, states.with_columns(is_before=lit(value=False))]), on=SLOT)
    epoch, is_before, has_it = col("epoch"), col("is_before"), col("has_it")
    is_same_day = col("said_at").dt.date() == col("at").dt.date()
    is_soon = col("said_at").is_between(col("at") - SOON, col("at") + timedelta(seconds=GRACE_SECONDS))
    other_epoch = epoch.filter(is_before & ~has_it).max().over(CHANGE)
    is_since = (epoch > other_epoch).fill_null(other_epoch.is_null())
    made_epoch = epoch.filter(has_it & is_soon & is_same_day & is_since).min().over(CHANGE)
    return (
        around.with_columns(has_it=has_assignment())
        .filter(is_before | (is_soon & is_same_day))
        .with_columns(made_epoch=made_epoch)
        .filter(epoch == col("made_epoch") - 1, is_before | has_it.is_not_null())
        .group_by(CHANGE)
        .agg(col("made_epoch").first(), is_old=has_it.any())
        .filter(~col("is_old"))
        .drop("is_old")
    )


def has_assignment() -> pl.Expr:
    """True if a state has the replicas that a change says to be added and removed: a record names what it changes."""

    def has(name: str) -> pl.Expr:
        is_same = col(f"state_{name}").list.sort() == col(name).list.sort()
        return when(col(name).is_not_null()).then(is_same).otherwise(lit(value=True))

    return pl.all_horizontal(has(name) for name in MOVING)
