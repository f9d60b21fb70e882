"""When the next term of its life follows each term, and from when on terms were not seen."""

import polars as pl
from polars import col, when

TERM = ("cluster_id", "term_id")
LIFE = ("cluster_id", "life")


def printed_controller_epoch() -> pl.Expr:
    """controller_epoch; null where no line tells it (silver.term)."""
    return when(col("controller_epoch") > 0).then("controller_epoch").alias("controller_epoch")


def with_superseded(term: pl.DataFrame) -> pl.DataFrame:
    """Terms with superseded_at: first_seen_at of the next term of the same life; null: the last one."""
    following = col("first_seen_at").shift(-1).over(LIFE)
    return term.sort(*LIFE, "controller_epoch").with_columns(superseded_at=following)


def unseen_from(term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, unseen_at): from when on lines of a term may be missing, as its election was not seen: from the
    last line of the term before it, or the begin of all. Null: all since the first epoch were seen; no row: none."""
    in_turn = term.filter(col("mode") == "zookeeper").sort(*LIFE, "controller_epoch")
    epoch, life_before = col("controller_epoch"), col("life").shift(1).over("cluster_id")
    is_same_life = col("life").eq_missing(life_before)
    expected = when(is_same_life).then(epoch.shift(1).over("cluster_id") + 1).otherwise(1)
    is_unseen = col("elected_at").is_null() | (epoch != expected)
    ended_before = col("last_seen_at").shift(1).over("cluster_id")
    began = pl.min_horizontal("first_seen_at", ended_before)
    return (
        in_turn.with_columns(unseen_at=when(is_unseen).then(began))
        .group_by("cluster_id")
        .agg(col("unseen_at").min())
    )


def unseen_stretches(term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, life, epoch, from_at): from when on a term may have changed anything unseen, as lines of its own
    controller are missing: from the last line of the term before it, whose epoch this is; or from when on no line
    proves that this one goes on.

    Until when differs by partition: until the next term that is told says something of it.
    """
    in_turn = term.filter(col("mode") == "zookeeper").sort(*LIFE, "controller_epoch")
    epoch = col("controller_epoch")
    following = epoch.shift(-1).over(LIFE)
    is_following_elected = col("elected_at").shift(-1).is_not_null().over(LIFE)
    is_followed = (following == epoch + 1) & is_following_elected
    later_began = col("first_seen_at").shift(-1).reverse().cum_min().forward_fill().reverse().over(LIFE)
    is_told = col("told_from_at").is_not_null()
    followed = in_turn.with_columns(
        from_at=pl.min_horizontal("told_until_at", later_began),
        is_unseen=is_told & following.is_not_null() & ~is_followed,
    ).filter("is_unseen")
    unproved = in_turn.with_columns(from_at="unproved_from_at").filter(col("from_at").is_not_null())
    own = (*LIFE, "from_at", "controller_epoch")
    return pl.concat([followed.select(own), unproved.select(own)]).rename({"controller_epoch": "epoch"})


def half_read(term: pl.DataFrame) -> pl.DataFrame:
    """Terms of ZooKeeper mode whose controller.log alone is read."""
    is_told = col("told_from_at").is_not_null()
    return term.filter(col("mode") == "zookeeper", is_told, ~col("are_moves_read").fill_null(value=True))


def half_read_stretches(term: pl.DataFrame) -> pl.DataFrame:
    """As unseen_stretches, of half_read: who leads is not known from the begin of such a term on."""
    return half_read(term).select(*LIFE, from_at="first_seen_at", epoch=col("controller_epoch") - 1)


def with_terms(asked: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Rows (TERM) with superseded_at: when the next term was elected; is_whole: all elections of this life of the
    cluster up to it were seen, and of all these terms the moves are read; both null where it is no term of ZooKeeper
    mode."""
    elections = col("elected_at").cum_count().over(LIFE)
    are_all_read = col("are_moves_read").fill_null(value=True).cum_min().over(LIFE)
    terms = (
        term.filter(col("mode") == "zookeeper")
        .pipe(with_superseded)
        .select(*TERM, "superseded_at", is_whole=(elections == col("controller_epoch")) & are_all_read)
    )
    return asked.join(terms, on=TERM, how="left")
