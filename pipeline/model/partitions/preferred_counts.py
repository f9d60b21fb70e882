"""How many partitions each broker is preferred leader of as a controller holds them, and how many another one leads."""

import polars as pl
from polars import col, lit, when

from pipeline.model.partitions.controller_view import BEFORE, BEFORE_ALL, PLACE, first_replica
from pipeline.model.partitions.statements import PARTITION, TRACKED
from pipeline.model.partitions.topic_lives import GONE
from pipeline.model.terms.succession import TERM

COUNTS = ("preferred", "elsewhere", "moved", "listed", "agreed")
COUNTED_BY = ("state", "leader", "replicas", "is_deleting")  # what the counts rest on
LISTED = ("listed", "agreed", "only_kafka")  # what a list of partitions says
ASKED = (*TERM, "broker_id", "seq")  # of a broker, as its controller counts at a line
NO_NAMES = pl.lit([], pl.List(pl.String))


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


def shares_at(
    asked: pl.DataFrame, views: pl.DataFrame, begins: pl.DataFrame, cluster_wide: pl.DataFrame
) -> pl.DataFrame:
    """(ASKED, COUNTS, only_kafka, last_seq): what the partitions of these views add to what is asked; what none of them
    adds to has no row. counts_at() adds up the shares of all partitions.

    preferred and elsewhere: the counts of broker_id that the controller holds at seq; moved: how many of its partitions
    moved back to it until what is asked of it next; and of the list that Kafka printed at listing_seq, if no other
    change stands between: listed, agreed (how many of them are held so, too) and only_kafka (names of the others).
    last_seq: place of the last change before it.

    asked: (ASKED, listing_seq); the place of a list that names none of the partitions need not be known. views:
    states_held() of those terms, with is_moving.
    """
    in_term = (*TERM, "broker_id")
    of_terms = asked.filter(col("term_id").is_not_null()).select(*ASKED, "listing_seq", is_asked=True)
    began = counts_at_begin(of_terms.select(in_term).unique().join(begins, on=TERM), cluster_wide)
    changes = preferred_count_changes(views, *TERM, "seq")
    last, is_asked = col("seq").shift(1).over(in_term), col("is_asked").fill_null(value=False)
    of_list = {
        name: when(last == col("listing_seq")).then(col(name).shift(1).over(in_term)) for name in LISTED
    }
    is_after_one = (col("last_seq") > BEFORE_ALL).fill_null(value=False)
    return (
        pl.concat([of_terms, changes, began], how="diagonal")
        .sort(*in_term, "seq")
        .with_columns(
            *cumulative_counts(in_term), **of_list, last_seq=last, check=is_asked.cum_sum().over(in_term)
        )
        .with_columns(moved=col("moved").sum().over(*in_term, "check"))
        .filter(is_asked)
        .filter(is_after_one | pl.any_horizontal(col("preferred", "elsewhere", "moved") != 0))
        .select(*ASKED, *COUNTS, "only_kafka", "last_seq")
    )


def counts_at(asked: pl.DataFrame, shares: pl.DataFrame) -> pl.DataFrame:
    """Adds COUNTS and only_kafka: those of shares_at() added up; a broker that the controller holds nothing of has
    none. Of a list: null where listing_seq is; an empty list has no change.

    asked: (ASKED, listing_seq, ...).
    """
    added = shares.group_by(ASKED).agg(
        col(COUNTS).sum(), col("only_kafka").explode().drop_nulls().sort(), col("last_seq").max()
    )
    is_listed, is_before = col("listing_seq").is_not_null(), col("last_seq") == col("listing_seq")
    nothing = {"listed": lit(0, pl.Int64), "agreed": lit(0, pl.Int64), "only_kafka": NO_NAMES}
    return (
        asked.join(added, on=ASKED, how="left")
        .with_columns(
            col("preferred", "elsewhere", "moved").fill_null(0),
            *(
                when(is_listed).then(when(is_before).then(name).otherwise(none)).alias(name)
                for name, none in nothing.items()
            ),
        )
        .drop("last_seq")
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


def cumulative_counts(by: tuple[str, ...]) -> tuple[pl.Expr, ...]:
    """The counts so far, of rows in order."""
    return tuple(col(name).fill_null(0).cum_sum().over(by) for name in ("preferred", "elsewhere"))
