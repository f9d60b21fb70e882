"""The imbalance job as a question: another limit, one broker, every format, and what is drawn."""

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from jobs import cli
from jobs.questions.imbalance import (
    BARS,
    SLICES,
    drawn_by_broker,
    is_question,
    ratio_bar,
    seconds_over,
    until_end,
)
from pipeline.views.reading.answers import Answers
from schemas.gold import leader_imbalance
from tests.frames import at, frame

AT = "2026-11-21T09:00:13"
INTERVALS = """
    broker_id | valid_from_at | valid_until_at | imbalance_ratio | threshold_ratio
    1         | 0             | 16             | 0.5             | 0.1
    1         | 16            |                | 0.05            | 0.1
    2         | 32            |                | 1.0             |
"""


def test_a_question_is_known_by_its_options() -> None:
    assert is_question(["--warehouse", "w", "--at", "09:00"]) and is_question(["--format=json"])
    assert not is_question(["--logs", "/at", "--warehouse", "--w"])


def test_a_bar_is_as_high_as_the_ratio() -> None:
    assert [ratio_bar(ratio) for ratio in (None, 0.0, 0.124, 0.125, 0.999, 1.0)] == [
        " ",
        "▁",
        "▁",
        "▂",
        "█",
        "█",
    ]


def test_a_ratio_is_drawn_to_the_end_and_counts_while_over_its_limit() -> None:
    """A part of the period is a second here; what begins with the end of the data stands in the last one."""
    intervals = until_end(frame(leader_imbalance.SPEC, INTERVALS), at(SLICES))
    drawn = drawn_by_broker(intervals, at(0), at(SLICES))
    assert drawn == {1: ratio_bar(0.5) * 17 + ratio_bar(0.05) * 15, 2: " " * 31 + ratio_bar(1.0)}
    assert seconds_over(intervals, None) == {1: 16.0}
    assert seconds_over(intervals, 4) == {1: 32.0, 2: 0.0}


@pytest.mark.parametrize("argv", [["--threshold", "-1"], ["--threshold", "x"], ["--format", "parquet"]])
def test_wrong_options_end_with_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["imbalance", *argv])
    assert ended.value.code == 2
    assert "imbalance" in capsys.readouterr().err


def test_every_format_tells_the_same(
    sample_in_memory: Answers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = ["imbalance", "--at", AT, "--threshold", "92.9"]
    assert cli.main([*ask, "--format", "json"]) == 0
    told = {row["broker_id"]: row for row in json.loads(capsys.readouterr().out)}
    assert {key: told[1][key] for key in ("leads", "preferred_count", "led_elsewhere_count", "is_breach")} == {
        "leads": 1, "preferred_count": 14, "led_elsewhere_count": 13, "is_breach": False,
    }  # fmt: skip
    assert told[1]["imbalance_ratio"] == 13 / 14 and told[1]["threshold_ratio"] == 0.929
    assert {key: row["seconds_over"] for key, row in told.items()} == pytest.approx(over(sample_in_memory))
    assert cli.main([*ask, "--format", "csv"]) == 0
    listed = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(int(row["broker_id"]), float(row["imbalance_ratio"])) for row in listed] == [
        (key, round(row["imbalance_ratio"], 6)) for key, row in told.items()
    ]
    assert cli.main([*ask[:-1], "1.1", "--format", "csv"]) == 0
    assert {row["threshold_ratio"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))} == {
        "0.011"
    }
    target = tmp_path / "imbalance.parquet"
    assert cli.main([*ask, "--format", "parquet", "--output", str(target), "--broker", "1"]) == 0
    assert pq.read_table(target)["imbalance_ratio"].to_pylist() == [13 / 14]


def over(answers: Answers) -> dict[int, float]:
    """By broker how many seconds its ratio was over 0.929, interval after interval."""
    end = answers.last_at()
    found: dict[int, float] = {}
    for row in answers.rows("gold.leader_imbalance").to_dicts():
        lasted = ((row["valid_until_at"] or end) - row["valid_from_at"]).total_seconds()
        is_over = row["imbalance_ratio"] > 0.929
        found[row["broker_id"]] = found.get(row["broker_id"], 0.0) + (lasted if is_over else 0.0)
    return found


@pytest.mark.usefixtures("sample_in_memory")
def test_the_text_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["imbalance", "--at", AT]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(f"at {datetime.fromisoformat(AT).replace(tzinfo=UTC):%Y-%m-%d %H:%M:%S}.000 UTC")
    brokers = lines[2:5]
    assert brokers[0].split()[:8] == ["1", "1", "1", "14", "13", "0.929", "0.100", "BREACH"]
    assert all(len(line) <= 120 for line in lines)
    assert all(set(line[-SLICES:]) <= {*BARS, " "} and BARS[-1] in line for line in brokers)
    assert cli.main(["imbalance", "--broker", "9"]) == 4
    assert "a broker 9" in capsys.readouterr().err
