"""The tables right after a run: taken from memory where it holds all that is asked for, read where it does not."""

from collections.abc import Sequence
from datetime import datetime

import polars as pl
import pyarrow as pa
import pytest

from jobs.engine.incremental.at_hand import AtHand, Built
from jobs.engine.incremental.night import SAID, Night
from jobs.engine.run.tables_of_run import TablesOfRun
from jobs.screen.facts import gather_facts
from jobs.settings.load import load_settings
from pipeline.catalog.tables import TABLES, Refresh
from pipeline.core.conditions import Condition, IsNull, column_reaching, column_since, is_in
from pipeline.core.frames import empty_frame, frame_of
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.reading.answers import Answers
from schemas.bronze import log_record, source_file
from schemas.gold import finding, partition_outage
from schemas.silver import term
from schemas.spec import TableSpec
from tests.frames import at, frame

STORED = frame(
    partition_outage.SPEC,
    """
    topic | topic_life | partition | noticed_at | ended_at
    a     | 1          | 0         | 1          | 5
    a     | 1          | 0         | 8          | 12
    a     | 1          | 1         | 9          |
    """,
)
COLUMNS = ("topic", "noticed_at")


def after_run(built: Built | None, before: int = 1) -> tuple[TablesOfRun, AtHand]:
    """What is stored is told from what is at hand by its topic: stored."""
    tables = MemoryTables()
    tables.rows = {partition_outage.SPEC.name: STORED.with_columns(topic=pl.lit("stored"))}
    night = Night(tables, load_settings(None, {"cluster": "c"}, {}, None), "c", "run", before, frozenset())
    at_hand = AtHand(night)
    if built is not None:
        at_hand.note(partition_outage.SPEC, built)
    return TablesOfRun(tables, at_hand), at_hand


def asked(tables: TablesOfRun, condition: Condition | None) -> list[tuple[str, datetime]]:
    rows = frame_of(tables.read(partition_outage.SPEC, condition, COLUMNS))
    assert rows.columns == list(COLUMNS)
    return sorted(rows.rows())


@pytest.mark.parametrize(
    ("built", "condition", "where"),
    [
        (None, None, "stored"),
        (Built(STORED, is_all=True), None, "a"),
        (Built(STORED, is_all=True), column_reaching("ended_at", at(6)), "a"),
        (Built(STORED, is_all=False, since=at(6)), IsNull("ended_at"), "a"),
        (Built(STORED, is_all=False, since=at(6)), column_reaching("ended_at", at(6)), "a"),
        (Built(STORED, is_all=False, since=at(6)), column_reaching("ended_at", at(5)), "stored"),
        (Built(STORED, is_all=False, since=at(6)), column_since("noticed_at", at(7)), "stored"),
        (Built(STORED, is_all=False, since=at(6)), None, "stored"),
        (Built(STORED, is_all=False), IsNull("ended_at"), "stored"),
    ],
)
def test_what_is_at_hand_is_not_read(built: Built | None, condition: Condition | None, where: str) -> None:
    tables, _ = after_run(built)
    wanted = STORED if condition is None else STORED.filter(condition.polars())
    assert asked(tables, condition) == [(where, one) for one in wanted["noticed_at"]]


def test_tables_have_rows_where_they_are_stored() -> None:
    tables, at_hand = after_run(None)
    assert tables.has_rows(partition_outage.SPEC) and not tables.has_rows(finding.SPEC)
    assert asked(TablesOfRun(at_hand.night.tables, None), None) == asked(tables, None)


@pytest.mark.parametrize(
    ("before", "columns", "count"),
    [
        (0, ("byte_offset", "line_count"), 1),
        (0, ("not_understood_reason", "log"), 1),
        (0, ("byte_offset", "raw"), 2),
        (0, ("byte_offset", "fields"), 2),
        (4, ("byte_offset", "line_count"), 2),
    ],
)
def test_of_records_of_a_first_run_what_screens_ask_is_at_hand(
    before: int, columns: tuple[str, ...], count: int
) -> None:
    """Stored are two, at hand is one: neither its bytes nor what kernels alone take of it."""
    spec: TableSpec = log_record.SPEC
    tables, at_hand = after_run(None, before)
    records = frame(spec, "file_id | load_seq | byte_offset | line_count\nf | 5 | 0 | 1\nf | 5 | 10 | 1")
    stored = at_hand.night.tables
    assert isinstance(stored, MemoryTables)
    stored.rows[spec.name] = records
    assert tables.read(spec, None, columns).num_rows == 2
    at_hand.night.records = records.head(1).select(SAID).to_arrow(compat_level=pl.CompatLevel.oldest())
    at_hand.night.keep_asked_later()
    assert tables.read(spec, None, columns).num_rows == count


class Watched(MemoryTables):
    """Empty tables that remember which of them were read, and which of these whole."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.whole: set[str] = set()

    def read(
        self, spec: TableSpec, condition: Condition | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        self.names.add(spec.name)
        if not any(time in str(condition) for time in ("logged_at", "seen_at")) and condition != is_in(
            "step", ()
        ):
            self.whole.add(spec.name)
        return super().read(spec, condition, columns)


def test_of_a_night_hardly_a_table_is_read() -> None:
    """It has built the days that its first screen tells of. Deletions are told of from the beginning; of what people
    asked for the lines since the first new record are read, as late ones may be stored already."""
    _, at_hand = after_run(None)
    segments = (
        "file_id | path | load_seq | first_logged_at | last_logged_at | record_count | understood_count\n"
    )
    rows = frame(source_file.SPEC, segments + "f | f | 1 | 1 | 2 | 1 | 1\ng | g | 2 | 7 | 9 | 1 | 1")
    at_hand.note(source_file.SPEC, Built(rows, is_all=True))
    for table in TABLES:
        if table.build is not None:
            since = at(0) if table.refresh is Refresh.INCREMENTAL else None
            one_term = frame(term.SPEC, "term_id | mode\n1-1 | zookeeper")
            rows = one_term if table.spec is term.SPEC else empty_frame(table.spec)
            built = Built(rows, is_all=table.refresh is Refresh.FULL, since=since)
            at_hand.note(table.spec, built)
    stored = Watched()
    watermarks = {one.spec.name: "1 a" for one in TABLES}
    assert gather_facts(Answers("c", TablesOfRun(stored, at_hand)), watermarks, before=1).since == at(7)
    assert stored.whole == {"silver.topic_event", "gold.broker_session"}  # who is gone may have left long ago
    told_by = (
        *("broker_event", "config_event", "election_event", "reassignment_event", "topic_event"),
        "wording_seen",  # what was printed over and over
    )
    assert stored.names == {"gold.broker_session", *(f"silver.{name}" for name in told_by)}
