"""Which channel of a broker is which channel of a controller: by what went through them, never by time, but that
channels of other days are not the same."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

import polars as pl
from polars import col

from pipeline.gold.request_trace.orders import CHANNEL
from pipeline.gold.request_trace.receipt_runs import RECEIVER
from pipeline.gold.request_trace.receipts import RECEIPT_CHANNEL

BOTH = (*CHANNEL, "controller_id", "receipt_channel")
# More than zones and clocks are apart.
DAYS = timedelta(days=2)
PAIR = pl.Schema(
    {"cluster_id": pl.String, "term_id": pl.String, "broker_id": pl.Int32, "channel_seq": pl.Int64,
     "controller_id": pl.Int32, "receipt_channel": pl.Int64}
)  # fmt: skip


def paired_channels(orders: pl.DataFrame, receipts: pl.DataFrame) -> pl.DataFrame:
    """Pairs (CHANNEL, RECEIPT_CHANNEL) that are certain: every id of the one stands in the other for the same request
    of as many partitions, and no other pairs in the order of both are so.

    A channel that never was connected has no counterpart, nor has one of whose lines none is there.
    """
    fitting = with_channel_order(fitting_channels(orders, receipts), orders)
    pairs: list[tuple[object, ...]] = []
    for (cluster, broker, controller), rows in fitting.group_by("cluster_id", "broker_id", "controller_id"):
        choices: dict[int, list[int]] = defaultdict(list)
        names: dict[int, tuple[str, int]] = {}
        for channel, order, term, seq in rows.select(
            "receipt_channel", "channel_order", "term_id", "channel_seq"
        ).iter_rows():
            choices[channel].append(order)
            names[order] = (term, seq)
        for channel, order in certain_pairs(choices):
            term, seq = names[order]
            pairs.append((cluster, term, broker, seq, controller, channel))
    return pl.DataFrame(pairs, PAIR, orient="row")


def fitting_channels(orders: pl.DataFrame, receipts: pl.DataFrame) -> pl.DataFrame:
    """Pairs of channels that may be the same one (BOTH): of another life of the cluster, days before, is none."""
    known = orders.filter(col("is_connected") & col("correlation_id").is_not_null()).select(
        *CHANNEL, "controller_id", "controller_epoch", "correlation_id",
        sent_request="request", sent_count="partition_count",
    )  # fmt: skip
    got = receipts.select(
        *RECEIPT_CHANNEL, "correlation_id", "request", "printed_count", got_epoch="controller_epoch"
    )
    is_same = (col("sent_request") == col("request")).fill_null(value=True) & (
        col("sent_count") == col("printed_count")
    ).fill_null(value=True)
    agreeing = alike_of_epoch(known, got).group_by(BOTH).agg(agreed_count=is_same.sum())
    reach = known.group_by(CHANNEL).agg(
        first_id=col("correlation_id").min(), last_id=col("correlation_id").max()
    )
    is_told = col("correlation_id").is_between(col("first_id"), col("last_id"))
    wanted = (
        agreeing.join(reach, on=CHANNEL)
        .join(got.select(*RECEIPT_CHANNEL, "correlation_id"), on=RECEIPT_CHANNEL)
        .group_by(BOTH)
        .agg(wanted_count=is_told.sum(), agreed_count=col("agreed_count").first())
    )
    fitting = wanted.filter((col("wanted_count") == col("agreed_count")) & (col("agreed_count") > 0))
    sent, heard = (
        channel_times(orders, CHANNEL, "logged_at", "sent"),
        channel_times(receipts, RECEIPT_CHANNEL, "received_at", "heard"),
    )
    is_apart = (col("heard_from_at") > col("sent_until_at") + DAYS) | (
        col("heard_until_at") + DAYS < col("sent_from_at")
    )
    return (
        fitting.join(sent, on=CHANNEL, how="left")
        .join(heard, on=RECEIPT_CHANNEL, how="left")
        .filter(~is_apart.fill_null(value=False))
        .select(BOTH)
    )


def channel_times(rows: pl.DataFrame, channel: Sequence[str], at: str, name: str) -> pl.DataFrame:
    """Of each channel the first and the last time of its rows."""
    return rows.group_by(channel).agg(
        col(at).min().alias(f"{name}_from_at"), col(at).max().alias(f"{name}_until_at")
    )


def alike_of_epoch(known: pl.DataFrame, got: pl.DataFrame) -> pl.DataFrame:
    """Requests and receipts of one id that may be the same: of one controller epoch where both know it."""
    by = [*RECEIVER, "correlation_id"]
    is_sent_known, is_got_known = col("controller_epoch").is_not_null(), col("got_epoch").is_not_null()
    both = known.filter(is_sent_known).join(
        got.filter(is_got_known).with_columns(controller_epoch="got_epoch"), on=[*by, "controller_epoch"]
    )
    unknown = known.filter(~is_sent_known).join(got, on=by)
    half = known.filter(is_sent_known).join(got.filter(~is_got_known), on=by)
    return pl.concat([both, unknown, half], how="diagonal_relaxed")


def with_channel_order(fitting: pl.DataFrame, orders: pl.DataFrame) -> pl.DataFrame:
    """Adds channel_order, the place of the controller's channel among its own, by its clock."""
    of_controller = [*CHANNEL, "controller_id"]
    order = (
        orders.group_by(of_controller)
        .agg(begin_at=col("logged_at").min())
        .sort("begin_at", "term_id", "channel_seq")
        .with_columns(channel_order=pl.int_range(pl.len(), dtype=pl.Int64))
    )
    return fitting.join(order.drop("begin_at"), on=of_controller)


def certain_pairs(choices: dict[int, list[int]]) -> list[tuple[int, int]]:
    """(receipt channel, channel) in the order of both, where the earliest and the latest choice are the same one."""
    names = sorted(choices)
    earliest = chosen_in_order(names, choices)
    turned = {name: [-one for one in found] for name, found in choices.items()}
    latest = {name: -found for name, found in chosen_in_order(names[::-1], turned).items()}
    return [(name, found) for name, found in earliest.items() if latest.get(name) == found]


def chosen_in_order(names: Sequence[int], choices: dict[int, list[int]]) -> dict[int, int]:
    """Each name with the first of its choices behind the one before; none where there is none."""
    chosen: dict[int, int] = {}
    last: int | None = None
    for name in names:
        found = sorted(choices[name])
        at = 0 if last is None else bisect_right(found, last)
        if at < len(found):
            chosen[name] = last = found[at]
    return chosen
