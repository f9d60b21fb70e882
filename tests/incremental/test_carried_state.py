"""What is carried over the begin of a day is what the time before it says, whatever came after it."""

from datetime import datetime
from typing import Any

import polars as pl

from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.night import Night
from jobs.settings.load import load_settings
from pipeline.core.span import Span
from pipeline.core.stored_tables import MemoryTables
from pipeline.gold.client_impact.incremental import begin_of_silences
from pipeline.gold.partition_outage.incremental import outage_before
from pipeline.gold.partition_timeline.before import timeline_before
from pipeline.gold.partition_timeline.incremental import led_before
from pipeline.model.partitions.unled import unled_partition
from schemas.bronze import source_file
from schemas.gold import broker_session, partition_outage, partition_timeline
from schemas.silver import leader_and_isr, process_run
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


# Of "said" and "kraft" a line of the day tells.
SEGMENTS = """
    node_id | log          | file_id | load_seq | start_offset | first_logged_at | last_logged_at
    1       | state-change | a       | 1        | 0            | 90000           | 90010
"""
SAID = """
    topic | load_seq
    said  | 1
    kraft | 1
"""
LIVED = """
    topic | topic_id | topic_life | partition | interval_seq | part_seq | partition_epoch | valid_from_at | valid_until_at | ended_by | stated_from_at
    said  |          | 1          | 0         | 1            | 1        |                 | 10            | 20             |          | 10
    said  |          | 1          | 0         | 2            | 1        |                 | 20            | 30             | removed  | 20
    said  |          | 2          | 0         | 1            | 1        |                 | 40            | 50             |          | 40
    said  |          | 2          | 0         | 2            | 1        |                 | 50            | 60             | leader_gone | 50
    said  |          | 2          | 0         | 2            | 2        |                 | 60            |                |          | 50
    other |          | 1          | 0         | 1            | 1        |                 | 10            | 20             |          | 10
    other |          | 1          | 0         | 2            | 1        |                 | 20            | 90000          |          | 20
    over  |          | 1          | 0         | 1            | 1        |                 | 10            | 20             | removed  | 10
    later |          | 1          | 0         | 1            | 1        |                 | 90000         |                |          | 90000
    kraft | k        | 1          | 0         | 1            | 1        | 0               | 10            | 20             |          | 10
    kraft | k        | 1          | 0         | 2            | 1        | 1               | 20            | 30             |          | 20
    kraft | k        | 1          | 0         | 3            | 1        | 2               | 30            | 40             |          | 30
    kraft | k        | 1          | 0         | 4            | 1        |                 | 40            | 50             |          | 40
    kraft | k        | 1          | 0         | 5            | 1        |                 | 50            |                |          | 50
    kraft | k        | 1          | 1         | 1            | 1        |                 | 15            | 25             |          | 15
    kraft | k        | 1          | 1         | 2            | 1        |                 | 25            |                |          | 25
    quiet | q        | 1          | 0         | 1            | 1        | 0               | 10            | 20             |          | 10
    quiet | q        | 1          | 0         | 2            | 1        | 1               | 20            | 30             |          | 20
    quiet | q        | 1          | 0         | 3            | 1        |                 | 30            |                |          | 30
    quiet | q        | 1          | 1         | 1            | 1        | 0               | 10            | 20             |          | 10
    quiet | q        | 1          | 1         | 2            | 1        | 1               | 20            |                |          | 20
"""


def test_of_the_time_before_a_day_each_partition_brings_what_is_known_of_it() -> None:
    """Its last interval in ZooKeeper mode, in KRaft those since its last printed state, or all where none is printed;
    the first one of a KRaft topic is there by its place alone."""
    given = at_hand_of(
        lived=(partition_timeline.SPEC, LIVED),
        said=(leader_and_isr.SPEC, SAID),
        segments=(source_file.SPEC, SEGMENTS),
    )
    expected = frame(
        partition_timeline.SPEC,
        """
        topic | topic_life | partition | interval_seq | part_seq | stated_from_at
        said  | 1          | 0         | 2            | 1        | 20
        said  | 2          | 0         | 2            | 1        | 50
        said  | 2          | 0         | 2            | 2        | 50
        other | 1          | 0         | 2            | 1        | 20
        kraft | 1          | 0         | 1            | 1        |
        kraft | 1          | 0         | 3            | 1        | 30
        kraft | 1          | 0         | 4            | 1        | 40
        kraft | 1          | 0         | 5            | 1        | 50
        kraft | 1          | 1         | 1            | 1        | 15
        kraft | 1          | 1         | 2            | 1        | 25
        quiet | 1          | 0         | 1            | 1        |
        quiet | 1          | 0         | 2            | 1        | 20
        quiet | 1          | 0         | 3            | 1        | 30
        quiet | 1          | 1         | 2            | 1        | 20
        """,
    )
    names = ("topic", "topic_life", "partition", "interval_seq", "part_seq", "stated_from_at")
    same_rows(timeline_before(given, at(DAY)), expected, *names)


# Broker 1 is silent over midnight; as it begins broker 2 is, and long before that broker 3.
SILENT = """
    broker_id | mode      | joined_at | left_at | left_how     | silent_from_at | certainty
    1         | zookeeper | 0         | 86404   | uncontrolled | 86395          | proved
    2         | zookeeper | 0         | 86397   | uncontrolled | 86390          | proved
    3         | zookeeper | 0         | 80009   | uncontrolled | 80000          | proved
    4         | zookeeper | 0         |         |              |                | proved
"""


def test_impact_is_read_from_a_time_on_at_which_no_broker_was_dead_unnoticed() -> None:
    def found(day: float) -> datetime | None:
        given = at_hand_of(
            sessions=(broker_session.SPEC, SILENT), runs=(process_run.SPEC, "node_id | last_line_at")
        )
        return begin_of_silences(given, at(day))

    assert found(DAY) == at(86390)
    assert found(85_000) is None
