"""Steps run when those that they wait for are through."""

import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.steps import Step, in_order


@given(st.lists(st.sets(st.integers(0, 19), max_size=4), max_size=20), st.integers(1, 5))
def test_none_begins_before_what_it_waits_for(waits: list[set[int]], at_once: int) -> None:
    ended: list[str] = []

    def act(number: int) -> Callable[[], None]:
        def run() -> None:
            assert {str(one) for one in waits[number] if one < number} <= set(ended)
            ended.append(str(number))

        return run

    steps = [
        Step(str(number), act(number), frozenset(str(one) for one in before if one < number) | {"elsewhere"})
        for number, before in enumerate(waits)
    ]
    in_order(steps[::-1], at_once)
    assert sorted(ended, key=int) == [str(number) for number in range(len(waits))]


def test_as_many_as_asked_for_run_beside_one_another() -> None:
    both = threading.Barrier(2, timeout=10)

    def meet() -> None:
        both.wait()

    in_order([Step("one", meet), Step("other", meet)], 2)


def test_after_a_failure_none_begins() -> None:
    begun: list[str] = []

    def fail() -> None:
        raise KeyError("fault")

    with pytest.raises(KeyError, match="fault"):
        in_order(
            [Step("first", fail), Step("second", lambda: begun.append("second"), frozenset({"first"}))], 2
        )
    assert not begun


def test_a_circle_is_told() -> None:
    circle = [Step("one", print, frozenset({"other"})), Step("other", print, frozenset({"one"}))]
    with pytest.raises(ValueError, match="wait for one another: one, other"):
        in_order(circle, 2)
