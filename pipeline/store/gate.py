"""The gate: Great Expectations suites made from the declarations, one per layer, on the rows of the run."""

import importlib
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame

from schemas.spec import TableSpec


@dataclass(frozen=True)
class Expectation:
    """Rows that `query` returns break it; `{batch}` in the query stands for the table's rows of this run."""

    table: str
    name: str
    severity: str
    query: str


def expectation_of(spec: TableSpec) -> Expectation:
    """What a declaration promises: nothing missing, closed lists kept, checks held, no two rows with one key.

    One query, whose rows say what is broken: each expectation of GX costs Spark two jobs.
    """
    rules = {f"{f.name} is missing": f"{f.name} IS NULL" for f in spec.fields if not f.nullable}
    rules |= {
        f"{f.name} is not in its list": f"{f.name} NOT IN ({', '.join(map(repr, f.accepted))})"
        for f in spec.fields
        if f.accepted
    }
    rules |= {f"not {check.name}": f"NOT ({check.condition})" for check in spec.checks}
    key = ", ".join(spec.key)
    broken = ", ".join(f"CASE WHEN {condition} THEN '{rule}' END" for rule, condition in rules.items())
    query = (
        f"SELECT concat_ws(', ', {broken}) AS broken, {key} FROM {{batch}} WHERE {' OR '.join(rules.values())} "  # noqa: S608  (declarations)
        f"UNION ALL SELECT 'key is not unique' AS broken, {key} FROM {{batch}} GROUP BY {key} HAVING count(*) > 1"
    )
    return Expectation(spec.name, "as_declared", "critical", query)


def warm_up() -> None:
    """Imports Great Expectations: 3 s, best spent while Spark is at work."""
    importlib.import_module("great_expectations")
    logging.getLogger("great_expectations.data_context.types.base").setLevel(logging.WARNING)


def judge(
    cluster_id: str, run_id: str, layer: str, rows: DataFrame, expectation: Expectation
) -> list[dict[str, Any]]:
    """Runs the layer's suite on the rows of one table. Rows for ops.quality_result, one per expectation.

    `rows`: those of this run, read back from where they were written: GX evaluates the query twice.
    """
    gx = importlib.import_module("great_expectations")
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    suite = context.suites.add(gx.ExpectationSuite(name=layer))
    suite.add_expectation(
        gx.expectations.UnexpectedRowsExpectation(
            unexpected_rows_query=expectation.query,
            description=f"{expectation.table}: {expectation.name}",
            severity=expectation.severity,
            meta={"table": expectation.table, "name": expectation.name},
        )
    )
    source = context.data_sources.add_spark(expectation.table, persist=False)
    batch = source.add_dataframe_asset(layer).add_batch_definition_whole_dataframe(layer)
    validation = gx.ValidationDefinition(name=layer, data=batch, suite=suite)
    result = context.validation_definitions.add(validation).run(
        batch_parameters={"dataframe": rows}, result_format="SUMMARY"
    )
    return [result_row(cluster_id, run_id, layer, one) for one in result.results]


def result_row(cluster_id: str, run_id: str, layer: str, result: Any) -> dict[str, Any]:
    config, found = result.expectation_config, result.result
    rows = (found.get("details") or {}).get("unexpected_rows") or []
    error = next((info.get("exception_message") for info in exceptions_of(result)), None)
    shown = "; ".join(str(row)[:300] for row in rows[:3]) or None
    return {
        "cluster_id": cluster_id,
        "run_id": run_id,
        "suite": layer,
        "table": config.meta["table"],
        "expectation": config.meta["name"],
        "severity": str(getattr(config.severity, "value", config.severity)),
        "is_met": bool(result.success),
        "unexpected_count": found.get("observed_value")
        if isinstance(found.get("observed_value"), int)
        else None,
        "sentence": error or shown,
        "checked_at": datetime.now(UTC),
    }


def exceptions_of(result: Any) -> list[dict[str, Any]]:
    info = result.exception_info or {}
    candidates = [info] if "raised_exception" in info else list(info.values())
    return [one for one in candidates if isinstance(one, dict) and one.get("raised_exception")]
