"""The gate of a run: all tables that it wrote go through their expectations, a suite per layer."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jobs.before import reaching
from jobs.building import Builder
from pipeline.catalog.tables import BY_NAME, Refresh
from pipeline.store.gate import Judged, count_broken, expectation_of, judge, warm_up
from pipeline.store.rows import collect_rows
from schemas.gold.finding import SEVERITIES
from schemas.spec import TableSpec

AT_ONCE = 4
Result = dict[str, Any]


class Gate:
    """Great Expectations on what a run wrote: a suite per layer, on the rows of the run."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.pool = ThreadPoolExecutor(AT_ONCE)
        self.pool.submit(warm_up)
        self.written: dict[str, TableSpec] = {}

    def enter(self, spec: TableSpec) -> None:
        """Asks for the table to be judged."""
        self.written[spec.name] = spec

    def rows(self, spec: TableSpec) -> DataFrame:
        """What the run wrote of a table."""
        builder, table = self.builder, BY_NAME[spec.name]
        is_appended = spec.name in builder.fresh and table.refresh is Refresh.SEGMENTS
        if table.refresh is Refresh.LOADED or is_appended:
            return builder.rows_of_run(spec)
        rows, cut = builder.store.delta.read(spec), builder.cut_of(table)
        if cut is not None:
            return rows.where(reaching(table.ordered_by, cut))
        return rows.where(F.col("run_id") == builder.run_id) if "run_id" in spec.columns else rows

    def verdicts(self) -> list[Result]:
        """The results of all tables that were entered, once the last one is written."""
        layers: dict[str, list[Judged]] = {}
        for spec in self.written.values():
            layers.setdefault(spec.layer, []).append((self.rows(spec), expectation_of(spec)))
        cluster_id, run_id = self.builder.store.cluster_id, self.builder.run_id
        with self.pool:
            counts = {layer: self.pool.submit(count_broken, tables) for layer, tables in layers.items()}
            return [
                result
                for layer, tables in layers.items()
                for result in judge(cluster_id, run_id, layer, tables, counts[layer].result())
            ]


def open_findings(findings: DataFrame) -> dict[str, int]:
    """How many findings are new or ongoing and not known already, as 'findings:<severity>'."""
    standing = findings.where("status IN ('new', 'ongoing') AND suppressed_by IS NULL").groupBy("severity")
    rows = collect_rows(standing.agg(F.count("*").alias("number")))
    found = {row["severity"]: int(row["number"]) for row in rows}
    return {f"findings:{severity}": found.get(severity, 0) for severity in SEVERITIES}
