"""The views of DuckDB: rows and types of what was published, whatever the folder is called, and nothing else."""

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from jobs import cli
from jobs.questions.views import of_duckdb, path_literals
from pipeline.catalog.tables import SPECS
from pipeline.store.readers.readable_warehouse import readable_directly
from pipeline.store.tables.direct_reading import read_directly
from schemas.bronze import log_record
from schemas.gold import finding
from schemas.ops import run
from tests.golden import CLUSTER
from tests.jobs.warehouses import RECORDS


def sql_of(warehouse: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    assert cli.main(["views", "--warehouse", str(warehouse), *more]) == 0
    return capsys.readouterr().out


def with_views(sql: str) -> Any:
    duckdb = pytest.importorskip("duckdb", reason="no duckdb here")
    database = duckdb.connect()
    database.execute(sql)
    return database


def rows_in(database: Any, view: str) -> int:
    return int(database.table(view).aggregate("count(*)").fetchall()[0][0])


def test_each_table_has_the_rows_that_were_published(
    golden: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = golden.parent / "a 'name' *?{a,b} ü" / "warehouse"
    shutil.copytree(golden, other)
    # A folder that this one would find if its name were a pattern.
    shutil.copytree(golden, golden.parent / "a 'name' xy{a,b} ü" / "warehouse")
    database = with_views(sql_of(other, capsys))
    at = readable_directly(str(other))
    assert at is not None
    tables = at.tables(CLUSTER, at.published(CLUSTER))
    assert RECORDS["WHOLE"] == rows_in(database, "bronze_log_record")
    for spec in (*SPECS, run.SPEC):
        assert rows_in(database, f"{spec.layer}_{spec.table}") == tables.read(spec).num_rows, spec.name
    database.execute("SET TimeZone = 'UTC'")
    found = database.table("gold_finding").order("finding_id").fetchall()
    told = read_directly(other / CLUSTER, finding.SPEC, None, None).sort_by("finding_id")
    # A map is a dict in DuckDB and pairs in Arrow; what Arrow gives as a struct is a dict in both.
    maps = {name for name in told.column_names if pa.types.is_map(told.schema.field(name).type)}
    expected = [
        tuple(dict(value) if value and name in maps else value for name, value in row.items())
        for row in told.to_pylist()
    ]
    assert found == expected and len(found) > 1


def test_an_older_run_has_its_own_files_and_clusters_stand_together(
    golden: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = read_directly(golden / CLUSTER, run.SPEC, None, ("run_id", "run_seq")).sort_by("run_seq")
    first = runs["run_id"].to_pylist()[0]
    sql = sql_of(golden, capsys, "--run-id", first)
    assert f"--   {CLUSTER}: run {first}" in sql
    assert rows_in(with_views(sql), "bronze_log_record") == RECORDS["BEGUN"]
    shutil.copytree(golden / CLUSTER, golden / "other")
    both = with_views(sql_of(golden, capsys))
    assert rows_in(both, "bronze_log_record") == 2 * RECORDS["WHOLE"]


def test_types_are_those_that_are_declared(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql = sql_of(golden, capsys)
    for spec in SPECS:
        assert f"CREATE OR REPLACE VIEW {spec.layer}_{spec.table} AS" in sql
    database = with_views(sql)
    for spec in SPECS:
        view = database.table(f"{spec.layer}_{spec.table}")
        kept = [one for one in spec.fields if not one.rebuilt]
        assert view.columns == [one.name for one in kept]
        plain = {one.name: of_duckdb(one.type) for one in kept if not pa.types.is_nested(one.type)}
        said = {name: str(kind) for name, kind in zip(view.columns, view.types, strict=True)}
        assert {
            name: said[name].replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ") for name in plain
        } == plain
    assert "raw" in log_record.SPEC.columns and "raw" not in database.table("bronze_log_record").columns


def test_what_is_no_longer_there_is_said(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    next((golden / CLUSTER / "gold" / "finding").glob("*.parquet")).unlink()
    code = cli.main(["views", "--warehouse", str(golden)])
    said = capsys.readouterr()
    assert (code, said.out) == (10, "") and "gold.finding" in said.err


def test_paths_are_literals() -> None:
    assert path_literals(["/a'b/*.parquet", "/c?[d]"]) == "['/a''b/[*].parquet', '/c[?][[]d]']"
