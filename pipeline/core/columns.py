"""Turns the spans of fields into typed columns and a map of all others, and says which do not hold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.gather import MAP_TYPE, Piece, gather_column
from pipeline.core.numbers import NumberShape, number_shape, numbers
from pipeline.core.places import Hit
from pipeline.core.template import Compound, FieldKind, Template
from pipeline.core.texts import Rows, Spans, Texts
from pipeline.core.values import INT32_MAX, INT32_MIN, typed
from pipeline.core.wellformed import Checker


@dataclass(frozen=True)
class Matches:
    """One place a message. `template`: number in `Matcher.templates`, or one of the three negatives.

    `columns`: the typed columns, null where the message does not say; `fields`: map<string, string> of all
    other fields in the order of the template, null where there are none.
    """

    template: npt.NDArray[np.int64]
    columns: dict[str, pa.Array]
    fields: pa.Array


@dataclass(frozen=True)
class Filled:
    """`wrong`: rows where a field's text is not what its pattern admits, or too big a number."""

    columns: dict[str, pa.Array]
    fields: pa.Array
    wrong: Rows


@dataclass(frozen=True)
class _Stretch:
    """Texts of one field in messages of one template."""

    rows: Rows
    span: Spans


class Columns:
    """Which field goes where; made once, filled once a batch."""

    def __init__(
        self,
        templates: Sequence[Template],
        kinds: Mapping[str, FieldKind],
        compounds: Sequence[Compound],
        column_types: Mapping[str, pa.DataType],
    ) -> None:
        self.types = dict(column_types)
        self._kinds = dict(kinds)
        self._templates = tuple(templates)
        self._checker = Checker()
        self._shapes = {name: number_shape(kind.pattern) for name, kind in kinds.items()}
        self._names = list(kinds)
        self._codes = {name: code for code, name in enumerate(kinds)}
        self._key_texts = pa.array(self._names, pa.string())
        self._ways: dict[str, dict[str, list[Compound]]] = {}
        for way in compounds:
            self._ways.setdefault(way.field, {}).setdefault(way.column, []).append(way)
        self._in_map = [
            [(place, name) for place, name in t.places if not kinds[name].column] for t in self._templates
        ]

        self._again = [
            [(place, name) for place, name in enumerate(t.parts[1::2]) if (place, name) not in t.places]
            for t in self._templates
        ]

    def fill(self, texts: Texts, hits: Sequence[Hit]) -> Filled:
        """Columns of one place a message from disjoint hits."""
        work = _Fill(self, texts)
        fields = work.map_of(hits)
        columns = work.columns_of(hits)
        work.check_again(hits)
        wrong = np.unique(np.concatenate(work.wrong)) if work.wrong else np.zeros(0, np.int64)
        return Filled(columns, fields, wrong)


