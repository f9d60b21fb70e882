"""A question about a time opens the files of its day: those of other days may hold anything."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from deltalake import write_deltalake as write
from polars import selectors

from jobs.questions.named.controllers import who_was_controller
from jobs.questions.named.happened import About, source_rows
from jobs.questions.named.sources import SOURCES
from pipeline.catalog.tables import TABLES, CatalogTable, Refresh
from pipeline.core.errors import WarehouseDamaged
from pipeline.store.readers.published_tables import PublishedTables
from pipeline.store.spark.spark_configuration import SKIPPED_BY
from pipeline.store.tables.delta import statistics_properties
from pipeline.store.tables.direct_reading import arrow_table_as_declared
from pipeline.views.context.context_rows import context_at
from pipeline.views.reading.answers import Answers
from schemas.gold import broker_session, partition_timeline

DAYS = (-1, 0, 1)  # before the day that is asked about, that day, after it
AT = datetime.fromisoformat("2026-11-21T08:59:30Z")
MINUTES = timedelta(minutes=5)
QUESTIONS: dict[str, Callable[[Answers], object]] = {
    "brokers": lambda answers: answers.brokers(AT),
    "context": lambda answers: context_at(answers, AT).parts,
    "who-was-controller": lambda answers: who_was_controller(answers, AT),
    "what-happened": lambda answers: [
        source_rows(answers, one, AT - MINUTES, AT + MINUTES, About()) for one in SOURCES
    ],
}
# Who had left by a time is told by all days before it.
OF_ALL_DAYS_BEFORE = {broker_session.SPEC}


def written(folder: Path, table: CatalogTable, rows: pl.DataFrame) -> list[Path]:
    """A night's commit of a table, with bounds of the columns that a table of the product has them of; its files."""
    target = folder / table.spec.layer / table.spec.table
    before = set(target.glob("*.parquet"))
    write(
        target,
        arrow_table_as_declared(rows.select(table.spec.columns), table.spec),
        mode="append",
        configuration=statistics_properties(table.spec),
    )
    return sorted(set(target.glob("*.parquet")) - before)


def on_day(table: CatalogTable, rows: pl.DataFrame, day: int) -> pl.DataFrame:
    """The rows on another day; what goes on is of the days after it, as nights leave it."""
    ended = (
        rows.drop_nulls(table.incremental.ordered_by) if day < 0 and table.incremental.ordered_by else rows
    )
    return ended.with_columns(selectors.datetime() + timedelta(days=day))


def three_days(folder: Path, of_one: Answers) -> tuple[Answers, list[Path]]:
    """A night each; and the files that a question about the middle one does not need."""
    versions, others = dict[str, int](), list[Path]()
    for table in TABLES:
        rows = of_one.rows(table.spec.name)
        written(folder, table, rows.clear())
        is_of_days = table.refresh in (Refresh.INCREMENTAL, Refresh.APPEND)
        for day in DAYS if is_of_days else (0,):
            files = written(folder, table, on_day(table, rows, day))
            is_needed = day == 0 or (day < 0 and table.spec in OF_ALL_DAYS_BEFORE)
            others += [] if is_needed else files
        versions[table.spec.name] = len(DAYS) if is_of_days else 1
    return Answers("c", PublishedTables(str(folder), versions)), others


def test_files_of_other_days_are_not_opened(sample_answers: Answers, tmp_path: Path) -> None:
    answers, others = three_days(tmp_path, sample_answers)
    whole = {name: ask(answers) for name, ask in QUESTIONS.items()}
    for path in others:
        path.write_bytes(bytes(path.stat().st_size))
    with pytest.raises(WarehouseDamaged, match="partition_timeline"):
        answers.rows(partition_timeline.SPEC.name)
    for name, ask in QUESTIONS.items():
        assert ask(answers) == whole[name], name


def test_bounds_are_kept_of_each_time_that_is_asked_for() -> None:
    assert {one.at for one in SOURCES} <= set(SKIPPED_BY)
