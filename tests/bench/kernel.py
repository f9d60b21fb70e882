"""The reading kernel alone: bytes to typed Arrow batches on one core, without Spark."""

import gc
import io
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from pipeline.kafka.reading.reader import RangeRequest, read_segment

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Rate:
    """What one contender did: median of wall or processor seconds over the bytes of the file."""

    name: str
    seconds: float
    size: int
    records: int

    def line(self, baseline: "Rate") -> str:
        return (
            f"{self.name:44}{self.seconds:9.2f}{self.size / self.seconds / MEGABYTE:9.1f}"
            f"{self.records / self.seconds:13,.0f}{self.seconds / baseline.seconds:9.2f}"
        )


HEADING = f"{'':44}{'seconds':>9}{'MB/s':>9}{'records/s':>13}{'x time':>9}"


def kernel(file: Path, megabytes: int, rounds: int) -> list[Rate]:
    """read_segment, and a plain walk over the lines, on the first megabytes of the file; processor time."""
    with file.open("rb") as stream:
        data = stream.read(megabytes * MEGABYTE)
    pa.set_cpu_count(1)
    read, understood = records(data)
    print(f"{file.name}: {len(data) / MEGABYTE:.0f} MB, {read:,} records, {understood:,} understood")
    walk = Rate("lines, plain Python", processor_seconds(lambda: lines(data), rounds), len(data), read)
    own = Rate("read_segment, one core", processor_seconds(lambda: records(data), rounds), len(data), read)
    return [walk, own]


def lines(data: bytes) -> int:
    """The baseline: every line is seen, nothing is understood."""
    return sum(1 for _ in io.BytesIO(data))


def records(data: bytes) -> tuple[int, int]:
    """Records read, and how many of them are understood."""
    request = RangeRequest(
        cluster_id="bench",
        node_id=1,
        log="mixed",
        file_id="bench",
        load_seq=1,
        zone="UTC",
        envelope="stock",
        start=0,
        end=len(data),
        limit=None,
        owns_preamble=True,
    )
    read = understood = 0
    for batch in read_segment(io.BytesIO(data), request):
        read += batch.num_rows
        understood += batch.column("not_understood_reason").null_count
    return read, understood


def processor_seconds(work: Callable[[], object], rounds: int) -> float:
    """The median; processor time, as the machine may be shared."""

    def once() -> float:
        gc.collect()
        began = time.process_time()
        work()
        return time.process_time() - began

    return statistics.median(once() for _ in range(rounds))
