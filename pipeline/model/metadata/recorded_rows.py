"""Stored records of the metadata log replayed, from the begin of a day on out of what was open then."""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import polars as pl
from polars import col

from pipeline.core.frames import empty_frame
from pipeline.core.span import Span
from pipeline.kafka.metadata_log.segment import MetadataRecord
from pipeline.model.metadata.replay import MetadataReplay
from pipeline.model.metadata.states import BrokerRegistration, PartitionRegistration
from pipeline.model.metadata.stretches import (
    NO_LIMIT,
    bases_of_log,
    epoch_limits,
    log_holes,
    valid_stretches,
)
from schemas.spec import TableSpec

Row = dict[str, Any]
Place = tuple[str, int]
BATCH = ("controller_epoch", "batch_offset")
EPOCH_BEGIN = datetime(1970, 1, 1, tzinfo=UTC)


def moment_of(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)


@dataclass
class ReplayInput:
    """Records of the log that are not void, in the order of offsets, with `ordered_at`; those of each snapshot that is
    a base, by the offset that it ends before; places behind holes, each with its base."""

    log: pl.DataFrame
    snapshots: dict[int, pl.DataFrame]
    begins: list[tuple[int, int | None]]


def replay_input(metadata_record: pl.DataFrame, metadata_part: pl.DataFrame) -> ReplayInput:
    is_log = col("snapshot_offset").is_null()
    log = (
        metadata_record.filter(is_log)
        .join(epoch_limits(metadata_part), on="controller_epoch")
        .filter(col("record_offset") < col("valid_until_offset"))
        .unique(["record_offset"], keep="first", maintain_order=True)
        .sort("record_offset")
        .with_columns(ordered_at=col("appended_at").cum_max())
        .with_columns(col("ordered_at").max().over(BATCH))
    )
    snapshots = metadata_record.filter(~is_log)
    ends = sorted(metadata_part.filter("is_base")["snapshot_offset"].to_list())
    begins = bases_of_log(log_holes(metadata_part), ends)
    if valid_stretches(metadata_part).is_empty() and ends:
        begins = [(0, ends[-1])]
    wanted = {end for _, end in begins if end is not None}
    by_end = {
        end: snapshots.filter(col("snapshot_offset") == end)
        .sort("record_offset", "file_id")
        .unique("record_offset", keep="first", maintain_order=True)
        for end in wanted
    }
    return ReplayInput(log, {end: rows for end, rows in by_end.items() if not rows.is_empty()}, begins)


def records_of_rows(rows: pl.DataFrame) -> list[MetadataRecord]:
    names = ("byte_offset", "record_offset", "controller_epoch", "batch_offset", "place_in_batch")
    at = rows["appended_at"].dt.epoch("ms")
    return [
        MetadataRecord(
            byte, offset, epoch, at_ms, batch, place, kind, version, json.loads(said) if said else None
        )
        for byte, offset, epoch, batch, place, at_ms, kind, version, said in rows.select(
            *names, at, "type", "version", "fields"
        ).iter_rows()
    ]


@dataclass
class StoredReplay:
    """`replay`: of the records from the begin of a span on; `bases`: what it held as each snapshot was taken, by the
    offset that it ends before; `places`, `epochs`, `days`: file and
    byte, controller epoch, and ordered_at, of records by their offset."""

    given: ReplayInput
    replay: MetadataReplay
    bases: dict[int, tuple[list[PartitionRegistration], list[BrokerRegistration]]]
    places: dict[int, Place]
    epochs: dict[int, int]
    days: dict[int, datetime]

    def ordered_at(self, offset: int) -> datetime:
        """Of the record, else of the last one before it, else of the first."""
        log = self.given.log
        row = int(log["record_offset"].search_sorted(offset, side="right")) - 1
        at = log["ordered_at"][max(row, 0)] if len(log) else None
        return at if isinstance(at, datetime) else self.snapshot_at(offset + 1)

    def base_at(self, end: int) -> datetime:
        """Where a snapshot is filed: with the last record that it stands for, or that which follows it."""
        return self.ordered_at(max(end - 1, *(begin for begin, one in self.given.begins if one == end)))

    def snapshot_at(self, end: int) -> datetime:
        rows = self.given.snapshots.get(end)
        at = None if rows is None else rows["appended_at"].min()
        return at if isinstance(at, datetime) else EPOCH_BEGIN

    def verdicts(self, machine: str) -> dict[tuple[Any, int], tuple[str, str, str]]:
        """By key and offset of a move its states and verdict."""
        moves = (one for one in self.replay.judged.moves if one.machine == machine)
        return {(one.key, one.offset): (one.from_state, one.to_state, one.verdict) for one in moves}

    def broken(self, machine: str) -> dict[tuple[Any, int], list[str]]:
        found: dict[tuple[Any, int], list[str]] = defaultdict(list)
        for one in self.replay.judged.broken:
            if one.machine == machine:
                found[one.key, one.offset].append(one.sentence)
        return found

    def recorded(self, state: PartitionRegistration | BrokerRegistration) -> Row:
        """What a row says of the record that made a state."""
        file_id, byte = self.places[state.offset]
        return {
            "record_offset": state.offset,
            "controller_epoch": state.controller_epoch,
            "decided_at": moment_of(state.decided_at_ms),
            "ordered_at": self.days[state.offset],
            "is_base": False,
            "file_id": file_id,
            "byte_offset": byte,
        }

    def recorded_in_snapshot(self, end: int) -> Row:
        """The same of a state that a snapshot has."""
        first = self.given.snapshots[end].row(0, named=True)
        at = self.base_at(end)
        return {
            "record_offset": end - 1,
            "controller_epoch": first["controller_epoch"],
            "decided_at": at,
            "ordered_at": at,
            "is_base": True,
            "file_id": first["file_id"],
            "byte_offset": first["byte_offset"],
        }

    def breaks(self) -> pl.DataFrame:
        """(begin, broken_at) of the places behind holes."""
        begins = [begin for begin, _ in self.given.begins if begin > 0]
        at = [self.ordered_at(begin) for begin in begins]
        broken_at = pl.Series("broken_at", at, pl.Datetime("us", "UTC"))
        return pl.DataFrame([pl.Series("begin", begins, pl.Int64), broken_at])


