"""How many partitions each broker is preferred leader of, and how many of them another one leads, over time."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.model.partitions.statements import PARTITION

BROKER = ("cluster_id", "broker_id")
SILENCE = timedelta(seconds=1)
PLACE = ("controller_epoch", "term_id", "event_seq")
LINE = ("file_id", "byte_offset")
SUMMED = ("preferred", "elsewhere", "unsure")
COUNTED_BY = ("is_counted", "is_elsewhere", "is_stale", "is_unsure")  # and replicas
COUNTS = ("preferred_count", "led_elsewhere_count", "unsure_count")
END = "end_"  # begins the name of a column of the interval that follows


def imbalance_changes(partition_timeline: pl.DataFrame, span: Span) -> pl.DataFrame:
    """(BROKER, at, PLACE, LINE, SUMMED): what each interval that counts adds to its preferred leader when it begins,
    and takes away when it ends.

    An end has the place and the line of the partition's next interval that counts otherwise, which begins there; else
    it has no place. What began before the span is one event, just before it.
    """
    carried = ("at", *PLACE, *LINE)
    lived = (
        intervals_with_begin(partition_timeline, span).sort(*PARTITION, "interval_seq").pipe(counting_alike)
    )
    following = lived.with_columns(col(carried).shift(-1).over(PARTITION).name.prefix(END))
    is_next = col(f"{END}at") == col("valid_until_at")
    counted = following.filter(col("is_counted") | is_unassigned()).with_columns(
        when(is_next).then(col(f"{END}{name}")).alias(f"{END}{name}") for name in carried[1:]
    )
    each = imbalance_shares(counted)
    begun = each.select(*BROKER, *carried, *SUMMED)
    line = {name: pl.coalesce(f"{END}{name}", name) for name in LINE}
    place = {name: col(f"{END}{name}") for name in PLACE}
    ended = each.filter(col("valid_until_at").is_not_null()).select(
        *BROKER, at="valid_until_at", **place, **line, **{name: -col(name) for name in SUMMED}
    )
    return pl.concat([begun, ended])


def intervals_with_begin(partition_timeline: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Intervals with place and line of their begin."""
    line = col("evidence").list.first()
    is_stale = col("is_assignment_stale").fill_null(value=False)
    rows = partition_timeline.select(
        *PARTITION, "interval_seq", "valid_until_at", "replicas", *PLACE, at="valid_from_at",
        holders=holders_in_kraft(),
        is_counted=(col("replicas").list.len() > 0) & ~col("is_deleting"),
        is_elsewhere=(col("leader") != col("replicas").list.first()).fill_null(value=False),
        is_stale=is_stale,
        is_unsure=(col("certainty") == "undetermined").fill_null(value=False) | is_stale,
        **{name: line.struct.field(name) for name in LINE},
    )  # fmt: skip
    if span.begin is None:
        return rows
    is_before = span.before("at")
    just_before = {"at": span.begin - timedelta(microseconds=1), "term_id": "", "event_seq": 0}
    return rows.with_columns(
        when(is_before).then(lit(value, rows.schema[name])).otherwise(name).alias(name)
        for name, value in just_before.items()
    )


def holders_in_kraft() -> pl.Expr:
    """The brokers that lead a partition in KRaft, or are in sync; null in ZooKeeper mode, where a term is missing if no
    assignment is known."""
    leader = when(col("leader") >= 0).then(pl.concat_list("leader"))
    none = lit([], pl.List(pl.Int32))
    members = pl.concat_list(leader.fill_null(none), col("isr").fill_null(none)).list.unique().list.sort()
    return when(col("topic_id").is_not_null() & ~col("is_deleting")).then(members)


def is_unassigned() -> pl.Expr:
    return (col("holders").list.len() > 0).fill_null(value=False) & col("replicas").is_null()


def counting_alike(lived: pl.DataFrame) -> pl.DataFrame:
    """Intervals (intervals_with_begin(), in order) without those that no controller's event begins (event_seq 0) and
    that count as the one before, which is longer then: what a leader writes of its ISR cuts no event in two."""
    is_same = (col(name) == col(name).shift(1) for name in (*PARTITION, *COUNTED_BY))
    is_same_list = col("replicas").eq_missing(col("replicas").shift(1))
    is_at_once = col("at") == col("valid_until_at").shift(1)
    is_of_none = col("event_seq") == 0
    follows = pl.all_horizontal(*is_same, is_same_list, is_at_once, is_of_none).fill_null(value=False)
    last = when(~col("follows").shift(-1, fill_value=False)).then(pl.int_range(pl.len())).backward_fill()
    return (
        lived.with_columns(follows=follows)
        .with_columns(col("valid_until_at").gather(last))
        .filter(~col("follows"))
        .drop("follows")
    )


