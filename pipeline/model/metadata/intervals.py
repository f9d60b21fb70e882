"""Stretches on record: without a leader, brokers in service, controllers in office."""

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.kafka.machines.registrations import ACTIVE, GONE, SHUT_DOWN, STOPPING
from pipeline.model.metadata.replay import MetadataReplay
from pipeline.model.metadata.states import BrokerRegistration, PartitionKey, PartitionRegistration

IN_SERVICE = (ACTIVE, STOPPING)
REGISTERED_ANEW, UNREGISTERED, STOPPED, WAS_FENCED = "registered anew", "unregistered", "shut down", "fenced"


@dataclass(slots=True)
class RecordedOutage:
    """A stretch in which a partition has no leader on record. `until_ms`: None where it goes on at the end."""

    topic: str | None
    topic_id: str
    partition: int
    from_ms: int
    from_offset: int
    until_ms: int | None
    cause: str | None
    cause_broker_id: int | None


@dataclass(slots=True)
class RecordedSession:
    """A stretch in which a broker may lead. `stopping_ms`: since when it is in a controlled shutdown; `left_how`: None
    where it goes on at the end."""

    broker_id: int
    broker_epoch: int | None
    joined_ms: int
    joined_offset: int
    stopping_ms: int | None = None
    left_ms: int | None = None
    left_how: str | None = None


def recorded_outages(replay: MetadataReplay) -> list[RecordedOutage]:
    """In the order in which they begin."""
    opened: dict[PartitionKey, RecordedOutage] = {}
    found: list[RecordedOutage] = []
    events: list[tuple[int, int, PartitionKey, PartitionRegistration | None]] = [
        (one.offset, one.decided_at_ms, one.key, one) for one in replay.states
    ]
    events += [(offset, at_ms, key, None) for key, at_ms, offset in replay.removed]
    for offset, at_ms, key, state in sorted(events, key=lambda one: one[0]):
        is_led = state is None or state.leader is None or state.leader >= 0
        if is_led and key in opened:
            opened.pop(key).until_ms = at_ms
        elif state is not None and not is_led and key not in opened:
            opened[key] = RecordedOutage(
                state.topic,
                state.topic_id,
                state.partition,
                at_ms,
                offset,
                None,
                state.cause,
                state.cause_broker_id,
            )
            found.append(opened[key])
    return found


def recorded_sessions(registrations: Iterable[BrokerRegistration]) -> list[RecordedSession]:
    """In the order in which they begin."""
    opened: dict[int, RecordedSession] = {}
    found: list[RecordedSession] = []
    for one in registrations:
        session = opened.get(one.broker_id)
        if session is not None and (one.state not in IN_SERVICE or one.is_registered):
            session.left_ms, session.left_how = one.decided_at_ms, _how_left(one)
            del opened[one.broker_id]
            session = None
        if session is None and one.state in IN_SERVICE:
            session = RecordedSession(one.broker_id, one.broker_epoch, one.decided_at_ms, one.offset)
            opened[one.broker_id] = session
            found.append(session)
        if session is not None and one.state == STOPPING and session.stopping_ms is None:
            session.stopping_ms = one.decided_at_ms
    return found


def _how_left(after: BrokerRegistration) -> str:
    if after.is_registered:
        return REGISTERED_ANEW
    return {GONE: UNREGISTERED, SHUT_DOWN: STOPPED}.get(after.state, WAS_FENCED)
