"""Masking of JSON: secrets as its texts say them, escaped again as they were."""

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.masking import Masker

# As encoders write what could stand in HTML, and a slash: Go's and Gson's, with digits of either case.
UNESCAPED = (
    *(
        (f"\\u00{digits}", chr(int(digits, 16)))
        for digits in ("3c", "3C", "3e", "3E", "26", "27", "2f", "2F", "3a", "3A", "3d", "3D")
    ),
    ("\\/", "/"),
)
# What no pattern of words or digits takes for a part of a secret.
BACKSLASH, ESCAPE, QUOTE, OTHER = (f"<{chr(code)}>" for code in (1, 2, 3, 4))
MARKS = r"[\x01-\x04]"


def masked_json(lines: pa.Array, masker: Masker, of_kinds: Masker) -> pa.Array:
    """Lines of JSON, as what its texts say: escapes hide what a secret is told by. Then once more by `of_kinds`, with
    the quotes of texts that are JSON themselves. A line with bytes of our marks, which JSON
    escapes, is masked as it is.
    """
    for one, of_inside in ((masker, False), (of_kinds, True)):
        has_mark = pc.match_substring_regex(lines, MARKS)
        is_escaped = pc.and_(pc.match_substring(lines, "\\"), pc.invert(has_mark))
        shown = _without_escapes(lines.filter(is_escaped), of_inside=of_inside)
        done = one.masked(pc.replace_with_mask(lines, is_escaped, shown))
        stored = _with_escapes(done.filter(is_escaped), of_inside=of_inside)
        lines = pc.replace_with_mask(done, is_escaped, stored)
    return lines


def _without_escapes(lines: pa.Array, *, of_inside: bool) -> pa.Array:
    """Backslashes and what could stand without one as they are; marks for other escapes and, of_inside, for the quotes
    around texts, with those in texts as they are."""
    quotes = (('\\"', OTHER), ('"', QUOTE), (OTHER, '"')) if of_inside else ()
    return _replaced(lines, ("\\\\", BACKSLASH), *UNESCAPED, *quotes, ("\\", ESCAPE), (BACKSLASH, "\\"))


def _with_escapes(lines: pa.Array, *, of_inside: bool) -> pa.Array:
    quotes = (('"', '\\"'), (QUOTE, '"')) if of_inside else ()
    return _replaced(lines, ("\\", BACKSLASH), (ESCAPE, "\\"), *quotes, (BACKSLASH, "\\\\"))


def _replaced(lines: pa.Array, *pairs: tuple[str, str]) -> pa.Array:
    """One after another."""
    for old, new in pairs:
        lines = pc.replace_substring(lines, old, new)
    return lines
