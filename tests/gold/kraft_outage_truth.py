"""Outages of a KRaft cluster as its metadata log has them: partitions whose record says that nobody leads."""

from pathlib import Path

from tests.gold.kraft_truth import true_states
from tests.gold.outage_truth import Outage
from tests.gold.session_truth import silences, went_silent
from tests.gold.truth import NOBODY, SETTLED_MS


def outages(cluster: Path, told: list[Outage] | None = None) -> list[Outage]:
    """All of them; earliest_ms: when the broker that led was killed or frozen, where that is why. One whose record was
    committed later than written begins where it is told, if that is when it was written."""
    found: list[Outage] = []
    silenced = silences(cluster)
    for partition, states in true_states(cluster).items():
        leader: int | None = None
        begun: Outage | None = None
        for state in states:
            if state.leader == NOBODY and begun is None:
                earliest = went_silent(silenced, leader, state.at)
                begun = Outage(partition, state.at, None, earliest, leader is None)
                begun = as_written(begun, state.written_at, told or [])
            elif state.leader != NOBODY and begun is not None:
                found.append(begun._replace(until_ms=state.at))
                begun = None
            leader = state.leader
        found += [begun] if begun is not None else []
    return found


def as_written(one: Outage, written_at: int, told: list[Outage]) -> Outage:
    is_told = any(
        each.partition == one.partition and abs(each.from_ms - written_at) <= SETTLED_MS for each in told
    )
    return one._replace(from_ms=written_at, earliest_ms=min(one.earliest_ms, written_at)) if is_told else one
