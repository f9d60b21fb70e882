"""From when on nobody prints in KRaft mode that a state of a partition is over."""

from collections.abc import Sequence

import polars as pl
from polars import col, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.stretches import open_end, with_island
from pipeline.gold.partition_timeline.missing_epochs import SOON
from pipeline.gold.partition_timeline.watched import BROKER, is_state_log_missing, next_witnesses
from pipeline.model.partitions.partition_states import IDENTITY

PEERS = ("cluster_id", "peers")
NOBODY = -1


def first_after(
    states: pl.DataFrame, since: str, times: pl.DataFrame, by: Sequence[str] = ("cluster_id",)
) -> pl.DataFrame:
    """(state_no, first_at) of states: the first of the times (by, first_at) after `since`, where there is one."""
    return (
        states.select("state_no", since, *by)
        .sort(since)
        .join_asof(
            times.filter(col("first_at").is_not_null()).sort("first_at"), left_on=since, right_on="first_at",
            by=by, strategy="forward", allow_exact_matches=False, check_sortedness=False,
        )
        .filter(col("first_at").is_not_null())
        .select("state_no", "first_at")
    )  # fmt: skip


def silenced_states(
    states: pl.DataFrame, watched: pl.DataFrame, absences: pl.DataFrame, restated: pl.DataFrame
) -> pl.DataFrame:
    """(state_no, first_at): of states that are led while logs of a replica are missing, when after known_at none of the
    others may answer any more, and none prints the same state later that day."""
    each = next_witnesses(states.filter("is_led"), watched)
    missing = (
        each.filter(is_state_log_missing("known_at"))
        .group_by("state_no")
        .agg(watched_from_at=open_end("watched_from_at").max())
    )
    asked = (
        each.filter(~is_state_log_missing("known_at"))
        .drop("watched_from_at")
        .join(missing, on="state_no")
        .group_by("state_no", "cluster_id", "watched_from_at", since=col("known_at") + SOON)
        .agg(peers=col("broker_id").sort().cast(pl.String).str.join(" "))
    )
    stretches = quiet_spans_of_peers(asked.select(PEERS).unique(), absences)
    return (
        asked.sort("since")
        .join_asof(
            stretches.sort("until_at"), left_on="since", right_on="until_at", by=PEERS, strategy="forward",
            allow_exact_matches=False, check_sortedness=False,
        )
        .with_columns(first_at=pl.max_horizontal("from_at", "since"))
        .filter(col("from_at").is_not_null(), is_state_log_missing("first_at"))
        .select("state_no", "first_at")
        .pipe(without_restated, states, restated)
    )  # fmt: skip


def unwatched_states(states: pl.DataFrame, watched: pl.DataFrame, unnamed: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at): of states that are led of which no replica that stays has a state-change.log: a controller
    says them as it decides them, and none of the elections that it holds to balance leaders."""
    each = next_witnesses(states.filter("is_led").join(unnamed, on="cluster_id", how="anti"), watched)
    return (
        each.group_by("state_no", "known_at")
        .agg(is_watched=(~is_state_log_missing("known_at")).any())
        .filter(~col("is_watched"))
        .select("state_no", first_at=col("known_at") + SOON)
    )


def unread_stops(states: pl.DataFrame, stops: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at): of states whose leader stops while no line of a controller in office is read, which would
    fence it; for good, while none was ever read."""
    begun = terms.select("cluster_id", "is_unseen", begun_at="from_at").sort("begun_at")
    earliest = pl.max_horizontal(col("out_at").dt.truncate("1d"), "silent_from_at")
    unread = (
        stops.select(*BROKER, "back_at", first_at=earliest)
        .sort("first_at")
        .join_asof(begun, left_on="first_at", right_on="begun_at", by="cluster_id", check_sortedness=False)
        .filter(
            col("is_unseen").fill_null(value=True), col("back_at").is_not_null() | col("is_unseen").is_null()
        )
        .select(*BROKER, "first_at", "back_at")
    )
    return ends_of_led_states(states, unread)


