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
COUNTS = ("preferred", "elsewhere", "moved", "listed", "agreed")
COUNTED_BY = ("state", "leader", "replicas", "is_deleting")  # what the counts rest on
LISTING = "imbalance_not_preferred"
BEFORE_ALL = -1  # a place before every line of a term
BEFORE = "_before"  # ends the name of a column that holds the value before the line
NO_NAMES = pl.lit([], pl.List(pl.String))


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


def counted_preferred_leader(after: str = "") -> pl.Expr:
    """The preferred leader; null where the partition does not count: no assignment, gone, or being deleted.

    after: the end of the names of columns, as BEFORE.
    """
    replicas, state, is_deleting = (col(f"{name}{after}") for name in ("replicas", "state", "is_deleting"))
    is_assigned = replicas.list.len() > 0
    is_counted = is_assigned & state.ne_missing(lit(GONE)) & ~is_deleting.fill_null(value=False)
    return when(is_counted).then(first_replica(f"replicas{after}"))


def is_elsewhere(after: str = "") -> pl.Expr:
    """True if the leader is known and is not the preferred one."""
    return (col(f"leader{after}") != first_replica(f"replicas{after}")).fill_null(value=False)


def preferred_count_changes(states: pl.DataFrame, *kept: str) -> pl.DataFrame:
    """(kept, broker_id, COUNTS, only_kafka): what each change adds to the counts of preferred leaders; of a partition
    that Kafka lists whether it is held so, too, and its name if it is not.

    states: TRACKED and TRACKED with BEFORE, null where nothing was known; is_moving: the change counts as moved where
    it gives the partition back to its preferred leader; listed_of.
    """
    is_listing = col("listed_of").is_not_null()
    # Most lines repeat what is held already: a request goes to each broker.
    is_change = pl.any_horizontal(col(name).ne_missing(col(f"{name}{BEFORE}")) for name in COUNTED_BY)
    moves, lists = states.filter(is_change, ~is_listing), states.filter(is_listing)
    is_back = (col("leader") == counted_preferred_leader()) & col(f"leader{BEFORE}").ne_missing(col("leader"))
    is_held = ((counted_preferred_leader() == col("listed_of")) & is_elsewhere()).fill_null(value=False)
    name = pl.concat_str("topic", "partition", separator="-", ignore_nulls=True)
    one, elsewhere, elsewhere_before = (
        lit(1, pl.Int64),
        flag_as_count(is_elsewhere()),
        flag_as_count(is_elsewhere(BEFORE)),
    )
    shares = (
        moves.select(*kept, broker_id=counted_preferred_leader(BEFORE), preferred=-one, elsewhere=-elsewhere_before),
        moves.select(
            *kept, broker_id=counted_preferred_leader(), preferred=one, elsewhere=elsewhere,
            moved=flag_as_count(col("is_moving") & is_back)
        ),
        lists.select(
            *kept, broker_id="listed_of", listed=one, agreed=flag_as_count(is_held),
            only_kafka=when(~is_held).then(name)
        ),
    )  # fmt: skip
    return (
        pl.concat(shares, how="diagonal")
        .filter(col("broker_id").is_not_null())
        .group_by(*kept, "broker_id")
        .agg(col(COUNTS).sum(), col("only_kafka").drop_nulls().sort())
        .filter(pl.any_horizontal(col("preferred", "elsewhere", "moved", "listed") != 0))
    )


def flag_as_count(flag: pl.Expr) -> pl.Expr:
    return flag.fill_null(value=False).cast(pl.Int64)


def counts_at(
    asked: pl.DataFrame, views: pl.DataFrame, begins: pl.DataFrame, cluster_wide: pl.DataFrame
) -> pl.DataFrame:
    """Adds preferred and elsewhere, the counts of broker_id that the controller holds at seq; moved: how many of
    its partitions moved back to it until what is asked of it next; and of the list that Kafka printed at listing_seq
    listed, agreed (how many of them are held so, too) and only_kafka (names of the others), null where it is null.

    asked: (TERM, broker_id, seq, listing_seq, ...); a broker that it holds nothing of has none. views: states_held()
    of those terms, with is_moving.
    """
    in_term = (*TERM, "broker_id")
    began = counts_at_begin(asked.select(in_term).unique().join(begins, on=TERM), cluster_wide)
    rows = pl.concat(
        [asked.with_columns(is_asked=True), preferred_count_changes(views, *TERM, "seq"), began],
        how="diagonal",
    )
    is_asked = col("is_asked").fill_null(value=False)
    return (
        rows.sort(*in_term, "seq")
        .with_columns(
            *cumulative_counts(in_term), *of_listing(in_term), check=is_asked.cum_sum().over(in_term)
        )
        .with_columns(moved=col("moved").sum().over(*in_term, "check"))
        .filter(is_asked)
        .drop("is_asked", "check")
    )


def counts_at_begin(brokers: pl.DataFrame, cluster_wide: pl.DataFrame) -> pl.DataFrame:
    """(TERM, broker_id, seq: BEFORE_ALL, preferred, elsewhere) of the cluster-wide view when each term begins.

    brokers: (TERM, broker_id, PLACE) of those begins.
    """
    ever = cluster_wide.with_columns(
        col(TRACKED).shift(1).over(PARTITION).name.suffix(BEFORE),
        is_moving=False,
        listed_of=lit(None, pl.Int32),
    )
    return (
        pl.concat([preferred_count_changes(ever, "cluster_id", *PLACE), brokers], how="diagonal")
        .sort(PLACE)
        .with_columns(cumulative_counts(("cluster_id", "broker_id")))
        .filter(col("term_id").is_not_null())
        .select(*TERM, "broker_id", "preferred", "elsewhere", seq=lit(BEFORE_ALL, pl.Int64))
    )


def of_listing(by: tuple[str, ...]) -> tuple[pl.Expr, ...]:
    """What the row before says if it is the list; an empty list has no row."""
    is_listed = col("listing_seq").is_not_null()
    is_before = col("seq").shift(1).over(by) == col("listing_seq")
    nothing = {"listed": lit(0, pl.Int64), "agreed": lit(0, pl.Int64), "only_kafka": NO_NAMES}
    return tuple(
        when(is_listed).then(when(is_before).then(col(name).shift(1).over(by)).otherwise(none)).alias(name)
        for name, none in nothing.items()
    )


def cumulative_counts(by: tuple[str, ...]) -> tuple[pl.Expr, ...]:
    """The counts so far, of rows in order."""
    return tuple(col(name).fill_null(0).cum_sum().over(by) for name in ("preferred", "elsewhere"))
