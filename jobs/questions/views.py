"""The command `views`: SQL of DuckDB, one view a table over all clusters, of the files that were published."""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from jobs.engine.run.chosen_clusters import chosen_clusters
from jobs.engine.run.outcome import report_problem
from jobs.questions.ask import question_parser
from jobs.text import printable_line
from pipeline.catalog.tables import SPECS
from pipeline.core.errors import EnvironmentProblem, InputProblem, PipelineError
from pipeline.store.readers.readable_warehouse import DirectWarehouse, readable_directly
from pipeline.store.runs.published import Published
from pipeline.store.tables.direct_reading import files_of_version
from schemas.ops import run
from schemas.spec import TableSpec

HEAD = """\
-- Views of DuckDB on the warehouse {warehouse}, as these runs published it:
{runs}
-- Later runs change nothing in them; maintain removes in time what only older runs need: then print them again.
-- Times are UTC. bronze_log_record has no column raw: of most records it is not stored, as the others give it.
"""
OPTIONS = "union_by_name = true, hive_partitioning = false"
PLAIN = {
    pa.binary(): "BLOB",
    pa.bool_(): "BOOLEAN",
    pa.float64(): "DOUBLE",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.string(): "VARCHAR",
    pa.timestamp("us", tz="UTC"): "TIMESTAMPTZ",
    pa.timestamp("us"): "TIMESTAMP",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = question_parser(
        "views", "SQL of DuckDB: one view a table over all clusters, as published (views | duckdb FILE)."
    )
    given = arguments.parse_args(argv)
    try:
        text = "\n".join(view_statements(given))
    except PipelineError as problem:
        return report_problem("views", problem)
    print(text, flush=True)
    return 0


def view_statements(given: argparse.Namespace) -> Iterator[str]:
    """EnvironmentProblem: only Spark reads this warehouse. InputProblem: no such cluster or run."""
    at = readable_directly(given.warehouse)
    if at is None:
        raise EnvironmentProblem(
            expected="a warehouse on a disk or in an object store, as DuckDB reads no other",
            found=given.warehouse,
            todo="copy it to a disk, or use make_views in Spark",
        )
    names = chosen_clusters(at.clusters(), given.warehouse, given.cluster)
    published = {name: at.published(name, given.run_id) for name in names}
    seen = {name: one for name, one in published.items() if one.run_id is not None}
    if not seen:
        raise InputProblem(
            expected=f"run {given.run_id or 'of any name'} in {given.warehouse}",
            found=f"none in the clusters {', '.join(names)}",
            todo="'runs' lists them",
        )
    runs = "\n".join(f"--   {printable_line(name)}: run {one.run_id}" for name, one in seen.items())
    yield HEAD.format(warehouse=printable_line(given.warehouse), runs=runs)
    for spec in (*SPECS, run.SPEC):
        yield create_view_statement(
            spec, [one for name in seen for one in files_of_table(at, name, seen[name], spec)]
        )


def files_of_table(at: DirectWarehouse, cluster: str, seen: Published, spec: TableSpec) -> list[str]:
    tables = at.tables(cluster, seen)
    tables.require_runs(spec)
    if not tables.has_rows(spec):
        return []
    return files_of_version(f"{at.root}/{cluster}", spec, tables.version(spec), seen.contents.get(spec.name))


def create_view_statement(spec: TableSpec, paths: Sequence[str]) -> str:
    """Every column as it is declared, whatever a file has; there may be no file."""
    kinds = {quote_identifier(one.name): of_duckdb(one.type) for one in spec.fields if not one.rebuilt}
    lines = [
        f"CREATE OR REPLACE VIEW {spec.layer}_{spec.table} AS SELECT {', '.join(kinds)} FROM (",  # noqa: S608  (declared names)
        f"  SELECT {', '.join(f'NULL::{kind} AS {name}' for name, kind in kinds.items())} WHERE false",
    ]
    if paths:
        read = f"  SELECT * FROM read_parquet({path_literals(paths)}, {OPTIONS})"  # noqa: S608  (paths are quoted)
        lines += ["  UNION ALL BY NAME", read]
    return "\n".join((*lines, ");"))


def of_duckdb(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"{of_duckdb(kind.value_type)}[]"
    if pa.types.is_struct(kind):
        return f"STRUCT({', '.join(f'{quote_identifier(one.name)} {of_duckdb(one.type)}' for one in kind)})"
    if pa.types.is_map(kind):
        return f"MAP({of_duckdb(kind.key_type)}, {of_duckdb(kind.item_type)})"
    plain: Mapping[pa.DataType, str] = PLAIN
    return plain[kind]


def quote_identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def path_literals(paths: Sequence[str]) -> str:
    """Literals; what is a pattern to DuckDB stands for itself."""
    plain = (re.sub(r"([*?\[])", r"[\1]", one).replace("'", "''") for one in paths)
    return "[" + ", ".join(f"'{one}'" for one in plain) + "]"


if __name__ == "__main__":
    sys.exit(main())