def ends_of_led_states(states: pl.DataFrame, stops: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at): of states whose leader stops (BROKER, first_at, back_at), which no line of a controller
    tells."""
    led = states.filter("is_led").with_columns(broker_id="leader")
    return pl.concat([first_after(led, "known_at", stops, BROKER), known_in_silence(led, stops)])


def known_in_silence(led: pl.DataFrame, stops: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at): of states that become known with the last line of their leader before it stops, or after
    it: they hold for their instant."""
    return (
        led.select("state_no", "known_at", *BROKER)
        .sort("known_at")
        .join_asof(
            stops.sort("first_at"), left_on="known_at", right_on="first_at", by=BROKER, check_sortedness=False
        )
        .filter(col("first_at").is_not_null(), col("known_at") < open_end("back_at"))
        .select("state_no", first_at=col("known_at") + SOON)
    )


def unread_returns(
    states: pl.DataFrame, stops: pl.DataFrame, terms: pl.DataFrame, wording_seen: pl.DataFrame
) -> pl.DataFrame:
    """(state_no, first_at): of states that nobody leads, when the process of the controller that made them so is gone,
    and of the next one, if there is one, nothing is read: nobody prints that a replica is back. Who has a
    controller.log and whose lines go on (wording_seen) would name the next one: it is in office after the last of them.

    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, from 3.3.
    """
    is_next_read = (~col("is_unseen")).shift(-1, fill_value=False).over("cluster_id", order_by="from_at")
    begun = terms.with_columns(is_next_read=is_next_read).select(
        "cluster_id", "is_next_read", "next_at", holder_id="controller_id", begun_at="from_at"
    )
    stopped = stops.select(
        "cluster_id",
        holder_id="broker_id",
        gone_at=pl.max_horizontal(col("out_at").dt.truncate("1d"), "silent_from_at"),
        back_at="back_at",
    )
    gone = (
        states.filter(col("leader") == NOBODY)
        .select("state_no", "cluster_id", "known_at")
        .sort("known_at")
        .join_asof(
            begun.sort("begun_at"), left_on="known_at", right_on="begun_at", by="cluster_id",
            check_sortedness=False,
        )
        .filter(~col("is_next_read"))
        .join(stopped, on=["cluster_id", "holder_id"])
        # Who made the state was up then: what it was silent of before, and is back from, ends no term.
        .filter(col("back_at").is_null() | (col("gone_at") >= col("known_at")))
        .group_by("state_no", "cluster_id", "next_at")
        .agg(first_at=pl.max_horizontal("gone_at", col("known_at") + SOON).min())
    )  # fmt: skip
    controllers = wording_seen.filter(col("log") == "controller").select("cluster_id", "node_id").unique()
    return unheard_since(gone, written_lines(wording_seen, stops), controllers)


def written_lines(wording_seen: pl.DataFrame, stops: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, node_id, written_at, up_from_at, is_up): when nodes write, by wording and hour; since when the
    process is up that writes, null: since before the logs; is_up: False while a process stops."""
    times = pl.concat(
        wording_seen.select("cluster_id", "node_id", written_at=name) for name in ("first_at", "last_at")
    )
    spans = stops.select("cluster_id", "silent_from_at", node_id="broker_id", up_from_at="back_at")
    is_stopped = col("silent_from_at").is_not_null() & (col("written_at") < open_end("up_from_at"))
    return (
        times.drop_nulls()
        .unique()
        .sort("written_at")
        .join_asof(
            spans.sort("silent_from_at"), left_on="written_at", right_on="silent_from_at",
            by=["cluster_id", "node_id"], check_sortedness=False,
        )
        .select("cluster_id", "node_id", "written_at", "up_from_at", is_up=~is_stopped)
    )  # fmt: skip


@needs_rows_of("gone")
def unheard_since(gone: pl.DataFrame, lines: pl.DataFrame, controllers: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at) of gone (state_no, cluster_id, first_at, next_at: begin of the next term): not before the
    last line of a controller that is up since before it, nor, where no node is from then on, the last line of all.
    Where those are the end of the logs it is none."""
    up = lines.filter("is_up")
    span = ("cluster_id", "first_at", "until_at")
    spans = gone.with_columns(until_at=open_end("next_at"))
    each = spans.select(span).unique().join(controllers, on="cluster_id")
    is_witness = (col("up_from_at") <= col("first_at")).fill_null(value=True)
    heard = with_last_line(each, up, "heard_at", ["cluster_id", "node_id"]).filter(is_witness)
    found = spans.join(heard.group_by(span).agg(col("heard_at").max()), on=span, how="left")
    for name, written in {"up_at": up, "last_at": lines}.items():
        found = with_last_line(found, written.drop("up_from_at"), name, ["cluster_id"])
    first_at = pl.max_horizontal("first_at", "heard_at")
    is_nobody_up = (col("up_at") <= col("first_at")).fill_null(value=True)
    at_last = when(is_nobody_up).then(pl.max_horizontal("first_at", "last_at")).otherwise("first_at")
    return (
        found.with_columns(first_at=first_at)
        .filter(~is_nobody_up | col("next_at").is_not_null())
        .select("state_no", first_at=at_last)
    )


