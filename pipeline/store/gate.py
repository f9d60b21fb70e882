"""The gate: Great Expectations suites made from the declarations, one per layer, on what a run's rows break."""

import importlib
import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl

from pipeline.core.expectations import Expectation

EXAMPLES = 3
Judged = tuple[Expectation, pl.DataFrame]  # what is expected of a table, and broken_rows of it


def warm_up() -> None:
    """Imports Great Expectations: 3 s, best spent while Spark is at work."""
    importlib.import_module("great_expectations")
    logging.getLogger("great_expectations.data_context.types.base").setLevel(logging.WARNING)


def judge_layer(cluster_id: str, run_id: str, layer: str, tables: Sequence[Judged]) -> list[dict[str, Any]]:
    """Validates a layer's suite on how many rows of each table are broken. A row for ops.quality_result per
    expectation.

    GX, which runs what it is given several times, is given counts and not the rows: one row, a column per table. One
    call at a time: the context of GX is one per process.
    """
    gx = importlib.import_module("great_expectations")
    pandas = importlib.import_module("pandas")
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    none_broken = [
        gx.expectations.ExpectColumnMaxToBeBetween(
            column=expected.table, min_value=0, max_value=0, severity=expected.severity
        )
        for expected, _ in tables
    ]
    suite = context.suites.add(gx.ExpectationSuite(name=layer, expectations=none_broken))
    source = context.data_sources.add_pandas(layer)
    batch = source.add_dataframe_asset(layer).add_batch_definition_whole_dataframe(layer)
    validation = context.validation_definitions.add(
        gx.ValidationDefinition(name=layer, data=batch, suite=suite)
    )
    frame = pandas.DataFrame([{expected.table: broken.height for expected, broken in tables}])
    found = validation.run(batch_parameters={"dataframe": frame}, result_format="BASIC").results
    by_column = {one.expectation_config.kwargs["column"]: one for one in found}
    return [
        result_row(cluster_id, run_id, layer, expected, by_column[expected.table], broken)
        for expected, broken in tables
    ]


def judge_by_count(
    cluster_id: str, run_id: str, layer: str, tables: Sequence[Judged]
) -> list[dict[str, Any]]:
    """The same rows without Great Expectations: met is what no row breaks."""
    return [
        quality_result_row(cluster_id, run_id, layer, expected, broken)
        | {"is_met": broken.is_empty(), "unexpected_count": broken.height}
        for expected, broken in tables
    ]


def result_row(
    cluster_id: str, run_id: str, layer: str, expected: Expectation, result: Any, broken: pl.DataFrame
) -> dict[str, Any]:
    observed = result.result.get("observed_value")
    said = quality_result_row(cluster_id, run_id, layer, expected, broken, exceptions_of(result))
    return said | {
        "is_met": bool(result.success),
        "unexpected_count": None if observed is None else int(observed),
    }


def quality_result_row(
    cluster_id: str,
    run_id: str,
    layer: str,
    expected: Expectation,
    broken: pl.DataFrame,
    exceptions: Sequence[str] = (),
) -> dict[str, Any]:
    examples = broken.sort("row").head(EXAMPLES).to_dicts()
    return {
        "cluster_id": cluster_id,
        "run_id": run_id,
        "suite": layer,
        "table": expected.table,
        "expectation": expected.name,
        "severity": expected.severity,
        "sentence": "; ".join([*exceptions, *(str(row)[:300] for row in examples)]) or None,
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
