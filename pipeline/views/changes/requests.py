"""All changes of a stretch of time in its order, each with who served it and what became of it."""

from collections.abc import Sequence
from datetime import datetime

import polars as pl
from polars import col

from pipeline.model.terms.succession import printed_controller_epoch
from pipeline.views.changes.frames import COLUMNS, LINE, TIME, with_server
from pipeline.views.changes.of_controllers import broker_changes, of_controllers, terms_of
from pipeline.views.changes.of_elections import of_elections
from pipeline.views.changes.of_reassignments import of_reassignments
from pipeline.views.changes.of_settings import of_settings
from pipeline.views.changes.of_topics import of_topics
from pipeline.views.changes.of_zookeeper_settings import of_zookeeper_settings
from pipeline.views.reading.answers import Answers

VALUES = (
    "life",
    "broker_id",
    "size",
    "from_count",
    "to_count",
    "resource",
    "named",
    "allowed",
    "led",
    "asked",
)
TABLES = (
    "gold.topic_lifecycle", "gold.reassignment", "gold.controller_term", "gold.broker_session",
    "gold.leader_election",
)  # fmt: skip


def change_rows_between(answers: Answers, since: datetime | None, until: datetime | None) -> pl.DataFrame:
    """A row a change that somebody asked for, from `since` on (None: all) and before `until` (None: all), by time.

    Columns: COLUMNS, those of VALUES that its kind has, term_id and controller_epoch of who was in office.
    """
    terms = terms_of(answers)
    created, *topics = of_topics(answers, since)
    found = [
        *topics,
        *of_zookeeper_settings(answers, since),
        *of_settings(answers, since, created, terms),
        *of_reassignments(answers, since),
        *of_elections(answers, since, terms),
        *broker_changes(answers, since),
        *of_controllers(answers, terms, since),
    ]
    nothing = pl.DataFrame(schema=COLUMNS)
    rows = pl.concat([nothing, *(one.select(change_column_names(one)) for one in found)], how="diagonal")
    asked = rows if since is None else rows.filter(col("at") >= since)
    asked = asked if until is None else asked.filter(col("at") < until)
    offices = terms.select(
        "term_id", printed_controller_epoch(), col("controller_id").cast(pl.Int32), col("from_at").cast(TIME)
    )
    return with_server(asked, offices).sort("at", "kind", *LINE, nulls_last=True)


def change_column_names(rows: pl.DataFrame) -> Sequence[str]:
    return [name for name in rows.columns if name in COLUMNS or name in VALUES]
