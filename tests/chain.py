"""All kernels in the order of their wiring, in process, on records in memory."""

import inspect
from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import polars as pl
import pyarrow as pa

from pipeline.catalog.kernels import PARTIALS
from pipeline.catalog.tables import BY_SHORT_NAME, CARRIED, EXTRACTS, TABLES
from pipeline.core.frames import declared_table, empty_frame, frame_of
from pipeline.core.span import ALL_TIME
from pipeline.gold.finding import findings_of_run
from pipeline.model.settings import (
    AuditLimit,
    BalancingSetting,
    FindingSuppression,
    ReleaseSetting,
    SessionLimit,
)
from pipeline.rules.registry import LIMITS, RULES, find_by_rules, tables_behind_inputs
from schemas.bronze import file_sighting, lost_segment, metadata_part, metadata_record
from schemas.gold import finding
from schemas.spec import TableSpec
from tests.built_once import NOTHING, BuiltOnce, built_once_of
from tests.tables import log_table


def source_files(records: pl.DataFrame) -> pl.DataFrame:
    """What kernels need of bronze.source_file, as if each file had been read in one segment."""
    is_shared = pl.col("node_id").n_unique().over("cluster_id", "file_id") > 1
    return (
        records.with_columns(is_shared=is_shared)
        .group_by("cluster_id", "node_id", "file_id", "load_seq")
        .agg(
            is_shared=pl.col("is_shared").first(),
            log=pl.col("log").min(),
            zone=pl.lit("UTC"),
            path=pl.col("file_id").first(),
            start_offset=pl.col("byte_offset").min(),
            consumed_bytes=(pl.col("byte_offset") + pl.col("byte_length")).max(),
            first_logged_at=pl.col("logged_at").min(),
            last_logged_at=pl.col("logged_at").max(),
        )
    )


def inputs_of(records: pl.DataFrame) -> dict[str, Any]:
    """What kernels take besides tables, as in a first run with the settings as shipped."""
    files = source_files(records)
    carried = {name: state.nothing for name, state in CARRIED.items()}
    return carried | {
        "log_record": records,
        **{name: kernel.build(records) for name, kernel in EXTRACTS.items()},
        "source_file": files,
        **{
            one.table: empty_frame(one)
            for one in (lost_segment.SPEC, metadata_part.SPEC, metadata_record.SPEC)
        },
        "file_sighting": empty_frame(file_sighting.SPEC),
        "data_end": files.group_by("cluster_id").agg(until_at=pl.col("last_logged_at").max()),
        "balancing_setting": BalancingSetting(),
        "audit_limit": audit_limit(),
        "release_setting": ReleaseSetting(),
        "session_limit": SessionLimit(),
        "published_finding": empty_frame(finding.SPEC),
        "reported_finding": empty_frame(finding.SPEC),
        "span": ALL_TIME,
    }


def audit_limit(*suppressions: FindingSuppression, **changed: int) -> AuditLimit:
    """The limits as rules declare them, but for those that are changed."""
    return AuditLimit({name: one.default for name, one in LIMITS.items()} | changed, suppressions)


@cache
def kernel(spec: TableSpec) -> Any:
    return import_module(f"pipeline.{spec.name}").build


def built(records: pl.DataFrame | pa.Table, *goals: str, **given: Any) -> dict[str, Any]:
    """The tables of these short names and all that they stand on, built from records; given: inputs to take instead."""
    rows = frame_of(records) if isinstance(records, pa.Table) else records
    known = inputs_of(rows) | given
    once = NOTHING if given else built_once_of(rows)
    for goal in goals:
        known |= with_table(goal, known, once)
    return known


def found_by_each(stories: Mapping[str, dict[tuple[int, str], str]], *rules: str) -> dict[str, pl.DataFrame]:
    """gold.finding of these rules for several small clusters, built at once, by cluster."""
    rows = found_by(records_of_many(stories), *rules)
    return {name: rows.filter(cluster_id=name) for name in stories}


def found_by(records: pl.DataFrame | pa.Table, *rules: str, **given: Any) -> pl.DataFrame:
    """gold.finding of these rules, as it is among the findings of all: of the tables those alone are built that these
    rules, and those that may take their findings for their own, are made of."""
    names = [name for name in RULES if name in with_absorbing(rules)]
    asked = [one for name in with_earlier(names) for one in inputs_of_rule(name)]
    known = built(records, *(one for one in tables_behind_inputs(asked) if one in BY_SHORT_NAME), **given)
    rows = findings_of_run(find_by_rules(known, names), known)
    return frame_of(declared_table(rows, finding.SPEC)).filter(pl.col("rule").is_in(rules))


def with_absorbing(rules: Collection[str]) -> set[str]:
    """The rules, those that absorb findings of theirs, and what these absorb."""
    found = set(rules)
    for rule in RULES.values():
        if rule.absorb is not None and found & {rule.name, *rule.absorbed}:
            found |= {rule.name, *rule.absorbed}
    return found


def with_earlier(names: Collection[str]) -> set[str]:
    """The rules and those whose findings they look at."""
    return {*names, *(one for name in names for one in with_earlier(RULES[name].after))}


def inputs_of_rule(name: str) -> tuple[str, ...]:
    rule = RULES[name]
    return (
        *rule.inputs,
        *(() if rule.absorb is None else tuple(inspect.signature(rule.absorb).parameters)[2:]),
    )


def with_table(name: str, known: dict[str, Any], once: BuiltOnce = NOTHING) -> dict[str, Any]:
    if name in known:
        return known
    if name in PARTIALS:
        partial = PARTIALS[name]
        for one in partial.inputs:
            known = with_table(one, known, once)
        return known | {name: partial.build(**{one: taken(one, known[one]) for one in partial.inputs})}
    spec = BY_SHORT_NAME[name].spec
    build = kernel(spec)
    names = tuple(inspect.signature(build).parameters)
    for one in names:
        known = with_table(one, known, once)
    rows = once.table(name)
    if rows is None:
        made = build(**{one: taken(one, known[one]) for one in names})
        rows = frame_of(declared_table(made, spec))
        once.keep(name, rows)
    return known | {name: rows}


def taken(name: str, rows: Any) -> Any:
    """What kernels take of a table: all that it holds, or what its declaration in the catalog makes of it."""
    makes = BY_SHORT_NAME[name].incremental.taken if name in BY_SHORT_NAME else None
    return rows if makes is None else makes(rows)


def built_of_many(
    stories: Mapping[str, dict[tuple[int, str], str]], *goals: str, **given: Any
) -> dict[str, Any]:
    """The tables of several small clusters, log texts by name, built at once."""
    return built(records_of_many(stories), *goals, **given)


def records_of_many(stories: Mapping[str, dict[tuple[int, str], str]]) -> pa.Table:
    """bronze.log_record of small clusters, log texts by name; their file_ids begin with it."""
    return pa.concat_tables(
        [log_table(logs, cluster_id=name, of=f"{name}/") for name, logs in stories.items()]
    )


def built_of_each(
    stories: Mapping[str, dict[tuple[int, str], str]], *goals: str
) -> dict[str, dict[str, pl.DataFrame]]:
    """Of several small clusters, built at once, the tables of each, by its name."""
    tables = built_of_many(stories, *goals)
    return {name: {goal: tables[goal].filter(cluster_id=name) for goal in goals} for name in stories}


ORDER = tuple(one.spec.table for one in TABLES if one.build is not None)
