"""How fast the product reads, builds and judges, beside what else does the same in the same run; how much it keeps,
and what its nights cost."""

import argparse
import gc
import importlib.util
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from tempfile import gettempdir

from tests.bench.against import against
from tests.bench.chain import chain
from tests.bench.contenders import by_hand, duckdb_envelope, polars_envelope, product, text_count
from tests.bench.data import SAMPLE, make
from tests.bench.fleet import WAYS, fleet
from tests.bench.imbalance import imbalance
from tests.bench.kernel import HEADING, Rate, kernel
from tests.bench.long_lines import long_lines
from tests.bench.nights import nights
from tests.bench.replay import replaying
from tests.bench.runs import REPOSITORY
from tests.bench.scale import scale
from tests.bench.storage import storage
from tests.bench.term import long_term
from tests.generated.__main__ import add_options

PARTS = ("kernel", "tables", "chain", "replay", "imbalance", "lines", "term", "storage", "nights")
ON_REQUEST = ("scale", "fleet")  # minutes, and gigabytes
CORES = f"{os.cpu_count()} cores"


def main() -> int:
    given = arguments()
    corpus = Path(os.environ.get("KCA_SHARED", REPOSITORY.parent / "shared")) / "corpus"
    given.folder.mkdir(parents=True, exist_ok=True)
    if set(given.parts) & {"kernel", "tables"}:
        reading(given, corpus)
    if "storage" in given.parts:
        storage(given.logs, given.folder)
    for part, (heading, lines) in tables(given).items():
        if part in given.parts:
            print(f"\n{heading}", flush=True)
            for line in lines():
                print(line, flush=True)
    return 0


def tables(given: argparse.Namespace) -> dict[str, tuple[str, Callable[[], Iterable[str]]]]:
    """By part what is measured, and what makes the lines of its table."""
    rounds, folder = given.rounds, given.folder
    medians = f"median of {rounds}, {CORES}"
    bulk = f", {given.at_once} of them in one run" if given.at_once else ""
    logs = given.logs or SAMPLE
    of_revision = (
        f"job {given.job} on {given.logs or 'the sample'}, this checkout and {given.against}, {medians}; "
        "x: the other's seconds in times of this one's",
        lambda: against(given.against, logs, folder, given.job, rounds),
    )
    of_history = (
        f"{given.nights} nights{bulk}, job {given.job}, median of {rounds}",
        lambda: nights(folder, given.nights, given.job, given.at_once, rounds),
    )
    return {
        "chain": (
            f"files to all tables in one process, without Spark, {CORES}",
            lambda: chain(folder, given.megabytes),
        ),
        "replay": (
            f"replay of {given.moves:,} generated moves, {medians}",
            lambda: replaying(folder, given.moves, rounds),
        ),
        "imbalance": (
            f"ratios of {given.changes:,} generated changes of partitions, {medians}",
            lambda: imbalance(given.changes, rounds),
        ),
        "lines": (f"lines that name many partitions, {medians}", lambda: long_lines(rounds)),
        "term": (
            f"nights of one term of {given.term_days} days in memory, {CORES}; x: in times of nights 2 to 8, built in turn with them",
            lambda: long_term(given.term_days),
        ),
        "nights": of_revision if given.against else of_history,
        "fleet": (
            f"nightly over {given.clusters} small clusters, {CORES}",
            lambda: fleet(folder, given.clusters, given.ways),
        ),
        "scale": (f"nightly over generated logs, mode {given.mode}, {CORES}", lambda: scale(given)),
    }


def reading(given: argparse.Namespace, corpus: Path) -> None:
    """How fast one large log is read: by the kernel alone, and on the whole way to a table."""
    file = given.file or make(
        given.folder / f"bench-{given.megabytes}.log", given.megabytes, corpus if corpus.is_dir() else None
    )
    if "kernel" in given.parts:
        rates = kernel(file, min(given.megabytes, given.kernel_megabytes), given.rounds)
        print(f"\nkernel, processor time, median of {given.rounds}\n{HEADING}")
        print("\n".join(rate.line(rates[0]) for rate in rates), flush=True)
    if "tables" in given.parts:
        print(f"\nfile to table, wall time, median of {given.rounds}, {os.cpu_count()} cores\n{HEADING}")
        found = end_to_end(file, given.folder, given.rounds)
        hand = next(rate for rate in found if "by hand" in rate.name)
        print("\n".join(rate.line(hand) for rate in found), flush=True)


