"""How fast the reader is, against plain Python that only walks over the lines."""

import argparse
import gc
import io
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pipeline.kafka.envelope import envelopes
from pipeline.kafka.reader import RangeRequest, read_segment

SAMPLE = Path(__file__).resolve().parent / "data" / "sample"
MEGABYTE = 1_000_000


def lines(data: bytes) -> int:
    """The baseline: every line is seen, nothing is understood."""
    return sum(1 for _ in io.BytesIO(data))


def records(data: bytes, envelope: str, log: str) -> tuple[int, int]:
    """Records read, and how many of them are understood."""
    request = RangeRequest(
        cluster_id="bench",
        node_id=1,
        log=log,
        file_id="bench",
        load_seq=1,
        zone="UTC",
        envelope=envelope,
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


def median_seconds(work: Callable[[], object], rounds: int) -> float:
    def once() -> float:
        gc.collect()
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return statistics.median(once() for _ in range(rounds))


def largest(folder: Path) -> Path | None:
    files = (file for file in folder.rglob("state-change.log*") if file.suffix not in {".gz", ".zst"})
    return max(files, key=lambda file: file.stat().st_size, default=None)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--file", type=Path, help="an uncompressed log (default: the largest of the sample)")
    parser.add_argument("--log", default="state-change", help="which log it is (default: %(default)s)")
    parser.add_argument("--envelope", default=next(iter(envelopes())), help="form of its lines (%(default)s)")
    parser.add_argument(
        "--megabytes", type=int, default=50, help="it is repeated up to this (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="the median is printed (default: %(default)s)")
    given = parser.parse_args()
    file = given.file or largest(SAMPLE)
    if file is None:
        sys.stderr.write(f"Expected an uncompressed state-change.log in {SAMPLE}, found none; give --file.\n")
        return 4
    one = file.read_bytes()
    data = one * max(1, -(-given.megabytes * MEGABYTE // max(len(one), 1)))
    read, understood = records(data, given.envelope, given.log)
    reader = median_seconds(lambda: records(data, given.envelope, given.log), given.rounds)
    baseline = median_seconds(lambda: lines(data), given.rounds)
    size = len(data) / MEGABYTE
    print(
        f"{file.name}: {size:.1f} MB, {read:,} records, {understood:,} understood; median of {given.rounds}"
    )
    print(f"{'':22}{'seconds':>9}{'MB/s':>9}{'records/s':>13}")
    for name, seconds in (("read_segment", reader), ("lines, plain Python", baseline)):
        print(f"{name:22}{seconds:9.3f}{size / seconds:9.1f}{read / seconds:13,.0f}")
    print(f"read_segment takes {reader / baseline:.1f} times the time of walking over the lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
