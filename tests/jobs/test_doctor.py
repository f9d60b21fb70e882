"""The command `doctor`: whole or damaged, by whatever was done to a warehouse, and what mends it."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from jobs.questions import doctor
from schemas.bronze import log_record
from schemas.silver import term
from schemas.spec import TableSpec
from tests.golden import CLUSTER, unpacked
from tests.store.damaging import ACTS
from tests.store.stating import put, rows, stated

# Of each act the table that it is done to, by turns of layers.
TABLES = ("bronze.log_record", "silver.term", "gold.finding", "bronze.source_file", "gold.controller_term")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    warehouse = unpacked(tmp_path_factory.mktemp("whole"))
    stated(warehouse / CLUSTER)
    return warehouse


def asked(warehouse: Path, *more: str) -> int:
    return doctor.main(["--warehouse", str(warehouse), *more])


def repair(warehouse: Path) -> str:
    return f"kafka-controller-audit repair --warehouse {warehouse} --cluster {CLUSTER} --logs DIR"


def test_a_whole_warehouse(
    whole: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert asked(whole) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"WHOLE  {CLUSTER}: ")
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if "repair" in line]


@pytest.mark.parametrize(("number", "act"), list(enumerate(ACTS)), ids=str)
def test_each_act_is_told(
    number: int, act: str, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = Path(shutil.copytree(whole, tmp_path / "w"))
    for name in (TABLES[number % len(TABLES)], TABLES[(number + 1) % len(TABLES)]):
        table = warehouse / CLUSTER / name.replace(".", "/")
        newest = max(int(one.stem) for one in (table / "_delta_log").glob("*.json"))
        if ACTS[act](table, newest):
            break
    assert asked(warehouse, "--format", "json") == 10
    (found,) = json.loads(capsys.readouterr().out)["clusters"]
    assert found["verdict"] == "DAMAGED"
    assert {one["table"]: len(one["damages"]) for one in found["tables"] if one["damages"]}.keys() >= {name}
    assert found["mended_by"] == [repair(warehouse)]
    assert found["not_mended"] == []
    assert asked(warehouse, "--cluster", CLUSTER) == 10
    text = capsys.readouterr().out
    assert text.startswith(f"DAMAGED  {CLUSTER}: 1 of ")
    assert name in text and "kafka-controller-audit repair" in text


@pytest.mark.parametrize(("spec", "is_derived"), [(term.SPEC, True), (log_record.SPEC, False)])
def test_what_repair_does_not_see_is_mended_another_way(
    spec: TableSpec, *, is_derived: bool, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows twice: a derived table is built again where its folder is gone; what was read nobody can tell apart."""
    warehouse = Path(shutil.copytree(whole, tmp_path / "w"))
    cluster = warehouse / CLUSTER
    put(cluster, spec, pl.concat([rows(cluster, spec)] * 2))
    stated(cluster)
    assert asked(warehouse, "--format", "json") == 10
    (found,) = json.loads(capsys.readouterr().out)["clusters"]
    removed = f"rm -r {cluster / spec.layer / spec.table}"
    assert found["mended_by"] == ([removed, repair(warehouse)] if is_derived else [])
    assert found["not_mended"] == ([] if is_derived else [spec.name])


def test_what_is_no_warehouse_is_said_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(tmp_path) == 4
    assert asked(tmp_path / "none") == 4
    assert doctor.main(["--warehouse", "hdfs://nowhere/w"]) == 3
    assert "which only Spark reads" in capsys.readouterr().err
