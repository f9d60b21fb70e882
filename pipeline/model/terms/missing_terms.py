"""What is no longer known of partitions as the lines of a controller are missing, in ZooKeeper mode."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.model.partitions.said_offline import OFFLINE
from pipeline.model.partitions.statements import MOVING, PARTITION, SENT, TRACKED, life_in_term_id
from pipeline.model.partitions.topic_lives import GONE, PARTITION_ORDER
from pipeline.model.terms.election_chances import offline_ends, untold_tries
from pipeline.model.terms.missing_moves import ends_unseen, epoch_jumps, leader_epoch_holes
from pipeline.model.terms.succession import (
    half_read,
    half_read_stretches,
    unseen_stretches,
    with_superseded,
)

TERM_MISSING = "term_missing"
TAIL = timedelta(seconds=1)  # of its resignation
UNDETERMINED = "undetermined"
# Column of a statement: column with the epoch up to which what it says is in doubt.
DOUBTS = {"leader_epoch": "leader_doubt_epoch", "replicas": "replicas_doubt_epoch"}
LED, ASSIGNED = ("leader", "isr", "leader_epoch"), ("replicas", *MOVING)
ORDER_WITH_DOUBT = ("at", "is_doubt", *PARTITION_ORDER[1:])


def jumps_of_statements(lived: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """missing_moves.epoch_jumps of statements of partitions."""
    said = lived.with_columns(era=life_in_term_id())
    return epoch_jumps(said, ends_unseen(said, term))


def with_doubt_rows(
    lived: pl.DataFrame, term: pl.DataFrame, chances: pl.DataFrame, jumps: pl.DataFrame, span: Span
) -> pl.DataFrame:
    """Statements of partitions (statements.statements, with has_place, and DOUBTS: null but of what was in doubt before
    span), and a row more, is_doubt, where a term begins to be missing, or lines within one (is_hole): what was
    said last may be so no more. term: silver.term with proved_until_at (last_lines.proved_term). chances: of
    election_chances; jumps: jumps_of_statements() of the whole cluster.

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
    of_topics = pl.concat([of_topics, deletions_unread(said, term), offline_ends(said, term, chances)])
    of_topics = pl.concat([of_topics, untold_tries(said, term, chances)], how="diagonal")
    holes = (of_terms, leader_epoch_holes(jumps, of_terms), of_topics)
    stretches = pl.concat(holes, how="diagonal")
    stretches = stretches.filter(span.since("from_at"))
    if stretches.is_empty():
        return said.drop("era")
    return pl.concat([said, doubt_rows(said, stretches)], how="diagonal").drop("era")


def deletions_unread(said: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, life, topic, from_at): since when a topic is being deleted by a controller whose controller.log is
    not read: who leads its partitions then, if anybody, is told there alone."""
    is_told = col("event").is_in(SENT) & col("is_deleting")
    unread = term.filter(col("elected_at").is_null())["term_id"].implode()
    begun = said.filter(is_told.fill_null(value=False), col("term_id").is_in(unread))
    return (
        begun.group_by("cluster_id", "topic", "term_id", life="era")
        .agg(from_at=col("at").min())
        .drop("term_id")
    )


def with_half_read(lived: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """The statements with DOUBTS: what a controller says of a leader of whose moves nothing is read holds for its
    instant only, but that it fails to elect one: that goes on until somebody can lead (offline_ends). It states it in
    controller.log as it starts, and as it checks the balance. What others say of a leader while such a one goes on
    after it was deposed holds no longer: up to 2.0 it may write another one."""
    absent = (name for name in DOUBTS.values() if name not in lived.columns)
    of_leader, terms = (
        DOUBTS["leader_epoch"],
        half_read(term).select(
            "cluster_id", "term_id", is_half_read=lit(value=True), is_elected=col("elected_at").is_not_null()
        ),
    )
    # Its list alone may be a moment old; at WARN nothing tells what comes next.
    is_offline = (col("state") == OFFLINE).fill_null(value=False)
    has_failed = (is_offline & (col("event") == "partition_transition")).any().over(*PARTITION, "term_id")
    is_offline = is_offline & has_failed & col("is_elected")
    own = when(col("is_half_read") & ~is_offline).then("controller_epoch")
    return (
        lived.with_columns(lit(None, pl.Int32).alias(name) for name in absent)
        .join(terms, on=["cluster_id", "term_id"], how="left", maintain_order="left")
        .with_columns(pl.coalesce(of_leader, own).alias(of_leader))
        .drop("is_half_read", "is_elected")
        .pipe(with_doubts_by_deposed, term)
    )


def with_doubts_by_deposed(lived: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Statements of leaders in doubt up to the epoch of a deposed controller that is named after them, and of whose
    moves nothing is read: its state-change.log is not, or all of its lines are missing."""
    are_read = col("are_moves_read").fill_null(value=True) & col("told_from_at").is_not_null()
    is_unread = (col("mode") == "zookeeper") & ~are_read
    deposed = (
        with_superseded(term)
        .filter(is_unread, col("last_seen_at") > col("superseded_at") + TAIL)
        .select("cluster_id", "life", "superseded_at", "last_seen_at", "controller_epoch")
    )
    for cluster_id, life, since_at, until_at, epoch in deposed.iter_rows():
        is_beside = (
            (col("cluster_id") == cluster_id)
            & (life_in_term_id() == life)
            & col("at").is_between(since_at, until_at)
            & (col("controller_epoch") > epoch)
        ).fill_null(value=False)
        doubt = pl.coalesce(DOUBTS["leader_epoch"], lit(epoch, pl.Int32))
        lived = lived.with_columns(
            when(is_beside).then(doubt).otherwise(DOUBTS["leader_epoch"]).alias(DOUBTS["leader_epoch"])
        )
    return lived


def doubt_rows(said: pl.DataFrame, stretches: pl.DataFrame) -> pl.DataFrame:
    """Of each partition the statement that a stretch (unseen_stretches) of its era, or of it or its topic alone, finds
    last, as a row of doubt."""
    partitions = said.select(*PARTITION, "era").unique()
    names = {"life": "era", "epoch": "doubt_epoch", "topic": "of_topic", "partition": "of_partition"}
    begun = stretches.rename(names)
    is_of_all = col("of_partition").is_null() | (col("of_partition") == col("partition"))
    is_of_it = col("of_topic").is_null() | ((col("of_topic") == col("topic")) & is_of_all)
    is_same_era = col("era") == col("era_said")
    is_same_day = col("said_at") >= col("from_at").dt.truncate("1d")
    return (
        partitions.join(begun, on=["cluster_id", "era"])
        .filter(is_of_it)
        .drop("of_topic", "of_partition")
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
