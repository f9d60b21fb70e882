"""What is carried over the begin of a day is what the time before it says, whatever came after it."""

from datetime import datetime
from typing import Any

import polars as pl

from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.night import Night
from jobs.settings.load import load_settings
from pipeline.core.span import Span
from pipeline.core.stored_tables import MemoryTables
from pipeline.gold.partition_outage.incremental import outage_before
from pipeline.gold.partition_timeline.incremental import led_before
from pipeline.model.partitions.unled import unled_partition
from schemas.gold import broker_session, partition_outage, partition_timeline
from schemas.spec import TableSpec
from tests.frames import at, frame
from tests.rows import same_rows

DAY = 86_400


def at_hand_of(**rows: tuple[TableSpec, str]) -> AtHand:
    """Tables of earlier runs."""
    tables = MemoryTables()
    for spec, text in rows.values():
        tables.rows[spec.name] = frame(spec, text).with_columns(cluster_id=pl.lit("c"))
    return AtHand(Night(tables, load_settings(None, {"cluster": "c"}, {}, None), "c", "run", 1, frozenset()))


def carried(state: Any, timeline: str, outages: str = "topic") -> pl.DataFrame:
    given = at_hand_of(
        timeline=(partition_timeline.SPEC, timeline),
        outages=(partition_outage.SPEC, outages),
        sessions=(broker_session.SPEC, "broker_id"),
    )
    found: pl.DataFrame = state(given, at(DAY))
    return found


def led_before_the_day(given: AtHand, day: datetime) -> pl.DataFrame:
    return led_before(given, day, unled_partition(given.since("partition_timeline", day), Span(day)))


OFFLINE = """
    topic  | topic_life | partition | interval_seq | part_seq | valid_from_at | valid_until_at | state            | leader | is_served | topic_id | certainty
    before | 1          | 0         | 1            | 1        | 86000         | 86100          | OfflinePartition | -1     | false     | t        | undetermined
    before | 1          | 0         | 2            | 1        | 86100         | 86900          | OfflinePartition | -1     | false     | t        | proved
    after  | 1          | 0         | 1            | 1        | 86000         | 86900          | OfflinePartition | -1     | false     | u        | proved
    after  | 1          | 0         | 2            | 1        | 86900         |                | OfflinePartition | -1     | false     | u        | undetermined
    sure   | 1          | 0         | 1            | 1        | 86000         |                | OfflinePartition | -1     | false     | v        | proved
"""
OUTAGES = """
    topic  | topic_life | partition | noticed_at | ended_at | certainty
    before | 1          | 0         | 86000      |          | undetermined
    after  | 1          | 0         | 86000      |          | undetermined
    sure   | 1          | 0         | 86000      |          | proved
"""


def test_an_outage_is_in_doubt_by_what_was_before_the_day() -> None:
    """What makes the second one undetermined came after the day, and may be known by now."""
    expected = frame(
        partition_outage.SPEC,
        """
        topic  | noticed_at | certainty
        before | 86000      | undetermined
        after  | 86000      | inferred
        sure   | 86000      | proved
        """,
    )
    same_rows(carried(outage_before, OFFLINE, OUTAGES), expected, "topic", "noticed_at", "certainty")


LED = """
    topic    | topic_life | partition | interval_seq | part_seq | valid_from_at | valid_until_at | leader | leader_epoch | ended_by             | stated_from_at
    led      | 1          | 0         | 1            | 1        | 10            | 20             | 1      | 0            |                      | 10
    led      | 1          | 0         | 2            | 1        | 20            |                | 2      | 1            |                      | 20
    unknown  | 1          | 0         | 1            | 1        | 10            | 20             | 1      | 0            |                      | 10
    unknown  | 1          | 0         | 2            | 1        | 20            | 30             | 2      | 1            |                      | 20
    unknown  | 1          | 0         | 3            | 1        | 30            |                |        |              |                      | 30
    offline  | 1          | 0         | 1            | 1        | 10            | 20             | 3      | 4            |                      | 10
    offline  | 1          | 0         | 2            | 1        | 20            | 30             | -1     | 5            |                      | 20
    offline  | 1          | 0         | 3            | 1        | 30            | 90000          | -1     |              |                      | 30
    ended    | 1          | 0         | 1            | 1        | 10            | 20             | 3      | 4            |                      | 10
    again    | 1          | 0         | 1            | 1        | 10            | 20             | 3      | 4            |                      | 10
    again    | 1          | 0         | 2            | 1        | 90000         |                | -1     | 5            |                      | 90000
    new      | 1          | 0         | 1            | 1        | 90000         |                | -1     | 0            |                      | 90000
    away     | 1          | 0         | 1            | 1        | 10            | 20             | 1      | 0            | leader_gone          | 10
    away     | 1          | 0         | 1            | 2        | 20            |                | 1      | 0            |                      | 10
    was_away | 1          | 0         | 1            | 1        | 10            | 20             | 1      | 0            | leader_gone          | 10
    was_away | 1          | 0         | 1            | 2        | 20            | 30             | 1      | 0            | partition_transition | 10
    was_away | 1          | 0         | 2            | 1        | 30            |                | -1     | 1            |                      | 30
"""


def test_who_led_last_is_carried_where_nobody_is_known_to_lead() -> None:
    """And which epoch was the last known. Of an interval in parts the whole, none of one that goes on."""
    expected = frame(
        partition_timeline.SPEC,
        """
        topic    | interval_seq | valid_from_at
        unknown  | 2            | 20
        offline  | 1            | 10
        offline  | 2            | 20
        again    | 1            | 10
        was_away | 1            | 10
        """,
    )
    same_rows(carried(led_before_the_day, LED), expected, "topic", "interval_seq", "valid_from_at")
