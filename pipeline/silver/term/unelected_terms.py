"""Terms of controllers whose elections no line tells, by the lines that name them."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

OWN = ("cluster_id", "controller_id", "controller_epoch")
TIME = pl.Datetime("us", "UTC")
# Clocks of other nodes may be ahead of the election.
LONG_BEFORE = timedelta(minutes=1)


def with_next_life(named: pl.DataFrame, elected: pl.DataFrame) -> pl.DataFrame:
    """Adds next_life: that of lines before the first election seen of a life, by which a controller has a lower epoch
    than it was elected with before; of lines before the first election of all, where after_unseen_life() knows a life
    before; and of lines after its election in a later life than the one in which it was elected with that epoch; of
    lines long before all of its elections with that epoch, the first of which is of a later life, that of the time;
    null of all others.

    named: (OWN, node_id, first_at, ...) of lines that name a controller with its epoch. elected: (OWN, mode, life,
    elected_at). A controller that was deposed goes on with its epoch, but none that held a later one goes back to it.
    """
    in_zookeeper = elected.filter(col("mode") == "zookeeper")
    begun = in_zookeeper.select(*OWN, first_at="elected_at", begun_life="life")
    epoch, begun_life = col("controller_epoch"), col("begun_life")
    is_election = begun_life.is_not_null()
    begun_at = when(is_election).then("first_at")
    held = when(is_election).then(epoch).forward_fill().over(OWN[:2])
    life = begun_life.forward_fill().over("cluster_id")
    following = begun_life.backward_fill().over("cluster_id")
    is_back = is_self_reported() & (epoch < held) & (following > life)
    is_unseen = is_self_reported() & life.is_null() & (following > 1)
    own_life, life_of_epoch = (begun_life.forward_fill().over(one) for one in (OWN[:2], OWN))
    is_reused = is_self_reported() & (life_of_epoch < own_life)
    epoch_at, epoch_life = (one.backward_fill().over(OWN) for one in (begun_at, begun_life))
    current = pl.coalesce(life, following)
    is_other_life = (epoch_life > current) & (epoch_at - col("first_at") > LONG_BEFORE)
    is_before_all = life_of_epoch.is_null() & is_other_life
    # An election of the same epoch ends what went before it.
    said = when(is_election).then(0).when(is_back).then(following).when(is_reused).then(own_life)
    said = said.when(is_unseen).then(1).when(is_before_all).then(current)
    last_said = col("said").forward_fill().over(OWN)
    return (
        pl.concat([named, begun], how="diagonal")
        .sort("first_at", ~is_election, "file_id", "first_offset")
        .with_columns(said=said.cast(pl.Int32))
        .with_columns(next_life=when(last_said != 0).then(last_said))
        .filter(~is_election)
        .drop("begun_life", "said")
    )


def after_unseen_life(elected: pl.DataFrame, named: pl.DataFrame) -> pl.DataFrame:
    """Elected terms, in ZooKeeper those of lives from 2 on where a controller had a higher epoch before the first
    election that is seen than it was elected with in that life: then it was another one, whose elections no line tells.

    elected: (OWN, mode, life, elected_at). named: as with_next_life() takes it.
    """
    in_zookeeper = col("mode") == "zookeeper"
    of_first = elected.filter(in_zookeeper & (col("life") == 1))
    begun = of_first.group_by("cluster_id").agg(begun_at=col("elected_at").min())
    lowest = of_first.group_by(OWN[:2]).agg(lowest_epoch=col("controller_epoch").min())
    is_before = (col("last_at") < col("begun_at")) & (col("controller_epoch") > col("lowest_epoch"))
    later = (
        named.filter(is_self_reported())
        .join(begun, on="cluster_id", how="inner")
        .join(lowest, on=OWN[:2], how="inner")
        .filter(is_before)
        .select("cluster_id", later=lit(1, pl.Int32))
        .unique()
    )
    shift = when(in_zookeeper).then(col("later").fill_null(0)).otherwise(0)
    return (
        elected.join(later, on="cluster_id", how="left", maintain_order="left")
        .with_columns(life=(col("life") + shift).cast(pl.Int32))
        .drop("later")
    )


def unelected_terms(sights: pl.DataFrame, elected: pl.DataFrame) -> pl.DataFrame:
    """Terms that only lines of state-change.log, or of other nodes, name; their election was not seen.

    sights: with_next_life().
    """
    unseen = seen_terms(sights).pipe(without_elected, elected)
    lives = elected.filter(col("mode") == "zookeeper").select("cluster_id", "elected_at", "life")
    return (
        unseen.sort("first_seen_at")
        .join_asof(
            lives.sort("elected_at", "life"),
            left_on="first_seen_at",
            right_on="elected_at",
            by="cluster_id",
            strategy="backward",
            check_sortedness=False,
        )
        .with_columns(
            life=pl.coalesce("next_life", "life", lit(1)).cast(pl.Int32),
            mode=lit("zookeeper"),
            elected_at=lit(None, TIME),
            certainty=lit("inferred"),
        )
        .with_columns(term_id=pl.format("{}-{}", "life", "controller_epoch"))
        .drop("next_life")
    )


def seen_terms(sights: pl.DataFrame) -> pl.DataFrame:
    first_at, last_at = col("first_at"), col("last_at")
    return (
        sights.sort("first_at", "file_id", "first_offset")
        .group_by(*OWN, "next_life")
        .agg(
            col("file_id").first(),
            byte_offset=col("first_offset").first(),
            first_seen_at=first_at.min(),
            last_seen_at=last_at.max(),
            told_from_at=first_at.filter(is_self_reported()).min(),
            told_until_at=last_at.filter(is_self_reported()).max(),
            is_trace_seen=is_trace_seen(),
        )
    )


def without_elected(seen: pl.DataFrame, elected: pl.DataFrame) -> pl.DataFrame:
    """Without terms that have an election, in the life that they name if they name one."""
    of_any_life = seen.filter(col("next_life").is_null()).join(elected, on=OWN, how="anti")
    of_one_life = seen.filter(col("next_life").is_not_null()).join(
        elected, left_on=[*OWN, "next_life"], right_on=[*OWN, "life"], how="anti"
    )
    return pl.concat([of_any_life, of_one_life])


def is_self_reported() -> pl.Expr:
    """True if the controller's own node says so."""
    return col("node_id") == col("controller_id")


def is_trace_seen() -> pl.Expr:
    """True if state.change.logger wrote lines at TRACE that name the term."""
    is_trace = (col("log") == "state-change") & (col("level") == "TRACE")
    return is_trace.fill_null(value=False).any()
