"""The events of a term that took its controller longest."""

from collections.abc import Sequence

from polars import col, when

from jobs.layout import format_table
from jobs.text import shorten_line
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import all_conditions, column_equals, column_since
from pipeline.rules.shared.work import work_text
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

NO_EVENTS = ("Startup", "failed_event", "period")
SHORTEST_EVENT_MS, SLOWEST_EVENTS = 100, 5
WIDTH = 1000


def slowest_events(term_id: str, answers: Answers) -> list[Row]:
    """The events of a term that took its controller longest; none below a tenth of a second, nor its start."""
    if not answers.has("gold.controller_event"):
        return []
    own = all_conditions(column_equals("term_id", term_id), column_since("busy_ms", SHORTEST_EVENT_MS))
    rows = answers.rows("gold.controller_event", own).filter(~col("kind").is_in(NO_EVENTS))
    said = when(col("kind") == "slow_event").then("event_name").otherwise(work_text())
    slowest = rows.with_columns(text=said).sort("busy_ms", "work_seq", descending=[True, False])
    return slowest.head(SLOWEST_EVENTS).to_dicts()


def slowest_event_lines(rows: Sequence[Row]) -> list[str]:
    cells = [
        (day_clock(one["began_at"]), f"{one['busy_ms']:>6,} ms", shorten_line(one["text"], WIDTH))
        for one in rows
    ]
    return ["", *(f"  {line}" for line in format_table(("SLOWEST EVENTS", "", ""), cells))] if cells else []
