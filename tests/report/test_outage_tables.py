"""Tables of outages on the page: what lines are missing of is marked."""

import polars as pl
import pytest

from jobs.questions.answers import Answers
from jobs.questions.window import Window
from jobs.report.served_tables import UNSURE, outage_tables
from jobs.report.told import told_of
from pipeline.core.stored_tables import MemoryTables
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
    events = next(outage_tables(told_of(Answers("c", tables), Window(), "off", is_stored=True)))
    marked = ["[undetermined]" in one.cells[1].text for one in events.lines]
    assert marked == [is_unsure] * len(marked) != []
    assert (UNSURE in events.notes) == is_unsure
