"""States in KRaft mode after which leader epochs are missing: they were over before the next one was seen, and where a
hole in the logs lies between both, in it."""

from datetime import timedelta

import polars as pl
from polars import col, when

from pipeline.model.brokers.departures import MAY_BEGIN, MAY_EXIT
from pipeline.model.brokers.registration_epochs import BROKER, REGISTERED
from pipeline.model.partitions.partition_states import IDENTITY

SOON = timedelta(milliseconds=1)
# What brokers print of a state whose leader epoch they have.
OF_SAME_EPOCH = (
    *("broker_become_leader_noop", "broker_become_follower_noop"),
    *("leader_same_epoch_update", "follower_same_epoch_update"),
)
UNTOLD = -1
AT_ONCE = 2  # partition epochs that brokers apply together
REGISTERING = ("registration_requested", *REGISTERED)


def before_missing_epochs(states: pl.DataFrame, holes: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at): of states whose next leader epoch is higher by more than one, the time after the last one
    of their epoch was stated (known_at). Each change of leader adds one: there were others in between, and no line
    tells when. Where a hole in the logs lies between both (watched.watched_log_holes, kraft_terms.unproved_holes) they
    are in it; there, too, the next leader may be one of long before its first line, if partition epochs are missing.

    Source: PartitionRegistration.merge, PartitionChangeBuilder.triggerLeaderEpochBumpIfNeeded, from 2.8.
    """
    is_left_out = col("next_epoch") > col("epoch") + 1
    is_change_left_out = col("is_between") & (col("next_change") > col("last_change") + 1)
    is_change_left_out |= (col("next_told") > col("last_change") + AT_ONCE).fill_null(value=False)
    is_change_left_out |= (
        col("printed_event").is_in(OF_SAME_EPOCH) & (col("printed_epoch") > col("epoch"))
    ).fill_null(value=False)
    is_moved = col("is_led_outside") & (col("printed_change") > col("known_change") + 1)
    is_change_left_out |= is_moved.fill_null(value=False)
    # Whom a decision takes out led no more.
    is_guessed = is_moved.fill_null(value=False) & col("partition_epoch").is_null()
    since = pl.max_horizontal("stated_at", when("is_between").then("hole_from_at")) + SOON
    is_between = col("hole_until_at") <= col("next_at")
    return (
        with_next_leader_epoch(states).sort("stated_at")
        .join_asof(
            holes.sort("hole_until_at"), left_on="stated_at", right_on="hole_until_at", by="cluster_id",
            strategy="forward", coalesce=False, check_sortedness=False,
        )
        .with_columns(is_between=is_between.fill_null(value=False))
        .filter(is_left_out | is_change_left_out)
        .select(
            "state_no",
            first_at=when(is_guessed).then("at").otherwise(since),
        )
    )  # fmt: skip


def with_next_leader_epoch(states: pl.DataFrame) -> pl.DataFrame:
    """Of states that another leader epoch follows: epoch, stated_at and last_change, when it was stated last and by
    which partition epoch; next_epoch, next_at and next_change of the next one, next_told: UNTOLD where it is a
    decision; printed_event, printed_epoch, printed_change: of the next state that is printed; is_led_outside:
    it, or a later one of that day (UTC), is led by none of its replicas."""
    last_change = (
        when(col("leader_epoch").is_not_null()).then("partition_epoch").max().over(*IDENTITY, "epoch")
    )
    stated_at = when(col("leader_epoch").is_not_null()).then("known_at").max().over(*IDENTITY, "epoch")
    is_next = col("next_epoch") != col("epoch")
    following = col("partition_epoch").shift(-1).over(IDENTITY)
    next_at = when(col("next_epoch") != col("epoch")).then(col("at").shift(-1).over(IDENTITY))
    return (
        states.select(
            *(*IDENTITY, "state_no", "at", "known_at", "leader_epoch", "partition_epoch", "event"),
            day=col("at").dt.truncate("1d"),
            is_outside=(col("leader") >= 0) & ~col("replicas").list.contains(col("leader")),
            epoch=col("leader_epoch").forward_fill().over(IDENTITY),
        )
        .with_columns(next_epoch=col("epoch").shift(-1).over(IDENTITY))
        .with_columns(
            when(col("next_epoch") != col("epoch")).then("next_epoch"),
            next_at=next_at,
            next_change=when(is_next).then(following),
            # Of a decision none is told.
            next_told=when(is_next).then(following.fill_null(UNTOLD)),
            # The next one that is printed, be it behind a decision.
            printed_event=printed_next("event"),
            printed_epoch=printed_next("leader_epoch"),
            printed_change=printed_next("partition_epoch"),
            known_change=col("partition_epoch").forward_fill().over(IDENTITY),
            is_led_outside=col("is_outside")
            .fill_null(value=False)
            .reverse()
            .cum_max()
            .reverse()
            .over(*IDENTITY, "day"),
        )
        .with_columns(
            col("next_epoch", "next_at", "next_change", "next_told").backward_fill().over(IDENTITY),
            stated_at=stated_at,
            last_change=last_change,
        )
        .filter(col("next_epoch") > col("epoch"))
    )


def printed_next(name: str) -> pl.Expr:
    """What the next state says that has a partition epoch."""
    return when(col("partition_epoch").is_not_null()).then(name).backward_fill().shift(-1).over(IDENTITY)


def before_replayed_end(states: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at): of the last states of partitions whose topic was removed at any time before a process that
    starts replays it (is_gone_before): that time after known_at."""
    is_last = col("known_at") == col("known_at").max().over(IDENTITY)
    is_gone_before = col("is_gone_before").fill_null(value=False)
    return states.filter(is_gone_before, is_last).select("state_no", first_at=col("known_at") + SOON)


