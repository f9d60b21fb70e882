"""Days of terms: whichever lines midnight parts, the verdict on the term is the same."""

from datetime import timedelta

import polars as pl
import pyarrow as pa
from polars import col

from pipeline.core.frames import empty_frame, frame_of
from pipeline.state.controller_day import COUNTS, build, late_request_line, late_write
from schemas.gold.controller_term import SPEC
from schemas.silver import (
    broker_event,
    control_request,
    controller_line,
    controller_step,
    partition_transition,
    term,
)
from schemas.state import controller_day
from tests.chain import built
from tests.frames import frame
from tests.gold.term_stories import STORIES
from tests.rows import same_rows
from tests.tables import log_table

LATE = ("tail", "harmless", "talked", "wrote", "deeds not printed", "clocks differ", "znode_gone", "renounced late")  # fmt: skip
MIDNIGHTS = (5, 11, 14.5, 15.2, 15.5)  # seconds of the stories: what is late begins with the twelfth
DAY = timedelta(days=1)


def moved(told: pl.DataFrame, midnight: float) -> pl.DataFrame:
    """The same lines as another cluster each, at that second of the story a new day begins."""
    named = col("cluster_id", "file_id") + f"@{midnight}"
    return told.with_columns(named, col("logged_at") + DAY - timedelta(seconds=midnight))


def verdicts(terms: pl.DataFrame, midnight: float | None) -> pl.DataFrame:
    """Rows of that midnight, named and timed as in the story, with places as offsets."""
    mark, back = (
        ("", timedelta()) if midnight is None else (f"@{midnight}", timedelta(seconds=midnight) - DAY)
    )
    own = terms.filter(col("cluster_id").is_in([f"{name}{mark}" for name in LATE]))
    offset = pl.element().struct.field("byte_offset")
    entry = pl.element().struct
    lines = pl.concat_str(
        entry.field("key"), entry.field("value").list.eval(offset).cast(pl.List(pl.String)).list.join(" ")
    )
    return own.with_columns(
        pl.selectors.datetime() + back,
        col("cluster_id").str.split("@").list.first(),
        col("evidence").list.eval(offset),
        lines=col("lines").map.entries().list.eval(lines).list.sort(),
        steps=col("steps").map.entries(),
    )


def test_midnight_changes_no_verdict() -> None:
    told = frame_of(
        pa.concat_tables(log_table(STORIES[name], cluster_id=name, of=f"{name}: ") for name in LATE)
    )
    tables = built(pl.concat([told, *(moved(told, one) for one in MIDNIGHTS)]), "controller_term")
    terms, days = tables["controller_term"], tables["controller_day"]
    is_late = (col("late_count") > 0) | (col("write_count") > 0)
    parted = days.filter(is_late).group_by("cluster_id", "term_id").len()
    assert parted.filter(col("len") > 1).height >= 3
    expected = verdicts(terms, None)
    assert expected["overlap"].drop_nulls().n_unique() == 4
    for midnight in MIDNIGHTS:
        same_rows(verdicts(terms, midnight), expected, *SPEC.columns)


TERMS = """
    cluster_id | term_id | life | controller_epoch | controller_id | mode      | elected_at | first_seen_at | last_seen_at | file_id | byte_offset
    c          | 1-1     | 1    | 1                | 1             | zookeeper | 1          | 1             | 20           | one     | 0
    c          | 1-2     | 1    | 2                | 2             | zookeeper | 10         | 10            | 20           | two     | 0
"""
RESIGNING = """
    cluster_id | node_id | step      | logged_at | file_id | byte_offset
    c          | 1       | resigning | 15        | one     | 50
"""
LINES = """
    cluster_id | term_id | seq | log          | logged_at | ordered_at | file_id | byte_offset
    c          | 1-1     | 1   | controller   | 1         | 1          | one     | 0
    c          | 1-1     | 2   | controller   | 15        | 15         | one     | 40
    c          | 1-1     | 3   | controller   | 15        | 15         | one     | 50
    c          | 1-1     | 4   | state-change | 15        | 15         | moves   | 0
"""
REQUESTS = """
    cluster_id | controller_id | controller_epoch | step     | error | logged_at | file_id | byte_offset | broker_id | broker_ids | topic | partition
    c          | 1             | 1                | sent     |       | 9         | moves   | 10          | 2         |            | a     | 0
    c          | 1             | 1                | sent     |       | 11        | moves   | 20          | 2         |            | a     | 0
    c          | 1             | 1                | sent     |       | 11        | moves   | 20          | 2         |            | a     | 1
    c          | 1             | 1                | sent     |       | 11        | moves   | 30          |           | []         | a     | 1
    c          | 1             | 1                | sent     |       | 11        | moves   | 40          |           | [2]        | a     | 1
    c          | 1             | 1                | refused  |       | 9         | others  | 10          | 2         |            | a     | 0
    c          | 1             | 1                | refused  |       | 9         | others  | 10          | 2         |            | a     | 1
    c          | 1             | 1                | answered | 11    | 11        | one     | 45          | 2         |            |       |
    c          | 1             | 1                | answered | NONE  | 11        | one     | 46          | 2         |            |       |
    c          | 1             | 7                | refused  |       | 11        | others  | 20          | 2         |            |       |
"""


def test_deeds_of_a_day() -> None:
    """What it logs in the millisecond of its resignation is an act if it stands before it in the same file. A line
    counts once, whatever it names."""
    terms = frame(term.SPEC, TERMS)
    given = {
        "term": terms,
        "controller_line": frame(controller_line.SPEC, LINES),
        "controller_step": frame(controller_step.SPEC, RESIGNING),
        "broker_event": empty_frame(broker_event.SPEC),
        "late_write": late_write(terms, empty_frame(partition_transition.SPEC)),
        "late_request_line": late_request_line(terms, frame(control_request.SPEC, REQUESTS)),
        "day_before": empty_frame(controller_day.SPEC),
    }
    expected = frame(
        controller_day.SPEC,
        """
        term_id | last_line_at | last_seq | file_id | acted_at | late_count | late_act_count | sent_count | empty_count | refused_count | stale_count
        1-1     | 15           | 4        | moves   | 15       | 3          | 1              | 2          | 1           | 1             | 1
        """,
    )
    columns = ("term_id", "last_line_at", "last_seq", "file_id", "acted_at")
    same_rows(build(**given), expected, *columns, *(name for name in COUNTS if name != "write_count"))
