"""A machine is checked when made; its mask and closures say the same as its matrix."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from pipeline.core.machine import Machine, legality_matrix, matrix_of, transitive_closure

STATES = ("off", "warm", "on")
PAIRS = (("off", "warm"), ("warm", "on"), ("on", "on"), ("on", "off"))


def machine(**changes: Any) -> Machine:
    made: dict[str, Any] = {
        "name": "lamp",
        "states": STATES,
        "matrix": matrix_of(STATES, PAIRS),
        "startup_states": ("off",),
        "since": "1.0",
        "until": "1.9",
        "source": "the manual",
    }
    return Machine(**(made | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"matrix": np.zeros((3, 2), dtype=bool)}, r"expected a matrix of \(3, 3\), found \(3, 2\)"),
        ({"matrix": np.zeros((3, 3), dtype=int)}, "expected a matrix of bool, found int64"),
        ({"states": ("off", "on", "on")}, r"named once each, found \['on'\] twice"),
        ({"startup_states": ("broken",)}, r"expected start-up states out of .*, found \['broken'\]"),
        ({"startup_states": ()}, r"reached from one, found \['off', 'warm', 'on'\]"),
        ({"matrix": matrix_of(STATES, PAIRS[2:])}, r"reached from one, found \['warm', 'on'\]"),
    ],
)
def test_machine_that_cannot_be_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        machine(**changes)


def test_pairs_are_known_and_given_once() -> None:
    with pytest.raises(ValueError, match=r"found \['broken'\]"):
        matrix_of(STATES, [("off", "broken")])
    with pytest.raises(ValueError, match="found off to warm twice"):
        matrix_of(STATES, [("off", "warm"), ("off", "warm")])


def test_matrix_cannot_be_changed_afterwards() -> None:
    given = matrix_of(STATES, PAIRS)
    made = machine(matrix=given)
    given[0, 0] = True
    assert not made.matrix[0, 0]
    with pytest.raises(ValueError, match="read-only"):
        made.matrix[0, 0] = True


def test_mask_holds_every_pair() -> None:
    made = machine()
    for (i, from_state), (j, to_state) in product(enumerate(STATES), repeat=2):
        is_legal = (from_state, to_state) in PAIRS
        assert bool((made.mask >> (i * 3 + j)) & 1) == is_legal == made.allows(from_state, to_state)


def test_mask_of_more_than_63_pairs_is_refused() -> None:
    states = tuple("abcdefgh")
    made = machine(states=states, matrix=np.ones((8, 8), dtype=bool), startup_states=("a",))
    with pytest.raises(ValueError, match="expected 63 pairs or less, found 64"):
        _ = made.mask


def test_reach_takes_hidden_legal_moves_only() -> None:
    hidden = np.zeros((3, 3), dtype=bool)
    hidden[:, [1, 2]] = True  # into warm and on; "off" to "on" is hidden but not legal by itself
    reached = machine().reach(hidden)
    assert reached.astype(int).tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    with pytest.raises(ValueError, match=r"expected a matrix of \(3, 3\), found \(2, 2\)"):
        machine().reach(np.ones((2, 2), dtype=bool))


def test_closure_walks_a_chain_of_any_length() -> None:
    for n in range(1, 12):
        chain = np.eye(n, k=1, dtype=bool)
        assert np.array_equal(transitive_closure(chain), np.triu(np.ones((n, n), dtype=bool)))


def test_legality_is_undetermined_where_candidates_differ() -> None:
    other = machine(matrix=matrix_of(STATES, [*PAIRS, ("warm", "off")]))
    assert legality_matrix([machine(), other]).tolist() == [[0, 1, 0], [-1, 0, 1], [1, 0, 1]]
    assert legality_matrix([other]).tolist() == [[0, 1, 0], [1, 0, 1], [1, 0, 1]]
    with pytest.raises(ValueError, match="expected machines of the same states"):
        legality_matrix([])
