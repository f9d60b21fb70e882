"""The gate: Great Expectations suites made from the declarations, one per layer, on the rows of the run."""

import importlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.store.rows import collect_one, collect_rows
from schemas.spec import TableSpec

EXAMPLES = 3


@dataclass(frozen=True)
class Expectation:
    """No row of a table may break it. `broken`: SQL over its columns, null where the row is as it should be.

    `key`: columns that no two rows share; empty where that is not asked.
    """

    table: str
    name: str
    severity: str
    broken: str
    key: tuple[str, ...] = ()


Judged = tuple[DataFrame, Expectation]  # rows of a table, and what is expected of them


def expectation_of(spec: TableSpec) -> Expectation:
    """What a declaration promises: nothing missing, closed lists kept, checks held, no two rows with one key."""
    rules = {f"{f.name} is missing": f"{f.name} IS NULL" for f in spec.fields if not f.nullable}
    rules |= {
        f"{f.name} is not in its list": f"{f.name} NOT IN ({', '.join(map(repr, f.accepted))})"
        for f in spec.fields
        if f.accepted
    }
    rules |= {f"not {check.name}": f"NOT ({check.condition})" for check in spec.checks}
    cases = ", ".join(f"CASE WHEN {condition} THEN '{rule}' END" for rule, condition in rules.items())
    return Expectation(
        spec.name, "as_declared", "critical", f"nullif(concat_ws(', ', {cases}), '')", spec.key
    )


def broken_rows(rows: DataFrame, expectation: Expectation) -> DataFrame:
    """What breaks it, in one pass over the rows: (table, broken, row); row is the key as text."""
    key = list(expectation.key or rows.columns[:3])
    judged = rows.select(F.expr(expectation.broken).alias("broken"), *key)
    if expectation.key:
        counted = judged.groupBy(*key).agg(F.min("broken").alias("said"), F.count("*").alias("number"))
        twice = F.when(F.col("number") > 1, "key is not unique")
        judged = counted.withColumn("broken", F.coalesce("said", twice))
    return judged.where("broken IS NOT NULL").select(
        F.lit(expectation.table).alias("table"), "broken", F.to_json(F.struct(*key)).alias("row")
    )


def warm_up() -> None:
    """Imports Great Expectations: 3 s, best spent while Spark is at work."""
    importlib.import_module("great_expectations")
    logging.getLogger("great_expectations.data_context.types.base").setLevel(logging.WARNING)


def count_broken(tables: Sequence[Judged]) -> dict[str, int]:
    """By table how many of its rows are broken: one Spark job."""
    broken = reduce(DataFrame.unionByName, (broken_rows(rows, expected) for rows, expected in tables))
    names = [expected.table for _, expected in tables]
    return collect_one(broken.agg(*(F.count_if(F.col("table") == name).alias(name) for name in names)))


def judge(
    cluster_id: str, run_id: str, layer: str, tables: Sequence[Judged], counts: dict[str, int]
) -> list[dict[str, Any]]:
    """Validates a layer's suite on the rows of its tables. A row for ops.quality_result per expectation.

    counts: as of count_broken. GX, which runs what it is given several times, is given them and not the rows: one
    row, a column per table. One call at a time: the context of GX is one per process.
    """
    gx = importlib.import_module("great_expectations")
    pandas = importlib.import_module("pandas")
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    suite = context.suites.add(gx.ExpectationSuite(name=layer))
    for _, expected in tables:
        none = gx.expectations.ExpectColumnMaxToBeBetween(
            column=expected.table, min_value=0, max_value=0, severity=expected.severity
        )
        suite.add_expectation(none)
    source = context.data_sources.add_pandas(layer)
    batch = source.add_dataframe_asset(layer).add_batch_definition_whole_dataframe(layer)
    validation = context.validation_definitions.add(
        gx.ValidationDefinition(name=layer, data=batch, suite=suite)
    )
    frame = pandas.DataFrame([counts])
    found = validation.run(batch_parameters={"dataframe": frame}, result_format="BASIC").results
    by_column = {one.expectation_config.kwargs["column"]: one for one in found}
    return [
        result_row(cluster_id, run_id, layer, expected, by_column[expected.table], rows)
        for rows, expected in tables
    ]


def result_row(
    cluster_id: str, run_id: str, layer: str, expected: Expectation, result: Any, rows: DataFrame
) -> dict[str, Any]:
    observed = result.result.get("observed_value")
    count = None if observed is None else int(observed)
    examples = collect_rows(broken_rows(rows, expected).drop("table").limit(EXAMPLES)) if count else []
    return {
        "cluster_id": cluster_id,
        "run_id": run_id,
        "suite": layer,
        "table": expected.table,
        "expectation": expected.name,
        "severity": expected.severity,
        "is_met": bool(result.success),
        "unexpected_count": count,
        "sentence": "; ".join([*exceptions_of(result), *(str(row)[:300] for row in examples)]) or None,
        "checked_at": datetime.now(UTC),
    }


def exceptions_of(result: Any) -> list[str]:
    """What went wrong while GX looked, if anything did."""
    info = result.exception_info or {}
    candidates = [info] if "raised_exception" in info else list(info.values())
    return [
        str(one.get("exception_message"))[:300]
        for one in candidates
        if isinstance(one, dict) and one.get("raised_exception")
    ]
