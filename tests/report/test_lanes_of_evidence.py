"""Lanes of evidence: which time the logs of a node tell, and what is pale or hatched as none tells it."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from jobs.report import unknown
from jobs.report.drawing import EDGE
from jobs.report.lanes_of_evidence import gaps_between_spans as between_files
from jobs.report.lanes_of_evidence import node_marks
from jobs.report.scale import LEFT, RIGHT, Scale
from jobs.report.told import cluster_report
from jobs.report.unknown import longest_silences
from pipeline.core.frames import with_absent
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from schemas.silver import log_gap
from tests.report.drawings import ALL, BEGIN, drawn, lanes, of_class
from tests.report.reading import read


def test_no_log_is_drawn_between_two_files() -> None:
    times = [BEGIN + timedelta(hours=one) for one in range(24)]
    scale = Scale(times[0], times[23])
    row: Row = {
        "valid_from_at": times[0], "valid_until_at": times[23], "logs": ["controller"], "state_change_level": "INFO",
    }  # fmt: skip
    marks = read("".join(node_marks(1, [(times[0], times[2]), (times[20], times[23])], [row], scale))).all(
        "rect"
    )
    assert [one.attributes["class"] for one in marks] == ["logs info", "logs info", "between"]
    x = [LEFT, scale.x(times[2]), scale.x(times[20]), RIGHT]
    stand = [(float(str(one.attributes["x"])), float(str(one.attributes["width"]))) for one in marks]
    assert stand == [
        pytest.approx((x[begin], x[end] - x[begin]), abs=0.2) for begin, end in ((0, 1), (2, 3), (1, 2))
    ]
    assert marks[2].text == (
        "node 1: no line of it was read, so its logs do not tell here; "
        "2026-11-21 10:00:00.000 to 2026-11-22 04:00:00.000 UTC"
    )
    alone, rest = node_marks(2, [(times[0], times[2])], [], scale)
    assert ' class="logs other" ' in alone
    assert ' class="between" ' in rest and "10:00:00.000 to 2026-11-22 07:00:00.000 UTC" in rest
    (of_nobody,) = node_marks(None, [(times[0], times[2])], [], scale)
    assert "node not known" in of_nobody


def test_what_files_leave_of_a_time() -> None:
    times = [BEGIN + timedelta(hours=one) for one in range(9)]
    spans = [(times[1], times[4]), (times[2], times[3]), (times[4], times[5]), (times[6], times[8])]
    assert [*between_files(spans, times[0], times[7])] == [(times[0], times[1]), (times[5], times[6])]
    assert [*between_files([], times[0], times[1])] == [(times[0], times[1])]
    assert [*between_files([(times[3], times[4])], times[0], times[2])] == [(times[0], times[2])]


def test_bars_are_pale_where_no_log_of_any_node_tells_which_is_said(
    sample_answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = MemoryTables()
    assert isinstance(sample_answers.tables, MemoryTables)
    at = datetime(2026, 11, 21, 8, 58, tzinfo=UTC)
    ends = sample_answers.read()
    scale = Scale(ends["first_at"], ends["last_at"])
    row = sample_answers.segments.head(1)
    times = [
        pl.lit(one).cast(row.schema["last_logged_at"])
        for one in (scale.first, at, at + timedelta(minutes=2), scale.last)
    ]
    files = [
        row.with_columns(first_logged_at=begin, last_logged_at=end) for begin, end in (times[:2], times[2:])
    ]
    tables.rows = sample_answers.tables.rows | {"bronze.source_file": pl.concat(files)}
    (svg,) = (one for one in drawn(Answers("c", tables)).all("svg") if "role" in one.attributes)
    (pale,) = of_class(svg.all("rect"), "untold")
    left, wide = (float(str(pale.attributes[name])) for name in ("x", "width"))
    assert left == pytest.approx(scale.x(at) + EDGE, abs=0.2)
    assert left + wide == pytest.approx(scale.x(at + timedelta(minutes=2)), abs=0.2)
    assert pale.attributes["data-t"] == scale.times(at, at + timedelta(minutes=2))
    told = cluster_report(Answers("c", tables), ALL, "off", is_stored=True)
    assert longest_silences(told) == []
    monkeypatch.setattr(unknown, "LEAST_SILENCE", timedelta(minutes=1))
    assert longest_silences(told)[0].startswith(
        "no log of any node has a line from 2026-11-21 08:58:00.000 to 2026-11-21 09:00:00.000 UTC (2 min): nothing was "
    )


def test_where_lines_are_missing_is_hatched(sample_answers: Answers) -> None:
    at = sample_answers.read()["first_at"] + timedelta(seconds=30)
    said = pl.DataFrame(
        {
            "kind": ["silence", "not_read"],
            "node_id": [2, None],
            "from_at": [at, at],
            "until_at": [at + timedelta(seconds=60), None],
            "sentence": ["</svg><script>"] * 2,
            "evidence": [[], []],
        }
    )
    tables = MemoryTables()
    assert isinstance(sample_answers.tables, MemoryTables)
    tables.rows = sample_answers.tables.rows | {"silver.log_gap": with_absent(said, log_gap.SPEC)}
    root = drawn(Answers("c", tables))
    found = lanes(root)
    (gap,) = of_class(found["evidence: whose logs tell / node 2"], "missing")
    assert gap.text == "silence: </svg><script>" and float(str(gap.attributes["width"])) > 100
    assert of_class(found["evidence: whose logs tell / node not known"], "missing")
    assert root.all("pattern", id="hatch") and not root.all("script")