def with_last_line(spans: pl.DataFrame, lines: pl.DataFrame, name: str, by: Sequence[str]) -> pl.DataFrame:
    """Spans with the last of the lines before until_at, its time as `name`."""
    return spans.sort("until_at").join_asof(
        lines.drop("is_up").rename({"written_at": name}).sort(name), left_on="until_at", right_on=name, by=by,
        allow_exact_matches=False, check_sortedness=False,
    )  # fmt: skip


def without_restated(ends: pl.DataFrame, states: pl.DataFrame, restated: pl.DataFrame) -> pl.DataFrame:
    epoch = (*IDENTITY, "partition_epoch")
    is_restated = (col("restated_at") > col("first_at")).fill_null(value=False)
    return (
        ends.join(states.select("state_no", *epoch), on="state_no", how="left")
        .with_columns(day=col("first_at").dt.truncate("1d"))
        .join(restated, on=[*epoch, "day"], how="left")
        .filter(~is_restated)
        .select("state_no", "first_at")
    )


def last_restatements(printed: pl.DataFrame) -> pl.DataFrame:
    """(IDENTITY, partition_epoch, day, restated_at): of each state that is printed (partition_states.printed) the last
    line of each day in UTC. A partition that changes has another partition epoch."""
    return printed.group_by(*IDENTITY, "partition_epoch", day=col("at").dt.truncate("1d")).agg(
        restated_at=col("at").max()
    )


@needs_rows_of("peers")
def quiet_spans_of_peers(peers: pl.DataFrame, absences: pl.DataFrame) -> pl.DataFrame:
    """(PEERS, from_at, until_at) in which none of the brokers (PEERS: ids, between them a space) may answer: each
    falls silent, or is by then without having said so."""
    # What stands before the day of the decision is not changed any more.
    earliest = pl.max_horizontal(col("out_at").dt.truncate("1d"), pl.coalesce("silent_from_at", "out_at"))
    silent = absences.select(*BROKER, from_at=earliest, until_at=open_end("back_at"))
    each = peers.with_columns(broker_id=col("peers").str.split(" ")).explode("broker_id")
    alone = (
        each.with_columns(col("broker_id").cast(pl.Int32))
        .join(silent.filter(col("from_at") < col("until_at")), on=BROKER)
        .pipe(with_island, (*PEERS, "broker_id"))
        .group_by(*PEERS, "broker_id", "island")
        .agg(col("from_at").min(), col("until_at").max())
    )
    steps = pl.concat(
        [alone.select(*PEERS, at="until_at", step=-1), alone.select(*PEERS, at="from_at", step=1)]
    )
    number = col("peers").str.split(" ").list.len()
    return (
        steps.sort(*PEERS, "at", "step")
        .with_columns(silent=col("step").cum_sum().over(PEERS), until_at=col("at").shift(-1).over(PEERS))
        .filter(col("silent") == number)
        .select(*PEERS, "until_at", from_at="at")
    )
