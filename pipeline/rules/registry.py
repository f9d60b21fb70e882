"""The rules by name, and the findings of all of them."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import polars as pl
import pyarrow as pa
from polars import lit

from pipeline.core.frames import empty_frame
from pipeline.rules.order import RULE_NAMES
from pipeline.rules.rule import OF_RULES, ROWS, Limit, Rule
from pipeline.rules.views import VIEWS, parameters
from schemas.gold.finding import SPEC
from schemas.namespace import full_module_name

EARLIER, OF_LIMITS = "earlier", "audit_limit"


def load_rule(name: str) -> Rule:
    """The rule of a folder. ImportError, AttributeError: it has no rule.py, or no RULE in it."""
    rule: Rule = import_module(full_module_name(f"pipeline.rules.{name}.rule")).RULE
    return rule


RULES = {name: load_rule(name) for name in RULE_NAMES}
# What the settings findings.* are, by name.
LIMITS: dict[str, Limit] = {one.name: one for rule in RULES.values() for one in rule.limits}


def tables_behind_inputs(names: Iterable[str]) -> list[str]:
    """The inputs behind names of inputs, in the order in which they come up: a view stands for what it is made of."""
    found: dict[str, None] = {}
    for name in names:
        inner = tables_behind_inputs(parameters(VIEWS[name])) if name in VIEWS else [name]
        inner = [OF_LIMITS if one in LIMITS else one for one in inner]
        found |= dict.fromkeys(one for one in inner if one != EARLIER)
    return list(found)


# What all rules together are made of.
INPUTS = tuple(tables_behind_inputs(name for rule in RULES.values() for name in rule.inputs))
# Rules whose facts rest on lines of connections.
OF_CONNECTIONS = tuple(name for name, rule in RULES.items() if "connection_event" in rule.inputs)


def with_rule_columns(rule: Rule, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of its find, with the columns that say which rule it is: OF_RULES."""
    if rows.is_empty():
        return no_findings()
    own = (lit(rule.name).alias("rule"), lit(rule.version, pl.Int32).alias("rule_version"))
    return rows.with_columns(*own).select(OF_RULES)


@cache
def no_findings() -> pl.DataFrame:
    return empty_frame(
        pa.schema([ROWS.field("root_event"), *(SPEC.arrow.field(one) for one in OF_RULES[1:])])
    )


def find_by_rules(given: Mapping[str, Any], names: Collection[str] = tuple(RULES)) -> pl.DataFrame:
    """One row per finding of these rules, columns OF_RULES. given: INPUTS by name; names: of some rules, in their
    order, as if there were no others."""
    found = Findings(given)
    for name in names:
        found.of(name)
    for name in names:
        rule = RULES[name]
        if rule.absorb is not None:
            limits = {one: found.input(one, rule) for one in parameters(rule.absorb)[2:]}
            own, left = rule.absorb(found.of(name), found.of_all(rule.absorbed), **limits)
            found.rows[name] = own
            found.rows |= {one: left.filter(pl.col("rule") == one) for one in rule.absorbed}
    return found.of_all(names)


class Findings:
    """Findings by rule, each rule found once, after those that it names."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = dict(given)
        self.rows: dict[str, pl.DataFrame] = {}

    def of(self, name: str) -> pl.DataFrame:
        if name not in self.rows:
            rule = RULES[name]
            rows = rule.find(**{one: self.input(one, rule) for one in rule.inputs})
            self.rows[name] = with_rule_columns(rule, rows)
        return self.rows[name]

    def of_all(self, names: Iterable[str]) -> pl.DataFrame:
        return pl.concat([self.of(name) for name in names])

    def input(self, name: str, rule: Rule) -> Any:
        if name == EARLIER:
            return self.of_all(rule.after)
        if name in LIMITS:
            return self.given[OF_LIMITS].limits[name]
        if name not in self.given:
            self.given[name] = VIEWS[name](**{one: self.input(one, rule) for one in parameters(VIEWS[name])})
        return self.given[name]
