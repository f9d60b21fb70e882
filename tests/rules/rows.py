"""Findings of one rule as rows."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.rules.registry import RULES, with_rule_columns


def of_rule(name: str, found: pl.DataFrame) -> list[dict[str, Any]]:
    """What its find gave, with the columns that say which rule it is."""
    return with_rule_columns(RULES[name], found).to_dicts()


def fact_texts(facts: Mapping[str, Any]) -> dict[str, str]:
    """The facts that are known, as texts: 1, true, 2,1, fault 1."""
    return {name: fact_text(value) for name, value in facts.items() if value is not None}


def fact_text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(
            " ".join(map(str, one.values())) if isinstance(one, dict) else str(one) for one in value
        )
    return str(value).lower() if isinstance(value, bool) else str(value)