def with_hole_before_next(leaderships: pl.DataFrame, holes: pl.DataFrame) -> pl.DataFrame:
    """hole_from_at: begin of the first hole in the logs (as before_missing_epochs has them) that ends after the last
    state of a leadership was printed (last_at), if it ends before the next one."""
    is_before_next = (col("hole_until_at") <= col("next_at")).fill_null(value=True)
    return (
        leaderships.sort("last_at")
        .join_asof(
            holes.sort("hole_until_at"), left_on="last_at", right_on="hole_until_at", by="cluster_id",
            strategy="forward", coalesce=False, check_sortedness=False,
        )
        .with_columns(hole_from_at=when(is_before_next).then("hole_from_at"))
        .drop("hole_until_at")
    )  # fmt: skip


def shown_holes(
    broker_absence: pl.DataFrame,
    broker_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    told: pl.DataFrame,
) -> pl.DataFrame:
    """(cluster_id, hole_from_at, hole_until_at) that lines of controllers on brokers show. told: own_stops.state_lines
    of all topics."""
    names = ("cluster_id", "hole_from_at", "hole_until_at")
    shutdowns = unsaid_shutdown_holes(broker_absence, controller_line)
    registrations = unsaid_registration_holes(broker_event, told)
    return pl.concat([shutdowns.select(names), registrations.select(names)])


def unsaid_shutdown_holes(broker_absence: pl.DataFrame, controller_line: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, hole_from_at, hole_until_at): from the last line of its controller on until a broker may exit of
    which no line says that it may begin to stop, in which its leaders were moved: that line is missing. Of that day
    (UTC).

    Source: BrokerHeartbeatManager.calculateNextBrokerState, from 2.8: CONTROLLED_SHUTDOWN alone leads to this answer.
    """
    stay = ("cluster_id", "broker_id", "back_at")
    begun = broker_absence.filter(col("event") == MAY_BEGIN)
    unsaid = broker_absence.filter(col("event") == MAY_EXIT).join(
        begun, on=stay, how="anti", nulls_equal=True
    )
    if unsaid.is_empty():
        return unsaid.select("cluster_id", hole_from_at="out_at", hole_until_at="out_at")
    lines = controller_line.select("cluster_id", "term_id", "file_id", "byte_offset", line_at="logged_at")
    day = col("out_at").dt.truncate("1d")
    return (
        unsaid.join(lines.drop("cluster_id", "line_at"), on=["file_id", "byte_offset"])
        .sort("out_at")
        .join_asof(
            lines.select("cluster_id", "term_id", "line_at").sort("line_at"), left_on="out_at", right_on="line_at",
            by=["cluster_id", "term_id"], allow_exact_matches=False, coalesce=False, check_sortedness=False,
        )
        .select("cluster_id", hole_from_at=pl.max_horizontal("line_at", day), hole_until_at="out_at")
        .unique()
    )  # fmt: skip


def unsaid_registration_holes(broker_event: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, hole_from_at, hole_until_at): the longest time in which no line is of a broker, nor of a state that
    one prints (told: own_stops.state_lines of all topics), between two lines of a day (UTC) of which the second one
    names a broker epoch that no line registers: the broker was out, and its leaders were moved, in lines that are
    missing.

    Source: ClusterControlManager.registerBroker, from 2.8: a registration has the offset of its record as broker epoch.
    """
    epoch, at = col("broker_epoch"), col("logged_at")
    named = broker_event.filter(epoch.is_not_null() & at.is_not_null()).sort(
        "logged_at", "file_id", "byte_offset"
    )
    highest = epoch.cum_max().shift(1).over(BROKER)
    day = at.dt.truncate("1d")
    since = pl.max_horizontal(at.shift(1).over(BROKER), day)
    unsaid = (
        named.with_columns(highest=highest, since=since)
        .filter(epoch > col("highest"), ~col("step").is_in(REGISTERING))
        .select("cluster_id", "since", until="logged_at")
    )
    if unsaid.is_empty():
        return unsaid.select("cluster_id", hole_from_at="since", hole_until_at="until")
    of_brokers = broker_event.filter(at.is_not_null()).select("cluster_id", hole_until_at="logged_at")
    moments = pl.concat([of_brokers, told.select("cluster_id", hole_until_at="at")]).unique()
    pauses = moments.sort("hole_until_at").with_columns(
        hole_from_at=col("hole_until_at").shift(1).over("cluster_id")
    )
    return (
        unsaid.with_row_index("number")
        .join(pauses, on="cluster_id")
        .filter(col("hole_until_at") > col("since"), col("hole_until_at") <= col("until"))
        .with_columns(hole_from_at=pl.max_horizontal("hole_from_at", "since"))
        .sort(col("hole_until_at") - col("hole_from_at"), "hole_from_at")
        .unique("number", keep="last", maintain_order=True)
        .select("cluster_id", "hole_from_at", "hole_until_at")
        .unique()
    )
