"""What follows from fenced brokers for partitions that they led: nobody alive prints that they have no leader."""

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import open_end
from pipeline.model.partitions.partition_states import ASSIGNED, HELD, IDENTITY
from pipeline.model.terms.kraft_terms import LINE, is_in_span

NOBODY = -1
BROKER = ("cluster_id", "broker_id")
# A decision that takes brokers out, by its line.
DECISION = ("cluster_id", "at", *LINE)
LEADERSHIP = (*IDENTITY, "leadership")
ROW = ("at", "partition_epoch", *HELD, *ASSIGNED, "certainty", "lost", "first_seq", *LINE)
TOPIC = ("topic", "topic_life", "gone_at", "gone_by", "is_gone_before")


def brokers_out_by_decision(broker_absence: pl.DataFrame) -> pl.DataFrame:
    """One row per absence of a broker and decision (then_at, then_<LINE>) that takes one out until it is back, itself
    included: who is out by then (out: broker ids). Key: BROKER, at, LINE, is_fence."""
    spans = broker_absence.select(*BROKER, *LINE, "is_fence", "back_at", at="out_at")
    others = spans.select("cluster_id", "back_at", out_id="broker_id", out_at="at")
    out = (
        spans.select(DECISION)
        .unique()
        .join(others, on="cluster_id")
        .filter(is_in_span("at", "out_at", "back_at"))
        .group_by(DECISION)
        .agg(out=col("out_id").unique().sort())
    )
    decisions = out.rename({name: f"then_{name}" for name in ("at", *LINE)})
    return (
        spans.join(decisions, on="cluster_id")
        .filter(is_in_span("then_at", "at", "back_at"))
        .drop("back_at")
        .unique()
    )


def with_leaderships(states: pl.DataFrame) -> pl.DataFrame:
    """leadership: number of the run of states with one leader; a leader epoch more is still the same election, or one
    that only the in-sync replicas asked for (metadata.version below 3.6, and the end of a reassignment).

    certainty: after a gap in the partition epochs something is lost, and the state held by then, not from then on.
    left: brokers that left the in-sync replicas when the leader epoch grew.
    """

    def before(name: str) -> pl.Expr:
        return col(name).shift(1).over(IDENTITY)

    is_same = (col("leader") == before("leader")) & (col("leader_epoch") <= before("leader_epoch") + 1)
    is_after_gap = col("partition_epoch") > before("partition_epoch") + 1
    is_bumped = col("leader_epoch") == before("leader_epoch") + 1
    left = before("isr").list.set_difference("isr")
    said = when(is_after_gap).then(lit("inferred")).otherwise(lit("proved"))
    return states.sort(*IDENTITY, "partition_epoch").with_columns(
        leadership=(~is_same.fill_null(value=False)).cast(pl.Int64).cum_sum().over(IDENTITY),
        certainty=pl.coalesce("known_certainty", said),
        left=when(is_bumped & ~is_after_gap & (left.list.len() > 0)).then(left),
    )


def with_lost_brokers(states: pl.DataFrame, broker_absence: pl.DataFrame) -> pl.DataFrame:
    """lost: of the brokers that left those that were in service. A reassignment that only takes replicas away is in no
    line but this: the assignment may be another one from then on, until it is stated again."""
    key = (*IDENTITY, "partition_epoch")
    one_each = (
        states.filter(col("left").is_not_null()).select(*key, "at", broker_id="left").explode("broker_id")
    )
    absences = (
        broker_absence.select(*BROKER, "out_at", back_at=open_end("back_at"))
        .sort("out_at")
        .with_columns(col("back_at").cum_max().over(BROKER))
    )
    is_in_service = (col("back_at") <= col("at")).fill_null(value=True)
    lost = (
        one_each.sort("at")
        .join_asof(absences, left_on="at", right_on="out_at", by=BROKER, check_sortedness=False)
        .filter(is_in_service)
        .group_by(key)
        .agg(lost=col("broker_id").unique().sort())
    )
    return states.join(lost, on=key, how="left").drop("left")


def leaderships_of_states(states: pl.DataFrame, ends: pl.DataFrame) -> pl.DataFrame:
    """One row per leadership: from_at to until_at, last_at of its last state, what that says (last_<name>), and the
    first one of the next (next_<name>).

    ends: topics (cluster_id, topic_id) with topic_life, gone_at, gone_by, is_gone_before.
    """
    said = ("leader_epoch", "partition_epoch", "isr")
    following = {"next_leader": "leader", "next_at": "from_at"} | {
        f"next_{name}": f"first_{name}" for name in said
    }
    return (
        states.sort(*IDENTITY, "partition_epoch")
        .group_by(LEADERSHIP, maintain_order=True)
        .agg(
            col("leader").first(),
            col(said).first().name.prefix("first_"),
            col(said).last().name.prefix("last_"),
            from_at=col("at").min(),
            last_at=col("at").max(),
            topic=col("topic").max(),
        )
        .with_columns(col(of).shift(-1).over(IDENTITY).alias(name) for name, of in following.items())
        .join(ends, on=["cluster_id", "topic_id"])
        .with_columns(until_at=pl.min_horizontal("next_at", "gone_at"))
    )


