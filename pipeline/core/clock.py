"""Reads times of fixed width as arithmetic on their digits, all rows at once."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

MICROS = {"d": 86_400_000_000, "H": 3_600_000_000, "m": 60_000_000, "s": 1_000_000}
TOP = {"M": 12, "d": 31, "H": 23, "m": 59, "s": 59}


def local_times(texts: pa.Array, time_format: str) -> pa.Array:
    """timestamp[us] without zone of strings, null where the text is null or no time.

    `time_format`: each of y M d H m s S is a digit of year, month, day, hour, minute, second or fraction;
    every other character stands for any one character.
    """
    count, width = len(texts), len(time_format)
    right = pc.fill_null(pc.equal(pc.binary_length(texts), width), False)
    filler = pa.scalar("0" * width)
    joined = pc.if_else(right, texts, filler)
    # A fixed-width view: every text has the same number of bytes, so the values lie in a grid.
    _, offsets, data = joined.buffers()
    first = int(np.frombuffer(offsets, np.int32)[joined.offset]) if count else 0
    grid = np.frombuffer(data or b"", np.uint8)[first : first + count * width].reshape(count, width)
    places = [place for place, letter in enumerate(time_format) if letter in "yMdHmsS"]
    digits = grid[:, places] - np.uint8(48)
    good = right.to_numpy(zero_copy_only=False) & (digits.max(axis=1, initial=0) <= 9)
    letters = [time_format[place] for place in places]
    # Each part of the time is a sum of digits times a power of ten: small enough for floats to be exact.
    names = sorted(set(letters))
    weights = np.zeros((len(places), len(names)), np.float32)
    for index, letter in enumerate(letters):
        weights[index, names.index(letter)] = 10.0 ** letters[index + 1 :].count(letter)
    part = dict(zip(names, (digits.astype(np.float32) @ weights).astype(np.int64).T, strict=True))
    for letter, top in TOP.items():
        good &= (part[letter] <= top) & (part[letter] >= (1 if letter in "Md" else 0))
    month = np.where(good, (part["y"] - 1970) * 12 + part["M"] - 1, 0)
    start = _first_days(month)
    good &= start + part["d"] <= _first_days(month + 1)
    micros = (start - 1) * MICROS["d"]
    for letter, size in MICROS.items():
        micros += part[letter] * size
    fraction = time_format.count("S")
    if fraction:
        micros += part["S"] * 10 ** (6 - fraction)
    return pa.array(micros, pa.int64(), mask=~good).cast(pa.timestamp("us"))


def _first_days(month: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Days since the epoch of the first of each month, counted from the epoch; the calendar is asked once a month."""
    if not len(month):
        return month
    least = int(month.min())
    known = np.arange(least, int(month.max()) + 1).astype("datetime64[M]")
    return known.astype("datetime64[D]").astype(np.int64)[month - least]


def in_utc(local: pa.Array, zone: str) -> pa.Array:
    """timestamp[us, UTC] of local times. A repeated hour: the first; a left-out hour: the moment after it."""
    zoned = pc.assume_timezone(local, zone, ambiguous="earliest", nonexistent="latest")
    return zoned.cast(pa.timestamp("us", tz="UTC"))