def replay_stored(
    metadata_record: pl.DataFrame,
    metadata_part: pl.DataFrame,
    span: Span,
    *,
    partitions: Iterable[PartitionRegistration] = (),
    brokers: Iterable[BrokerRegistration] = (),
    types: Sequence[str] = (),
) -> StoredReplay:
    """partitions, brokers: what was open at the begin of the span; types: records of these alone; none: of all."""
    given = replay_input(metadata_record, metadata_part)
    begin = span.begin
    first = 0 if begin is None else int(given.log["ordered_at"].search_sorted(begin, side="left"))
    rows = given.log.slice(first)
    rows = rows.filter(col("type").is_in(types)) if types else rows
    records, replay = records_of_rows(rows), MetadataReplay()
    replay.go_on_from(partitions, brokers)
    places = rows.select("record_offset", "file_id", "byte_offset").iter_rows()
    found = StoredReplay(
        given,
        replay,
        {},
        {offset: (file_id, byte) for offset, file_id, byte in places},
        {one.offset: one.epoch for one in records},
        dict(rows.select("record_offset", "ordered_at").iter_rows()),
    )
    offsets = [one.offset for one in records]
    in_span = given.log["record_offset"].slice(first)
    at, begin_offset = 0, 0 if begin is None else in_span[0] if len(in_span) else NO_LIMIT
    for place, end in given.begins:
        if place >= begin_offset:
            until = bisect_left(offsets, place)
            replay.take_log(records[at:until])
            at = until
            replay.lose_base()
        if (
            end is not None
            and end in given.snapshots
            and (begin is None or max(end - 1, place) >= begin_offset)
        ):
            until = max(at, bisect_left(offsets, end))
            replay.take_log(records[at:until])
            at = until
            replay.take_snapshot(records_of_rows(given.snapshots[end]))
            found.bases[end] = [*replay.partitions.values()], [*replay.brokers.values()]
    replay.take_log(records[at:])
    return found


def frame_of_rows(rows: Iterable[Row], spec: TableSpec, cluster_id: str) -> pl.DataFrame:
    """Rows of a table, as yet without their ends."""
    columns: dict[str, list[Any]] = {name: [] for name in spec.columns}
    for row in rows:
        for name, values in columns.items():
            values.append(row.get(name))
    columns["cluster_id"] = [cluster_id] * len(columns["cluster_id"])
    types = empty_frame(spec).schema
    return pl.DataFrame([pl.Series(name, values, types[name]) for name, values in columns.items()])


def judged_move_row(state: str | None, move: tuple[str, str, str] | None, broken: list[str]) -> Row:
    """What a row says of the move to its state; move: the state before, the state, and the verdict."""
    before, _, verdict = move or (None, None, None)
    return {"from_state": before or None, "state": state or None, "verdict": verdict, "broken_rules": broken}


def with_ends(rows: pl.DataFrame, key: Sequence[str], breaks: pl.DataFrame) -> pl.DataFrame:
    """Rows with valid_until_at: ordered_at of the next state, or of the hole behind which nothing is known.

    breaks: (begin, broken_at), the offsets behind holes.
    """
    order = ("record_offset", "is_base")
    offset = rows["record_offset"] + rows["is_base"].cast(pl.Int64)
    piece = pl.Series("piece", breaks["begin"].search_sorted(offset, side="right"), pl.Int64)
    ends = dict(enumerate(breaks["broken_at"].to_list()))
    numbered = rows.with_columns(piece).sort(*key, *order)
    following = col("ordered_at").shift(-1).over(*key, "piece")
    broken = col("piece").replace_strict(ends, default=None, return_dtype=rows.schema["ordered_at"])
    until = pl.when("is_end").then("ordered_at").otherwise(pl.coalesce(following, broken))
    return numbered.with_columns(valid_until_at=until).drop("piece")
