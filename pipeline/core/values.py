"""Turns the texts of fields into typed arrays, without a loop over rows."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)
INT64_CHARACTERS = 18  # as many always fit
NONE = str(INT32_MAX + 1)  # stands for what is no number of that type

Mask = npt.NDArray[np.bool_]


def parse_values(text: pa.Array, kind: pa.DataType) -> tuple[pa.Array, Mask]:
    """The values, and where a number was none or too big for its type (null there).

    `text`: strings, most as a field's pattern admits them; null stays null; empty is null except for a list.
    """
    if pa.types.is_int32(kind):
        return _int32(text)
    if pa.types.is_list(kind):
        coded = text.dictionary_encode()
        lists, too_big = _int_lists(coded.dictionary)
        where = np.append(too_big, [False])[pc.fill_null(coded.indices, len(too_big)).to_numpy()]
        return lists.take(coded.indices), where
    return _without_empty(text), np.zeros(len(text), np.bool_)


def _without_empty(text: pa.Array) -> pa.Array:
    """Null for empty; most arrays hold none, and are not copied."""
    is_empty = pc.equal(pc.binary_length(text), 0)
    if not pc.any(is_empty).as_py():
        return text
    return pc.if_else(is_empty, pa.scalar(None, pa.string()), text)


def _int32(text: pa.Array) -> tuple[pa.Array, Mask]:
    short = pc.if_else(pc.greater(pc.binary_length(text), INT64_CHARACTERS), NONE, text)
    filled = pc.if_else(pc.equal(short, ""), pa.scalar(None, pa.string()), short)
    try:
        wide = filled.cast(pa.int64())
    except pa.ArrowInvalid:
        is_number = pc.match_substring_regex(filled, r"\A-?[0-9]+\z")
        wide = pc.if_else(is_number, filled, NONE).cast(pa.int64())
    outside = pc.or_(pc.greater(wide, INT32_MAX), pc.less(wide, INT32_MIN))
    too_big = pc.fill_null(outside, False).to_numpy(zero_copy_only=False)
    if too_big.any():
        wide = pc.if_else(outside, pa.scalar(None, pa.int64()), wide)
    return wide.cast(pa.int32()), too_big


def _int_lists(text: pa.Array) -> tuple[pa.Array, Mask]:
    """`1,2`, `[1, 2]`, `Set(1, 2)`, `` as list<int32>, order kept."""
    bare = pc.replace_substring_regex(text, r"[^0-9,-]+", "")
    split = pc.split_pattern(bare, ",")
    numbers, too_big = _int32(split.values)
    lengths = split.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    owner = np.repeat(np.arange(len(text)), lengths)
    bad = np.zeros(len(text), np.bool_)
    bad[owner[too_big]] = True
    present = numbers.is_valid().to_numpy(zero_copy_only=False)
    sizes = np.bincount(owner[present], minlength=len(text))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    kept = numbers.filter(pa.array(present))
    kind = pa.list_(pa.field("element", pa.int32(), nullable=False))
    lists = pa.ListArray.from_arrays(pa.array(offsets), kept, type=kind)
    is_whole = text.is_valid().to_numpy(zero_copy_only=False) & ~bad
    return lists if is_whole.all() else pc.if_else(pa.array(is_whole), lists, pa.scalar(None, kind)), bad
