"""What a container runtime, a shipper or a terminal puts around each line; one row of wrappers.tsv a kind."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.errors import SettingsError
from pipeline.core.json_lines import json_columns
from pipeline.core.scan import ScannedRecords
from pipeline.core.starts import LF
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.layout.conversion_pattern import PatternPart

# What rsyslog writes for control characters of a message: # and three octal digits.
OCTAL = {"#011": "\t", "#012": "\n", "#015": "\r", "#033": "\x1b"}
IS_OBJECT = r"\A\{.*\}\s*\z"
# Go's encoder of JSON escapes these too.
HTML = {"<": "003c", ">": "003e", "&": "0026"}


@dataclass(frozen=True)
class Wrapper:
    """`start`: what every line begins with, in the syntax that Python's re and RE2 share.

    `kind`: line (start is taken away), syslog (also control characters are put back), colour (nothing in
    front: `removed` stands anywhere), json_text and json_line (the line is an object; `removed`: the key whose
    value is text, or one line, of what is wrapped). `removed`: what is taken away of each line, if not its
    start; a first group stays. `goes_on`: what a line begins with whose content goes on in the next one.
    """

    name: str
    kind: str
    start: str
    goes_on: str
    removed: str
    source: str

    @property
    def is_json(self) -> bool:
        return self.kind.startswith("json")

    def around(self, parts: Sequence[PatternPart]) -> tuple[PatternPart, ...]:
        """What a line begins with that begins with these parts inside."""
        if self.is_json:
            return PatternPart(self.start), *(_in_json(part) for part in parts)
        if self.kind == "colour":
            between = PatternPart(f"(?:{self.removed})*")
            return tuple(one for part in parts for one in (between, part))
        return PatternPart(self.start), *parts

    def is_around(self, lines: pa.Array) -> float:
        """The share of lines that it may stand around."""
        begins = self.removed if self.kind == "colour" else rf"\A(?:{self.start})"
        return float(pc.mean(pc.match_substring_regex(lines, begins)).as_py() or 0)

    def without(self, texts: pa.Array) -> pa.Array:
        """The same texts, of whole lines, without it; lines that it does not stand around stay."""
        return _UNWRAP[self.kind](texts, self)


@lru_cache(maxsize=1)
def wrappers_by_name() -> dict[str, Wrapper]:
    """By name, in the order in which they are tried."""
    found = [Wrapper(**row) for row in read_fact_table("layout/wrappers.tsv")]
    for wrapper in found:
        if wrapper.kind not in _UNWRAP:
            raise SettingsError(
                expected=f"a kind of {', '.join(_UNWRAP)}",
                found=f"{wrapper.kind} of {wrapper.name}",
                todo="mend the row of wrappers.tsv",
            )
        re.compile(wrapper.start)
    return {wrapper.name: wrapper for wrapper in found}


def unwrap_records(
    texts: pa.Array, records: ScannedRecords, around: Sequence[Wrapper]
) -> tuple[pa.Array, ScannedRecords]:
    """Texts and records as if what stands around their lines were not there; offset and length stay."""
    for wrapper in around:
        texts = wrapper.without(texts)
    texts = pa.concat_arrays([texts])
    _, offsets, data = texts.buffers()
    bounds = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    first, last = int(bounds[0]), int(bounds[-1])
    content = np.frombuffer(data or b"", np.uint8)[first:last]
    line_ends = np.flatnonzero(content == LF)
    counted = np.searchsorted(line_ends, bounds - first)
    inside = replace(
        records,
        data=content.tobytes(),
        bounds=(bounds - first).astype(np.int32),
        line_ends=np.diff(counted).astype(np.int64),
    )
    return texts, inside


def _in_json(part: PatternPart) -> PatternPart:
    if not part.is_literal:
        return PatternPart(part.regex.replace(r"\x1b", r"\\u001b").replace(r"[^\n]", r'[^\n"]'))
    return PatternPart("".join(_escaped(letter) for letter in part.regex))


def _escaped(letter: str) -> str:
    if letter in HTML:
        return rf"(?:{letter}|\\u{HTML[letter]})"
    if letter in '"\\':
        return re.escape("\\" + letter)
    return r"\\t" if letter == "\t" else re.escape(letter)


def _lines(texts: pa.Array, wrapper: Wrapper) -> pa.Array:
    pattern = wrapper.removed or rf"(?m)^(?:{wrapper.start})"
    return pc.replace_substring_regex(texts, pattern, r"\1" if re.compile(_python(pattern)).groups else "")


def _python(pattern: str) -> str:
    r"""RE2's \z as Python's re has it."""
    return pattern.replace(r"\z", r"\Z")


def _syslog(texts: pa.Array, wrapper: Wrapper) -> pa.Array:
    texts = _lines(texts, wrapper)
    for written, meant in OCTAL.items():
        texts = pc.replace_substring(texts, written, meant)
    return texts


def _json(texts: pa.Array, wrapper: Wrapper) -> pa.Array:
    lines, first_line = _split(texts)
    candidates = pc.match_substring_regex(lines, IS_OBJECT).to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(candidates)
    columns, _ = json_columns(
        pc.ascii_trim_whitespace(lines.take(pa.array(rows))), {wrapper.removed: pa.string()}
    )
    values = columns[wrapper.removed]
    if wrapper.kind == "json_line":
        has_end = pc.ends_with(values, "\n")
        values = pc.if_else(has_end, values, pc.binary_join_element_wise(values, "\n", ""))
    position = np.full(len(lines), -1, np.int64)
    position[rows] = np.arange(len(rows))
    inner = pc.coalesce(values.take(pa.array(position, mask=position < 0)), lines)
    return _rejoined(inner, first_line)


def _split(texts: pa.Array) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """All lines of all texts, line ends included, and which line each text begins with (one more at the end)."""
    texts = pa.concat_arrays([texts])
    _, offsets, data = texts.buffers()
    bounds = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    content = np.frombuffer(data or b"", np.uint8)[: int(bounds[-1])]
    ends = np.flatnonzero(content == LF) + 1
    edges = np.unique(np.concatenate([ends[ends > bounds[0]], bounds])).astype(np.int32)
    buffers = [None, pa.py_buffer(edges), data]
    return pa.Array.from_buffers(pa.string(), len(edges) - 1, buffers), np.searchsorted(edges, bounds)


def _rejoined(lines: pa.Array, first_line: npt.NDArray[np.int64]) -> pa.Array:
    """Texts of neighbouring lines."""
    lines = pa.concat_arrays([lines])
    _, offsets, data = lines.buffers()
    edges = np.frombuffer(offsets, np.int32)[lines.offset : lines.offset + len(lines) + 1]
    bounds = edges[first_line]
    return pa.Array.from_buffers(pa.string(), len(bounds) - 1, [None, pa.py_buffer(bounds), data])


_UNWRAP: dict[str, Callable[[pa.Array, Wrapper], pa.Array]] = {
    "line": _lines,
    "syslog": _syslog,
    "colour": _lines,
    "json_text": _json,
    "json_line": _json,
}
