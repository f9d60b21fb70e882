"""What a controller knew before a day is read from the two weeks before it, of a silent one from all that is stored."""

import re
from datetime import timedelta

import polars as pl
import pytest

from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.night import Night
from jobs.settings.load import load_settings
from pipeline.core.stored_tables import MemoryTables
from pipeline.state.controller_day import day_before
from pipeline.state.partition_view import view_before
from schemas.silver import controller_line, term
from schemas.spec import TableSpec
from schemas.state import controller_day, partition_view
from tests.frames import EPOCH, frame
from tests.rows import same_rows

# Times are days after EPOCH, a Saturday; the builds begin with day 20, a Friday: the week before its own begins with
# day 9. on goes on from day to day, silent spoke last on day 5, over had its last line before, new begins later.
START = EPOCH + timedelta(days=20)
TERMS = """
    term_id | first_seen_at
    on      | 1d
    silent  | 1d
    over    | 1d
    new     | 20d
"""
LINES = """
    term_id | ordered_at
    on      | 20d
    silent  | 21d
    over    | 19d
    new     | 20d
"""
VIEWS = """
    term_id | day_at | topic | topic_life | partition | leader | is_ended
    on      | 2d     | a     | 1          | 0         | 1      | false
    on      | 2d     | gone  | 1          | 0         | 1      | false
    on      | 9d     | a     | 1          | 0         | 2      | false
    on      | 9d     | b     | 1          | 0         | 2      | false
    on      | 9d     | ended | 1          | 0         | 2      | false
    on      | 15d    | a     | 1          | 0         | 3      | false
    on      | 15d    | ended | 1          | 0         | 2      | true
    on      | 20d    | a     | 1          | 0         | 4      | false
    silent  | 2d     | a     | 1          | 0         | 5      | false
    silent  | 4d     | a     | 1          | 0         | 6      | false
    silent  | 4d     | ended | 1          | 0         | 6      | true
    over    | 15d    | a     | 1          | 0         | 7      | false
"""
HELD = "term_id | topic | leader\non | a | 3\non | b | 2\nsilent | a | 6"
DAYS = """
    term_id | day_at | last_seq | known_live_brokers
    on      | 2d     | 1        | [1]
    on      | 18d    | 2        | [1 2]
    on      | 19d    |          |
    on      | 20d    | 3        | [1]
    silent  | 5d     | 4        | [1 2 3]
    silent  | 15d    |          |
    over    | 15d    | 5        | [1]
"""
KNOWN = "term_id | known_live_brokers\non | [1 2]\nsilent | [1 2 3]"


def of_days(spec: TableSpec, text: str) -> pl.DataFrame:
    in_seconds = re.sub(r"\b(\d+)d\b", lambda day: str(int(day[1]) * 86_400), text)
    return frame(spec, in_seconds).with_columns(cluster_id=pl.lit("c"))


@pytest.fixture
def at_hand() -> AtHand:
    given = ((term, TERMS), (controller_line, LINES), (partition_view, VIEWS), (controller_day, DAYS))
    tables = MemoryTables()
    for declaration, text in given:
        tables.rows[declaration.SPEC.name] = of_days(declaration.SPEC, text)
    return AtHand(Night(tables, load_settings(None, {"cluster": "c"}, {}, None), "c", "run", 1, frozenset()))


def test_what_terms_held_of_partitions(at_hand: AtHand) -> None:
    """A partition of which the first day of the week before tells nothing was gone by then."""
    same_rows(view_before(at_hand, START), frame(partition_view.SPEC, HELD), "term_id", "topic", "leader")


def test_which_brokers_terms_knew(at_hand: AtHand) -> None:
    """By their last day with a line."""
    found = day_before(at_hand, START)
    same_rows(found, frame(controller_day.SPEC, KNOWN), "term_id", "known_live_brokers")
