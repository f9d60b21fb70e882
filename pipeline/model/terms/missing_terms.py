"""What is no longer known of partitions as the lines of a controller are missing, in ZooKeeper mode."""

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.model.partitions.said_offline import OFFLINE
from pipeline.model.partitions.statements import MOVING, PARTITION, TRACKED, life_in_term_id
from pipeline.model.partitions.topic_lives import GONE, PARTITION_ORDER
from pipeline.model.terms.missing_moves import ends_unseen, leader_epoch_holes
from pipeline.model.terms.succession import half_read, half_read_stretches, unseen_stretches

TERM_MISSING = "term_missing"
UNDETERMINED = "undetermined"
# Column of a statement: column with the epoch up to which what it says is in doubt.
DOUBTS = {"leader_epoch": "leader_doubt_epoch", "replicas": "replicas_doubt_epoch"}
LED, ASSIGNED = ("leader", "isr", "leader_epoch"), ("replicas", *MOVING)
ORDER_WITH_DOUBT = ("at", "is_doubt", *PARTITION_ORDER[1:])


def with_doubt_rows(lived: pl.DataFrame, term: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Statements of partitions (statements.statements, with has_place, and DOUBTS: null but of what was in doubt before
    span), and a row more, is_doubt, where a term begins to be missing, or lines within one (is_hole): what was
    said last may be so no more. term: silver.term with proved_until_at (last_lines.until_silence).

    Such a row states nothing and has the place and the line of the statement before it; has_place, has_line: if that is
    of the same day in UTC, and has them itself. DOUBTS: epoch of the last term before the missing one.
    """
    said = with_half_read(lived, term).with_columns(
        era=life_in_term_id(),
        is_doubt=lit(value=False),
        is_hole=lit(value=False),
        has_line=lit(value=True),
    )
    proved = term.with_columns(told_until_at="proved_until_at")
    # What was said after that, and before the last line, is in doubt from then on.
    unseen = pl.concat([unseen_stretches(term), unseen_stretches(proved)]).unique()
    of_terms = pl.concat([unseen, half_read_stretches(term)])
    ended = ends_unseen(said, term)
    of_topics = ended.select("cluster_id", "topic", life="era", from_at="since_at").unique()
    holes = (of_terms, leader_epoch_holes(said, of_terms, ended), of_topics)
    stretches = pl.concat(holes, how="diagonal")
    stretches = stretches.filter(span.since("from_at"))
    if stretches.is_empty():
        return said.drop("era")
    return pl.concat([said, doubt_rows(said, stretches)], how="diagonal").drop("era")


def with_half_read(lived: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """The statements with DOUBTS: what a controller says of a leader of whose moves nothing is read holds for its
    instant only. It states it in controller.log as it starts, and as it checks the balance."""
    absent = (name for name in DOUBTS.values() if name not in lived.columns)
    of_leader, terms = (
        DOUBTS["leader_epoch"],
        half_read(term).select("cluster_id", "term_id", is_half_read=lit(value=True)),
    )
    own = when("is_half_read").then("controller_epoch")
    return (
        lived.with_columns(lit(None, pl.Int32).alias(name) for name in absent)
        .join(terms, on=["cluster_id", "term_id"], how="left", maintain_order="left")
        .with_columns(pl.coalesce(of_leader, own).alias(of_leader))
        .drop("is_half_read")
    )


def doubt_rows(said: pl.DataFrame, stretches: pl.DataFrame) -> pl.DataFrame:
    """Of each partition the statement that a stretch (unseen_stretches) of its era, or of its topic alone, finds last,
    as a row of doubt."""
    partitions = said.select(*PARTITION, "era").unique()
    begun = stretches.rename({"life": "era", "epoch": "doubt_epoch", "topic": "of_topic"})
    is_of_it = col("of_topic").is_null() | (col("of_topic") == col("topic"))
    is_same_era = col("era") == col("era_said")
    is_same_day = col("said_at") >= col("from_at").dt.truncate("1d")
    return (
        partitions.join(begun, on=["cluster_id", "era"])
        .filter(is_of_it)
        .drop("of_topic")
        .sort("from_at")
        .join_asof(
            said.sort(PARTITION_ORDER).with_columns(said_at="at"), left_on="from_at", right_on="at", by=PARTITION,
            suffix="_said", check_sortedness=False,
        )
        .filter(is_same_era, col("state").ne_missing(GONE))
        .with_columns(
            at="from_at",
            event=lit(TERM_MISSING),
            is_doubt=lit(value=True),
            is_hole=col("doubt_epoch").is_null(),
            has_place=is_same_day & col("has_place"),
            has_line=is_same_day,
            is_unseen=lit(value=False),
            is_base=lit(value=False),
            **{name: pl.coalesce("doubt_epoch", name) for name in DOUBTS.values()},
        )
        .drop(*TRACKED, "era_said", "from_at", "said_at", "doubt_epoch")
    )  # fmt: skip


def in_doubt(what: str, by: str | tuple[str, ...]) -> pl.Expr:
    """Of a statement, sorted by ORDER_WITH_DOUBT: True if a term, or lines within one, may have gone by unseen since
    what (leader_epoch, state or replicas) was stated. by: the number of its partition, and what begins anew."""
    doubt = DOUBTS.get(what, DOUBTS["leader_epoch"])
    is_stated = col(what).is_not_null() & col(doubt).is_null()
    stated = when(is_stated).then("controller_epoch").cum_max().forward_fill().over(by)
    doubted = col(doubt).forward_fill().over(by)
    return (stated <= doubted).fill_null(doubted.is_not_null()) | is_in_hole(what, by)


def is_in_hole(what: str, by: str | tuple[str, ...]) -> pl.Expr:
    """The same of lines within a term."""
    is_since_hole = when("is_hole").then(lit(value=True)).when(col(what).is_not_null()).then(lit(value=False))
    return is_since_hole.forward_fill().over(by).fill_null(value=False)


def is_known_offline(by: str) -> pl.Expr:
    """Of a statement, sorted by ORDER_WITH_DOUBT: True if its leader is in doubt, and a controller that is read
    says that the partition is Offline: from then on nobody leads it, whatever went by unseen."""
    of_leader = DOUBTS["leader_epoch"]
    doubted = col(of_leader).forward_fill().over(by)
    is_later = (col("controller_epoch") > doubted) | (doubted.is_null() & is_in_hole("leader_epoch", by))
    is_said = (col("state") == OFFLINE) & col(of_leader).is_null() & ~col("is_hole") & is_later
    return (is_said & in_doubt("leader_epoch", by)).fill_null(value=False)


def without_doubted(intervals: pl.DataFrame) -> pl.DataFrame:
    """Rows of gold.partition_timeline without what may have changed unseen."""
    is_known = col("certainty") != UNDETERMINED
    is_assigned = is_known & ~col("is_assignment_stale").fill_null(value=False)
    return intervals.with_columns(when(is_known).then(col(LED)), when(is_assigned).then(col(ASSIGNED)))
