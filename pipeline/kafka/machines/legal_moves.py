"""What Kafka's own tables say of one move: legal or refused, in which releases, and what is known of it."""

from dataclasses import dataclass

from pipeline.core.machine import Machine
from pipeline.kafka.machines.by_release import KINDS, machines_by_name, normal_moves
from pipeline.kafka.machines.triggers import asking_methods
from pipeline.kafka.wording.events import is_before

OLDEST, LAST_ZOOKEEPER = "0.8.1", "3.9"


@dataclass(frozen=True)
class MoveLaw:
    """`legal`, `refused`: machines (R1, R2, P1) that allow the pair, and that do not. `notes`: why Kafka asks
    for a refused pair in good health, with its label (a KAFKA number or an item of the documentation). `asked`: which
    methods ask for the move."""

    from_state: str
    to_state: str
    legal: tuple[str, ...]
    refused: tuple[str, ...]
    sentence: str
    notes: tuple[tuple[str, str], ...]
    asked: tuple[str, ...]


def move_law(kind: str, from_state: str, to_state: str, since: str, until: str) -> MoveLaw | None:
    """What holds in the releases `since` to `until`; None: a state that no machine of these releases has."""
    at_work = [
        machine
        for machine in (machines_by_name()[name] for name in KINDS[kind])
        if is_before(machine.since, until) and is_before(since, machine.until)
    ]
    if not at_work or not {from_state, to_state} <= set(at_work[0].states):
        return None
    legal = [machine for machine in at_work if machine.allows(from_state, to_state)]
    refused = [machine for machine in at_work if machine not in legal]
    names = {machine.name for machine in refused}
    notes = {
        one.label: one.sentence
        for one in normal_moves()
        if (one.machine, one.from_state, one.to_state) == (kind, from_state, to_state)
        and (one.replica_machine in names or not one.replica_machine)
    }
    return MoveLaw(
        from_state,
        to_state,
        tuple(machine.name for machine in legal),
        tuple(machine.name for machine in refused),
        f"{from_state} to {to_state}: {', '.join([*_said('legal', legal), *_said('refused', refused)])}",
        tuple(notes.items()),
        asking_methods(kind, from_state, to_state, since, until),
    )


def _said(verdict: str, found: list[Machine]) -> list[str]:
    if not found:
        return []
    since, until = found[0].since, found[-1].until
    if since == OLDEST and until == LAST_ZOOKEEPER:
        return [f"{verdict} in every release"]
    if since == OLDEST:
        return [f"{verdict} up to {until}"]
    return [f"{verdict} from {since} on" if until == LAST_ZOOKEEPER else f"{verdict} from {since} to {until}"]
