"""Matches messages against templates, all at once: which one each is an instance of, and its fields."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.dispatch import Heads, Node, Rows, heads, route, template_head, tree
from pipeline.core.gather import Piece, gather_column, gather_map
from pipeline.core.template import Compound, FieldKind, Template, checked
from pipeline.core.values import typed

NO_TEMPLATE = -1
SEVERAL_TEMPLATES = -2
UNKNOWN_SOURCE = -3

SHORTEST_NEEDLE = 3


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
class _Hit:
    template: int
    rows: Rows
    texts: dict[str, pa.Array]


class Matcher:
    """Compiled templates; compiling is done once a process, matching once a batch."""

    def __init__(
        self,
        templates: Sequence[Template],
        kinds: Mapping[str, FieldKind],
        compounds: Sequence[Compound],
        column_types: Mapping[str, pa.DataType],
    ) -> None:
        checked(templates, kinds)
        self.templates = tuple(templates)
        self.kinds = dict(kinds)
        self.column_types = dict(column_types)
        self._compounds: dict[tuple[str, str], list[Compound]] = {}
        for way in compounds:
            self._compounds.setdefault((way.field, way.column), []).append(way)
        self._patterns = [t.pattern(kinds) if t.fields else None for t in self.templates]
        self._needles = [max(t.parts[2::2], key=len, default="") for t in self.templates]
        by_source: dict[str, list[tuple[int, bytes]]] = {}
        for number, template in enumerate(self.templates):
            head = template_head(template, lambda name: kinds[name].type)
            by_source.setdefault(template.source, []).append((number, head))
        self._trees: dict[str, Node] = {source: tree(numbered) for source, numbered in by_source.items()}

    @property
    def sources(self) -> frozenset[str]:
        """The sources that at least one template names."""
        return frozenset(self._trees)

    def match(self, sources: pa.Array, texts: pa.Array) -> Matches:
        """`sources`, `texts`: string arrays of one length without nulls. Only templates of its own source are
        tried on a message.

        Of several that match the one with more literal characters wins; among equals of one name the
        earlier in the table, among equals of different names none: SEVERAL_TEMPLATES.
        """
        chosen = np.full(len(texts), UNKNOWN_SOURCE, np.int64)
        hits: list[_Hit] = []
        coded = sources.dictionary_encode()
        codes: npt.NDArray[np.int64] = coded.indices.to_numpy().astype(np.int64)
        found = heads(texts)
        for code, source in enumerate(coded.dictionary.to_pylist()):
            node = self._trees.get(source)
            if node is None:
                continue
            rows = np.flatnonzero(codes == code)
            chosen[rows] = NO_TEMPLATE
            for hit in self._hits(node, found, rows, texts, chosen):
                chosen[hit.rows] = hit.template
                hits.append(hit)
        columns = self._columns(hits, chosen)
        entries = [
            (hit.rows, name, text)
            for hit in hits
            for name, text in hit.texts.items()
            if not self.kinds[name].column
        ]
        return Matches(chosen, columns, gather_map(entries, chosen))

    def _hits(
        self, node: Node, found: Heads, rows: Rows, texts: pa.Array, chosen: npt.NDArray[np.int64]
    ) -> Iterator[_Hit]:
        grouped: dict[tuple[int, ...], list[Rows]] = {}
        for group, candidates in route(node, found, rows):
            grouped.setdefault(candidates, []).append(group)
        for candidates, groups in grouped.items():
            yield from self._decide(np.sort(np.concatenate(groups)), candidates, texts, chosen)

    def _decide(
        self, rows: Rows, candidates: Sequence[int], texts: pa.Array, chosen: npt.NDArray[np.int64]
    ) -> Iterator[_Hit]:
        """Tries the candidates on ascending `rows`, the most specific first; equally specific ones all."""
        ordered = sorted(candidates, key=lambda c: (-self.templates[c].literal_length, c))
        for _, equals in groupby(ordered, key=lambda c: self.templates[c].literal_length):
            if not len(rows):
                return
            hits = [hit for c in equals if len((hit := self._try(c, rows, texts)).rows)]
            taken: dict[str, list[Rows]] = {}
            for hit in hits:
                taken.setdefault(self.templates[hit.template].name, []).append(hit.rows)
            tied = _shared([np.unique(np.concatenate(parts)) for parts in taken.values()])
            chosen[tied] = SEVERAL_TEMPLATES
            done = tied
            for hit in hits:
                yield _without(hit, done)
                done = np.union1d(done, hit.rows)
            rows = np.setdiff1d(rows, done, assume_unique=True) if len(done) else rows

    def _try(self, number: int, rows: Rows, texts: pa.Array) -> _Hit:
        # Ascending and all of them: the same array.
        some = texts if len(rows) == len(texts) else texts.take(pa.array(rows))
        rows, some = _holding(self._needles[number], rows, some)
        pattern = self._patterns[number]
        if not len(rows):
            return _Hit(number, rows, {})
        if pattern is None:
            holds = pc.equal(some, self.templates[number].text).to_numpy(zero_copy_only=False)
            return _Hit(number, rows[holds], {})
        caught = pc.extract_regex(some, pattern)
        if caught.null_count:
            holds = caught.is_valid()
            rows = rows[holds.to_numpy(zero_copy_only=False)]
            caught = caught.filter(holds)
        return _Hit(number, rows, {name: caught.field(name) for name in self.templates[number].fields})

    def _columns(self, hits: Sequence[_Hit], chosen: npt.NDArray[np.int64]) -> dict[str, pa.Array]:
        """Typed columns of all hits; a number that its column cannot hold makes the message no match."""
        count = len(chosen)
        pieces: dict[str, list[Piece]] = {}
        for (column, name), parts in self._texts(hits).items():
            rows = np.concatenate([rows for rows, _ in parts])
            text = pa.concat_arrays([text for _, text in parts])
            if name:
                text = _pulled(text, self._compounds[name, column])
            values, too_big = typed(text, self.column_types[column])
            if not name:
                chosen[rows[too_big]] = NO_TEMPLATE
            pieces.setdefault(column, []).append(Piece(rows, values))
        columns = {
            name: gather_column(pieces.get(name, ()), count, kind) for name, kind in self.column_types.items()
        }
        if (chosen < 0).any():
            kept = pa.array(np.arange(count), mask=chosen < 0)
            columns = {name: column.take(kept) for name, column in columns.items()}
        return columns

    def _texts(self, hits: Sequence[_Hit]) -> dict[tuple[str, str], list[tuple[Rows, pa.Array]]]:
        """Rows and texts by (column, ""), or by (column, compound field) where no field states the column."""
        texts: dict[tuple[str, str], list[tuple[Rows, pa.Array]]] = {}
        for hit in hits:
            said = {self.kinds[name].column: name for name in hit.texts if self.kinds[name].column}
            for column, name in said.items():
                texts.setdefault((column, ""), []).append((hit.rows, hit.texts[name]))
            for name, column in self._compounds:
                if name in hit.texts and column not in said:
                    texts.setdefault((column, name), []).append((hit.rows, hit.texts[name]))
        return texts


def _holding(needle: str, rows: Rows, texts: pa.Array) -> tuple[Rows, pa.Array]:
    """Leaves out texts without a literal that the template needs: cheaper than its pattern, which is compiled
    anew each time (measured: 9 of 13 ms of a file of 250 records)."""
    if len(needle) < SHORTEST_NEEDLE:
        return rows, texts
    holds = pc.match_substring(texts, needle)
    if pc.all(holds).as_py():
        return rows, texts
    return rows[holds.to_numpy(zero_copy_only=False)], texts.filter(holds)


def _shared(groups: Sequence[Rows]) -> Rows:
    """Rows in more than one group."""
    if len(groups) < 2:
        return np.zeros(0, np.int64)
    values, counts = np.unique(np.concatenate(groups), return_counts=True)
    return values[counts > 1]


def _without(hit: _Hit, done: Rows) -> _Hit:
    if not len(done):
        return hit
    keep = ~np.isin(hit.rows, done)
    if keep.all():
        return hit
    mask = pa.array(keep)
    return _Hit(hit.template, hit.rows[keep], {name: text.filter(mask) for name, text in hit.texts.items()})


def _pulled(text: pa.Array, ways: Sequence[Compound]) -> pa.Array:
    """The value of the first way that matches, null where none does; equal texts are read once."""
    coded = text.dictionary_encode()
    values = pa.nulls(len(coded.dictionary), pa.string())
    for way in ways:
        caught = pc.extract_regex(coded.dictionary, way.pattern)
        value = pc.if_else(caught.is_valid(), caught.field("value"), pa.scalar(None, pa.string()))
        if way.drop:
            value = pc.replace_substring_regex(value, way.drop, "")
        values = pc.coalesce(values, value)
    return values.take(coded.indices)