def with_replayed_end(leaderships: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """until_at not after a controller that is not in office replays that another one leads, with a later leader epoch:
    when that began such a line does not tell, as a process that starts prints all there was."""
    replayed = lines.filter(
        col("teller") == "controller", ~col("is_decided"), col("leader_epoch") > 0
    ).select(*IDENTITY, replayed_at="at", replayed_epoch="leader_epoch", replayed_leader="leader")
    is_over = (col("replayed_epoch") > col("last_leader_epoch")) & (col("replayed_leader") != col("leader"))
    overtaken = (
        leaderships.select(*LEADERSHIP, "leader", "from_at", "last_leader_epoch")
        .join(replayed, on=list(IDENTITY))
        .filter(is_over, col("replayed_at") >= col("from_at"))
        .group_by(LEADERSHIP)
        .agg(col("replayed_at").min())
    )
    return (
        leaderships.join(overtaken, on=LEADERSHIP, how="left")
        .with_columns(until_at=pl.min_horizontal("until_at", "replayed_at"))
        .drop("replayed_at")
    )


def with_fences(
    leaderships: pl.DataFrame, fences: pl.DataFrame, disks: pl.DataFrame, assigned: pl.DataFrame
) -> pl.DataFrame:
    """with_fence, where a leader that took over from a fenced one leads since then: it may be fenced, too, before any
    line states that it leads."""
    found = with_leader_fence(leaderships, fences, disks, assigned)
    is_taken = col("fenced_at").is_not_null() & is_taken_over()
    by_epoch = found.sort(*IDENTITY, "leadership")
    begun = by_epoch.select(*LEADERSHIP, taken_at=when(is_taken).then("fenced_at").shift(1).over(IDENTITY))
    earlier = leaderships.join(begun, on=LEADERSHIP, how="left").with_columns(
        from_at=pl.min_horizontal("from_at", "taken_at")
    )
    if earlier.filter(col("taken_at").is_not_null()).is_empty():
        return found
    return with_leader_fence(earlier.drop("taken_at"), fences, disks, assigned)


def with_leader_fence(
    leaderships: pl.DataFrame, fences: pl.DataFrame, disks: pl.DataFrame, assigned: pl.DataFrame
) -> pl.DataFrame:
    """fenced_at with its line (fence_<LINE>): when the leader was fenced in its leadership, or lost its log directory
    (disks: of kraft_disks), or was allowed to shut down if then the next one took over or none was left to; empty_at
    with its line (empty_<LINE>): from when on none of the replicas known to be in sync was there. assigned: (IDENTITY,
    at, replicas), where no ISR is known. leaderships: with is_watched, whether the leader has a state-change.log."""
    # Who leads prints its ISR; what others print of it may be over.
    in_sync = pl.coalesce(when("is_watched").then("last_isr"), "replicas")
    is_empty = in_sync.list.set_difference("out").list.len() == 0
    is_acting = col("is_fence") | is_taken_over() | (is_empty & (col("then_at") == col("at")))
    of_disks = during_leaderships(leaderships, disks).join(
        disks, on=(*IDENTITY, "broker_id", "at"), how="semi"
    )
    of_brokers = during_leaderships(leaderships, fences)
    reached = pl.concat([of_brokers, of_disks.select(of_brokers.columns)]).pipe(with_assignment, assigned)
    fenced = first_of_each(reached.filter(is_acting), ("at", *LINE, "is_fence"))
    own = fenced.select(*LEADERSHIP, "at", *LINE, "is_fence")
    is_before_end = (col("then_at") < col("until_at")).fill_null(value=True)
    emptied = reached.join(own, on=own.columns, how="semi").filter(is_empty, is_before_end)
    empty = first_of_each(emptied, ("then_at", "out", *(f"then_{name}" for name in LINE)))
    fence_columns = {name: f"fence_{name}" for name in LINE} | {"at": "fenced_at"}
    empty_columns = {f"then_{name}": f"empty_{name}" for name in LINE} | {"then_at": "empty_at"}
    return leaderships.join(
        fenced.select(*LEADERSHIP, *fence_columns).rename(fence_columns), on=LEADERSHIP, how="left"
    ).join(empty.select(*LEADERSHIP, *empty_columns).rename(empty_columns), on=LEADERSHIP, how="left")


def with_assignment(reached: pl.DataFrame, assigned: pl.DataFrame) -> pl.DataFrame:
    """replicas: the assignment that is known at then_at."""
    told = assigned.rename({"at": "told_at"}).sort("told_at", maintain_order=True)
    return (
        reached.sort("then_at")
        .join_asof(told, left_on="then_at", right_on="told_at", by=list(IDENTITY), check_sortedness=False)
        .drop("told_at", strict=False)
    )


def during_leaderships(leaderships: pl.DataFrame, fences: pl.DataFrame) -> pl.DataFrame:
    """Rows of fences whose absence begins while the broker leads a partition, once for each such leadership."""
    absence = (*BROKER, "at", *LINE, "is_fence")
    led = leaderships.rename({"leader": "broker_id"}).sort("from_at")
    of_leader = (*IDENTITY, "broker_id")
    is_before_end = (col("at") < col("until_at")).fill_null(value=True)
    return (
        led.select(of_leader)
        .unique()
        .join(fences.select(absence).unique(), on=BROKER)
        .sort("at")
        .join_asof(led, left_on="at", right_on="from_at", by=of_leader, check_sortedness=False)
        .filter(col("from_at").is_not_null(), is_before_end)
        .join(fences, on=absence)
    )


def first_of_each(rows: pl.DataFrame, order: tuple[str, ...]) -> pl.DataFrame:
    return rows.sort(order).unique(LEADERSHIP, keep="first", maintain_order=True)


def is_taken_over() -> pl.Expr:
    """True if the next leader that was printed has the next leader epoch."""
    return (col("next_leader_epoch") == col("last_leader_epoch") + 1).fill_null(value=False)


def is_unseen_between() -> pl.Expr:
    """True if the next state that was printed has a leader epoch that more elections lead to than one that nobody won
    and, if somebody leads in it or others were in sync until later, another one, or is led with a partition epoch that
    more changes lead to, and no hole in the logs lies between the fencing and that state: they are in it. So where a
    hole lies before the fencing: who led then, with which ISR, is not known."""
    is_led_later = col("next_leader") >= 0
    is_alone = (col("empty_at") == col("fenced_at")) & ~is_led_later
    elections = when(is_alone.fill_null(value=False)).then(1).otherwise(2)
    is_more = (col("next_leader_epoch") > col("last_leader_epoch") + elections) | (
        is_led_later & (col("next_partition_epoch") > col("last_partition_epoch") + 2)
    )
    is_in_hole = (col("hole_from_at") >= col("fenced_at")).fill_null(value=False)
    is_behind_hole = (col("hole_from_at") < col("fenced_at")).fill_null(value=False)
    return (is_more.fill_null(value=False) & ~is_in_hole) | is_behind_hole


def held_states(states: pl.DataFrame, leaderships: pl.DataFrame) -> pl.DataFrame:
    """One row per state that a partition was in, those that no line states included: IDENTITY, TOPIC, ROW. is_known:
    False of what is printed of a state that is known since the decision from which it follows."""
    is_before_fence = (col("at") < col("fenced_at")).fill_null(value=True)
    fenced = leaderships.filter(col("fenced_at").is_not_null())
    inferred = at_once(fenced).with_columns(is_known=lit(value=True))
    epoch = (*IDENTITY, "partition_epoch")
    known_before = inferred.select(*epoch, is_known=lit(value=False))
    printed = (
        states.select(*LEADERSHIP, *ROW)
        .join(leaderships.select(*LEADERSHIP, *TOPIC, "fenced_at"), on=LEADERSHIP)
        .filter(is_before_fence)
        .drop("fenced_at", "leadership")
        .join(known_before, on=epoch, how="left")
        .with_columns(col("is_known").fill_null(value=True))
    )
    later = nobody_later(fenced).with_columns(is_known=lit(value=True))
    return pl.concat([printed, inferred, later], how="diagonal")


def at_once(fenced: pl.DataFrame) -> pl.DataFrame:
    """From the fencing on the next leader, if that one has the next leader epoch: it was elected in the same batch;
    else none, as soon as no replica in sync is left, and until then it is unknown who leads; so it is where later lines
    show that others led meanwhile."""
    is_next = is_taken_over()
    is_whole = is_next & (col("next_partition_epoch") == col("last_partition_epoch") + 1)
    is_empty = (col("empty_at") == col("fenced_at")).fill_null(value=False) & ~is_unseen_between()
    nobody = when(is_empty).then(NOBODY)
    certainty = when(is_next | is_empty).then(lit("inferred")).otherwise(lit("undetermined"))
    return fenced.select(
        *IDENTITY,
        *TOPIC,
        *(col(f"fence_{name}").alias(name) for name in LINE),
        at="fenced_at",
        leader=when(is_next).then("next_leader").otherwise(nobody).cast(pl.Int32),
        leader_epoch=when(is_next | ~is_unseen_between()).then(col("last_leader_epoch") + 1),
        isr=when(is_whole).then("next_isr"),
        partition_epoch=when(is_whole).then("next_partition_epoch"),
        certainty=certainty,
    )


def nobody_later(fenced: pl.DataFrame) -> pl.DataFrame:
    """Nobody leads from when on no replica in sync is left, if that is after the fencing and no next one is known."""
    is_later = (col("empty_at") > col("fenced_at")).fill_null(value=False)
    return fenced.filter(is_later, ~is_taken_over(), ~is_unseen_between()).select(
        *IDENTITY,
        *TOPIC,
        *(col(f"empty_{name}").alias(name) for name in LINE),
        at="empty_at",
        leader=lit(NOBODY, pl.Int32),
        certainty=lit("inferred"),
    )
