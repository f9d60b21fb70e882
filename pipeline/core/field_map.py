"""The map of all fields that no column of their name holds as printed, and what does not hold in it."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pipeline.core.field_plan import FieldPlan
from pipeline.core.gather import MAP_TYPE
from pipeline.core.numbers import NumberShape, parse_numbers
from pipeline.core.places import Hit
from pipeline.core.texts import Rows, Texts


class FieldMap:
    """One filling. `wrong`: rows with a text that its pattern does not admit.

    `compounds`: by field the rows and their texts, dictionary-encoded.
    """

    def __init__(self, plan: FieldPlan, texts: Texts) -> None:
        self.plan, self.texts, self.count = plan, texts, len(texts)
        self.wrong: list[Rows] = []
        self.compounds: dict[str, tuple[Rows, pa.Array]] = {}

    def of(self, hits: Sequence[Hit]) -> pa.Array:
        """map<string, string>, null in rows without such fields."""
        sizes = np.zeros(self.count, np.int64)
        for hit in hits:
            sizes[hit.rows] = len(self.plan.in_map[hit.template])
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        total = int(offsets[-1])
        if not total:
            return pa.nulls(self.count, MAP_TYPE)
        rows, codes = np.empty(total, np.int64), np.empty(total, np.int32)
        start, end = np.empty(total, np.int64), np.empty(total, np.int64)
        for hit in hits:
            for entry, (place, name) in enumerate(self.plan.in_map[hit.template]):
                at = offsets[hit.rows] + entry
                rows[at], codes[at] = hit.rows, self.plan.codes[name]
                start[at], end[at] = hit.spans[place]
        values = self.texts.strings(start, end)
        self._check_map(rows, codes, start, end, values)
        return pa.MapArray.from_arrays(
            pa.array(offsets.astype(np.int32)),
            self.plan.key_texts.take(pa.array(codes)),
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
            name = self.plan.names[code]
            shape = self.plan.shapes[name]
            if shape is not None:
                by_shape.setdefault(shape, []).append(own)
                continue
            is_compound = name in self.plan.ways
            pattern = self.plan.kinds[name].pattern
            if not is_compound and self.plan.checker.is_free(pattern):
                continue
            some = values.take(pa.array(own))
            bad = self.plan.checker.check(pattern, some)
            if bad is not None:
                self.wrong.append(rows[own[bad]])
            if is_compound:
                self.compounds[name] = (rows[own], some.dictionary_encode())
        for common, parts in by_shape.items():
            own = np.concatenate(parts)
            _, good = parse_numbers(self.texts, start[own], end[own], common)
            self.wrong.append(rows[own[~good]])

    def check_again(self, hits: Sequence[Hit]) -> None:
        """Fields that a template names twice: the first place counts, the others must be well-formed."""
        for hit in hits:
            for place, name in self.plan.again[hit.template]:
                start, end = hit.spans[place]
                shape = self.plan.shapes[name]
                if shape is not None:
                    self.wrong.append(hit.rows[~parse_numbers(self.texts, start, end, shape)[1]])
                    continue
                bad = self.plan.checker.check(self.plan.kinds[name].pattern, self.texts.strings(start, end))
                if bad is not None:
                    self.wrong.append(hit.rows[bad])
