"""Damage is said and mended: after repair a warehouse holds what it would have held."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import repair
from pipeline.catalog.tables import SPECS, TABLES
from pipeline.core.errors import WarehouseDamaged
from schemas.ops import run
from tests.mending.damaged import CLUSTER, Outcome, files_of, given, made, outcome, rows, seen
from tests.mending.plain import plain_nightly
from tests.published import published_tables
from tests.store.damaging import ACTS, added_file_left_out, flipped_byte, removed_file, truncated_file

# In `make test` the same is asked without Spark: test_without_spark.py, tests/jobs/test_doctor.py.
pytestmark = [pytest.mark.spark, pytest.mark.soak]
SAID = WarehouseDamaged.exit_code
DERIVED = [one.spec for one in TABLES if one.build is not None]
OF_FILES = (removed_file, truncated_file, flipped_byte, added_file_left_out)


@pytest.fixture(scope="module")
def whole(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("whole"), plain_nightly)


def test_damages_are_said_and_mended(whole: Path, tmp_path: Path) -> None:
    found = outcome(
        whole,
        tmp_path / "damaged",
        ("bronze.log_record", "data file truncated"),
        ("gold.partition_timeline", "newest commit half"),
        ("silver.controller_step", "one byte flipped"),
        (run.SPEC.name, "newest commit removed"),
    )
    assert found == Outcome(SAID, 0, 0)


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("table", [*(spec.name for spec in SPECS), run.SPEC.name])
def test_each_damage_of_each_table(table: str, act: str, whole: Path, tmp_path: Path) -> None:
    assert outcome(whole, tmp_path / "damaged", (table, act)) in (None, Outcome(SAID, 0, 0))


@pytest.mark.parametrize("act", ACTS)
def test_one_damage_of_all_derived_tables(act: str, whole: Path, tmp_path: Path) -> None:
    versions = seen(whole).versions
    acts = [(one.name, act) for one in DERIVED if versions[one.name] or act != "table one run older"]
    has_files = [one for one in acts if ACTS[act] not in OF_FILES or files_of(whole, one[0])]
    assert len(has_files) > 10
    assert outcome(whole, tmp_path / "damaged", *has_files) == Outcome(SAID, 0, 0)


def test_what_no_log_holds_is_a_gap_until_one_does(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    found = outcome(whole, folder, ("bronze.log_record", "data file removed"), with_logs=False)
    assert found is not None
    assert (found.said, found.mended, found.after) == (SAID, 0, 0)
    stored = published_tables(folder / "warehouse", CLUSTER)
    assert "lost_in_warehouse" in stored("silver.log_gap")["kind"].to_list() or found.differing == ()
    assert repair.main(given(folder)) == 0
    assert rows(folder) == rows(whole)


def test_a_whole_warehouse_is_left_as_it_is(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = seen(whole)
    assert repair.main(given(whole)) == 0
    assert "NOTHING TO REPAIR" in capsys.readouterr().out
    assert seen(whole) == before
