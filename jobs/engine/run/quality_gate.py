"""The gate of a run: all tables that it wrote go through their expectations, a suite per layer."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import polars as pl
import pyarrow as pa
from polars import col

from pipeline.catalog.tables import KEPT, TABLES
from pipeline.core.errors import GateFailed
from pipeline.core.expectations import Expectation, broken_rows, expectation_of, sifted_rows
from pipeline.core.frames import declared_table, frame_of
from pipeline.store.gate import judge_by_count, judge_layer, warm_up
from schemas.gold.finding import SEVERITIES
from schemas.spec import TableSpec

Result = dict[str, Any]
# Tables of what was read: a broken row there is lost, not just left out.
AT_STAKE = frozenset(one.spec.name for one in TABLES if one.refresh in KEPT)
FEW = 100  # broken rows of a table, whatever its size


class QualityGate:
    """The expectations on what a run writes, table by table as its rows are there; by Great Expectations, which is
    imported meanwhile, or by counting what is broken."""

    def __init__(self, cluster_id: str, run_id: str, *, is_counted: bool = False) -> None:
        self.cluster_id, self.run_id = cluster_id, run_id
        self.judge = judge_by_count if is_counted else judge_layer
        self.pool = ThreadPoolExecutor(1)
        if not is_counted:
            self.pool.submit(warm_up)
        self.faulty: set[str] = set()
        self.entered: dict[str, tuple[Expectation, list[Future[pl.DataFrame]]]] = {}

    def enter(self, spec: TableSpec, rows: pa.Table) -> None:
        """Judges rows that the run writes of a table; what is written of one table in two acts adds up."""
        expected = expectation_of(spec)
        found = self.pool.submit(lambda: broken_rows(frame_of(rows), expected))
        self.entered.setdefault(spec.name, (expected, []))[1].append(found)

    def sift(self, spec: TableSpec, rows: pa.Table) -> pa.Table:
        """Judges rows that a kernel gave, and hands on those that break nothing: a row costs itself, not the night."""
        frame = frame_of(rows)
        sound, broken = sifted_rows(frame, expectation_of(spec))
        self.enter_judged(spec, broken, len(frame) - len(sound), len(sound))
        return rows if broken.is_empty() else declared_table(sound, spec)

    def enter_judged(self, spec: TableSpec, broken: pl.DataFrame, left_out: int, sound: int) -> None:
        """Rows that are judged already. broken: (broken, row) of those that break something; left_out: how many do;
        sound: how many do not."""
        judged: Future[pl.DataFrame] = Future()
        judged.set_result(broken)
        self.entered.setdefault(spec.name, (expectation_of(spec), []))[1].append(judged)
        if left_out > max(FEW, (left_out + sound) // 2):
            self.faulty.add(spec.name)

    def refused(self, results: Sequence[Result]) -> list[Result]:
        """Of the expectations that rows broke those that cost the night: what was read is at stake, or most of a table
        is broken, which is a fault of the program and no odd row."""
        return [one for one in unmet_expectations(results) if one["table"] in self.faulty | AT_STAKE]

    def verdicts(self) -> list[Result]:
        """The results of all tables that were entered."""
        layers: dict[str, list[tuple[Expectation, pl.DataFrame]]] = {}
        with self.pool:
            for name, (expected, parts) in self.entered.items():
                broken = pl.concat([part.result() for part in parts])
                layers.setdefault(name.split(".")[0], []).append((expected, broken))
        return [
            result
            for layer, tables in layers.items()
            for result in self.judge(self.cluster_id, self.run_id, layer, tables)
        ]


def unmet_expectations(results: Sequence[Result]) -> list[Result]:
    """Critical expectations that rows broke."""
    return [one for one in results if one["severity"] == "critical" and not one["is_met"]]


def expectation_text(result: Result) -> str:
    return f"{result['table']} {result['expectation']}: {result['sentence'] or result['unexpected_count']}"


def open_findings(finding: pl.DataFrame) -> dict[str, int]:
    """How many findings are new or ongoing and not known already, as 'findings:<severity>'."""
    is_standing = col("status").is_in(["new", "ongoing"]) & col("suppressed_by").is_null()
    counts = dict(finding.filter(is_standing)["severity"].value_counts().iter_rows())
    return {f"findings:{severity}": int(counts.get(severity, 0)) for severity in SEVERITIES}


def gate_failure(cluster_id: str, refused: Sequence[dict[str, Any]], todo: str) -> GateFailed:
    """The error of a run whose critical expectations (rows of ops.quality_result) do not all hold."""
    return GateFailed(
        expected=f"every critical expectation to hold in cluster {cluster_id}",
        found=f"{len(refused)} broken, first {expectation_text(refused[0])}",
        todo=todo,
    )
