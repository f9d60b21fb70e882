"""Matches messages against templates, all at once: which one each is an instance of, and its fields."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.columns import Matches, fill_columns
from pipeline.core.dispatch import Heads, Node, message_heads, route_messages, template_tree
from pipeline.core.field_plan import FieldPlan
from pipeline.core.places import Hit, Places
from pipeline.core.template import Compound, FieldKind, Template, check_templates
from pipeline.core.texts import Mask, Rows, Texts

NO_TEMPLATE = -1
SEVERAL_TEMPLATES = -2
UNKNOWN_SOURCE = -3

SHORTEST_NEEDLE = 3


class Matcher:
    """Compiled templates; compiling is done once a process, matching once a batch.

    Most templates are found by positions (`Places`), which looks at literals and blanks only; the fields'
    texts are held against their patterns afterwards, each distinct text once. Messages where that leaves a
    doubt, and templates that positions cannot tell, are matched by pattern: the patterns are what counts.
    What matches none is held against those that have blanks of which a page shows fewer (`loose_pattern`).
    """

    def __init__(
        self,
        templates: Sequence[Template],
        kinds: Mapping[str, FieldKind],
        compounds: Sequence[Compound],
        column_types: Mapping[str, pa.DataType],
    ) -> None:
        check_templates(templates, kinds)
        self.templates = tuple(templates)
        self.kinds = dict(kinds)
        self._plan = FieldPlan(self.templates, kinds, compounds, column_types)
        self._by_source: dict[str, list[tuple[int, Template]]] = {}
        for number, template in enumerate(self.templates):
            self._by_source.setdefault(template.source, []).append((number, template))
        # Most processes meet few of the sources: what is made of a template is made when its source is met.
        self.tree = cache(lambda source: template_tree(self._by_source[source], self.kinds))
        self.loose = cache(self._loose)
        self.pattern = cache(lambda number: self.templates[number].pattern(self.kinds))
        self.places = cache(lambda number: Places(self.templates[number], self.kinds))

    def _loose(self, source: str) -> list[tuple[int, str]]:
        """Number and loose pattern of its templates that have one."""
        some = ((number, one.loose_pattern(self.kinds)) for number, one in self._by_source.get(source, ()))
        return [(number, pattern) for number, pattern in some if pattern is not None]

    @property
    def sources(self) -> frozenset[str]:
        """The sources that at least one template names."""
        return frozenset(self._by_source)

    def match(self, sources: pa.Array, texts: pa.Array, *, by_pattern_only: bool = False) -> Matches:
        """`sources`, `texts`: string arrays of one length without nulls. Only templates of its own source are
        tried on a message.

        Of several that match the one with more literal characters wins; among equals of one name the
        earlier in the table, among equals of different names none: SEVERAL_TEMPLATES.
        A number that its column cannot hold makes the message no match.
        """
        batch = _Batch(self, texts)
        chosen, hits = batch.all_hits(sources, by_pattern_only=by_pattern_only)
        found = fill_columns(self._plan, batch.texts, hits)
        doubtful = np.union1d(found.wrong, np.flatnonzero(chosen == SEVERAL_TEMPLATES))
        if len(doubtful) and not by_pattern_only:
            some = pa.array(doubtful)
            again, by_pattern = batch.all_hits(sources.take(some), by_pattern_only=True, rows=doubtful)
            chosen[doubtful] = again
            hits = [kept for hit in hits if len((kept := hit.without(doubtful)).rows)] + by_pattern
            found = fill_columns(self._plan, batch.texts, hits)
        if len(found.wrong):
            chosen[found.wrong] = NO_TEMPLATE
            hits = [kept for hit in hits if len((kept := hit.without(found.wrong)).rows)]
            found = fill_columns(self._plan, batch.texts, hits)
        return Matches(chosen, found.columns, found.fields)


class _Batch:
    """One call of match: the messages, in each form that is looked at."""

    def __init__(self, matcher: Matcher, texts: pa.Array) -> None:
        self.matcher = matcher
        self.strings = texts
        self.texts = Texts(texts)
        self.heads: Heads = message_heads(self.texts)

    def all_hits(
        self, sources: pa.Array, *, by_pattern_only: bool, rows: Rows | None = None
    ) -> tuple[npt.NDArray[np.int64], list[Hit]]:
        """Template or one of the three negatives per source, and the hits; `rows`: where the sources stand."""
        where = np.arange(len(sources)) if rows is None else rows
        chosen = np.full(len(self.texts), UNKNOWN_SOURCE, np.int64)
        coded = sources.dictionary_encode()
        codes = coded.indices.to_numpy()
        hits: list[Hit] = []
        for code, source in enumerate(coded.dictionary.to_pylist()):
            if source not in self.matcher._by_source:
                continue
            node = self.matcher.tree(source)
            own = where[codes == code]
            chosen[own] = NO_TEMPLATE
            for hit in self._hits(node, own, chosen, by_pattern_only=by_pattern_only):
                chosen[hit.rows] = hit.template
                hits.append(hit)
            for number, pattern in self.matcher.loose(source):
                hit = self._loosely(number, pattern, own[chosen[own] == NO_TEMPLATE])
                chosen[hit.rows] = number
                hits += [hit] if len(hit.rows) else []
        return chosen[where], hits

    def _loosely(self, number: int, pattern: str, rows: Rows) -> Hit:
        """Of rows that match no template those that do but for blanks."""
        needle = max(_words(self.matcher.templates[number]), key=len, default="")
        rows, some = _holding(needle, rows, self.strings.take(pa.array(rows)))
        if not len(rows):
            return Hit(number, rows, [])
        caught = pc.extract_regex(some, pattern)
        is_caught = caught.is_valid()
        rows, caught = rows[is_caught.to_numpy(zero_copy_only=False)], caught.filter(is_caught)
        at = self.texts.start[rows]
        spans: list[tuple[Rows, Rows]] = []
        for place in range(len(self.matcher.templates[number].parts) // 2):
            begin = at + _size(caught, f"l{place}")
            at = begin + _size(caught, f"p{place}")
            spans.append((begin, at))
        return Hit(number, rows, spans)

    def _hits(
        self, node: Node, rows: Rows, chosen: npt.NDArray[np.int64], *, by_pattern_only: bool
    ) -> Iterator[Hit]:
        grouped: dict[tuple[int, ...], list[Rows]] = {}
        for group, candidates in route_messages(node, self.heads, rows):
            grouped.setdefault(candidates, []).append(group)
        for candidates, groups in grouped.items():
            own = groups[0] if len(groups) == 1 else np.sort(np.concatenate(groups))
            yield from self._decide(own, candidates, chosen, by_pattern_only=by_pattern_only)

    def _decide(
        self,
        rows: Rows,
        candidates: Sequence[int],
        chosen: npt.NDArray[np.int64],
        *,
        by_pattern_only: bool,
    ) -> Iterator[Hit]:
        """Tries the candidates on ascending `rows`, the most specific first; equally specific ones all."""
        templates = self.matcher.templates
        ordered = sorted(candidates, key=lambda c: (-templates[c].literal_length, c))
        for _, equals in groupby(ordered, key=lambda c: templates[c].literal_length):
            if not len(rows):
                return
            hits = [
                hit
                for c in equals
                for hit in self._try(c, rows, by_pattern_only=by_pattern_only)
                if len(hit.rows)
            ]
            if len(hits) == 1 and len(hits[0].rows) == len(rows):
                yield hits[0]
                return
            tied = _shared(templates, hits)
            chosen[tied] = SEVERAL_TEMPLATES
            done = tied
            for hit in hits:
                yield hit.without(done)
                done = np.union1d(done, hit.rows)
            rows = np.setdiff1d(rows, done, assume_unique=True) if len(done) else rows

    def _try(self, number: int, rows: Rows, *, by_pattern_only: bool) -> Iterator[Hit]:
        places = self.matcher.places(number)
        if not by_pattern_only and places.is_possible:
            hit = places.find(number, self.texts, rows)
            yield hit
            if places.is_exact or len(hit.rows) == len(rows):
                return
            rows = np.setdiff1d(rows, hit.rows, assume_unique=True)
        yield self._by_pattern(number, rows)

    def _by_pattern(self, number: int, rows: Rows) -> Hit:
        # Ascending and all of them: the same array.
        some = self.strings if len(rows) == len(self.strings) else self.strings.take(pa.array(rows))
        template = self.matcher.templates[number]
        rows, some = _holding(max(template.parts[2::2], key=len, default=""), rows, some)
        if not len(rows):
            return Hit(number, rows, [])
        if not template.fields:
            holds: Mask = pc.equal(some, template.text).to_numpy(zero_copy_only=False)
            return Hit(number, rows[holds], [])
        caught = pc.extract_regex(some, self.matcher.pattern(number))
        if caught.null_count:
            is_caught = caught.is_valid()
            rows = rows[is_caught.to_numpy(zero_copy_only=False)]
            caught = caught.filter(is_caught)
        return Hit(number, rows, _spans(template, self.texts.start[rows], caught))


def _spans(template: Template, start: Rows, caught: pa.Array) -> list[tuple[Rows, Rows]]:
    """Where the caught texts stand: what is between them is fixed."""
    at = start + len(template.parts[0].encode())
    spans: list[tuple[Rows, Rows]] = []
    for place, literal in enumerate(template.parts[2::2]):
        end = at + pc.binary_length(caught.field(f"p{place}")).to_numpy(zero_copy_only=False)
        spans.append((at, end))
        at = end + len(literal.encode())
    return spans


def _size(caught: pa.Array, group: str) -> Rows:
    size: Rows = pc.binary_length(caught.field(group)).to_numpy(zero_copy_only=False)
    return size


def _words(template: Template) -> list[str]:
    return [word for part in template.parts[::2] for word in part.split()]


def _holding(needle: str, rows: Rows, texts: pa.Array) -> tuple[Rows, pa.Array]:
    """Leaves out texts without a literal that the template needs: cheaper than its pattern, which is compiled
    anew each time (measured: 9 of 13 ms of a file of 250 records)."""
    if len(needle) < SHORTEST_NEEDLE:
        return rows, texts
    holds = pc.match_substring(texts, needle)
    if pc.all(holds).as_py():
        return rows, texts
    return rows[holds.to_numpy(zero_copy_only=False)], texts.filter(holds)


def _shared(templates: Sequence[Template], hits: Sequence[Hit]) -> Rows:
    """Rows that templates of different names match."""
    by_name: dict[str, list[Rows]] = {}
    for hit in hits:
        by_name.setdefault(templates[hit.template].name, []).append(hit.rows)
    if len(by_name) < 2:
        return np.zeros(0, np.int64)
    groups = [np.unique(np.concatenate(parts)) for parts in by_name.values()]
    values, counts = np.unique(np.concatenate(groups), return_counts=True)
    return values[counts > 1]
