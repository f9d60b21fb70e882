"""Tables of outages on the page: what lines are missing of is marked."""

import polars as pl
import pytest

from jobs.questions.window import Window
from jobs.report.lanes_of_partitions import outage_lanes
from jobs.report.scale import Scale
from jobs.report.served_tables import UNSURE, outage_tables
from jobs.report.told import cluster_report
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.reading.answers import Answers
from schemas.gold import partition_outage


@pytest.mark.parametrize(("certainty", "is_unsure"), [("proved", False), ("undetermined", True)])
def test_events_of_which_lines_are_missing_are_marked(
    sample_answers: Answers, certainty: str, *, is_unsure: bool
) -> None:
    assert isinstance(sample_answers.tables, MemoryTables)
    rows = sample_answers.rows(partition_outage.SPEC.name)
    tables = MemoryTables()
    tables.rows = sample_answers.tables.rows | {
        partition_outage.SPEC.name: rows.with_columns(certainty=pl.lit(certainty))
    }
    events = next(outage_tables(cluster_report(Answers("c", tables), Window(), "off", is_stored=True)))
    marked = ["[undetermined]" in one.cells[1].text for one in events.lines]
    assert marked == [is_unsure] * len(marked) != []
    assert (UNSURE in events.notes) == is_unsure


@pytest.mark.parametrize(("certainty", "class_"), [("proved", "outage"), ("undetermined", "outage unsure")])
def test_their_bars_are_pale(sample_answers: Answers, certainty: str, class_: str) -> None:
    assert isinstance(sample_answers.tables, MemoryTables)
    rows = sample_answers.rows(partition_outage.SPEC.name)
    tables = MemoryTables()
    tables.rows = sample_answers.tables.rows | {
        partition_outage.SPEC.name: rows.with_columns(certainty=pl.lit(certainty))
    }
    told = cluster_report(Answers("c", tables), Window(), "off", is_stored=True)
    assert told.first_at and told.last_at
    marks = "".join(
        one for lane in outage_lanes(told, Scale(told.first_at, told.last_at)) for one in lane.marks
    )
    assert f'class="{class_}"' in marks and (" unsure" in marks) == (" unsure" in class_)
