"""The trigger table: which method of the controller moved a state machine, by the move and its cause."""

from dataclasses import dataclass
from functools import cache

from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.events import is_before

UNKNOWN_CAUSE = "unknown"

# machine, from_state, to_state, cause: as gold.transition_audit has them.
Move = tuple[str, str, str, str]


@dataclass(frozen=True)
class Trigger:
    """One call of a state machine in Kafka's source, of releases `since` to `until`.

    `name`: the method, as its last release calls it; `methods`: its names, each with the first release that has it.
    `from_states`: states that such a move is logged to leave, done or refused; `causes`: of causes.tsv.
    """

    name: str
    machine: str
    from_states: tuple[str, ...]
    to_state: str
    causes: tuple[str, ...]
    since: str
    until: str
    methods: tuple[tuple[str, str], ...]


@cache
def read_triggers() -> tuple[Trigger, ...]:
    """The rows of triggers.tsv."""
    return tuple(_trigger(row) for row in read_fact_table("machines/triggers.tsv"))


def _trigger(row: dict[str, str]) -> Trigger:
    names = (entry.split(" ") for entry in row["methods"].split("|"))
    return Trigger(
        row["trigger"],
        row["machine"],
        tuple(row["from_states"].split("|")),
        row["to_state"],
        tuple(row["causes"].split("|")),
        row["since"],
        row["until"],
        tuple((since, name) for since, name in names),
    )


@cache
def trigger_of_move() -> dict[Move, str]:
    """The name of the row that makes a move; of several the first of the table.

    A move without a known cause is named if all rows that make it have one name.
    """
    known: dict[Move, str] = {}
    names: dict[Move, set[str]] = {}
    for one in read_triggers():
        for from_state in one.from_states:
            move = (one.machine, from_state, one.to_state)
            names.setdefault((*move, UNKNOWN_CAUSE), set()).add(one.name)
            for cause in one.causes:
                known.setdefault((*move, cause), one.name)
    return known | {move: min(found) for move, found in names.items() if len(found) == 1}


def asking_methods(machine: str, from_state: str, to_state: str, since: str, until: str) -> tuple[str, ...]:
    """The methods that ask for a move in one of these releases, by their names then."""
    found = (
        methods_in(one, since, until)
        for one in read_triggers()
        if (one.machine, one.to_state) == (machine, to_state) and from_state in one.from_states
    )
    return tuple(dict.fromkeys(names for names in found if names))


def methods_in(trigger: Trigger, since: str, until: str) -> str:
    """The names of its method in these releases, the later ones with the release that has them first."""
    begins = [begin for begin, _ in trigger.methods]
    names = [
        (begin, name)
        for (begin, name), over in zip(trigger.methods, [*begins[1:], None], strict=True)
        if is_before(begin, until) and not (over and is_before(over, since))
    ]
    return ", ".join(
        f"from {begin} on {name}" if place else name for place, (begin, name) in enumerate(names)
    )
