"""Registrations of brokers as KRaft's metadata log has them, each move judged."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import polars as pl
from polars import lit

from pipeline.core.frames import empty_frame
from pipeline.core.incremental import CarriedState, Incremental, TablesAtHand, intervals_before
from pipeline.core.span import Span
from pipeline.kafka.machines.registrations import BROKER_REGISTRATION
from pipeline.model.metadata.recorded_rows import (
    StoredReplay,
    frame_of_rows,
    judged_move_row,
    replay_stored,
    with_ends,
)
from pipeline.model.metadata.states import BrokerRegistration
from schemas.silver.metadata_broker import SPEC

KEY = ("broker_id",)
SAME = ("broker_id", "broker_epoch", "incarnation_id", "rack", "is_fenced", "is_stopping", "is_registered")
# Records that change what is registered of brokers, and those that say what counts.
TYPES = (
    *("REGISTER_BROKER_RECORD", "BROKER_REGISTRATION_CHANGE_RECORD", "UNREGISTER_BROKER_RECORD"),
    *("FENCE_BROKER_RECORD", "UNFENCE_BROKER_RECORD"),
    *("BEGIN_TRANSACTION_RECORD", "END_TRANSACTION_RECORD", "ABORT_TRANSACTION_RECORD"),
)


def build(
    metadata_record: pl.DataFrame,
    metadata_part: pl.DataFrame,
    metadata_broker_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per state of a broker's registration on record.

    Rows:    each record that registers, fences, unfences, stops or unregisters a broker gives one, a snapshot that the
             log begins with one for each of its brokers.
    metadata_broker_before: rows of this table that were open at the begin of the span.
    Order:   offsets of records; what a later epoch made void is left out, behind a hole nothing of before is known.
    Source:  ClusterControlManager.replay and BrokerHeartbeatManager.calculateNextBrokerState, 3.3 to 4.4.
    """
    if metadata_record.is_empty():
        return metadata_broker_before if len(metadata_broker_before) else empty_frame(SPEC)
    states = map(broker_of_row, metadata_broker_before.iter_rows(named=True))
    found = replay_stored(metadata_record, metadata_part, span, brokers=states, types=TYPES)
    cluster_id = metadata_record["cluster_id"][0]
    new = frame_of_rows(recorded_broker_rows(found), SPEC, cluster_id)
    both = pl.concat([metadata_broker_before.select(SPEC.columns), new])
    return with_ends(both.with_columns(is_end=lit(value=False)), KEY, found.breaks())


def recorded_broker_rows(found: StoredReplay) -> Iterator[dict[str, Any]]:
    verdicts, broken = found.verdicts(BROKER_REGISTRATION), found.broken(BROKER_REGISTRATION)
    for end, (_, brokers) in found.bases.items():
        of_base = found.recorded_in_snapshot(end)
        for one in brokers:
            yield broker_state_row(one) | of_base | judged_move_row(one.state, None, [])
    for one in found.replay.registrations:
        place = one.broker_id, one.offset
        yield (
            broker_state_row(one)
            | found.recorded(one)
            | judged_move_row(one.state, verdicts.get(place), broken.get(place, []))
        )


def broker_state_row(one: BrokerRegistration) -> dict[str, Any]:
    return {name: getattr(one, name) for name in SAME}


def broker_of_row(row: dict[str, Any]) -> BrokerRegistration:
    """The state that a row of this table holds."""
    at: datetime = row["decided_at"]
    return BrokerRegistration(
        **{name: row[name] for name in SAME},
        state=row["state"] or "",
        decided_at_ms=round(at.timestamp() * 1000),
        offset=row["record_offset"],
        controller_epoch=row["controller_epoch"],
    )


def broker_states_before(at_hand: TablesAtHand, start: datetime) -> pl.DataFrame:
    """Rows of this table that begin before the day and reach it."""
    return intervals_before(at_hand, SPEC, "ordered_at", "valid_until_at", start)


INCREMENTAL = Incremental(
    ordered_by="valid_until_at",
    carried={"metadata_broker_before": CarriedState(broker_states_before, empty_frame(SPEC))},
)
