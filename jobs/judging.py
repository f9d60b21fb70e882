"""The gate of a run: each table goes through its expectations as soon as it is written, while others are built."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jobs.building import Builder
from pipeline.catalog.tables import BY_NAME, Refresh
from pipeline.store.gate import expectation_of, judge, warm_up
from pipeline.store.rows import collect_rows
from schemas.gold.finding import SEVERITIES
from schemas.spec import TableSpec

Result = dict[str, Any]


class Gate:
    """Great Expectations on one thread beside the builds (its context is one per process)."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.pool = ThreadPoolExecutor(1)
        self.pool.submit(warm_up)
        self.results: list[Future[Result]] = []

    def enter(self, spec: TableSpec) -> None:
        self.results.append(self.pool.submit(self.judged, spec))

    def judged(self, spec: TableSpec) -> Result:
        store = self.builder.store
        table, cut = BY_NAME[spec.name], self.builder.cut.at
        is_fresh = spec.name in self.builder.fresh
        if table.refresh is Refresh.LOADED or (is_fresh and table.refresh is Refresh.SEGMENTS):
            rows = self.builder.rows_of_run(spec)
        elif is_fresh and table.refresh is Refresh.TAIL and cut is not None:
            rows = store.delta.read(spec).where(F.col(table.ordered_by) >= cut)
        else:
            rows = store.delta.read(spec)
            rows = rows.where(F.col("run_id") == self.builder.run_id) if "run_id" in spec.columns else rows
        return judge(store.cluster_id, self.builder.run_id, spec.layer, rows, expectation_of(spec))

    def verdicts(self) -> list[Result]:
        """All results, once the last table is through."""
        with self.pool:
            return [future.result() for future in self.results]


def open_findings(findings: DataFrame) -> dict[str, int]:
    """How many findings are new or ongoing, as 'findings:<severity>'."""
    standing = findings.where("status IN ('new', 'ongoing')").groupBy("severity")
    rows = collect_rows(standing.agg(F.count("*").alias("number")))
    found = {row["severity"]: int(row["number"]) for row in rows}
    return {f"findings:{severity}": found.get(severity, 0) for severity in SEVERITIES}
