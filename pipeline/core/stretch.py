"""Stretches of time in which a value that seldom changes held, from sightings that each leave some values possible."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, groupby, zip_longest
from operator import and_, or_
from typing import Any

PROVED, INFERRED, UNDETERMINED = "proved", "inferred", "undetermined"


@dataclass(frozen=True)
class ValueSighting:
    """At `at` (any integer clock) the value was one of `allowed`, a set of bits, the later value the higher bit.

    `is_start`: a new process begins with it; the value changes with a process only. `place`: what proves it.
    """

    at: int
    allowed: int
    is_start: bool = False
    place: Any = None


@dataclass(frozen=True)
class Stretch:
    """From `first_at` to `last_at`, both included, the value was one of `allowed`.

    `begins`: first (of all sightings), start (of a process), or change: other values, and no start seen between.
    `is_contradictory`: values came back that had been left; `allowed` are then all of them.
    `parts`: `allowed` of each process in it. `evidence`: sightings that alone leave the same values.
    """

    first_at: int
    last_at: int
    allowed: int
    begins: str
    is_contradictory: bool
    parts: tuple[int, ...]
    evidence: tuple[ValueSighting, ...]

    @property
    def certainty(self) -> str:
        """proved: all starts in it are seen, and each process says so by itself."""
        if self.is_contradictory:
            return UNDETERMINED
        is_said = self.begins == "start" and all(part == self.allowed for part in self.parts)
        return PROVED if is_said else INFERRED


@dataclass
class _Piece:
    """Sightings of one process, in order of time, that do not contradict one another, or that do and say so."""

    sightings: list[ValueSighting]
    allowed: int
    begins: str
    is_contradictory: bool = False

    @property
    def first_at(self) -> int:
        return self.sightings[0].at

    @property
    def last_at(self) -> int:
        return self.sightings[-1].at


@dataclass
class _Group:
    """Neighbouring pieces that are taken to have one value."""

    pieces: list[_Piece]
    allowed: int

    @property
    def is_contradictory(self) -> bool:
        return self.pieces[0].is_contradictory


def spans_of_sightings(sightings: Iterable[ValueSighting]) -> list[Stretch]:
    """The stretches in order of time; they do not overlap.

    Within a process every sighting narrows the value; a contradiction there is a change whose start was not seen,
    if the value can have grown, else both sides are one contradictory stretch. Neighbouring processes whose values
    can be the same are taken to have the same. A process that fits both of two neighbours that do not fit one
    another stands alone, with what is possible on either side.
    """
    ordered = sorted(sightings, key=lambda one: (one.at, not one.is_start))
    groups: list[_Group] = []
    for process in _processes(ordered):
        for piece in _pieces(process):
            if groups and piece.begins == "start" and _fits(groups[-1], piece):
                groups[-1].pieces.append(piece)
                groups[-1].allowed &= piece.allowed
            else:
                groups.append(_Group([piece], piece.allowed))
    return [_stretch(group) for group in _settled(groups)]


def _processes(ordered: Sequence[ValueSighting]) -> list[list[ValueSighting]]:
    numbers = accumulate(int(one.is_start) for one in ordered)
    keyed = zip(numbers, ordered, strict=True)
    return [[one for _, one in group] for _, group in groupby(keyed, key=lambda pair: pair[0])]


def _pieces(process: Sequence[ValueSighting]) -> list[_Piece]:
    """Maximal stretches without contradiction; those that lead back are joined."""
    found: list[_Piece] = []
    for one in process:
        if found and found[-1].allowed & one.allowed:
            found[-1].sightings.append(one)
            found[-1].allowed &= one.allowed
        else:
            begins = "change" if found else ("start" if one.is_start else "first")
            found.append(_Piece([one], one.allowed, begins))
    result: list[_Piece] = []
    for piece, following in zip_longest(found, found[1:]):
        if following is not None:
            _drop_tail(piece, following.allowed)
        _push(result, piece)
    return result


def _drop_tail(piece: _Piece, following: int) -> None:
    """Leaves out what may already belong to what follows."""
    while piece.sightings[-1].allowed & following and len(piece.sightings) > 1:
        piece.sightings.pop()
    piece.allowed = reduce(and_, (one.allowed for one in piece.sightings))


def _push(pieces: list[_Piece], piece: _Piece) -> None:
    """Appends it, joined with those before it as long as the value cannot simply have grown between them."""
    while pieces and not _is_growth(pieces[-1], piece):
        before = pieces.pop()
        before.sightings.extend(piece.sightings)
        piece = _Piece(before.sightings, before.allowed | piece.allowed, before.begins, True)
    pieces.append(piece)


def _is_growth(before: _Piece, after: _Piece) -> bool:
    """Whether one value grew: from the least that it can have been, from all of them where they contradict."""
    least = before.allowed if before.is_contradictory else _lowest(before.allowed)
    most = _lowest(after.allowed) if after.is_contradictory else after.allowed
    is_apart = before.last_at < after.first_at and not before.allowed & after.allowed
    return is_apart and most.bit_length() > least.bit_length()


def _lowest(allowed: int) -> int:
    return allowed & -allowed


def _fits(group: _Group, piece: _Piece) -> bool:
    is_plain = not (piece.is_contradictory or group.is_contradictory)
    return is_plain and bool(group.allowed & piece.allowed)


def _settled(groups: Sequence[_Group]) -> list[_Group]:
    """Trailing pieces that fit the next group as well stand alone, with what is possible on either side."""
    result: list[_Group] = []
    for group in reversed(groups):
        following = result[-1] if result else None
        rest: list[_Piece] = []
        if following is not None and following.pieces[0].begins == "start" and not following.is_contradictory:
            while len(group.pieces) > 1 and group.pieces[-1].allowed & following.allowed:
                rest.append(group.pieces.pop())
        if rest and following is not None:
            group.allowed = reduce(and_, (one.allowed for one in group.pieces))
            either = reduce(or_, (one.allowed for one in rest)) & (group.allowed | following.allowed)
            result.append(_Group(rest[::-1], either))
        result.append(group)
    return result[::-1]


def _stretch(group: _Group) -> Stretch:
    sightings = [one for piece in group.pieces for one in piece.sightings]
    return Stretch(
        group.pieces[0].first_at,
        group.pieces[-1].last_at,
        group.allowed,
        group.pieces[0].begins,
        group.is_contradictory,
        tuple(piece.allowed for piece in group.pieces),
        _opposed(sightings) if group.is_contradictory else _enough(sightings, group.allowed),
    )


def _enough(sightings: Sequence[ValueSighting], allowed: int) -> tuple[ValueSighting, ...]:
    """The narrowest sightings, one after another, until they leave no more than `allowed`."""
    narrow = sorted({one.allowed: one for one in reversed(sightings)}.values(), key=_width)
    chosen: list[ValueSighting] = []
    left = -1
    for one in narrow:
        if left & ~allowed == 0:
            break
        if left & one.allowed != left:
            chosen.append(one)
            left &= one.allowed
    return tuple(sorted(chosen, key=lambda one: one.at))


def _opposed(sightings: Sequence[ValueSighting]) -> tuple[ValueSighting, ...]:
    """Sightings of which one excludes those around it; two that exclude one another if there are no three."""
    first = {one.allowed: one for one in reversed(sightings)}
    last = {one.allowed: one for one in sightings}
    pairs = [(a, b) for a in first for b in first if not a & b]
    for around, between in pairs:
        for middle in (first[between], last[between]):
            if first[around].at < middle.at < last[around].at:
                return first[around], middle, last[around]
    return tuple(sorted((first[one] for one in pairs[0]), key=lambda one: one.at)) if pairs else ()


def _width(one: ValueSighting) -> tuple[int, int]:
    return one.allowed.bit_count(), one.at
