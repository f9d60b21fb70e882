"""Finds the fields of a template in many messages by counting blanks: the same answer as its pattern, sooner."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.core.template import FieldKind, Template
from pipeline.core.texts import PAD, Mask, Rows, Spans, Texts

# Pieces of a pattern: escape, class, repetition, group opening, any other character.
_PIECE = re.compile(r"(?s)\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\(\?(?:P<\w+>|[a-zA-Z]*:?)|.")
_SIGNS = frozenset("()|*+?^$")


def admits_character(pattern: str, character: str) -> bool:
    """Whether a text that matches may hold the character; true in doubt."""
    for piece in _PIECE.findall(pattern):
        if piece in _SIGNS or piece.startswith("(?") or (piece[0] == "{" and len(piece) > 1):
            continue
        if piece == "." or re.fullmatch(piece, character):
            return True
    return False


@dataclass(frozen=True)
class FieldPlace:
    """A field and the literal after it. `is_open`: its text may hold blanks."""

    name: str
    is_open: bool
    literal: bytes
    blank_at: int
    blanks: int


@dataclass(frozen=True)
class Hit:
    """`rows`: ascending numbers of messages that match a template; `spans`: one a place of the template."""

    template: int
    rows: Rows
    spans: Sequence[Spans]

    def without(self, done: Rows) -> "Hit":
        """The hit without some rows."""
        if not len(done):
            return self
        keep = ~np.isin(self.rows, done)
        if keep.all():
            return self
        return Hit(self.template, self.rows[keep], [(start[keep], end[keep]) for start, end in self.spans])


class Places:
    """Where the fields of one template stand. `is_exact`: a message that is not found does not match.

    What stands in a span is not looked at: it matches if and only if each span matches its field's pattern.
    """

    def __init__(self, template: Template, kinds: Mapping[str, FieldKind]) -> None:
        parts = template.parts
        self.head = parts[0].encode()
        self.places = [
            _place(name, literal, kinds) for name, literal in zip(parts[1::2], parts[2::2], strict=True)
        ]
        opens = [index for index, place in enumerate(self.places) if place.is_open]
        self.split = opens[-1] if opens else len(self.places)
        self.is_exact = len(opens) < 2 and not self._has_sign_after_dash(kinds)
        self.fixed_blanks = self.head.count(b" ") + sum(place.blanks for place in self.places)
        self.is_possible = (
            len(template.text.encode()) < PAD // 2
            and "\0" not in template.text
            and self._splits_tokens(kinds)
            and all(self.places[index].blank_at >= 0 for index in opens[:-1])
        )

    def _splits_tokens(self, kinds: Mapping[str, FieldKind]) -> bool:
        """Whether two fields of one token are told apart by the last place of what stands between them."""
        for place, following in zip(self.places, self.places[1:], strict=False):
            if place.blank_at >= 0:
                continue
            between = place.literal.decode()
            is_lazy = not place.is_open and kinds[place.name].pattern.endswith("?")
            if following.is_open or not between or is_lazy:
                return False
            if admits_character(kinds[following.name].pattern.removeprefix("-?"), between[-1]):
                return False
        return True

    def _has_sign_after_dash(self, kinds: Mapping[str, FieldKind]) -> bool:
        """Whether a minus may be taken for the end of the literal before the number."""
        return any(
            place.literal.endswith(b"-") and kinds[following.name].pattern.startswith("-?")
            for place, following in zip(self.places, self.places[1:], strict=False)
        )

    def find(self, template: int, texts: Texts, rows: Rows) -> Hit:
        """Of the rows those that match as far as literals and blanks go."""
        blanks = texts.past_blanks[rows] - texts.first_blank[rows]
        fits = blanks == self.fixed_blanks if self._is_closed else blanks >= self.fixed_blanks
        rows = rows[fits]
        if not len(rows):
            return Hit(template, rows, [])
        walk = _Walk(texts, rows)
        left = walk.forward(self.head, self.places[: self.split], is_whole=self._is_closed)
        if self._is_closed:
            spans = left
        else:
            after = walk.position
            right = walk.backward(self.places[self.split :])
            walk.good &= after <= walk.position
            spans = [*left, (after, walk.position), *right]
        if walk.good.all():
            return Hit(template, rows, spans)
        good = walk.good
        return Hit(template, rows[good], [(start[good], end[good]) for start, end in spans])

    @property
    def _is_closed(self) -> bool:
        return self.split == len(self.places)


def _place(name: str, literal: str, kinds: Mapping[str, FieldKind]) -> FieldPlace:
    text = literal.encode()
    return FieldPlace(
        name, admits_character(kinds[name].pattern, " "), text, text.find(b" "), text.count(b" ")
    )


class _Walk:
    """Cursor over the messages of `rows`: `position` in each, `blank` the number of the next (last) blank."""

    def __init__(self, texts: Texts, rows: Rows) -> None:
        self.texts = texts
        self.start = texts.start[rows]
        self.end = texts.end[rows]
        self.first = texts.first_blank[rows]
        self.past = texts.past_blanks[rows]
        self.good: Mask = np.ones(len(rows), np.bool_)
        self.position: Rows = self.start
        self.blank: Rows = self.first

    def forward(self, head: bytes, places: Sequence[FieldPlace], *, is_whole: bool) -> list[Spans]:
        """Spans of the places from the start on; to the very end where `is_whole`."""
        self.good &= self.texts.holds(self.start, head)
        self.position = self.start + len(head)
        self.blank = self.first + head.count(b" ")
        spans: list[Spans] = []
        index = 0
        while index < len(places):
            if places[index].is_open:
                spans.append(self._search(places[index]))
                index += 1
                continue
            last = index
            while places[last].blank_at < 0 and last + 1 < len(places):
                last += 1
            spans += self._token(places[index : last + 1])
            index = last + 1
        if is_whole:
            self.good &= self.position == self.end
        return spans

    def _token(self, places: Sequence[FieldPlace]) -> list[Spans]:
        """Spans of neighbouring fields without a blank between them, and past what follows the last."""
        last = places[-1]
        stop = self._next_blank() - last.blank_at if last.blank_at >= 0 else self.end - len(last.literal)
        self.good &= self.texts.holds(stop, last.literal)
        following = stop + len(last.literal)
        spans: list[Spans] = []
        for place in reversed(places[:-1]):
            start = self._after_last(place.literal, stop)
            spans.append((start, stop))
            stop = start - len(place.literal)
        spans.append((self.position, stop))
        self.good &= stop >= self.position
        self.position = following
        self.blank = self.blank + last.blanks
        return spans[::-1]

    def _after_last(self, between: bytes, stop: Rows) -> Rows:
        start = self.texts.last_before(between[-1], stop) + 1
        self.good &= start - len(between) >= self.position
        self.good &= self.texts.holds(start - len(between), between)
        return start

    def _next_blank(self) -> Rows:
        self.good &= self.blank < self.past
        return self.texts.blanks[np.minimum(self.blank, self.past)]

    def _search(self, place: FieldPlace) -> Spans:
        """The span up to the first place of the literal, tried blank by blank."""
        begin = self.position
        stop = begin.copy()
        found = self.blank.copy()
        is_found: Mask = np.zeros(len(begin), np.bool_)
        open_rows = np.flatnonzero(self.good)
        number = self.blank[open_rows]
        while len(open_rows):
            inside = number < self.past[open_rows]
            open_rows, number = open_rows[inside], number[inside]
            at = self.texts.blanks[number] - place.blank_at
            holds = self.texts.holds(at, place.literal) & (at >= begin[open_rows])
            stop[open_rows[holds]] = at[holds]
            found[open_rows[holds]] = number[holds]
            is_found[open_rows[holds]] = True
            open_rows, number = open_rows[~holds], number[~holds] + 1
        self.good &= is_found
        self.position = stop + len(place.literal)
        self.blank = found + place.blanks
        return begin, stop

    def backward(self, places: Sequence[FieldPlace]) -> list[Spans]:
        """Spans of all places but the first, from the end on; leaves the end of the first as position."""
        self.good &= self.past - self.blank >= sum(place.blanks for place in places)
        stop, number = self.end, self.past
        spans: list[Spans] = []
        literal = places[-1].literal
        for before in places[-2::-1]:
            stop = stop - len(literal)
            self.good &= self.texts.holds(stop, literal)
            number = number - literal.count(b" ")
            literal = before.literal
            if before.blank_at < 0:
                start = self.texts.last_before(literal[-1], stop) + 1
            else:
                start = self.texts.blanks[np.maximum(number - 1, 0)] + len(literal) - literal.rfind(b" ")
            self.good &= start <= stop
            spans.append((start, stop))
            stop = start
        stop = stop - len(literal)
        self.good &= self.texts.holds(stop, literal)
        self.position = stop
        return spans[::-1]
