"""Which ids the requests of a channel have whose begin no line shows: by what its broker got, in the order of both."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars import col, lit, when

from pipeline.gold.request_trace.orders import CHANNEL, CUT, QUEUE, SENT
from pipeline.gold.request_trace.receipts import RECEIPT_CHANNEL

# So many requests in a row must be alike, of so many sorts (request and partitions).
LEAST_ALIKE, LEAST_SORTS = 8, 3
# Requests in a row that propose a place, and how many proposals are looked at.
RUN, MOST_PROPOSALS = LEAST_ALIKE, 1_000_000
SILENT = 0
MOST_CODE = np.iinfo(np.int64).max
DAY = timedelta(days=1)
# Lines of before a night's days that a night has at hand, too.
EARLIER = timedelta(minutes=60)
# Zones differ by a multiple of it; within one, clocks and queues by less than NEAR.
ZONE_MS, NEAR_MS = 900_000, 60_000
WANTED = (*CHANNEL, "controller_id", "controller_epoch")
Codes = NDArray[np.int64]


def with_ids_of_receipts(rows: pl.DataFrame, receipts: pl.DataFrame) -> pl.DataFrame:
    """Rows of channels, with correlation_id of what was sent by one whose begin was not seen: requests and partitions
    of a broker's channel follow each other alike in one place alone.

    Each day is looked at with the day behind it, so that nights say the same; behind the first that fits ids go on.
    The clocks of both have no part in the choice; they refuse it where they are neither alike nor of another zone.
    """
    is_open = (col("channel_seq") == CUT) & (col("sort") == SENT) & col("correlation_id").is_null()
    coded = with_codes(rows.filter(is_open).sort(*CHANNEL, "seq"), receipts)
    if coded is None:
        return rows
    sent, got = coded
    by_receiver = got.partition_by("cluster_id", "broker_id", "controller_id", as_dict=True)
    opened_at = opened_channels(rows)
    found = []
    for key, channel in sent.group_by(WANTED, maintain_order=True):
        cluster, term, broker, _, controller, epoch = key
        of_receiver = by_receiver.get((cluster, broker, controller))
        if of_receiver is not None:
            is_of_epoch = (col("controller_epoch") == epoch).fill_null(value=True)
            later_at = opened_at.get((cluster, term, broker), [])
            found.append(with_first_fit(channel, of_receiver.filter(is_of_epoch), later_at))
    if not found:
        return rows
    ids = pl.concat(found).select("broker_id", "file_id", "byte_offset", fitting_id="correlation_id")
    return (
        rows.join(ids, on=["broker_id", "file_id", "byte_offset"], how="left", maintain_order="left")
        .with_columns(correlation_id=pl.coalesce("correlation_id", when(is_open).then("fitting_id")))
        .drop("fitting_id")
    )


def opened_channels(rows: pl.DataFrame) -> dict[tuple[object, ...], list[datetime]]:
    """By cluster, term and broker: when the first request of each channel was sent that a line opens."""
    opened = rows.filter((col("channel_seq") != CUT) & (col("sort") == SENT))
    first = opened.group_by(CHANNEL).agg(at=col("logged_at").min())
    return {tuple(key): at for *key, at in first.group_by(QUEUE).agg("at").iter_rows()}


def with_codes(sent: pl.DataFrame, receipts: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Both, with code: alike for the same request of as many partitions, SILENT for one of which a broker prints
    nothing; None: there is nothing to compare."""
    summed = receipts.drop_nulls(["request", "printed_count"])
    if sent.is_empty() or summed.is_empty():
        return None
    sorts = (
        pl.concat(
            [
                sent.select("request", "partition_count"),
                summed.select("request", partition_count="printed_count"),
            ]
        )
        .unique()
        .sort("request", "partition_count")
        .with_columns(code=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))
    )
    is_silent = (col("request") == "UPDATE_METADATA") & (col("partition_count") == 0)
    by_sort = sent.join(sorts, on=["request", "partition_count"], how="left", maintain_order="left")
    coded = by_sort.with_columns(code=when(is_silent).then(lit(SILENT)).otherwise("code").fill_null(-1))
    got = receipts.join(
        sorts.rename({"partition_count": "printed_count"}),
        on=["request", "printed_count"],
        how="left",
        maintain_order="left",
    ).with_columns(col("code").fill_null(-2))
    return coded, got


