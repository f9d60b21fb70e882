"""Which segments a build from a day on reads."""

from datetime import datetime

import polars as pl

from jobs.engine.incremental.at_hand import AtHand, Built
from jobs.engine.incremental.night import Night
from jobs.settings.load import load_settings
from pipeline.core.stored_tables import MemoryTables
from schemas.bronze import source_file
from schemas.silver import controller_line
from tests.frames import at, frame

# The logs of node 1 grow, each in one file; of node 2 both are in one file, and a line of its first segment is late;
# of node 3 the older file ends after the newer one began.
SEGMENTS = """
    cluster_id | node_id | log          | file_id | load_seq | start_offset | first_logged_at | last_logged_at
    c          | 1       | controller   | a       | 1        | 0            | 10              | 19
    c          | 1       | controller   | a       | 3        | 50           | 20              | 29
    c          | 1       | state-change | b       | 2        | 0            | 11              | 19
    c          | 1       | state-change | b       | 4        | 50           | 21              | 29
    c          | 2       | mixed        | d       | 5        | 0            | 10              | 25
    c          | 2       | mixed        | d       | 6        | 50           | 16              | 18
    c          | 3       | controller   | e       | 7        | 0            | 10              | 22
    c          | 3       | controller   | f       | 8        | 0            | 15              | 16
"""


def test_segments_of_each_log_that_reach_a_time() -> None:
    tables = MemoryTables()
    tables.rows[source_file.SPEC.name] = frame(source_file.SPEC, SEGMENTS)
    at_hand = AtHand(
        Night(tables, load_settings(None, {"cluster": "c"}, {}, None), "c", "run", 1, frozenset())
    )
    assert at_hand.segments_reaching(at(20)) == (3, 4, 5, 6, 7, 8)
    assert at_hand.segments_reaching(at(26)) == (3, 4)


def test_where_nodes_share_a_file_all_count_as_one() -> None:
    """A line of node 1 in the shared file may be older than one of its own file, and be placed behind it."""
    shared = f"{SEGMENTS}    c          |         | controller   | s       | 9        | 0            | 18              | 24\n"
    rows = frame(source_file.SPEC, shared).with_columns(is_shared=pl.col("file_id") == "s")
    tables = MemoryTables()
    tables.rows[source_file.SPEC.name] = rows
    at_hand = AtHand(
        Night(tables, load_settings(None, {"cluster": "c"}, {}, None), "c", "run", 1, frozenset())
    )
    assert 9 in at_hand.segments_reaching(at(29))


def test_what_is_stored_of_days_is_read_once_from_the_earliest_start() -> None:
    """Whatever the order in which kernels ask for later and earlier starts."""
    tables = MemoryTables()
    lines = frame(controller_line.SPEC, "cluster_id | ordered_at\nc | 10\nc | 20\nc | 30\nc | 40\nc |")
    tables.rows[controller_line.SPEC.name] = lines
    at_hand = AtHand(
        Night(tables, load_settings(None, {"cluster": "c"}, {}, None), "c", "run", 1, frozenset())
    )
    at_hand.note(controller_line.SPEC, Built(lines.filter(pl.col("ordered_at") >= at(40)), False, at(40)))

    def found(start: int) -> list[datetime]:
        return at_hand.since("controller_line", at(start))["ordered_at"].to_list()

    assert found(30) == [at(30), at(40)]
    assert found(10) == [at(10), at(20), at(30), at(40)]
    tables.rows.clear()
    assert found(20) == [at(20), at(30), at(40)]
    assert found(40) == [at(40)]
