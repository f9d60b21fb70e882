"""Record batches of the metadata log (format 2): where each stands, its header, and where a file stops to be one."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.kafka.metadata_log.checksums import Bytes, rows_at, sum_stretches

# DefaultRecordBatch.java: big-endian, 61 bytes.
HEADER = np.dtype(
    [
        ("base_offset", ">i8"),
        ("length", ">i4"),
        ("epoch", ">i4"),
        ("magic", "i1"),
        ("crc", ">u4"),
        ("attributes", ">i2"),
        ("last_delta", ">i4"),
        ("base_at", ">i8"),
        ("max_at", ">i8"),
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("sequence", ">i4"),
        ("count", ">i4"),
    ]
)
HEADER_BYTES = HEADER.itemsize
BEFORE_LENGTH, BEFORE_CRC_DATA = 12, 21  # bytes that `length`, and the check sum, do not count
MAGIC = 2
LARGEST_BATCH = 16 << 20  # Kafka's own limit is 8 MB: KafkaRaftClient.MAX_BATCH_SIZE_BYTES
LATEST_MS = 253_402_300_799_999  # the end of the year 9999
CODEC, LOG_APPEND_TIME, CONTROL = 7, 8, 32  # bits of the attributes
AT_ONCE = 1 << 14  # batches that are looked at together, and
FIRST_LOOK = 8  # batches that are looked at for being alike, and so many times as many each time after
BYTES_AT_ONCE = 8 << 20  # their bytes at most
# Records of a batch of one NoOp without anything else: 72 bytes with its header.
NO_OP = bytes.fromhex("1400000001080114000000")

TORN, ZEROS, DAMAGED = "torn", "zeros", "damaged"
CHECK_SUM = "the check sum fails"


@dataclass(frozen=True)
class FileEnd:
    """Why a file is not read further than byte `at`. `kind`: torn (a batch that is not whole yet), zeros (room that is
    not written yet), damaged. `sentence`: what stands there."""

    at: int
    kind: str
    sentence: str


@dataclass(frozen=True, eq=False)
class BatchBlock:
    """Batches that follow one another. `places`: byte of each; `headers`: HEADER; `is_no_op`: those that say nothing
    but that the controller is alive. `end`: the file ends behind them."""

    places: NDArray[np.int64]
    headers: NDArray[np.void]
    is_no_op: NDArray[np.bool_]
    end: FileEnd | None


def read_batch_blocks(data: Bytes) -> Iterator[BatchBlock]:
    """The batches of a segment or checkpoint, up to the first that is not whole, fails its check sum, or goes back in
    offset or epoch."""
    at, before = 0, (-1, -1)
    while True:
        places, behind, end = _next_places(data, at)
        headers = _headers_at(data, places)
        count, damage = _sound_batches(data, places, headers, before)
        places, headers = places[:count], headers[:count]
        is_no_op = _are_no_ops(data, places, headers)
        end = damage or end
        if len(places) or end:
            yield BatchBlock(places, headers, is_no_op, end)
        if end or behind >= len(data):
            return
        at, last = behind, headers[-1]
        before = int(last["base_offset"]) + int(last["last_delta"]), int(last["epoch"])


def _next_places(data: Bytes, at: int) -> tuple[NDArray[np.int64], int, FileEnd | None]:
    """Where batches begin from a byte on; where the last one ends; why there is no more, if not by the limits."""
    places: list[NDArray[np.int64]] = []
    count, begin = 0, at
    while at < len(data) and count < AT_ONCE and at - begin < BYTES_AT_ONCE:
        size, end = _batch_size(data, at)
        if end:
            return np.concatenate([*places, np.empty(0, np.int64)]), at, end
        alike = _count_alike(data, at, size, AT_ONCE - count)
        places.append(at + size * np.arange(alike, dtype=np.int64))
        count += alike
        at += size * alike
    return np.concatenate([*places, np.empty(0, np.int64)]), at, None


def _batch_size(data: Bytes, at: int) -> tuple[int, FileEnd | None]:
    """Bytes of the batch that begins there, or why none does."""
    left = len(data) - at
    head = data[at : at + HEADER_BYTES].tobytes()
    if not any(head) and not data[at:].any():
        return 0, FileEnd(at, ZEROS, f"{left:,} zero bytes")
    if left < BEFORE_LENGTH + 5:
        return 0, FileEnd(at, TORN, f"{left:,} bytes of a batch")
    size = int.from_bytes(head[8:12], "big", signed=True) + BEFORE_LENGTH
    if not HEADER_BYTES <= size <= LARGEST_BATCH:
        return 0, FileEnd(at, DAMAGED, f"a batch that says it has {size:,} bytes")
    if head[16] != MAGIC:
        return 0, FileEnd(at, DAMAGED, f"records of format {head[16]}")
    if size > left:
        return 0, FileEnd(at, TORN, f"{left:,} of {size:,} bytes of a batch")
    return size, None


def _count_alike(data: Bytes, at: int, size: int, most: int) -> int:
    """How many batches of this size follow one another from here on, as those of an idle controller do."""
    most = min(most, (len(data) - at) // size)
    if size > HEADER_BYTES + len(NO_OP):
        return 1
    count, looked_at = 1, FIRST_LOOK
    while count < most:
        begin, more = at + size * count, min(most - count, looked_at)
        rows = np.lib.stride_tricks.as_strided(data[begin + 8 :], (more, 9), (size, 1), writeable=False)
        is_alike = ((rows[:, :4] == data[at + 8 : at + 12]).all(axis=1)) & (rows[:, 8] == MAGIC)
        if not is_alike.all():
            return count + int(np.argmin(is_alike))
        count, looked_at = count + more, looked_at * FIRST_LOOK
    return count


def _headers_at(data: Bytes, places: NDArray[np.int64]) -> NDArray[np.void]:
    return np.ascontiguousarray(rows_at(data, places, HEADER_BYTES)).reshape(-1).view(HEADER)


def _sound_batches(
    data: Bytes, places: NDArray[np.int64], headers: NDArray[np.void], before: tuple[int, int]
) -> tuple[int, FileEnd | None]:
    """How many of the batches are sound, and what is wrong with the next one. before: offset and epoch of the last one
    before them."""
    sizes = headers["length"].astype(np.int64) + BEFORE_LENGTH
    sums = sum_stretches(data, places + BEFORE_CRC_DATA, sizes - BEFORE_CRC_DATA)
    first, delta = headers["base_offset"].astype(np.int64), headers["last_delta"].astype(np.int64)
    epoch = headers["epoch"].astype(np.int64)
    last_before = np.concatenate([[before[0]], (first + delta)[:-1]])[: len(first)]
    epoch_before = np.concatenate([[before[1]], epoch[:-1]])[: len(epoch)]
    wrong = (
        (sums != headers["crc"], CHECK_SUM),
        (
            (first <= last_before) | (delta < 0) | (first > np.iinfo(np.int64).max >> 1),
            "the offset goes back",
        ),
        (epoch < epoch_before, "the epoch goes back"),
    )
    places_of_wrong = [(int(np.argmax(is_wrong)), said) for is_wrong, said in wrong if is_wrong.any()]
    if not places_of_wrong:
        return len(places), None
    count, said = min(places_of_wrong)
    return count, FileEnd(int(places[count]), DAMAGED, said)


def _are_no_ops(data: Bytes, places: NDArray[np.int64], headers: NDArray[np.void]) -> NDArray[np.bool_]:
    is_short = headers["length"] == HEADER_BYTES + len(NO_OP) - BEFORE_LENGTH
    found: NDArray[np.bool_] = is_short & ((headers["attributes"] & (CODEC | CONTROL | LOG_APPEND_TIME)) == 0)
    found &= (headers["count"] == 1) & (headers["last_delta"] == 0)
    found &= (headers["base_at"] >= 0) & (headers["base_at"] <= LATEST_MS)
    rows = np.flatnonzero(found)
    bodies = rows_at(data, places[rows] + HEADER_BYTES, len(NO_OP))
    found[rows] = (bodies == np.frombuffer(NO_OP, np.uint8)).all(axis=1)
    return found
