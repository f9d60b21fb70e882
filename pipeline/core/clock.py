"""Reads times of fixed width as arithmetic on their digits, all rows at once, and places them in UTC."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

MICROS = {"d": 86_400_000_000, "H": 3_600_000_000, "m": 60_000_000, "s": 1_000_000}
TOP = {"M": 12, "d": 31, "H": 23, "m": 59, "s": 59}
# Microseconds of one unit of a time that is a number since 1970.
EPOCHS = {"UNIX": 1_000_000, "UNIX_MILLIS": 1_000}
# A log has no others: a machine without a clock begins in 1970. Left out are times that Python's datetime or a zone
# cannot hold, and those whose milliseconds and 20 bits for the place of a line are no 64-bit number (from 2248).
FIRST_YEAR, LAST_YEAR = 1970, 2199
END_SECONDS = 7_258_118_400  # of them since 1970
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
OFFSET = (
    r"\A(?:Z|UTC|GMT|UT|Etc/UTC|Zulu"
    r"|(?:GMT|UTC)?(?P<sign>[+-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?)\z"
)


def local_times(texts: pa.Array, time_format: str) -> pa.Array:
    """timestamp[us] without zone of strings, null where the text is null or no time from FIRST_YEAR to LAST_YEAR.

    `time_format`: each of y M d H m s S is a digit of year, month, day, hour, minute, second or fraction;
    MMM is an English month of three letters; every other character stands for any one character.
    UNIX, UNIX_MILLIS: a number since 1970, as the local time of UTC.
    """
    if time_format in EPOCHS:
        return _since_1970(texts, EPOCHS[time_format])
    if "MMM" in time_format:
        for number, name in enumerate(MONTHS, 1):
            texts = pc.replace_substring(texts, name, f"{number:02}.")
        time_format = time_format.replace("MMM", "MM.")
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
    # Column by column: a product of matrices would start the threads of BLAS, which wait by spinning.
    part: dict[str, npt.NDArray[np.int64]] = {}
    for column, letter in enumerate(time_format[place] for place in places):
        before = part.get(letter)
        digit = digits[:, column].astype(np.int64)
        part[letter] = digit if before is None else before * 10 + digit
    good &= (part["y"] >= FIRST_YEAR) & (part["y"] <= LAST_YEAR)
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


def _since_1970(texts: pa.Array, unit_micros: int) -> pa.Array:
    is_number = pc.match_substring_regex(texts, r"\A\d{1,13}\z")
    return since_1970(pc.if_else(is_number, texts, None).cast(pa.int64()), unit_micros)


def since_1970(numbers: pa.Array, unit_micros: int) -> pa.Array:
    """timestamp[us] without zone, in UTC, of whole numbers; null where they are of other years."""
    end = END_SECONDS * EPOCHS["UNIX"] // unit_micros
    is_inside = pc.and_(pc.greater_equal(numbers, 0), pc.less(numbers, end))
    return pc.multiply(pc.if_else(is_inside, numbers, None), unit_micros).cast(pa.timestamp("us"))


def local_to_utc(local: pa.Array, zone: str, instant: pa.Array | None = None) -> pa.Array:
    """timestamp[us, UTC] of local times. A repeated hour: the first; a left-out hour: the moment after it.

    `instant`: the same already in UTC, where the record itself tells; it counts before the zone.
    """
    zoned = pc.assume_timezone(local, zone, ambiguous="earliest", nonexistent="latest")
    placed = zoned.cast(pa.timestamp("us", tz="UTC"))
    return placed if instant is None else pc.coalesce(instant, placed)


def local_to_utc_by_offset(local: pa.Array, offset: pa.Array) -> pa.Array:
    """timestamp[us, UTC] of local times with a printed offset (`+01:00`, `-0500`, `Z`, `UTC`, `GMT+2`).

    Null where none is printed or a name that is no offset (CET, IST: several zones call themselves so).
    """
    found = pc.extract_regex(offset, OFFSET)
    hours, minutes = (
        pc.if_else(pc.equal(found.field(name), ""), "0", found.field(name)).cast(pa.int64())
        for name in ("hours", "minutes")
    )
    size = pc.multiply(pc.add(pc.multiply(hours, 60), minutes), MICROS["m"])
    east = pc.if_else(pc.equal(found.field("sign"), "-"), pc.negate(size), size)
    moved = pc.subtract(local.cast(pa.int64()), pc.if_else(found.is_valid(), east, None))
    return moved.cast(pa.timestamp("us", tz="UTC"))