def with_first_fit(
    channel: pl.DataFrame, receipts: pl.DataFrame, later_at: Sequence[datetime]
) -> pl.DataFrame:
    """Rows of one channel in order; ids from the first day on of which requests fit to those that the broker got.
    later_at: when channels to the broker are opened behind it."""
    days = channel["logged_at"].dt.truncate("1d")
    for day in days.unique().sort():
        first = days.search_sorted(day)
        window = channel.filter(days.is_between(day, day + DAY))
        near = receipts.filter(col("received_at").is_between(day - EARLIER, day + 2 * DAY, closed="left"))
        later_count = sum(day <= at < day + 2 * DAY for at in later_at)
        shift = certain_shift(window, near, later_count)
        if shift is not None:
            place = pl.int_range(pl.len(), dtype=pl.Int64) - first
            is_behind = place >= 0
            return channel.with_columns(correlation_id=when(is_behind).then(place + shift).cast(pl.Int32))
    return channel


def certain_shift(sent: pl.DataFrame, receipts: pl.DataFrame, later_count: int) -> int | None:
    """The id of the first of sent, if the requests of one channel of the broker alone are alike, in one place, and no
    more channels follow it than lines open: else sent may be of several."""
    codes, sent_at = sent["code"].to_numpy(), sent["logged_at"].dt.epoch("ms").to_numpy()
    fitting: list[int] = []
    channels = receipts.partition_by(RECEIPT_CHANNEL, maintain_order=True)
    for followed_by, channel in zip(reversed(range(len(channels))), channels, strict=True):
        ids = channel["correlation_id"].to_numpy()
        size = int(ids.max() - ids.min()) + 1
        got, got_at = np.full(size, SILENT, np.int64), np.full(size, 0, np.int64)
        got[ids - ids.min()] = channel["code"].to_numpy()
        got_at[ids - ids.min()] = channel["received_at"].dt.epoch("ms").to_numpy()
        for place in fitting_places(codes, got):
            if followed_by > later_count or not is_time_possible(place, codes, sent_at, got_at):
                return None
            fitting.append(place + int(ids.min()))
        if len(fitting) > 1:
            return None
    return fitting[0] if fitting else None


def fitting_places(sent: Codes, got: Codes) -> list[int]:
    """Places in got (below 0: before it) at which sent may begin: all that both tell is alike, and enough of it. Two at
    most: more say no more."""
    found: list[int] = []
    for place in proposed_places(sent, got):
        of_sent, of_got = overlap(int(place), sent, got)
        if np.array_equal(of_sent, of_got) and is_enough(of_sent):
            found.append(int(place))
            if len(found) > 1:
                break
    return found


def is_enough(codes: Codes) -> bool:
    told = codes[codes != SILENT]
    return told.size >= LEAST_ALIKE and np.unique(told).size >= LEAST_SORTS


def overlap(place: int, sent: Codes, got: Codes) -> tuple[Codes, Codes]:
    first, last = max(0, -place), min(sent.size, got.size - place)
    return sent[first:last], got[first + place : last + place]


def proposed_places(sent: Codes, got: Codes) -> Codes:
    """Places at which some requests in a row, not all alike, are the same on both sides."""
    of_sent, of_got = runs_in(sent), runs_in(got)
    order = np.argsort(of_got, kind="stable")
    from_, until = (np.searchsorted(of_got, of_sent, side, sorter=order) for side in ("left", "right"))
    windows = windows_of(sent)
    is_mixed = windows.max(axis=1, initial=SILENT) != windows.min(axis=1, initial=MOST_CODE)
    counts = np.where(is_mixed, until - from_, 0)
    if not counts.sum() or counts.sum() > MOST_PROPOSALS:
        return np.empty(0, np.int64)
    hits = [order[from_[at] : until[at]] - at for at in np.flatnonzero(counts)]
    return np.unique(np.concatenate(hits))


def runs_in(codes: Codes) -> Codes:
    """A number for each RUN in a row: the same for the same one, and seldom for another."""
    factors = np.power(np.int64(1_000_003), np.arange(RUN, dtype=np.int64))
    return np.asarray(windows_of(codes) @ factors, np.int64)


def windows_of(codes: Codes) -> Codes:
    """Each RUN in a row, as a row."""
    if codes.size < RUN:
        return np.empty((0, RUN), np.int64)
    return np.lib.stride_tricks.sliding_window_view(codes, RUN)


def is_time_possible(place: int, sent: Codes, sent_at: Codes, got_at: Codes) -> bool:
    """The clocks of both are alike, or of two zones."""
    of_sent, of_got = overlap(place, sent_at, got_at)
    told = overlap(place, sent, got_at)[0] != SILENT
    apart = (of_got - of_sent)[told]
    zone = np.round(np.median(apart) / ZONE_MS) * ZONE_MS
    return bool((np.abs(apart - zone) <= NEAR_MS).all())
