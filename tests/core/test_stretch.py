"""Stretches of a value: what each sighting leaves possible, processes that start, contradictions."""

from functools import reduce
from itertools import pairwise
from operator import and_

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.core.stretch import Stretch, ValueSighting, spans_of_sightings

VALUES = 6


def sightings(text: str) -> list[ValueSighting]:
    """'ab >b' is: at 1 a or b was seen, at 2 a process started that may have b only; ' ' is a step of time."""
    return [
        ValueSighting(
            at, sum(1 << ord(letter) - ord("a") for letter in word.strip(">")), word.startswith(">"), at
        )
        for at, word in enumerate(text.split(), 1)
    ]


def shown(found: list[Stretch]) -> str:
    """'1-2:ab' per stretch, with the first letter of its beginning and of its certainty."""
    letters = ["".join(chr(ord("a") + i) for i in range(VALUES) if one.allowed >> i & 1) for one in found]
    return " ".join(
        f"{one.first_at}-{one.last_at}:{some}:{one.begins[0]}{one.certainty[0]}"
        for one, some in zip(found, letters, strict=True)
    )


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ("abc bc", "1-2:bc:fi"),
        (">abc bc", "1-2:bc:sp"),
        (">abc >bc", "1-2:bc:si"),
        (">a >a", "1-2:a:sp"),
        (">a ab >b", "1-2:a:sp 3-3:b:sp"),
        # Nobody saw the start: what fits both sides belongs to neither.
        (">a ab b", "1-1:a:sp 3-3:b:ci"),
        ("abcdef", "1-1:abcdef:fi"),
        # A process that fits both neighbours stands alone with what is possible there.
        (">ab >bcd >d", "1-1:ab:sp 2-2:bd:si 3-3:d:sp"),
        # Down is possible with a start only.
        (">b >a", "1-1:b:sp 2-2:a:sp"),
        (">b a", "1-2:ab:su"),
        ("a b a b", "1-4:ab:fu"),
        ("a b c", "1-1:a:fi 2-2:b:ci 3-3:c:ci"),
        ("a b c a >c", "1-4:abc:fu 5-5:c:sp"),
    ],
)
def test_stretches(seen: str, expected: str) -> None:
    assert shown(spans_of_sightings(sightings(seen))) == expected


def test_what_contradicts_itself_at_one_moment_is_contradictory() -> None:
    found = spans_of_sightings([ValueSighting(1, 1), ValueSighting(1, 2)])
    assert [(one.allowed, one.certainty) for one in found] == [(3, "undetermined")]


def test_evidence_is_what_leaves_the_same_values() -> None:
    (one,) = spans_of_sightings(sightings(">abcd abc bcd abcdef bc"))
    assert [sighting.place for sighting in one.evidence] == [5]
    (apart,) = spans_of_sightings(sightings("a ab b a"))
    assert [sighting.place for sighting in apart.evidence] == [1, 3, 4]


Histories = st.lists(
    st.tuples(st.integers(0, VALUES - 1), st.lists(st.integers(0, 2**VALUES - 1), min_size=1, max_size=5)),
    min_size=1,
    max_size=6,
)


def history(processes: list[tuple[int, list[int]]], *, is_told: bool) -> list[ValueSighting]:
    """Sightings of processes with one true value each, all starts seen; `is_told`: the true value and no other."""
    found: list[ValueSighting] = []
    for value, others in processes:
        for number, more in enumerate(others):
            found.append(ValueSighting(len(found), 1 << value | (0 if is_told else more), number == 0))
    return found


@settings(derandomize=True, max_examples=300, deadline=None)
@given(Histories)
def test_told_values_are_given_back(processes: list[tuple[int, list[int]]]) -> None:
    seen = history(processes, is_told=True)
    values: list[int] = []
    for one in seen:
        if not values or values[-1] != one.allowed:
            values.append(one.allowed)
    found = spans_of_sightings(seen)
    assert [one.allowed for one in found] == values
    assert {one.certainty for one in found} == {"proved"}


@settings(derandomize=True, max_examples=300, deadline=None)
@given(Histories, st.integers(0, VALUES - 1))
def test_one_value_throughout_is_one_stretch(processes: list[tuple[int, list[int]]], value: int) -> None:
    seen = history([(value, others) for _, others in processes], is_told=False)
    (found,) = spans_of_sightings(seen)
    assert found.allowed == reduce(and_, (one.allowed for one in seen))
    assert reduce(and_, (one.allowed for one in found.evidence), -1) in (found.allowed, -1)


@settings(derandomize=True, max_examples=500, deadline=None)
@given(Histories, st.randoms())
def test_what_was_seen_fits_its_stretch(processes: list[tuple[int, list[int]]], order: object) -> None:
    """Any history: no overlap, nothing excluded that was seen, and the order of the input does not matter."""
    seen = history(processes, is_told=False)
    found = spans_of_sightings(seen)
    assert all(one.last_at < other.first_at for one, other in pairwise(found))
    for stretch in found:
        inside = [one for one in seen if stretch.first_at <= one.at <= stretch.last_at]
        assert inside
        assert all(one.allowed & stretch.allowed for one in inside)
    shuffled = list(seen)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert spans_of_sightings(shuffled) == found
