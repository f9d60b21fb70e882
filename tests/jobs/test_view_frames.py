"""Changes, context and gauges as frames: what the commands tell, and nothing of what is not there."""

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from jobs.incident.tables_out import write_tables
from jobs.questions import ask
from jobs.questions.changes.asked import changes_of
from pipeline.core.errors import InputProblem
from pipeline.views.context.context_rows import context_at
from pipeline.views.frames import (
    answers_of_frames,
    changes_frame,
    context_frame,
    gauges_frame,
    partitions_frame,
)
from pipeline.views.reading.answers import Answers
from tests.house.source import REPOSITORY
from tests.jobs.answering import answers_of

PAGE = (REPOSITORY / "docs" / "recipes" / "views.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
AT = datetime(2026, 11, 21, 8, 59, 35, tzinfo=UTC)
VIEWS = (changes_frame, context_frame, partitions_frame, gauges_frame)


def ran(section: str) -> dict[str, Any]:
    """What a snippet of the page has named."""
    (snippet,) = re.findall(r"^```python\n(.*?)^```$", SECTIONS[section], re.M | re.S)
    named: dict[str, Any] = {}
    exec(compile(snippet, f"views.md: {section}", "exec"), named)  # noqa: S102  (of this repository)
    return named


def test_a_row_is_a_change(sample_answers: Answers) -> None:
    told = changes_of(sample_answers)
    found = changes_frame(sample_answers)
    assert found["kind"].to_list() == [one["kind"] for one in told]
    assert found.columns[:3] == ["at", "kind", "topics"] and found["file_id"].null_count() == 0
    assert changes_frame(sample_answers, AT).height == sum(one["at"] >= AT for one in told)


def test_a_row_is_a_thing_that_was_so_then(sample_answers: Answers) -> None:
    known, found = context_at(sample_answers, AT), context_frame(sample_answers, AT)
    parts = {part: len(rows) for part, rows in known.parts.items() if rows}
    expected = Counter(parts | {"partition": known.partitions.height, "not_told": len(known.doubts)})
    assert Counter(found["part"].to_list()) == +expected
    (controller,) = found.filter(pl.col("part") == "controller").to_dicts()
    assert '"controller_id": 2' in controller["value"] and controller["known_by"] == "1-6"
    assert partitions_frame(sample_answers, AT).height == known.partitions.height


def test_a_row_is_a_step_of_a_gauge(sample_answers: Answers) -> None:
    steps = gauges_frame(sample_answers).filter(pl.col("gauge") == "ActiveControllerCount")
    assert sorted(steps["node"].unique()) == [1, 2, 3]
    assert steps["value"].drop_nulls().is_between(0, 1).all()
    assert gauges_frame(sample_answers, AT, AT)["at"].unique().to_list() == [AT]


@pytest.mark.parametrize("view", VIEWS)
def test_of_another_time_nothing_is_known(view: Any, sample_answers: Answers) -> None:
    last = sample_answers.last_at()
    assert last is not None
    with pytest.raises(InputProblem, match="a time within the data"):
        view(sample_answers, last + timedelta(days=1))
    with pytest.raises(InputProblem, match="records with times"):
        view(answers_of())


@pytest.mark.parametrize("view", VIEWS)
def test_a_table_that_is_not_given_is_no_empty_one(view: Any) -> None:
    with pytest.raises(InputProblem, match=r"the table bronze\.source_file"):
        view(answers_of_frames("c", {}))


def test_the_page_reads_a_warehouse(sample_answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb", reason="no duckdb here")
    monkeypatch.setattr(ask, "all_answers", lambda *_: [sample_answers])
    found = ran("Warehouse")
    assert found["by_kind"]["count"].sum() == changes_frame(sample_answers).height > 0
    assert dict(found["most"].iter_rows())["GlobalTopicCount"] > 0


def test_the_page_reads_the_tables_of_logs(
    sample_answers: Answers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tables(tmp_path / "tables" / "prod", sample_answers.tables)
    monkeypatch.chdir(tmp_path)
    found = ran("Logs")
    assert found["live"] == ["1", "2", "3"]
    assert found["not_well"].height == 12
