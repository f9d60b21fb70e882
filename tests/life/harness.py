"""Runs a job over a folder as it changes, and says by a number what its tables hold: any table can be put through."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs import ingest
from pipeline.catalog.tables import BY_NAME, JOBS, Refresh
from pipeline.store.reading import read
from tests.jobs.small_logs import as_text
from tests.life.disk import Stored

# What names the run that brought a row, or the place where it found the file.
OF_A_RUN = ("run_id", "load_seq", "path", "of_load_seq")
# What names the file and the place in it: of a record that two files hold, either may be the one that counts.
OF_A_FILE = ("file_id", "byte_offset", "evidence", "first_offset", "last_offset", "end_offset")
# Tables of what was found and read in which run, and not of what the logs say.
ABOUT_RUNS = ("bronze.source_file", "bronze.file_sighting", "bronze.duplicate_record", "ops.quality_result")
# Their rows are about a segment: how often, since and until when. Those of all segments together are about content.
FOLDED: Mapping[str, Mapping[str, Callable[[str], Column]]] = {
    "silver.wording_seen": {
        "record_count": F.sum, "first_at": F.min, "last_at": F.max,
        "first_offset": F.min, "last_offset": F.max, "end_offset": F.max,
    }
}  # fmt: skip
# What is said of files that were found one night and not the next is about the nights; so is a finding that a late
# file took back: it tells what was published, and one reading of everything never published it.
LEFT_OUT = {
    "silver.log_gap": "kind IN ('replaced', 'not_read', 'index_missing')",
    "gold.finding": "status = 'retracted' OR root_kind IN ('replaced', 'not_read', 'index_missing')",
}
PUBLISHED = (0, 7)
Content = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Harness:
    """A folder of logs and a warehouse below `root`. job: main of the job that reads them."""

    spark: SparkSession
    root: Path
    job: Callable[[list[str]], int] = ingest.main
    arguments: tuple[str, ...] = ()
    name: str = field(default="c", kw_only=True)

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def warehouse(self) -> str:
        return str(self.root / "warehouse")

    def run(self) -> int:
        """Exit code of the job."""
        given = ["--logs", str(self.logs), "--warehouse", self.warehouse, "--cluster", self.name]
        return self.job([*given, *self.arguments])

    def read_once(self, files: Mapping[str, Stored]) -> None:
        """All of it in one run, quiet for long."""
        for name, stored in files.items():
            path = self.logs / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(stored.bytes)
            os.utime(path, (0, 0))
        assert self.run() in PUBLISHED

    def content(self, names: Iterable[str], without: Iterable[str] = ()) -> Content:
        """By table how many rows are published, and a hash of them that no order, run or file of origin changes."""
        sums = [summed(name, self.rows(name, without)) for name in names]
        rows = reduce(DataFrame.unionByName, sums).collect()
        return {row["name"]: (row["rows"], int(row["hash"] or 0)) for row in rows}

    def rows(self, name: str, without: Iterable[str] = ()) -> DataFrame:
        """What a table says, whenever and from wherever it was read."""
        rows = read(self.spark, self.warehouse, name)
        if name in LEFT_OUT:
            rows = rows.where(f"NOT ({LEFT_OUT[name]})")
        rows = rows.select(*(one for one in rows.columns if one not in {*OF_A_RUN, *without}))
        folds = {one: fold for one, fold in FOLDED.get(name, {}).items() if one in rows.columns}
        if folds:
            kept = [one for one in rows.columns if one not in folds]
            rows = rows.groupBy(*kept).agg(*(fold(one).alias(one) for one, fold in folds.items()))
        return rows

    def differing(self, other: "Harness", name: str, without: Iterable[str] = ()) -> str:
        """The first rows that only one of two has: what to look at when their contents differ."""
        mine, others = (one.rows(name, without).transform(as_text) for one in (self, other))
        both = [(mine, others, "+"), (others, mine, "-")]
        found = [f"{sign} {row[0]}" for a, b, sign in both for row in a.exceptAll(b).limit(5).collect()]
        return "\n".join([name, *found])


def tables_of(job: str) -> list[str]:
    """All tables that a job writes and that are about what the logs say."""
    loaded = [name for name, one in BY_NAME.items() if one.refresh in (Refresh.LOADED, Refresh.RUN)]
    return [name for name in (*loaded, *JOBS[job]) if name not in ABOUT_RUNS]


def summed(name: str, rows: DataFrame) -> DataFrame:
    hashed = rows.transform(as_text).select(F.xxhash64("text").cast("decimal(38,0)").alias("one"))
    return hashed.agg(F.lit(name).alias("name"), F.count("*").alias("rows"), F.sum("one").alias("hash"))


def require_same(often: Harness, once: Harness, names: Sequence[str], without: Iterable[str] = ()) -> None:
    found, expected = often.content(names, without), once.content(names, without)
    assert sum(rows for rows, _ in found.values()) > 100
    differ = [name for name in names if found[name] != expected[name]]
    assert not differ, "\n".join(often.differing(once, name, without) for name in differ)
