"""A run that understands what is stored anew leaves the tables of a run that reads the files so."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import ingest, nightly
from pipeline.store.warehouse import ClusterWarehouse
from tests.jobs.small_logs import INGESTED, contents, lines_of, write

pytestmark = pytest.mark.spark


@pytest.mark.soak
def test_another_zone_without_the_files(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    for name in ("controller", "state-change"):
        write(logs, f"broker-1/{name}.log", lines_of(1, name))

    def run(warehouse: str, *more: str) -> int:
        return ingest.main(["--warehouse", str(tmp_path / warehouse), "--cluster", "c", *more])

    def built(*names: str) -> list[bool]:
        """Whether the newest run says that these tables are as they would be built now."""
        watermarks = ClusterWarehouse(spark, str(tmp_path / "changed"), "c").published().watermarks
        return [bool(watermarks[name]) for name in names]

    assert (
        nightly.main(["--warehouse", str(tmp_path / "changed"), "--cluster", "c", "--logs", str(logs)]) == 0
    )
    assert built("silver.term", "gold.evidence", "gold.finding") == [True, True, True]
    assert run("changed", "--logs", str(logs), "--zone", "Asia/Tokyo") == 2
    assert "--reparse" in capsys.readouterr().err
    assert run("changed", "--reparse", "--zone", "Asia/Tokyo") == 0
    assert built("silver.term", "gold.evidence", "gold.finding") == [True, False, False]
    assert run("once", "--logs", str(logs), "--zone", "Asia/Tokyo") == 0
    assert contents(tmp_path / "changed", INGESTED) == contents(tmp_path / "once", INGESTED)


@pytest.mark.usefixtures("spark")
def test_nothing_to_understand_anew_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    warehouse = tmp_path / "none"
    assert ingest.main(["--warehouse", str(warehouse), "--reparse"]) == 4
    assert f"Expected a cluster in {warehouse}, or --logs" in capsys.readouterr().err
