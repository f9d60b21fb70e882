"""The gate: Great Expectations suites made from the declarations, one per layer, on the rows of the run."""

import importlib
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.store.rows import collect_rows
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
    """The rows that break it: what is broken, and their key."""
    key = list(expectation.key or rows.columns[:3])
    broken = rows.select(F.expr(expectation.broken).alias("broken"), *key).where("broken IS NOT NULL")
    if not expectation.key:
        return broken
    repeated = (
        rows.groupBy(*key).count().where("count > 1").select(F.lit("key is not unique").alias("broken"), *key)
    )
    return broken.unionByName(repeated)


def warm_up() -> None:
    """Imports Great Expectations: 3 s, best spent while Spark is at work."""
    importlib.import_module("great_expectations")
    logging.getLogger("great_expectations.data_context.types.base").setLevel(logging.WARNING)


def judge(
    cluster_id: str, run_id: str, layer: str, rows: DataFrame, expectation: Expectation
) -> dict[str, Any]:
    """Validates the layer's suite on the rows of one table. A row for ops.quality_result.

    The batch is what breaks the expectation, and GX counts it: one Spark job, where a query expectation takes two.
    """
    gx = importlib.import_module("great_expectations")
    broken = broken_rows(rows, expectation)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    suite = context.suites.add(gx.ExpectationSuite(name=layer))
    none_broken = gx.expectations.ExpectTableRowCountToEqual(value=0, severity=expectation.severity)
    suite.add_expectation(none_broken)
    source = context.data_sources.add_spark(expectation.table, persist=False)
    batch = source.add_dataframe_asset(layer).add_batch_definition_whole_dataframe(layer)
    validation = context.validation_definitions.add(
        gx.ValidationDefinition(name=layer, data=batch, suite=suite)
    )
    result = validation.run(batch_parameters={"dataframe": broken}, result_format="BASIC").results[0]
    count = result.result.get("observed_value")
    errors = exceptions_of(result)
    examples = collect_rows(broken.limit(EXAMPLES)) if count else []
    return {
        "cluster_id": cluster_id,
        "run_id": run_id,
        "suite": layer,
        "table": expectation.table,
        "expectation": expectation.name,
        "severity": expectation.severity,
        "is_met": bool(result.success),
        "unexpected_count": count,
        "sentence": "; ".join([*errors, *(str(row)[:300] for row in examples)]) or None,
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
