"""Turns the spans of fields into typed columns and a map of all others, and says which do not hold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.field_map import FieldMap
from pipeline.core.field_plan import FieldPlan
from pipeline.core.gather import Piece, gather_column
from pipeline.core.numbers import parse_numbers
from pipeline.core.places import Hit
from pipeline.core.template import Compound
from pipeline.core.texts import Rows, Spans, Texts
from pipeline.core.values import INT32_MAX, INT32_MIN, parse_values


@dataclass(frozen=True)
class Matches:
    """One place a message. `template`: number in `Matcher.templates`, or one of the three negatives.

    `columns`: the typed columns, null where the message does not say; `fields`: map<string, string> of
    the fields that no column of their name holds as printed, in the order of the template, null where there are none.
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


def fill_columns(plan: FieldPlan, texts: Texts, hits: Sequence[Hit]) -> Filled:
    """Columns of one place a message from disjoint hits."""
    fields = FieldMap(plan, texts)
    values = fields.of(hits)
    fields.check_again(hits)
    columns = _Columns(plan, texts)
    found = columns.of(hits, fields.compounds)
    wrong = [*fields.wrong, *columns.wrong]
    return Filled(found, values, np.unique(np.concatenate(wrong)) if wrong else np.zeros(0, np.int64))


class _Columns:
    """One filling: values by column as they are found."""

    def __init__(self, plan: FieldPlan, texts: Texts) -> None:
        self.plan, self.texts, self.count = plan, texts, len(texts)
        self.wrong: list[Rows] = []
        self.numbers: dict[str, tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]] = {}
        self.pieces: dict[str, list[Piece]] = {}

    def of(self, hits: Sequence[Hit], compounds: Mapping[str, tuple[Rows, pa.Array]]) -> dict[str, pa.Array]:
        by_column: dict[str, dict[str, list[_Stretch]]] = {}
        for hit in hits:
            for place, name in self.plan.templates[hit.template].places:
                column = self.plan.kinds[name].column
                if column:
                    stretch = _Stretch(hit.rows, hit.spans[place])
                    by_column.setdefault(column, {}).setdefault(name, []).append(stretch)
        stated = {column: self._stated(fields.values()) for column, fields in by_column.items()}
        for column, fields in by_column.items():
            self._state(column, fields)
        for name, (rows, coded) in compounds.items():
            codes = coded.indices.to_numpy()
            for column, ways in self.plan.ways[name].items():
                free = ~stated[column][rows] if column in stated else np.ones(len(rows), np.bool_)
                if free.any():
                    values, _ = parse_values(_pulled(coded.dictionary, ways), self.plan.types[column])
                    self._put(column, rows[free], values, codes[free])
        self._say(hits)
        return {column: self._column(column, kind) for column, kind in self.plan.types.items()}

    def _stated(self, fields: Iterable[Sequence[_Stretch]]) -> npt.NDArray[np.bool_]:
        result = np.zeros(self.count, np.bool_)
        for stretches in fields:
            for stretch in stretches:
                result[stretch.rows] = True
        return result

    def _state(self, column: str, fields: Mapping[str, Sequence[_Stretch]]) -> None:
        """What fields say about the column; a field with numbers goes without making texts."""
        kind = self.plan.types[column]
        for name, stretches in fields.items():
            shape = self.plan.shapes[name]
            if shape is None or not pa.types.is_int32(kind):
                self._state_texts(column, name, stretches)
                continue
            rows = np.concatenate([s.rows for s in stretches])
            start = np.concatenate([s.span[0] for s in stretches])
            end = np.concatenate([s.span[1] for s in stretches])
            value, good = parse_numbers(self.texts, start, end, shape)
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
        bad = self.plan.checker.check(self.plan.kinds[name].pattern, text)
        if bad is not None:
            self.wrong.append(rows[bad])
            text = pc.if_else(pa.array(bad), pa.scalar(None, pa.string()), text)
        values, too_big = parse_values(text, self.plan.types[column])
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
            for name, text in self.plan.templates[hit.template].says:
                value = pa.repeat(pa.scalar(text), len(hit.rows))
                self.pieces.setdefault(self.plan.kinds[name].column, []).append(Piece(hit.rows, value))

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
