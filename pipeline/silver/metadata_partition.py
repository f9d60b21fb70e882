"""States of partitions as KRaft's metadata log has them, each move judged."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import polars as pl
from polars import col

from pipeline.core.frames import empty_frame
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand, intervals_before
from pipeline.core.span import Span
from pipeline.kafka.machines.registrations import NONE, PARTITION_REGISTRATION
from pipeline.model.metadata.recorded_rows import (
    StoredReplay,
    frame_of_rows,
    judged_move_row,
    replay_stored,
    with_ends,
)
from pipeline.model.metadata.states import PartitionRegistration
from schemas.silver.metadata_partition import SPEC

KEY = ("topic_id", "partition")
SAME = (
    "topic",
    *KEY,
    "partition_epoch",
    "leader",
    "leader_epoch",
    "isr",
    "replicas",
    "elr",
    "last_known_elr",
)
OTHER_NAMES = {"adding": "adding_replicas", "removing": "removing_replicas"}
REMOVED, CLEARED, SNAPSHOT = "REMOVE_TOPIC_RECORD", "CLEAR_ELR_RECORD", "SNAPSHOT_HEADER"
CREATED, CHANGED = "PARTITION_RECORD", "PARTITION_CHANGE_RECORD"


def build(
    metadata_record: pl.DataFrame,
    metadata_part: pl.DataFrame,
    metadata_partition_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per state of a partition on record.

    Rows:    a PartitionRecord, a PartitionChangeRecord, a RemoveTopicRecord and a ClearElrRecord give one for each
             partition that they are about, a snapshot that the log begins with one for each of its own.
    metadata_partition_before: rows of this table that were open at the begin of the span.
    Order:   offsets of records; what a later epoch made void is left out, behind a hole nothing of before is known.
    Source:  PartitionRegistration.merge and ReplicationControlManager.replay, 3.3 to 4.4.
    """
    if metadata_record.is_empty():
        return metadata_partition_before if len(metadata_partition_before) else empty_frame(SPEC)
    open_before = metadata_partition_before.filter(col("state").ne_missing(NONE))
    states = map(partition_of_row, open_before.iter_rows(named=True))
    found = replay_stored(metadata_record, metadata_part, span, partitions=states)
    cluster_id = metadata_record["cluster_id"][0]
    new = frame_of_rows(recorded_partition_rows(found), SPEC, cluster_id)
    both = pl.concat([metadata_partition_before.select(SPEC.columns), new])
    return with_ends(both.with_columns(is_end=col("made_by") == REMOVED), KEY, found.breaks())


def recorded_partition_rows(found: StoredReplay) -> Iterator[dict[str, Any]]:
    replay = found.replay
    verdicts, broken = found.verdicts(PARTITION_REGISTRATION), found.broken(PARTITION_REGISTRATION)
    for end, (partitions, _) in found.bases.items():
        of_base = found.recorded_in_snapshot(end)
        for one in partitions:
            yield partition_state_row(one, SNAPSHOT) | of_base | judged_move_row(one.state, None, [])
    created = {offset for (_, offset), (before, _, _) in verdicts.items() if before == NONE}
    for one in replay.states:
        move = verdicts.get((one.key, one.offset))
        made_by = CREATED if one.offset in created else CHANGED
        judged = judged_move_row(one.state, move, broken.get((one.key, one.offset), []))
        yield partition_state_row(one, made_by) | found.recorded(one) | judged
    for one in replay.cleared:
        yield partition_state_row(one, CLEARED) | found.recorded(one) | judged_move_row(one.state, None, [])
    yield from removed_partition_rows(found, verdicts)


def removed_partition_rows(
    found: StoredReplay, verdicts: dict[Any, tuple[str, str, str]]
) -> Iterator[dict[str, Any]]:
    """A row for each partition of a topic that is deleted: nothing is known of it any more, but that it is gone."""
    topics = found.replay.topics
    for (topic_id, partition), at_ms, offset in found.replay.removed:
        gone = PartitionRegistration(
            topic_id, partition, topics.get(topic_id), None, None, None, None, None, None, None, None, None, None,
            None, at_ms, offset, found.epochs[offset], is_elected=False,
        )  # fmt: skip
        move = verdicts.get(((topic_id, partition), offset))
        yield partition_state_row(gone, REMOVED) | found.recorded(gone) | judged_move_row(NONE, move, [])


def partition_state_row(one: PartitionRegistration, made_by: str) -> dict[str, Any]:
    return {
        **{name: getattr(one, name) for name in SAME},
        **{column: getattr(one, name) for name, column in OTHER_NAMES.items()},
        "directories": one.directories,
        "is_recovering": one.is_recovering,
        "is_elected": one.is_elected,
        "cause": one.cause,
        "cause_broker_id": one.cause_broker_id,
        "made_by": made_by,
    }


def partition_of_row(row: dict[str, Any]) -> PartitionRegistration:
    """The state that a row of this table holds."""
    at: datetime = row["decided_at"]
    return PartitionRegistration(
        **{name: row[name] for name in SAME},
        **{name: row[column] for name, column in OTHER_NAMES.items()},
        directories=row["directories"],
        is_recovering=row["is_recovering"],
        decided_at_ms=round(at.timestamp() * 1000),
        offset=row["record_offset"],
        controller_epoch=row["controller_epoch"],
    )


def partition_states_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that begin before the day and reach it."""
    return intervals_before(at_hand, SPEC, "ordered_at", "valid_until_at", start)


INCREMENTAL = Incremental(
    ordered_by="valid_until_at",
    carried={"metadata_partition_before": CarriedState(partition_states_before, empty_frame(SPEC))},
)