def imbalance_shares(counted: pl.DataFrame) -> pl.DataFrame:
    """What an interval adds to brokers (broker_id, SUMMED): one preferred partition to the head of its assignment, led
    elsewhere or not.

    It is unsure to that broker where it is undetermined; where the assignment is stale each replica may be the
    preferred leader, and in KRaft each broker that is known to have it, or any (broker_id: null) where none is; so
    where no assignment is known.
    """
    replicas, whole = col("replicas"), pl.Int64
    own = counted.filter("is_counted").with_columns(
        broker_id=replicas.list.first(),
        preferred=lit(1, whole),
        elsewhere=col("is_elsewhere").cast(whole),
        unsure=col("is_unsure").cast(whole),
    )
    none = lit([], pl.List(pl.Int32))
    stale = counted.filter(col("is_counted") & col("is_stale"))
    may_be_head = pl.concat_list(replicas, col("holders").fill_null(none)).list.unique(maintain_order=True)
    untold = stale.filter(col("holders").list.len() == 0)
    of_any = untold.with_columns(
        broker_id=lit(None, pl.Int32), preferred=lit(0, whole), elsewhere=lit(0, whole), unsure=lit(1, whole)
    )
    others = (
        pl.concat(
            [
                stale.with_columns(broker_id=may_be_head.list.slice(1)),
                counted.filter(is_unassigned()).with_columns(broker_id="holders"),
            ]
        )
        .explode("broker_id")
        .drop_nulls("broker_id")
        .with_columns(preferred=lit(0, whole), elsewhere=lit(0, whole), unsure=lit(1, whole))
    )
    return pl.concat([own, others, of_any])


def of_each_broker(changed: pl.DataFrame) -> pl.DataFrame:
    """Changes, those of any broker (broker_id null) as one of each that is preferred to lead anything."""
    is_of_any = col("broker_id").is_null()
    of_any = changed.filter(is_of_any).drop("broker_id")
    if of_any.is_empty():
        return changed
    heads = changed.filter(~is_of_any, col("preferred") > 0).select(BROKER).unique()
    each = of_any.join(heads, on="cluster_id").select(changed.columns)
    return added_by_moment(pl.concat([changed.filter(~is_of_any), each]))


def added_by_moment(changed: pl.DataFrame) -> pl.DataFrame:
    """Changes of one event and moment as one, with the last of their lines: counts are told as they are after it."""
    return changed.group_by(*BROKER, "at", *PLACE).agg(col(LINE).sort_by(LINE).last(), col(SUMMED).sum())


def running_counts(changed: pl.DataFrame) -> pl.DataFrame:
    """Counts after each controller event, at the time of its last change; events that change no count give no row.

    Where another event comes between the changes of one (two controllers at once), it counts as two, and so does one
    that is silent for longer than SILENCE, as the line that begins the next may not be printed (it is of TRACE), or
    goes on over midnight (UTC): days can then be built one by one. What is of no event that a line opens
    (event_seq 0) counts for itself.
    """
    event_of_day = (col("term_id"), col("event_seq"), col("at").dt.truncate("1d"))
    is_event = col("event_seq") > 0
    goes_on = is_event & pl.all_horizontal(one == one.shift(-1).over(BROKER) for one in event_of_day)
    later = col("at").shift(-1).over(BROKER)
    goes_on &= later - col("at") <= SILENCE
    is_last_then = (later > col("at")).fill_null(value=True)
    is_other = pl.any_horizontal(col(name).ne_missing(col(name).shift(1).over(BROKER)) for name in COUNTS)
    so_far = {count: col(name).cum_sum().over(BROKER) for count, name in zip(COUNTS, SUMMED, strict=True)}
    # An end without a place comes after what has one.
    order = {name: name in PLACE for name in (*BROKER, "at", "controller_epoch", "event_seq", *LINE)}
    return (
        changed.sort(list(order), nulls_last=list(order.values()))
        .with_columns(**so_far)
        .filter(~goes_on.fill_null(value=False))
        .filter(is_last_then)
        .filter(is_other)
        .with_columns(valid_from_at="at", valid_until_at=later, evidence=pl.concat_list(pl.struct(LINE)))
        .filter(col("preferred_count") > 0)
        .with_columns(imbalance_ratio=col("led_elsewhere_count").cast(pl.Float64) / col("preferred_count"))
        .select(*BROKER, "valid_from_at", "valid_until_at", *COUNTS, "imbalance_ratio", "evidence")
    )
