"""Nodes that log in another time zone than the others."""

from datetime import timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.model.terms.other_zones import STEP, other_zones
from tests.frames import EPOCH

NODES = (1, 2, 3)
# The controller of an epoch, and when it is elected, in seconds.
ELECTED = {4: 0, 5: 40, 6: 95, 7: 700, 8: 2000}


def said(ahead: dict[int, float], *, unheard: frozenset[tuple[int, int]] = frozenset()) -> pl.DataFrame:
    """What nodes say of the epochs but those that they did not hear of (node, epoch), their clocks ahead by seconds."""
    rows = [
        ("c", node, epoch, EPOCH + timedelta(seconds=at + ahead.get(node, 0)))
        for node in NODES
        for epoch, at in ELECTED.items()
        if (node, epoch) not in unheard
    ]
    return pl.DataFrame(rows, ["cluster_id", "node_id", "controller_epoch", "first_at"], orient="row").cast(
        {"node_id": pl.Int32, "controller_epoch": pl.Int32}
    )


@settings(derandomize=True, max_examples=50, deadline=None)
@given(
    node=st.sampled_from(NODES),
    steps=st.integers(-103, 103),
    clocks=st.tuples(*[st.floats(-4, 4)] * 3),
    unheard=st.frozensets(st.tuples(st.sampled_from(NODES), st.sampled_from([4, 6, 8])), max_size=4),
)
def test_one_node_is_found_by_what_it_hears_with_the_others(
    node: int, steps: int, clocks: tuple[float, ...], unheard: frozenset[tuple[int, int]]
) -> None:
    """Clocks may be seconds apart, and nodes may not have heard of some epochs."""
    ahead = dict(zip(NODES, clocks, strict=True))
    ahead[node] += steps * STEP.total_seconds()
    found = other_zones(said(ahead, unheard=unheard)).select("node_id", "ahead", "others").rows()
    others = [one for one in NODES if one != node]
    assert found == ([(node, steps * STEP, others)] if steps else [])


CASES = {
    "no other clock": ({}, frozenset(), []),
    "a clock that is off, and no zone": ({3: 400.0}, frozenset(), []),
    "another day": ({3: 12 * 86_400.0}, frozenset(), []),
    "one epoch alone": ({3: 3600.0}, frozenset((3, one) for one in (5, 6, 7, 8)), []),
    "an epoch of the same time": ({3: 0.0}, frozenset((3, one) for one in (5, 6, 7, 8)), []),
    "all differ": ({2: 3600.0, 3: 7200.0}, frozenset(), [2, 3]),
}


@pytest.mark.parametrize("case", CASES)
def test_so_many_epochs_have_to_say_so(case: str) -> None:
    ahead, unheard, nodes = CASES[case]
    assert other_zones(said(ahead, unheard=unheard))["node_id"].to_list() == nodes


def test_none_where_there_is_no_line() -> None:
    assert other_zones(said({}).clear()).is_empty()
