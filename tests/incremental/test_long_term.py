"""A controller that is in office for long costs a night no more than one that was elected a week before."""

from polars import col

from jobs.engine.incremental.builder import Builder
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import frame_of
from pipeline.core.span import Span
from tests.bench.long_term import PARTITIONS, long_term_logs
from tests.incremental.nights import builders, segments_of
from tests.tables import log_table

DAYS = 5  # of which the last is a night of its own
# How many days a table takes lines of: the last one and, as its first lines come within a minute of midnight, the one
# before it; tables that judge look back a day, and what they look at begins a day earlier.
LINES, VIEWS = "controller_line", "view_before"
TAKEN = {"partition_view": 2, "imbalance_check": 4, "leader_election": 4}


def taken_by(builder: Builder, name: str) -> tuple[int, int]:
    """Of how many days a kernel takes lines, and what is held of how many partitions."""
    table = BY_SHORT_NAME[name]
    span = Span(builder.starts.begin_of(table))
    assert {LINES, VIEWS} <= set(table.inputs)
    lines, views = (builder.inputs.input_of(table, one, span) for one in (LINES, VIEWS))
    return lines.select(col("ordered_at").dt.date().n_unique()).item(), views.height


def test_a_night_takes_no_more_of_a_long_term() -> None:
    segments = segments_of(frame_of(log_table(long_term_logs(DAYS))), days_a_night=DAYS - 1)
    *_, (builder, _) = builders(segments)
    assert {name: taken_by(builder, name) for name in TAKEN} == {
        name: (days, PARTITIONS) for name, days in TAKEN.items()
    }
