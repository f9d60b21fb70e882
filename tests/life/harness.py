"""Runs a job over a folder as it changes, and says by a number what its tables hold: any table can be put through."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
from polars import col
from pyspark.sql import SparkSession

from jobs import ingest
from pipeline.catalog.jobs import JOBS
from pipeline.catalog.tables import BY_NAME, KEPT
from tests.life.disk import Stored
from tests.published import published_tables, texts

# What names the run that brought a row, or the place where it found the file.
OF_A_RUN = ("run_id", "load_seq", "path", "of_load_seq")
# What names the file and the place in it: of a record that two files hold, either may be the one that counts.
OF_A_FILE = ("file_id", "byte_offset", "evidence", "first_offset", "last_offset", "end_offset")
# Tables of what was found and read in which run, and not of what the logs say.
ABOUT_RUNS = (
    "bronze.source_file",
    "bronze.file_sighting",
    "bronze.duplicate_record",
    "bronze.lost_segment",
    "ops.quality_result",
)
# Their rows are about a segment: how often, since and until when. Those of all segments together are about content.
FOLDED: Mapping[str, Mapping[str, pl.Expr]] = {
    "silver.wording_seen": {
        "record_count": col("record_count").sum(), "first_at": col("first_at").min(), "last_at": col("last_at").max(),
        "first_offset": col("first_offset").min(), "last_offset": col("last_offset").max(),
        "end_offset": col("end_offset").max(),
    }
}  # fmt: skip
# What is said of files that were found one night and not the next is about the nights; so is a finding that a late
# file took back: it tells what was published, and one reading of everything never published it.
LEFT_OUT = {
    "silver.log_gap": "kind IN ('replaced', 'not_read', 'index_missing')",
    "gold.finding": "status = 'retracted' OR root_kind IN ('replaced', 'not_read', 'index_missing')",
}
PUBLISHED = (0, 7)
Content = dict[str, list[str]]


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
        """By table the rows that are published, as text that no order, run or file of origin changes."""
        stored = published_tables(self.warehouse, self.name)
        return {name: texts(said(name, stored(name), without)) for name in names}


def said(name: str, rows: pl.DataFrame, without: Iterable[str] = ()) -> pl.DataFrame:
    """What a table says, whenever and from wherever it was read."""
    if name in LEFT_OUT:
        rows = rows.filter(pl.sql_expr(f"NOT ({LEFT_OUT[name]})"))
    rows = rows.drop([*OF_A_RUN, *without], strict=False)
    folds = {one: fold for one, fold in FOLDED.get(name, {}).items() if one in rows.columns}
    kept = [one for one in rows.columns if one not in folds]
    return rows.group_by(kept).agg(**folds) if folds else rows


def tables_of(job: str) -> list[str]:
    """All tables that a job writes and that are about what the logs say."""
    loaded = [name for name, one in BY_NAME.items() if one.refresh in KEPT]
    return [name for name in (*loaded, *JOBS[job]) if name not in ABOUT_RUNS]


def require_same(
    often: Harness, once: Harness, names: Sequence[str], without: Iterable[str] = (), least: int = 100
) -> Content:
    """What both hold, which is more than so many rows."""
    found, expected = often.content(names, without), once.content(names, without)
    assert sum(map(len, found.values())) > least
    differ = [name for name in names if found[name] != expected[name]]
    assert not differ, "\n".join(f"{name}\n{differing(found[name], expected[name])}" for name in differ)
    return found


def differing(found: Iterable[str], expected: Iterable[str]) -> str:
    """The first rows that only one of two has: what to look at when their contents differ."""
    mine, others = Counter(found), Counter(expected)
    both = (("+", mine - others), ("-", others - mine))
    return "\n".join(f"{sign} {row}" for sign, rows in both for row in list(rows.elements())[:5])
