"""A state machine as a Petri net for PM4Py, whose token-based replay shares no idea with ours."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from pm4py.algo.conformance.tokenreplay import algorithm as token_replay
from pm4py.objects.log.obj import Event, EventLog, Trace
from pm4py.objects.petri_net.obj import Marking, PetriNet
from pm4py.objects.petri_net.utils.petri_utils import add_arc_from_to

from pipeline.core.machine import Machine
from pipeline.core.replay import FIRST, FOLLOWS, Bool, Moves, replay_moves

States = tuple[tuple[int, int], ...]  # the moves of one object: (from, to), places in machine.states


def fits(machine: Machine, traces: Sequence[States]) -> list[bool]:
    """Whether PM4Py can play each trace: a token enters the first state, every move takes it on, and it leaves."""
    net, entered, left = net_of(machine)
    log = EventLog(
        [Trace([Event({"concept:name": name}) for name in events(machine, one)]) for one in traces]
    )
    played = token_replay.apply(log, net, entered, left, parameters={"show_progress_bar": False})
    return [bool(each["trace_is_fit"]) for each in played]


def net_of(machine: Machine) -> tuple[PetriNet, Marking, Marking]:
    """One place a state, one transition a move; a token may enter and leave anywhere.

    An illegal move wants a token that never comes: PM4Py passes over events for which there is no transition.
    """
    net = PetriNet(machine.name)
    places = {name: PetriNet.Place(name) for name in (*machine.states, "before", "behind", "never")}
    net.places.update(places.values())
    moves = list(product(machine.states, repeat=2))
    moves += [("before", state) for state in machine.states] + [(state, "behind") for state in machine.states]
    for one, other in moves:
        transition = PetriNet.Transition(f"{one} to {other}", f"{one} to {other}")
        net.transitions.add(transition)
        add_arc_from_to(places[one], transition, net)
        add_arc_from_to(transition, places[other], net)
        if {one, other} <= set(machine.states) and not machine.allows(one, other):
            add_arc_from_to(places["never"], transition, net)
    return net, Marking({places["before"]: 1}), Marking({places["behind"]: 1})


def events(machine: Machine, trace: States) -> list[str]:
    named = [(machine.states[one], machine.states[other]) for one, other in trace]
    whole = [("before", named[0][0]), *named, (named[-1][1], "behind")]
    return [f"{one} to {other}" for one, other in whole]


def replayed(machine: Machine, traces: Sequence[States]) -> list[bool]:
    """The same answer from the product: every move legal, and each leaves from where the last one led."""
    thing = np.repeat(np.arange(len(traces)), [len(trace) for trace in traces])
    from_state, to_state = np.array([move for trace in traces for move in trace], dtype=np.int64).T
    everywhere = np.ones(len(thing), dtype=np.bool_)
    nothing: Bool = np.zeros(machine.matrix.shape, dtype=np.bool_)
    told = replay_moves(Moves(thing, from_state, to_state, everywhere, everywhere), nothing, ~nothing)
    is_right = machine.matrix[from_state, to_state] & np.isin(told.continuity, (FIRST, FOLLOWS))
    right = np.ones(len(traces), dtype=np.bool_)
    np.logical_and.at(right, thing, is_right)
    return right.tolist()


def walks(machine: Machine, seed: int, count: int) -> list[States]:
    """Traces of one to six moves, about half of them legal from end to end."""
    rng = np.random.default_rng(seed)
    legal = [np.flatnonzero(row) for row in machine.matrix]
    choices = np.array([[rng.choice(targets) for _ in range(64)] for targets in legal])
    lengths = rng.integers(1, 7, size=count).tolist()
    state = rng.integers(len(legal), size=count)
    steps = []
    for _ in range(6):
        left = np.where(rng.random(count) < 0.08, rng.integers(len(legal), size=count), state)
        state = choices[left, rng.integers(choices.shape[1], size=count)]
        state = np.where(rng.random(count) < 0.08, rng.integers(len(legal), size=count), state)
        steps.append(np.stack([left, state], axis=1).tolist())
    return [
        tuple((one, other) for one, other in moves[:length])
        for length, moves in zip(lengths, zip(*steps, strict=True), strict=True)
    ]