class _Fill:
    """One filling: values by column as they are found."""

    def __init__(self, columns: Columns, texts: Texts) -> None:
        self.own = columns
        self.texts = texts
        self.count = len(texts)
        self.wrong: list[Rows] = []
        self.numbers: dict[str, tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]] = {}
        self.pieces: dict[str, list[Piece]] = {}
        self.compounds: dict[str, tuple[Rows, pa.Array]] = {}  # rows and their texts, dictionary-encoded

    # The map of all fields without a column.

    def map_of(self, hits: Sequence[Hit]) -> pa.Array:
        sizes = np.zeros(self.count, np.int64)
        for hit in hits:
            sizes[hit.rows] = len(self.own._in_map[hit.template])
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        total = int(offsets[-1])
        if not total:
            return pa.nulls(self.count, MAP_TYPE)
        rows, codes = np.empty(total, np.int64), np.empty(total, np.int32)
        start, end = np.empty(total, np.int64), np.empty(total, np.int64)
        for hit in hits:
            for entry, (place, name) in enumerate(self.own._in_map[hit.template]):
                at = offsets[hit.rows] + entry
                rows[at], codes[at] = hit.rows, self.own._codes[name]
                start[at], end[at] = hit.spans[place]
        values = self.texts.strings(start, end)
        self._check_map(rows, codes, start, end, values)
        return pa.MapArray.from_arrays(
            pa.array(offsets.astype(np.int32)),
            self.own._key_texts.take(pa.array(codes)),
            values,
            type=MAP_TYPE,
            mask=pa.array(sizes == 0),
        )

    def _check_map(
        self, rows: Rows, codes: npt.NDArray[np.int32], start: Rows, end: Rows, values: pa.Array
    ) -> None:
        """Numbers all at once a shape, other texts a field; keeps the texts of compounds."""
        by_shape: dict[NumberShape, list[Rows]] = {}
        order = np.argsort(codes, kind="stable")
        present, first = np.unique(codes[order], return_index=True)
        for code, own in zip(present.tolist(), np.split(order, first[1:]), strict=True):
            name = self.own._names[code]
            shape = self.own._shapes[name]
            if shape is not None:
                by_shape.setdefault(shape, []).append(own)
                continue
            is_compound = name in self.own._ways
            pattern = self.own._kinds[name].pattern
            if not is_compound and self.own._checker.is_free(pattern):
                continue
            some = values.take(pa.array(own))
            bad = self.own._checker.check(pattern, some)
            if bad is not None:
                self.wrong.append(rows[own[bad]])
            if is_compound:
                self.compounds[name] = (rows[own], some.dictionary_encode())
        for common, parts in by_shape.items():
            own = np.concatenate(parts)
            _, good = numbers(self.texts, start[own], end[own], common)
            self.wrong.append(rows[own[~good]])

    def check_again(self, hits: Sequence[Hit]) -> None:
        """Fields that a template names twice: the first place counts, the others must be well-formed."""
        for hit in hits:
            for place, name in self.own._again[hit.template]:
                start, end = hit.spans[place]
                shape = self.own._shapes[name]
                if shape is not None:
                    self.wrong.append(hit.rows[~numbers(self.texts, start, end, shape)[1]])
                    continue
                bad = self.own._checker.check(self.own._kinds[name].pattern, self.texts.strings(start, end))
                if bad is not None:
                    self.wrong.append(hit.rows[bad])

    # The typed columns.

    def columns_of(self, hits: Sequence[Hit]) -> dict[str, pa.Array]:
        by_column: dict[str, dict[str, list[_Stretch]]] = {}
        for hit in hits:
            for place, name in self.own._templates[hit.template].places:
                column = self.own._kinds[name].column
                if column:
                    stretch = _Stretch(hit.rows, hit.spans[place])
                    by_column.setdefault(column, {}).setdefault(name, []).append(stretch)
        stated = {column: self._stated(fields.values()) for column, fields in by_column.items()}
        for column, fields in by_column.items():
            self._state(column, fields)
        for name, (rows, coded) in self.compounds.items():
            codes = coded.indices.to_numpy()
            for column, ways in self.own._ways[name].items():
                free = ~stated[column][rows] if column in stated else np.ones(len(rows), np.bool_)
                if free.any():
                    values, _ = typed(_pulled(coded.dictionary, ways), self.own.types[column])
                    self._put(column, rows[free], values, codes[free])
        self._say(hits)
        return {column: self._column(column, kind) for column, kind in self.own.types.items()}

    def _stated(self, fields: Iterable[Sequence[_Stretch]]) -> npt.NDArray[np.bool_]:
        result = np.zeros(self.count, np.bool_)
        for stretches in fields:
            for stretch in stretches:
                result[stretch.rows] = True
        return result

    def _state(self, column: str, fields: Mapping[str, Sequence[_Stretch]]) -> None:
        """What fields say about the column; a field with numbers goes without making texts."""
        kind = self.own.types[column]
        for name, stretches in fields.items():
            shape = self.own._shapes[name]
            if shape is None or not pa.types.is_int32(kind):
                self._state_texts(column, name, stretches)
                continue
            rows = np.concatenate([s.rows for s in stretches])
            start = np.concatenate([s.span[0] for s in stretches])
            end = np.concatenate([s.span[1] for s in stretches])
            value, good = numbers(self.texts, start, end, shape)
            good &= (value >= INT32_MIN) & (value <= INT32_MAX)
            if not good.all():
                self.wrong.append(rows[~good])
            self._put_numbers(column, rows, value, good)

    def _state_texts(self, column: str, name: str, stretches: Sequence[_Stretch]) -> None:
        start, end = np.full(self.count, -1, np.int64), np.zeros(self.count, np.int64)
        for stretch in stretches:
            start[stretch.rows], end[stretch.rows] = stretch.span
        rows = np.flatnonzero(start >= 0)
        text = self.texts.strings(start[rows], end[rows])
        bad = self.own._checker.check(self.own._kinds[name].pattern, text)
        if bad is not None:
            self.wrong.append(rows[bad])
        values, too_big = typed(text, self.own.types[column])
        if too_big.any():
            self.wrong.append(rows[too_big])
        self.pieces.setdefault(column, []).append(Piece(rows, values))

    def _put(self, column: str, rows: Rows, values: pa.Array, codes: npt.NDArray[np.int32]) -> None:
        """Per row the value of that number in `values`."""
        if pa.types.is_int32(values.type):
            value = pc.fill_null(values, 0).to_numpy().astype(np.int64)
            self._put_numbers(
                column, rows, value[codes], values.is_valid().to_numpy(zero_copy_only=False)[codes]
            )
        else:
            self.pieces.setdefault(column, []).append(Piece(rows, values.take(pa.array(codes))))

    def _put_numbers(self, column: str, rows: Rows, value: Rows, good: npt.NDArray[np.bool_]) -> None:
        if column not in self.numbers:
            self.numbers[column] = (np.zeros(self.count, np.int32), np.ones(self.count, np.bool_))
        values, missing = self.numbers[column]
        values[rows] = np.where(good, value, 0)
        missing[rows] = ~good

    def _say(self, hits: Sequence[Hit]) -> None:
        """What a template says by its literal text alone."""
        for hit in hits:
            for column, text in self.own._templates[hit.template].says:
                value = pa.repeat(pa.scalar(text), len(hit.rows))
                self.pieces.setdefault(column, []).append(Piece(hit.rows, value))

    def _column(self, column: str, kind: pa.DataType) -> pa.Array:
        if column in self.numbers:
            values, missing = self.numbers[column]
            return pa.array(values, pa.int32(), mask=missing)
        return gather_column(self.pieces.get(column, []), self.count, kind)


def _pulled(texts: pa.Array, ways: Sequence[Compound]) -> pa.Array:
    """The value of the first way that matches, null where none does."""
    values = pa.nulls(len(texts), pa.string())
    for way in ways:
        caught = pc.extract_regex(texts, way.pattern)
        value = pc.if_else(caught.is_valid(), caught.field("value"), pa.scalar(None, pa.string()))
        if way.drop:
            value = pc.replace_substring_regex(value, way.drop, "")
        values = pc.coalesce(values, value)
    return values