def end_to_end(file: Path, folder: Path, rounds: int) -> list[Rate]:
    """All contenders in turn, round by round, so that what else the machine does strikes all alike."""
    from pipeline.store.spark.session import get_spark, tune_for_size  # noqa: PLC0415

    spark = get_spark()
    spark.sparkContext.setLogLevel("ERROR")
    tune_for_size(spark, file.stat().st_size, file.stat().st_size)
    contenders: dict[str, Callable[[], object]] = {
        "spark.read.text, count": lambda: text_count(spark, file),
        "regexp_extract by hand, to Parquet": lambda: by_hand(spark, file, folder),
        "this product, typed, to Delta": lambda: product(spark, file, folder),
    }
    others: dict[str, tuple[str, Callable[[Path, Path], None]]] = {
        "DuckDB, envelope only, to Parquet": ("duckdb", duckdb_envelope),
        "Polars, envelope only, to Parquet": ("polars", polars_envelope),
    }
    for name, (module, read) in others.items():
        if importlib.util.find_spec(module):
            contenders[name] = partial(read, file, folder)
        else:
            print(f"{name}: not installed (pip install {module})")
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            gc.collect()
            began = time.perf_counter()
            work()
            taken[name].append(time.perf_counter() - began)
    size = file.stat().st_size
    count = spark.read.format("delta").load(str(folder / "product" / "bronze" / "log_record")).count()
    return [Rate(name, statistics.median(seconds), size, count) for name, seconds in taken.items()]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--file", type=Path, help="an uncompressed log in the stock pattern (default: one is made)"
    )
    parser.add_argument("--megabytes", type=int, default=200, help="of the logs that are made (%(default)s)")
    parser.add_argument(
        "--kernel-megabytes", type=int, default=100, help="of it for the kernel (%(default)s)"
    )
    parser.add_argument("--folder", type=Path, default=Path(gettempdir()) / "kafka-controller-audit-bench")
    parser.add_argument("--rounds", type=int, default=3, help="the median is printed (%(default)s)")
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=(*PARTS, *ON_REQUEST),
        default=PARTS,
        help="some of it (all but scale and fleet)",
    )
    parser.add_argument(
        "--logs", type=Path, help="logs of one cluster for storage and --against (the sample)"
    )
    parser.add_argument("--moves", type=int, default=2_000_000, help="of the part replay (%(default)s)")
    parser.add_argument("--changes", type=int, default=1_000_000, help="of the part imbalance (%(default)s)")
    parser.add_argument("--term-days", type=int, default=100, help="of the part term (%(default)s)")
    parser.add_argument("--nights", type=int, default=100, help="of the part nights (%(default)s)")
    parser.add_argument("--clusters", type=int, default=40, help="of the part fleet (%(default)s)")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS, help="of the part fleet (all)")
    parser.add_argument(
        "--at-once",
        type=int,
        default=0,
        metavar="N",
        help="nights from the third on that are read in one run",
    )
    parser.add_argument(
        "--against", metavar="REVISION", help="nights of this checkout beside those of another revision"
    )
    parser.add_argument("--job", help="that runs every night (ingest; nightly with --against)")
    generated = parser.add_argument_group("part scale: logs of a simulated cluster")
    generated.add_argument("--gb", type=float, nargs="+", default=[0.3], help="sizes (%(default)s)")
    generated.add_argument("--dir", type=Path, help="keeps the logs for the next time (--folder)")
    generated.add_argument("--keep", action="store_true", help="keep the warehouses, too")
    add_options(generated)
    given = parser.parse_args()
    given.dir = given.dir or given.folder
    given.job = given.job or ("nightly" if given.against else "ingest")
    return given


if __name__ == "__main__":
    sys.exit(main())
