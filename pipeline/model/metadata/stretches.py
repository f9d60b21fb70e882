"""What stretches of offsets tell of the log of a cluster: which are void, where holes are, what is committed."""

from collections.abc import Sequence
from datetime import datetime

import polars as pl
from polars import col

NO_LIMIT = 1 << 62
BY_SNAPSHOT, BY_EPOCH, BY_MAJORITY = "snapshot", "epoch", "majority"


def epoch_limits(parts: pl.DataFrame) -> pl.DataFrame:
    """(controller_epoch, valid_until_offset): records of an epoch from that offset on are void, as a later epoch took
    their place. parts: bronze.metadata_part."""
    begins = (
        log_of(parts)
        .group_by("controller_epoch")
        .agg(begin=col("first_offset").min())
        .sort("controller_epoch", descending=True)
    )
    until = col("begin").shift(1, fill_value=NO_LIMIT).cum_min()
    return begins.select("controller_epoch", valid_until_offset=until).sort("controller_epoch")


def log_of(parts: pl.DataFrame) -> pl.DataFrame:
    return parts.filter(col("snapshot_offset").is_null())


def valid_stretches(parts: pl.DataFrame) -> pl.DataFrame:
    """Stretches of segments without what is void, in the order of offsets."""
    last = pl.min_horizontal("last_offset", col("valid_until_offset") - 1)
    return (
        log_of(parts)
        .join(epoch_limits(parts), on="controller_epoch")
        .with_columns(last_offset=last)
        .filter(col("last_offset") >= col("first_offset"))
        .sort("first_offset", "last_offset", "file_id")
    )


def log_holes(parts: pl.DataFrame) -> list[tuple[int, int]]:
    """Offsets that no copy has, as (first missing, first behind); the first pair is what is missing before the log."""
    found: list[tuple[int, int]] = []
    expected = 0
    for first, last in valid_stretches(parts).select("first_offset", "last_offset").iter_rows():
        if first > expected:
            found.append((expected, first))
        expected = max(expected, last + 1)
    return found


def base_offsets(parts: pl.DataFrame, snapshots: Sequence[int]) -> set[int]:
    """Of snapshots, by the offset that they end before, those that the log needs: where it begins behind offset 0, and
    behind each hole, the first that ends there or later and before the next hole; without a log the last one."""
    if valid_stretches(parts).is_empty():
        return {max(snapshots)} if snapshots else set()
    return {end for _, end in bases_of_log(log_holes(parts), snapshots) if end is not None}


def bases_of_log(holes: Sequence[tuple[int, int]], snapshots: Sequence[int]) -> list[tuple[int, int | None]]:
    """For each place behind a hole the snapshot that the log goes on from, None if there is none."""
    behind = [one for _, one in holes]
    until = [*(first for first, _ in holes), NO_LIMIT][1:]
    return [
        (begin, min((one for one in snapshots if begin <= one <= last), default=None))
        for begin, last in zip(behind, until, strict=True)
    ]


def first_offset_since(parts: pl.DataFrame, begin: datetime) -> int:
    """No record before this offset lies, by the running maximum of their times, at `begin` or later."""
    reaching = valid_stretches(parts).filter(col("last_at") >= begin)
    first = reaching["first_offset"].min()
    return int(first) if isinstance(first, int) else NO_LIMIT


def changed_since(parts: pl.DataFrame, before: int) -> datetime | None:
    """The earliest time of records that loads after `before` added, made void, or gave a base."""
    is_new = col("load_seq") > before
    log, new = log_of(parts), parts.filter(is_new)
    begins = [log_of(new)["first_at"].min()]
    if new["is_base"].any():
        begins.append(log["first_at"].min() if not log.is_empty() else new["first_at"].min())
    limits = epoch_limits(parts)
    was = epoch_limits(parts.filter(~is_new)).rename({"valid_until_offset": "was"})
    void = log.filter(~is_new).join(limits, on="controller_epoch").join(was, on="controller_epoch")
    made = void.filter(
        col("valid_until_offset") < col("was"), col("last_offset") >= col("valid_until_offset")
    )
    begins.append(made["first_at"].min())
    times = [one for one in begins if isinstance(one, datetime)]
    return min(times, default=None)


def certain_until(parts: pl.DataFrame) -> tuple[int, str | None]:
    """The last offset that is committed for certain, -1 if none is proved, and what proves it: a snapshot, the begin of
    the last epoch whose controller worked, or what more than half of the voters have."""
    proved: list[tuple[int, str]] = []
    ends = parts["snapshot_offset"].drop_nulls()
    if len(ends):
        proved.append((max(ends.to_list()) - 1, BY_SNAPSHOT))
    stretches = valid_stretches(parts)
    has_worked = col("record_count") > col("control_count")
    working = stretches.filter(has_worked)["controller_epoch"].max()
    if working is not None:
        begins = stretches.filter(col("controller_epoch") == working)["first_offset"]
        proved.append((min(begins.to_list()), BY_EPOCH))
    proved += [(offset, BY_MAJORITY) for offset in _shared_by_majority(stretches)]
    return max(proved, key=lambda one: one[0], default=(-1, None))


def _shared_by_majority(stretches: pl.DataFrame) -> list[int]:
    voters = stretches.filter(col("voter_ids").is_not_null())["voter_ids"]
    if not len(voters):
        return []
    ids = voters[-1].to_list()
    ends = stretches.filter(col("node_id").is_in(ids)).group_by("node_id").agg(col("last_offset").max())
    found = sorted(ends["last_offset"].to_list(), reverse=True)
    return [found[len(ids) // 2]] if len(found) * 2 > len(ids) else []
