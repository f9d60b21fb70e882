"""Why the election of each controller was held: in small stories, and in the labs by what was done to the one before."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from polars import col

from tests.chain import built, built_of_many
from tests.gold.kraft_term_truth import signals
from tests.gold.term_lines import active, created, elected, event, observed, renounced
from tests.gold.term_stories import STORIES, Logs, two
from tests.gold.truth import terms
from tests.gold.zookeeper_labs import UNDECIDED_ENDS
from tests.lab import Row, folder_of, records

OWN: dict[str, Logs] = {
    # The others heard that nobody leads before it gave up: it was silent, not they.
    "frozen": two(
        active(1, 1, 1) + renounced(1, 1, 10, 2),
        observed(2, 1, 1.1, 1) + observed(2, 2, 8, "(none)") + active(2, 2, 10.1),
    ),
    # Whoever was down beside it is not read.
    "long after": two(active(1, 1, 1) + event(1, 5) + created(1, 45), active(2, 2, 40)),
    "quorum started": two(created(1, 1) + active(1, 7, 3), created(2, 2) + observed(2, 7, 3, 1)),
    "half of the quorum started": two(active(1, 7, 3), created(2, 2) + observed(2, 7, 3, 1)),
    "first that is seen": {(1, "controller"): elected(1, 7, 3)},
}
# Of the second term of each, or of the only one.
EXPECTED = {
    "crashed": "process_end",
    "shutdown": "shutdown",
    "session_expired": "session_expired",
    "znode_gone": "znode_gone",
    "next unseen": None,
    "forced": "resigned",
    "startup_failed": "resigned",
    "superseded_unseen": None,
    "sole broker": "process_start",
    "renounced": "resigned",
    "renounced late": "fetch_timeout",
    "event_failed": "resigned",
    "process_end": "process_end",
    "sole controller": "process_start",
    "one of several": "process_end",
    "frozen": "fetch_timeout",
    "long after": None,
    "quorum started": "process_start",
    "half of the quorum started": None,
    "first that is seen": None,
}
ZOOKEEPER = (
    *(
        "0.11.0.3-zk-stock",
        "1.0.2-zk-stock",
        "2.5.1-zk-stock",
        "2.6.3-zk-trace",
        "3.2.3-zk-stock",
        "3.9.1-zk-stock",
    ),
    *("1.0.2-zk-moves", "2.2.2-zk-moves", "3.9.1-zk-moves"),
)
KRAFT = (
    *("3.3.2-kraft-combined-stock", "3.9.2-kraft-separate-stock", "3.9.2-kraft-separate-moves"),
    *("4.0.0-kraft-combined-stock", "4.3.1-kraft-combined-trace", "4.3.1-kraft-separate-stock"),
)
OF_END = {  # by truth/: what may be said of the election that follows
    "crashed": ("process_end", "process_start"),
    "shutdown": ("shutdown", "process_start"),
    "znode_gone": ("znode_gone",),
    "session_expired": ("session_expired",),
    "forced": ("resigned",),
}
OF_SIGNAL = {
    "SIGKILL": ("process_end", "process_start"),
    "SIGTERM": ("shutdown", "process_end", "resigned", "process_start"),
    "SIGSTOP": ("fetch_timeout",),
    None: ("resigned",),  # it lost its majority
}
FROZEN_MS = 20_000  # a leader that is stopped longer has lost its quorum by then


def test_each_way() -> None:
    stories = {name: logs for name, logs in (STORIES | OWN).items() if name in EXPECTED}
    found = built_of_many(stories, "controller_term")["controller_term"].sort("controller_epoch")
    last = found.group_by("cluster_id").agg(col("election_reason").last())
    assert dict(last.rows()) == EXPECTED
    first = found.filter(col("controller_epoch") == 1, col("elected_at").is_not_null())
    assert set(first["election_reason"]) == {"first_start"}
    shown = col("lines").map.get("election_reason").list.len() > 0
    is_after_another = col("election_reason").is_not_null() & (col("election_reason") != "first_start")
    assert found.select((shown.fill_null(value=False) == is_after_another).all()).item()


def labs(quick: str, others: tuple[str, ...]) -> list[object]:
    return [quick, *(pytest.param(one, marks=pytest.mark.soak) for one in others)]


def told(shared: Path, lab: str) -> tuple[Path, list[Row]]:
    cluster = folder_of(shared, lab)
    return cluster, built(records(cluster), "controller_term")["controller_term"].sort(
        "controller_epoch"
    ).to_dicts()


@pytest.mark.parametrize("lab", labs("2.2.2-zk-stock", ZOOKEEPER))
def test_after_how_the_one_before_ended_by_zookeeper(shared: Path, lab: str) -> None:
    cluster, rows = told(shared, lab)
    ends = {one.epoch: one.ended_how for one, _ in terms(cluster)}
    for row in (one for one in rows if one["life"] == 1):
        end = ends.get(row["controller_epoch"] - 1)
        reasons = OF_END[end] if end else ("first_start",)
        is_undecided = (lab, row["controller_epoch"] - 1) in UNDECIDED_ENDS
        assert row["election_reason"] in ((None,) if is_undecided else reasons), row["term_id"]


@pytest.mark.parametrize("lab", labs("4.4.0-kraft-separate-stock", (*KRAFT, "4.0.0-kraft-combined-moves")))
def test_after_what_was_done_to_the_leader_before(shared: Path, lab: str) -> None:
    cluster, rows = told(shared, lab)
    assert rows[0]["election_reason"] in ("first_start", "process_start")
    for before, row in pairwise(rows):
        allowed = OF_SIGNAL[next(hits(cluster, before, row), None)]
        assert row["election_reason"] in allowed, row["term_id"]


def hits(cluster: Path, before: Row, row: Row) -> Iterator[str]:
    """What was sent to the leader before in its term, the last first."""
    begin_ms, until_ms = (round(one["elected_at"].timestamp() * 1000) for one in (before, row))
    for at_ms, name in reversed(signals(cluster, before["controller_id"])):
        is_old = name == "SIGSTOP" and until_ms - at_ms > FROZEN_MS
        if begin_ms < at_ms < until_ms and name != "SIGCONT" and not is_old:
            yield name
