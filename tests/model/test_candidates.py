"""Whom a controller can choose from: brokers that it listed last, and those that failed since."""

import pytest
from polars import col

from pipeline.core.frames import empty_frame
from pipeline.model.brokers.candidates import with_candidates
from schemas.gold.leader_election import SPEC
from schemas.silver import broker_event, controller_line
from schemas.state import controller_day
from tests.frames import frame
from tests.rows import same_rows

LINES = """
    cluster_id | term_id | seq | event                                | cause              | file_id | byte_offset
    c          | 1-1     | 1   | controller_live_brokers              |                    | x       | 1
    c          | 1-1     | 2   | controller_shutting_brokers          |                    | x       | 2
    c          | 1-1     | 3   | controlled_shutdown_shutting_brokers | controlled shutdown | x      | 3
    c          | 1-1     | 5   | broker_failure                       | broker failure     | x       | 5
    c          | 1-1     | 6   | preferred_election_started           | unclean election   | x       | 6
    c          | 1-1     | 7   | preferred_election_started           | automatic rebalance | x      | 7
    c          | 1-1     | 8   | broker_change                        | broker failure     | x       | 8
    c          | 1-1     | 10  | controlled_shutdown_shutting_brokers | controlled shutdown | x      | 10
    c          | 1-2     | 1   | broker_change                        | broker failure     | y       | 1
"""
# x-3: 2 and 3 shut down; x-8: nobody could be read of the list of live brokers, what was listed before counts.
BROKERS = """
    cluster_id | event                                | step            | broker_id | file_id | byte_offset
    c          | controller_live_brokers              | live            | 1         | x       | 1
    c          | controller_live_brokers              | live            | 3         | x       | 1
    c          | controller_live_brokers              | live            | 2         | x       | 1
    c          | controlled_shutdown_shutting_brokers | shutting_down   | 3         | x       | 3
    c          | controlled_shutdown_shutting_brokers | shutting_down   | 2         | x       | 3
    c          | broker_failure                       | failure_handled | 2         | x       | 5
    c          | broker_change                        | live            |           | x       | 8
    c          | broker_change                        | live            | 1         | x       | 8
    c          | broker_change                        | removed         | 2         | x       | 8
    c          | controlled_shutdown_shutting_brokers | shutting_down   | 2         | x       | 10
    c          | broker_change                        | live            | 1         | y       | 1
    c          | broker_change                        | removed         | 2         | y       | 1
"""
# In leader_epoch: the place of the request for unclean elections.
KNOWN = """
    cluster_id | term_id | seq | live_brokers | shutting_down_brokers | leader_epoch
    c          | 1-1     | 0   |              |                       |
    c          | 1-1     | 1   | [1 2 3]      |                       |
    c          | 1-1     | 2   | [1 2 3]      | []                    |
    c          | 1-1     | 4   | [1 2 3]      | [2 3]                 |
    c          | 1-1     | 5   | [1 2 3]      | [3]                   |
    c          | 1-1     | 9   | [1 2 3]      | [3]                   | 6
    c          | 1-1     | 11  | [1 2 3]      | [2]                   | 6
    c          | 1-2     | 9   | [1]          |                       |
    c          | 1-3     | 9   |              |                       |
"""


def test_who_is_known() -> None:
    known = frame(SPEC, KNOWN)
    lists = (frame(broker_event.SPEC, BROKERS), frame(controller_line.SPEC, LINES))
    found = with_candidates(
        known.select("cluster_id", "term_id", "seq"), *lists, empty_frame(controller_day.SPEC)
    )
    names = ("term_id", "seq", "live_brokers", "shutting_down_brokers", "leader_epoch")
    same_rows(found.rename({"admin_seq": "leader_epoch"}), known, *names)


@pytest.mark.parametrize(
    ("seq", "live", "shutting_down"),
    [(4, "[1 2 3]", "[2 3]"), (7, "[1 2 3]", "[3]"), (3, "[1 2 3]", "[]"), (2, "[1 2 3]", "")],
)
def test_lines_from_a_place_on_need_what_the_day_before_knew(seq: int, live: str, shutting_down: str) -> None:
    """A broker that failed on that day shuts down no more."""
    before = frame(
        controller_day.SPEC,
        f"cluster_id | term_id | known_live_brokers | known_shutting_down_brokers\nc | 1-1 | {live} | {shutting_down}",
    )
    known = frame(SPEC, KNOWN).filter(col("seq") >= seq, col("term_id") == "1-1")
    lines = frame(controller_line.SPEC, LINES).filter(col("seq") >= seq)
    found = with_candidates(
        known.select("cluster_id", "term_id", "seq"), frame(broker_event.SPEC, BROKERS), lines, before
    )
    same_rows(found, known, "term_id", "seq", "live_brokers", "shutting_down_brokers")
