"""Findings that conf knows already."""

import re
from collections.abc import Sequence

import polars as pl
from polars import col, lit, when

from pipeline.model.settings import FindingSuppression


def with_suppressed(found: pl.DataFrame, suppressions: Sequence[FindingSuppression]) -> pl.DataFrame:
    """Adds suppressed_by, the reason of the first entry that holds: of its rule and entity; in maintenance what begins
    and ends within it and is not critical."""
    entities = found["entity"].unique().to_list()
    reasons = (when(is_suppressed_by(one, entities)).then(lit(one.reason)) for one in suppressions)
    return found.with_columns(suppressed_by=pl.coalesce(*reasons, lit(None, pl.String)))


def is_suppressed_by(one: FindingSuppression, entities: Sequence[str]) -> pl.Expr:
    """True if the entry is about a finding; entities: all that findings are about."""
    conditions = [lit(value=True)]
    if one.rule is not None:
        conditions.append(col("rule") == one.rule)
    if one.entity is not None:
        pattern = re.compile(one.entity)
        conditions.append(col("entity").is_in([name for name in entities if pattern.fullmatch(name)]))
    if one.since_at is not None:
        is_after = col("valid_from_at") >= one.since_at
        is_before = (col("valid_until_at") <= one.until_at).fill_null(value=False)
        conditions.append((col("severity") != "critical") & is_after & is_before)
    return pl.all_horizontal(conditions)
