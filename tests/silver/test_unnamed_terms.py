"""KRaft controllers that were in office before the first line that names a term."""

from pathlib import Path

import polars as pl
import pytest
from polars import col

from pipeline.silver.term.unnamed_terms import active_controller_events
from schemas.silver.term import SPEC
from tests.chain import built
from tests.frames import frame
from tests.lab import folder_of
from tests.rows import records_in, records_of, same_rows

FENCED = "[2026-11-21 {}] INFO [QuorumController id={}] Fencing broker 8 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)"
PERIOD = "[2026-11-21 {}] INFO [QuorumController id={}] In the last 60000 ms period, there were no controller events completed. (org.apache.kafka.controller.EventPerformanceMonitor)"
REPLAYED = "[2026-11-21 {}] INFO [QuorumController id={}] UNCLEAN partition change for orders-1 with topic ID Fs3yVbY9S2qtNEF8A-xMSA: isr: [1] -> [2], leader: 1 -> 2, leaderEpoch: 85 -> 86, partitionEpoch: 85 -> 86 (org.apache.kafka.controller.ReplicationControlManager)"
ACTIVE = "[2026-11-21 {}] INFO [QuorumController id={}] Becoming the active controller at epoch 7, next write offset 4227. (org.apache.kafka.controller.QuorumController)"
RENOUNCED = "[2026-11-21 {}] WARN [QuorumController id={}] Renouncing the leadership due to a metadata log event. We were the leader at epoch 6, but in the new epoch 7, the leader is 2. Reverting to last stable offset 4226. (org.apache.kafka.controller.QuorumController)"
LEADS = "[2026-11-21 {}] INFO [QuorumController id={}] In the new epoch 7, the leader is 2. (org.apache.kafka.controller.QuorumController)"
CREATED = "[2026-11-21 {}] INFO [QuorumController id={}] Creating new QuorumController with clusterId rB5jTJjyQrmqzUwPOCb9sA. (org.apache.kafka.controller.QuorumController)"
# Of 3.3, as web pages show it: they make one blank of two.
FAILED = "[2026-11-21 {}] WARN [Controller {}] maybeFenceReplicas: failed with unknown server exception NotLeaderException at epoch 2641 in 1913 us. Renouncing leadership and reverting to the last committed offset 9986340. (org.apache.kafka.controller.QuorumController)"
STANDBY = "[2026-11-21 {}] INFO [Controller {}] writeNoOpRecord: failed with NotControllerException in 415741179 us (org.apache.kafka.controller.QuorumController)"
WAITS = "[2026-11-21 {}] INFO [KRaftMigrationDriver id={}] No brokers are known to KRaft, waiting for brokers to register. (org.apache.kafka.metadata.migration.KRaftMigrationDriver)"
INACTIVE = "[2026-11-21 {}] INFO [KRaftMigrationDriver id={}] 8 transitioning from UNINITIALIZED to INACTIVE state (org.apache.kafka.metadata.migration.KRaftMigrationDriver)"
MID_TERM = ((1, PERIOD, 1), (1, FENCED, 61), (1, REPLAYED, 70))


def term_of(*lines: tuple[int, str, int]) -> pl.DataFrame:
    """silver.term of lines of controller.log: node, line, second."""
    logs: dict[tuple[int, str], str] = {}
    for node, line, second in lines:
        text = line.format(f"00:{second // 60:02}:{second % 60:02},000", node)
        logs[node, "controller"] = logs.get((node, "controller"), "") + f"{text}\n"
    found: pl.DataFrame = built(records_in(logs), "term")["term"]
    return found


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (MID_TERM, "1-0 | 1 | 0 | | 1 | 61 | 1 | 61"),
        ((*MID_TERM, (1, RENOUNCED, 80)), "1-6 | 1 | 6 | | 1 | 61 | 1 | 61"),
        (
            (*MID_TERM, (2, ACTIVE, 80), (1, PERIOD, 81)),
            """1-0 | 1 | 0 | | 1 | 61 | 1 | 61
               1-7 | 2 | 7 | 80 | 80 | 80 | 80 | 80""",
        ),
        (
            (*MID_TERM, (1, CREATED, 80), (1, PERIOD, 81), (2, PERIOD, 90)),
            """1--1 | 1 | -1 | | 1 | 61 | 1 | 61
               1-0 | 2 | 0 | | 90 | 90 | 90 | 90""",
        ),
        (
            ((2, ACTIVE, 1), (1, FENCED, 61)),
            "1-7 | 2 | 7 | 1 | 1 | 1 | 1 | 1",
        ),
        (((1, FENCED, 1), (1, RENOUNCED, 9)), "1-6 | 1 | 6 | | 9 | 9 | 9 | 9"),
        (((3, FAILED, 9), (3, STANDBY, 10)), "1-2641 | 3 | 2641 | | 9 | 9 | 9 | 9"),
        (((3, STANDBY, 9),), ""),
        (((3, CREATED, 1), (3, FAILED, 9)), ""),
        (
            ((2, ACTIVE, 1), (3, FAILED, 9)),
            """1-7 | 2 | 7 | 1 | 1 | 1 | 1 | 1
               1-2641 | 3 | 2641 | | 9 | 9 | |""",
        ),
        (((2, FENCED, 1), (3, FAILED, 9), (2, FENCED, 20)), "1-0 | 2 | 0 | | 1 | 20 | 1 | 20"),
        (((8, WAITS, 9), (8, WAITS, 69)), "1-0 | 8 | 0 | | 9 | 69 | 9 | 69"),
        (((8, INACTIVE, 9),), ""),
        (((1, REPLAYED, 1), (2, LEADS, 2)), ""),
    ],
)  # fmt: skip
def test_who_was_in_office_before_lines_tell(lines: tuple[tuple[int, str, int], ...], expected: str) -> None:
    head = (
        "term_id | controller_id | controller_epoch | elected_at | first_seen_at | last_seen_at"
        " | told_from_at | told_until_at"
    )
    same_rows(term_of(*lines), frame(SPEC, f"{head}\n{expected}"), *head.replace(" ", "").split("|"))


def test_lines_in_office_belong_to_the_term() -> None:
    lines = "\n".join(
        [
            LEADS.format("00:00:01,000", 1).replace("leader is 2", "leader is 1"),
            FENCED.format("00:00:05,000", 1),
        ]
    )
    found = built(records_in({(1, "controller"): lines}), "controller_line")["controller_line"]
    assert found.select("term_id", "event").rows() == [("1-0", "broker_session_timeout")]


@pytest.mark.parametrize(
    "cluster", ["3.3.2-kraft-combined-stock", "3.9.2-kraft-separate-stock", "4.0.0-kraft-combined-stock", "4.3.1-kraft-separate-stock"]
)  # fmt: skip
def test_no_other_controller_writes_such_lines(shared: Path, cluster: str) -> None:
    """Of a whole log a term is known for each of these lines of its node: none is of a controller without an office."""
    records = records_of(folder_of(shared, cluster))
    found = built(records, "term")["term"].filter(col("mode") == "kraft")
    assert found.filter(col("controller_epoch") <= 0).is_empty()
    elected = found.group_by(node_id="controller_id").agg(first_at=col("elected_at").min())
    said = records.filter(col("event").is_in(active_controller_events()), col("log") == "controller")
    before = said.join(elected, on="node_id", how="left").filter(
        (col("logged_at") < col("first_at")).fill_null(value=True)
    )
    assert before.select("node_id", "logged_at", "event").rows() == []
