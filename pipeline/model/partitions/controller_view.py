"""What a controller holds of partitions: the cluster-wide view at its start-up, then its own lines alone.

A controller acts on its own cache: one that was deposed unnoticed, and the successor of one that went on writing,
differ from the cluster-wide view and from one another.
"""

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.model.partitions.statements import LAST, PARTITION, TRACKED
from pipeline.model.partitions.topic_lives import GONE
from pipeline.model.terms.succession import TERM

PLACE = ("at", "controller_epoch", "seq")
OWN = (*TERM, *PARTITION[1:])
LISTING = "imbalance_not_preferred"
BEFORE_ALL = -1  # a place before every line of a term
BEFORE = "_before"  # ends the name of a column that holds the value before the line


def ordered_states(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """The intervals as states that begin, and where no other follows as states that end: PARTITION, PLACE,
    interval_seq, TRACKED. Of a partition that is gone nothing else is known.

    Sorted by partition, place and interval: a doubt has the place of the statement before it.
    """
    until, number = col("valid_until_at"), "interval_seq"
    following = col("valid_from_at").shift(-1).over(PARTITION, order_by=number)
    rows = partition_timeline.select(
        *PARTITION,
        *TRACKED,
        number,
        "valid_from_at",
        "valid_until_at",
        "controller_epoch",
        "seq",
        following=following,
    )
    begun = rows.select(*PARTITION, "controller_epoch", "seq", number, *TRACKED, at="valid_from_at")
    ended = rows.filter(until.is_not_null(), until.ne_missing(col("following"))).select(
        *PARTITION, "seq", number, *TRACKED, at="valid_until_at", controller_epoch=lit(LAST, pl.Int32)
    )
    gone = ended.select(pl.all().exclude(TRACKED)).with_columns(state=lit(GONE))
    return pl.concat([begun, gone], how="diagonal").sort(*PARTITION, *PLACE, number)


def listed_as_not_preferred(assignment: pl.DataFrame) -> pl.DataFrame:
    """Each partition that a controller lists as not led by its preferred replica, and that replica (listed_of), as a
    mention for partition_statements()."""
    return assignment.filter(col("event") == LISTING, col("topic").is_not_null()).select(
        "file_id", "byte_offset", "event", "topic", "partition", listed_of=first_replica("replicas")
    )


def first_replica(replicas: str) -> pl.Expr:
    return col(replicas).list.get(0, null_on_oob=True)


def term_begin_places(term: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(TERM, PLACE) before the first line of each term; at: null where it began before the span, as what was known
    cluster-wide by then is not given."""
    at = when(span.since("first_seen_at")).then("first_seen_at")
    return term.select(*TERM, "controller_epoch", at=at, seq=lit(0, pl.Int64))


def states_held(
    own: pl.DataFrame, begins: pl.DataFrame, cluster_wide: pl.DataFrame, *kept: str
) -> pl.DataFrame:
    """Each statement of a term with all that its controller holds of the partition after it, and before it.

    own: statements (TERM, PARTITION, seq, TRACKED, cause). begins: term_begin_places(); terms without one are left out.
    cluster_wide: ordered_states(). Columns out: TERM, PARTITION, seq, cause, those kept, TRACKED as held after the
    line, and under the same names with BEFORE as held before it. Sorted by OWN and seq.
    """
    said = own.select(*OWN, "seq", *TRACKED, "cause", *kept).join(begins.select(TERM), on=TERM, how="semi")
    at_begin = known_at_begin(said.select(OWN).unique(), begins, cluster_wide)
    # Each partition of a term begins with the row of BEFORE_ALL: nothing is carried from one to the next.
    rows = pl.concat([at_begin, said], how="diagonal").sort(*OWN, "seq").with_row_index("row")
    is_begin = col("seq") == BEFORE_ALL
    carried = {
        name: col(name).gather(when(is_begin | col(name).is_not_null()).then("row").forward_fill())
        for name in TRACKED
    }
    return (
        rows.with_columns(**carried)
        .with_columns(col(TRACKED).shift(1).name.suffix(BEFORE))
        .filter(~is_begin)
        .drop("row")
    )


def known_at_begin(asked: pl.DataFrame, begins: pl.DataFrame, cluster_wide: pl.DataFrame) -> pl.DataFrame:
    """(OWN, seq: BEFORE_ALL, TRACKED): what the cluster-wide view has of each partition when each term begins."""
    wanted = asked.join(begins, on=TERM)
    both = pl.concat([cluster_wide, wanted], how="diagonal")
    rows = both.sort(*PARTITION, *PLACE, "interval_seq", nulls_last=False).with_row_index("row")
    is_state = col("term_id").is_null()
    newest = when(is_state).then("row").forward_fill().over(PARTITION)
    return (
        rows.with_columns(col(TRACKED).gather(newest))
        .filter(~is_state)
        .select(*OWN, *TRACKED, seq=lit(BEFORE_ALL, pl.Int64))
    )
