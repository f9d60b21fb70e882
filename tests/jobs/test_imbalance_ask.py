"""The imbalance job as a question: another limit, one broker, every format, and what is drawn."""

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from jobs import cli
from jobs.imbalance_ask import BARS, SLICES, bar, is_question
from pipeline.store.reading import read

AT = "2026-11-21T09:00:13"


def test_a_question_is_known_by_its_options() -> None:
    assert is_question(["--warehouse", "w", "--at", "09:00"]) and is_question(["--format=json"])
    assert not is_question(["--logs", "/at", "--warehouse", "--w"])


def test_a_bar_is_as_high_as_the_ratio() -> None:
    assert [bar(ratio) for ratio in (None, 0.0, 0.124, 0.125, 0.999, 1.0)] == [" ", "▁", "▁", "▂", "█", "█"]


@pytest.mark.parametrize("argv", [["--threshold", "-1"], ["--threshold", "x"], ["--format", "parquet"]])
def test_wrong_options_end_with_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["imbalance", *argv])
    assert ended.value.code == 2
    assert "imbalance" in capsys.readouterr().err


@pytest.mark.spark
def test_every_format_tells_the_same(
    spark: SparkSession, sample_warehouse: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = ["imbalance", "--warehouse", sample_warehouse, "--at", AT, "--threshold", "92.9"]
    assert cli.main([*ask, "--format", "json"]) == 0
    told = {row["broker_id"]: row for row in json.loads(capsys.readouterr().out)}
    assert {key: told[1][key] for key in ("leads", "preferred_count", "led_elsewhere_count", "is_breach")} == {
        "leads": 1, "preferred_count": 14, "led_elsewhere_count": 13, "is_breach": False,
    }  # fmt: skip
    assert told[1]["imbalance_ratio"] == 13 / 14 and told[1]["threshold_ratio"] == 0.929
    assert {key: row["seconds_over"] for key, row in told.items()} == pytest.approx(
        over(spark, sample_warehouse)
    )
    assert cli.main([*ask, "--format", "csv"]) == 0
    listed = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(int(row["broker_id"]), float(row["imbalance_ratio"])) for row in listed] == [
        (key, row["imbalance_ratio"]) for key, row in told.items()
    ]
    target = tmp_path / "imbalance.parquet"
    assert cli.main([*ask, "--format", "parquet", "--output", str(target), "--broker", "1"]) == 0
    assert pq.read_table(target)["imbalance_ratio"].to_pylist() == [13 / 14]


def over(spark: SparkSession, warehouse: str) -> dict[int, float]:
    """By broker how many seconds its ratio was over 0.929, interval after interval."""
    end = read(spark, warehouse, "bronze.source_file").agg({"last_logged_at": "max"}).collect()[0][0]
    found: dict[int, float] = {}
    for row in read(spark, warehouse, "gold.leader_imbalance").collect():
        lasted = ((row.valid_until_at or end) - row.valid_from_at).total_seconds()
        found[row.broker_id] = found.get(row.broker_id, 0.0) + (
            lasted if row.imbalance_ratio > 0.929 else 0.0
        )
    return found


@pytest.mark.spark
def test_the_text_fits_a_terminal(sample_warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["imbalance", "--warehouse", sample_warehouse, "--at", AT]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(f"at {datetime.fromisoformat(AT).replace(tzinfo=UTC):%Y-%m-%d %H:%M:%S}.000 UTC")
    brokers = lines[2:5]
    assert brokers[0].split()[:7] == ["1", "1", "14", "13", "0.929", "0.100", "BREACH"]
    assert all(len(line) <= 120 for line in lines)
    assert all(set(line[-SLICES:]) <= {*BARS, " "} and BARS[-1] in line for line in brokers)
    assert cli.main(["imbalance", "--warehouse", sample_warehouse, "--broker", "9"]) == 4
    assert "a broker 9" in capsys.readouterr().err
