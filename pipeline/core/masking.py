"""Replaces secrets by tokens: the same secret by the same token, by whoever has the key, whatever the block."""

import hashlib
import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.scan import ScannedRecords
from pipeline.core.starts import LF
from pipeline.core.texts import Rows

Bounds = npt.NDArray[np.int32]

TOKEN_DIGITS = 12
# So many tokens are remembered; they are made anew where there are more.
REMEMBERED = 100_000


@dataclass(frozen=True)
class MaskRule:
    """`before`, `secret`, `after`: RE2 without groups that capture, over the bytes of a line; only the secret
    is replaced. `unless`: what is no secret, for Python's re, matched against all of it; "" = nothing.
    """

    name: str
    secret: str
    before: str = ""
    after: str = ""
    unless: str = ""

    @property
    def pattern(self) -> str:
        return f"({self.before})({self.secret})({self.after})"


@dataclass(frozen=True)
class Masker:
    """Rules, applied one after another; a token is left as it is, so that masking again changes nothing.

    A token is `<name>-` and 12 hexadecimal digits of HMAC-SHA256 over name and secret: two of a million
    secrets share one with a probability of 0.2 %.
    """

    rules: tuple[MaskRule, ...]
    key: bytes

    def masked(self, lines: pa.Array) -> pa.Array:
        """Binary values without line ends and nulls."""
        if not self.rules:
            return lines
        rows = pc.indices_nonzero(pc.match_substring_regex(lines, self._any))
        if not len(rows):
            return lines
        found = lines.take(rows)
        for rule in self.rules:
            found = self._replaced(found, rule)
        mask = np.zeros(len(lines), np.bool_)
        mask[rows.to_numpy()] = True
        return pc.replace_with_mask(lines, pa.array(mask), found)

    def text(self, text: str) -> str:
        data = pa.array(text.encode("utf-8", "replace").split(b"\n"), pa.binary())
        return b"\n".join(self.masked(data).to_pylist()).decode()

    def tree(self, value: Any) -> Any:
        """All texts in lists and values of dictionaries, at any depth."""
        if isinstance(value, dict):
            return {key: self.tree(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.tree(one) for one in value]
        return self.text(value) if isinstance(value, str) else value

    def digest(self, text: str) -> str:
        """HMAC-SHA256: what stands for a text that could be guessed from its plain hash."""
        return hmac.new(self.key, text.encode(), hashlib.sha256).hexdigest()

    def token(self, name: str, secret: bytes) -> bytes:
        found = hmac.new(self.key, name.encode() + b"\0" + secret, hashlib.sha256).hexdigest()
        return f"{name}-{found[:TOKEN_DIGITS]}".encode()

    def _replaced(self, lines: pa.Array, rule: MaskRule) -> pa.Array:
        # Around each secret stands a mark that nobody without the key can have written.
        marked = pc.replace_substring_regex(lines, rule.pattern, rf"\1{self._mark}\2{self._mark}\3")
        parts = pc.split_pattern(marked, self._mark)
        pieces = parts.flatten()
        place = np.arange(len(pieces)) - np.repeat(*_first_and_count(parts))
        is_secret = place % 2 == 1
        if not is_secret.any():
            return lines
        coded = pieces.filter(pa.array(is_secret)).dictionary_encode()
        tokens = pa.array([self._known(rule, secret) for secret in coded.dictionary.to_pylist()], pa.binary())
        pieces = pc.replace_with_mask(pieces, pa.array(is_secret), tokens.take(coded.indices))
        return pc.binary_join(pa.ListArray.from_arrays(parts.offsets, pieces), b"")

    def _known(self, rule: MaskRule, secret: bytes) -> bytes:
        key = rule.name, rule.unless, secret
        if key not in self._tokens:
            if len(self._tokens) >= REMEMBERED:
                self._tokens.clear()
            text = secret.decode("latin-1")
            is_kept = bool(rule.unless and re.fullmatch(rule.unless, text, re.DOTALL))
            is_done = re.fullmatch(self._token_form, text) is not None
            self._tokens[key] = secret if is_kept or is_done else self.token(rule.name, secret)
        return self._tokens[key]

    @cached_property
    def _tokens(self) -> dict[tuple[str, str, bytes], bytes]:
        return {}

    @cached_property
    def _mark(self) -> str:
        return f"<{hmac.new(self.key, b'mark', hashlib.sha256).hexdigest()[:32]}>"

    @cached_property
    def _any(self) -> str:
        return "|".join(f"(?:{rule.before})(?:{rule.secret})(?:{rule.after})" for rule in self.rules)

    @cached_property
    def _token_form(self) -> str:
        names = "|".join(sorted({re.escape(rule.name) for rule in self.rules}))
        return rf"(?:{names})-[0-9a-f]{{{TOKEN_DIGITS}}}"


def with_changed_lines(records: ScannedRecords, changed: Callable[[pa.Array], pa.Array]) -> ScannedRecords:
    """The same with other bytes. changed: takes lines and line ends, values of their own, so that no secret spans two
    lines or loses its line end; gives as many."""
    ends = np.flatnonzero(np.frombuffer(records.data, np.uint8) == LF)
    edges = np.unique(np.concatenate([records.bounds, ends, ends + 1])).astype(np.int32)
    lines = binary_array(edges, records.data)
    found = changed(lines)
    if found is lines:
        return records
    bounds, content = buffers_of(found)
    return replace(records, data=content, bounds=bounds[np.searchsorted(edges, records.bounds)])


def record_bytes_array(records: ScannedRecords) -> pa.Array:
    return binary_array(records.bounds, records.data)


def with_values(records: ScannedRecords, changed: pa.Array) -> ScannedRecords:
    bounds, content = buffers_of(changed)
    return replace(records, data=content, bounds=bounds)


def select_records(records: ScannedRecords, rows: Rows) -> ScannedRecords:
    """These records alone."""
    bounds, content = buffers_of(record_bytes_array(records).take(pa.array(rows)))
    columns = {
        name: getattr(records, name)[rows]
        for name in ("offset", "length", "line_ends", "is_cut", "has_start")
    }
    return ScannedRecords(**columns, data=content, bounds=bounds)


def binary_array(bounds: Bounds, data: bytes) -> pa.Array:
    return pa.Array.from_buffers(
        pa.binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    )


def buffers_of(array: pa.Array) -> tuple[Bounds, bytes]:
    """Where each binary value begins in the bytes of all, which begin with the first."""
    array = pa.concat_arrays([array])
    _, offsets, data = array.buffers()
    bounds = np.frombuffer(offsets, np.int32)[array.offset :][: len(array) + 1]
    first, last = int(bounds[0]), int(bounds[-1])
    return bounds - first, (data.to_pybytes() if data else b"")[first:last]


def _first_and_count(parts: pa.ListArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Of each list the place of its first element among all, and how many it has."""
    offsets = parts.offsets.to_numpy().astype(np.int64)
    return offsets[:-1] - offsets[0], np.diff(offsets)
