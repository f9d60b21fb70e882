"""Lines that are missing, as others show: a small input for each kind that was another truth."""

import polars as pl
import pytest

from pipeline.gold.controller_term.deposed import with_fate
from pipeline.gold.leader_election.kraft_unread import unread_stretches, with_unread
from pipeline.gold.replay_check.dumps import moves_around
from schemas.gold import controller_term, transition_audit
from schemas.silver import broker_event
from tests.chain import built
from tests.frames import at, frame
from tests.gold.term_lines import elected, own
from tests.rows import records_in

LISTED = "Current list of topics in the cluster: Set({})"
MOVED = (
    "[2026-11-21 00:00:0{},000] TRACE [Controller id=1 epoch=1] Changed partition {}-0 from {} to OnlinePartition "
    "with state LeaderAndIsr(leader=1, leaderEpoch={}, isr=List(1, 2), zkVersion={}) (state.change.logger)\n"
)
NEW, ONLINE = "NewPartition", "OnlinePartition"
STATE_CHANGES = "".join(
    MOVED.format(*one)
    for one in (
        (1, "gone", NEW, 0, 0),
        (1, "kept", NEW, 0, 0),
        (2, "gone", ONLINE, 1, 1),
        (4, "kept", ONLINE, 1, 1),
    )
)
REMOVED = "New topics: [Set()], deleted topics: [Set(gone)], new partition replica assignment [Map()]"


@pytest.mark.parametrize(
    ("named", "told", "gone", "kept"),
    [
        (
            "kept",
            "",
            [("proved", 2), ("undetermined", 5.2)],
            [("proved", 2), ("undetermined", 4), ("proved", None)],
        ),
        ("kept", own(1, 3, REMOVED), [("proved", 3)], [("proved", None)]),
        ("gone, kept", "", [("proved", None)], [("proved", None)]),
    ],
)
def test_a_topic_that_the_next_controller_does_not_list_ended_unseen(
    named: str, told: str, gone: list[tuple[str, float | None]], kept: list[tuple[str, float | None]]
) -> None:
    """Then lines of the controller are missing, and of what it says before them nothing else is certain either."""
    first = elected(1, 1, 0) + own(1, 0.2, LISTED.format("gone, kept"))
    logs = {
        (1, "controller"): first + told,
        (1, "state-change"): STATE_CHANGES,
        (2, "controller"): elected(2, 2, 5) + own(2, 5.2, LISTED.format(named)),
        (2, "state-change"): MOVED.format(6, "kept", ONLINE, 2, 2).replace("1 epoch=1", "2 epoch=2"),
    }
    rows = built(records_in(logs), "partition_timeline")["partition_timeline"]
    found = {
        topic: runs_of_certainty(rows.filter(pl.col("topic") == topic).sort("interval_seq", "part_seq"))
        for topic in ("gone", "kept")
    }
    assert found == {
        "gone": [(how, at(until) if until else None) for how, until in gone],
        "kept": [(how, at(until) if until else None) for how, until in kept],
    }


def runs_of_certainty(intervals: pl.DataFrame) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for certainty, until in intervals.select("certainty", "valid_until_at").iter_rows():
        if found and found[-1][0] == certainty:
            found.pop()
        found.append((certainty, until))
    return found


@pytest.mark.parametrize(
    ("resigned", "stopped", "overlap"),
    [(26, 36, "zombie_wrote"), (26, 26, None), ("", 36, None), (24, 36, None), ("", "", "zombie_wrote")],
)
def test_what_a_controller_wrote_before_it_resigned_is_its_own(
    resigned: object, stopped: object, overlap: str | None
) -> None:
    """However its broker stops later: that its lines behind that are of no controller takes nothing from them."""
    times = f"cluster_id | resigned_at | ended_at | superseded_at\nc | {resigned} | {stopped} | 22"
    terms = frame(controller_term.SPEC, times).with_columns(
        stopped_without_at="ended_at",
        acted_at=pl.lit(at(25)),
        last_line_at=pl.lit(at(40)),
        last_seen_at=pl.lit(at(40)),
        is_succeeded=pl.lit(value=True),
        is_end_alone=pl.lit(value=False),
        is_trace_seen=pl.lit(value=True),
        is_stated_at_info=pl.lit(value=False),
        has_state_changes=pl.lit(value=True),
        epoch_zk_version=pl.lit(None, pl.Int32),
        mode=pl.lit("zookeeper"),
        fenced_at=pl.lit(None, pl.Datetime("us", "UTC")),
        last_line=pl.lit(None),
        **{
            f"{name}_count": pl.lit(3, pl.Int64)
            for name in ("late", "late_act", "write", "sent", "refused", "fenced")
        },
        empty_count=pl.lit(0, pl.Int64),
    )
    assert with_fate(terms.drop("overlap"))["overlap"].to_list() == [overlap]


@pytest.mark.parametrize(("verdict", "expected"), [("discontinuity", [20]), ("valid", [])])
def test_a_move_that_follows_on_none_shows_a_hole_behind_the_dump(verdict: str, expected: list[int]) -> None:
    moves = frame(
        transition_audit.SPEC,
        f"""
        cluster_id | term_id | machine   | topic | partition | seq | from_state       | to_state        | outcome | verdict   | logged_at
        c          | 1-5     | partition | b     | 0         | 20  | OfflinePartition | OnlinePartition | done    | {verdict} | 40
        c          | 1-5     | partition | a     | 0         | 30  | OfflinePartition | OnlinePartition | done    | first     | 41
        """,
    ).with_columns(day_at=pl.lit(at(0)))
    dump = moves.head(1).select(
        *("cluster_id", "term_id", "machine", "day_at", "file_id", "byte_offset", "logged_at"),
        dump=pl.lit(0, pl.UInt32),
        dump_seq=pl.lit(10, pl.Int64),
    )
    *_, torn = moves_around(moves, dump)
    assert torn["torn_seq"].to_list() == expected


REPLAYED = """
    cluster_id | node_id | logged_at | said_by | step     | broker_id | broker_epoch
    c          | 103     | 10        | replay  | unfenced | 1         | 5
    c          | 103     | 60        | replay  | unfenced | 1         | 9
    c          | 101     | 30        | replay  | fenced   | 1         | 5
    c          | {}      | {}        | replay  | fenced   | 1         | 5
"""


@pytest.mark.parametrize(
    ("node", "second", "unread"),
    [
        (102, 30, [False, True, False]),
        # The controller itself, later or by another clock; one standby alone, that may have started anew.
        (103, 50, [False, False, False]),
        (101, 30, [False, False, False]),
        (102, 40, [False, False, False]),
    ],
)
def test_a_controller_does_not_print_what_two_others_replay(
    node: int, second: int, unread: list[bool]
) -> None:
    told = pl.DataFrame(
        {"cluster_id": ["c"], "term_id": ["1-5"], "controller_id": [103], "elected_at": [at(0)]}
    )
    events = frame(broker_event.SPEC, REPLAYED.format(node, second))
    stretches = unread_stretches(told.with_columns(pl.col("controller_id").cast(pl.Int32)), events)
    changes = pl.DataFrame(
        {"cluster_id": ["c"] * 3, "term_id": ["1-5"] * 3, "valid_from_at": [at(5), at(30), at(70)]}
    )
    assert with_unread(changes, stretches).sort("valid_from_at")["is_unread"].to_list() == unread
