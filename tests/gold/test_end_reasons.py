"""Why brokers left and terms ended, and the earliest sign of it, as server.log says it; without it nothing is said."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from polars import col

from pipeline.core.frames import frame_of
from schemas.gold import broker_session, controller_term
from tests.chain import built, built_of_each
from tests.gold import end_reason_truth
from tests.lab import READ, folder_of, records, rows_of
from tests.rows import broken_rules, records_in

CONTROLLER = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,010] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 2) (kafka.controller.KafkaController)
    [2026-11-21 00:00:30,000] INFO [Controller id=1] Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:30,001] INFO [Controller id=1] Broker failure callback for 2 (kafka.controller.KafkaController)
"""
PEER = """
    [2026-11-21 00:00:00,100] INFO starting (kafka.server.KafkaServer)
    [2026-11-21 00:00:20,000] INFO [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Node 2 disconnected. (org.apache.kafka.clients.NetworkClient)
    [2026-11-21 00:00:21,000] INFO [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Node 2 disconnected. (org.apache.kafka.clients.NetworkClient)
"""
BEGIN = """
    [2026-11-21 00:00:00,100] INFO starting (kafka.server.KafkaServer)
    [2026-11-21 00:00:00,900] INFO [KafkaServer id=2] started (kafka.server.KafkaServer)
"""
KILLED = f"""{BEGIN}
    [2026-11-21 00:00:40,000] INFO starting (kafka.server.KafkaServer)
"""
STOPPED = f"""{BEGIN}
    [2026-11-21 00:00:29,000] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)
"""
FROZEN = f"""{BEGIN}
    [2026-11-21 00:00:45,000] WARN Client session timed out, have not heard from server in 25000ms for session id 0x1 (org.apache.zookeeper.ClientCnxn)
    [2026-11-21 00:00:46,000] WARN Unable to reconnect to ZooKeeper service, session 0x1 has expired (org.apache.zookeeper.ClientCnxn)
    [2026-11-21 00:05:00,000] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)
"""
ZNODE_REMOVED = f"""{BEGIN}
    [2026-11-21 00:05:00,000] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)
"""
AMID_STOP = f"""{BEGIN}
    [2026-11-21 00:00:33,000] INFO [KafkaServer id=2] shut down completed (kafka.server.KafkaServer)
"""
BY_ITSELF = f"""{BEGIN}
    [2026-11-21 00:00:29,000] INFO [KafkaServer id=2] shutting down (kafka.server.KafkaServer)
    [2026-11-21 00:00:33,000] INFO [KafkaServer id=2] shut down completed (kafka.server.KafkaServer)
"""
CASES = {
    "killed": (KILLED, PEER, ("killed", "00:00:40", None, "00:00:20")),
    "killed, peers unread": (KILLED, "", ("killed", "00:00:40", None, None)),
    "told to stop": (STOPPED, PEER, ("sigterm", "00:00:29", None, "00:00:29")),
    "frozen": (FROZEN, PEER, ("session_lost", "00:00:46", None, "00:00:20")),
    "removed by hand": (ZNODE_REMOVED, "", ("unknown", None, "lived_on", None)),
    "amid a stop": (AMID_STOP, "", ("unknown", None, "lines_missing", None)),
    "stopped by itself": (BY_ITSELF, "", ("unknown", None, "stopped_by_itself", None)),
    "not back": (BEGIN, PEER, ("unknown", None, "not_started_again", "00:00:20")),
    "unread": ("", PEER, ("unknown", None, "no_server_log", None)),
    "all unread": ("", "", ("unknown", None, "no_server_log", None)),
}
TOLD_IN = (broker_session, controller_term)
TOLD = ("end_reason", "end_reason_at", "end_unknown_why", "first_sign_at")
# Of every kind of release and layout of a quorum; all others by python -m tests.gold.end_reason_truth.
LABS = ("3.9.1-zk-stock", "3.9.2-kraft-separate-moves")
ALL = (
    "0.11.0.3-zk-stock",
    *("1.0.2-zk-stock", "2.2.2-zk-stock", "2.5.1-zk-stock", "2.6.3-zk-stock", "2.6.3-zk-trace", "3.2.3-zk-stock"),
    *("3.2.3-zk-trace", "3.9.1-zk-trace", "3.9.2-kraft-migration-stock", "3.9.2-kraft-separate-stock"),
    *("4.0.0-kraft-combined-stock", "4.3.1-kraft-combined-trace", "4.3.1-kraft-separate-stock"),
    *("4.4.0-kraft-separate-stock", "1.0.2-zk-moves", "2.2.2-zk-moves", "2.2.2-zk-redrive", "3.9.1-zk-moves"),
    *("3.9.1-zk-redrive", "4.0.0-kraft-combined-moves"),
)  # fmt: skip


@pytest.fixture(scope="module")
def of_cases() -> dict[str, dict[str, pl.DataFrame]]:
    """The tables of each of them, built at once."""
    logs = {
        case: {(1, "controller"): CONTROLLER, (2, "server"): own, (1, "server"): of_peer}
        for case, (own, of_peer, _) in CASES.items()
    }
    there = {case: {name: text for name, text in of.items() if text} for case, of in logs.items()}
    return built_of_each(there, "broker_session")


@pytest.mark.parametrize("case", CASES)
def test_why_a_broker_left(case: str, of_cases: dict[str, dict[str, pl.DataFrame]]) -> None:
    expected = CASES[case][-1]
    rows = of_cases[case]["broker_session"]
    assert not broken_rules(rows, broker_session.SPEC)
    (row,) = [row for row in rows_of(rows) if row["broker_id"] == 2]
    told = [
        value if value is None or isinstance(value, str) else f"{value:%H:%M:%S}"
        for value in map(row.get, TOLD)
    ]
    assert tuple(told) == expected
    assert [one["file_id"] for one in row["end_lines"]] == [f"{case}/2-server"] * (expected[0] != "unknown")


def require_right(cluster: Path) -> None:
    for logs in ((*READ, "server"), READ):
        tables = built(records(cluster, logs), *(one.SPEC.table for one in TOLD_IN))
        assert [broken_rules(tables[one.SPEC.table], one.SPEC) for one in TOLD_IN] == [[], []]
        stays, tenures = (rows_of(tables[one.SPEC.table]) for one in TOLD_IN)
        said = [*end_reason_truth.departures(cluster, stays), *end_reason_truth.ends(cluster, tenures)]
        assert not [what for _, outcome, what in said if outcome == "wrong"]
        right = [one for one in said if one[1] == "right"]
        assert bool(right) == ("server" in logs)


IN_OFFICE = """
    [2026-11-21 00:00:01,000] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,010] INFO [Controller id=2] Currently active brokers in the cluster: Set(1, 2) (kafka.controller.KafkaController)
    [2026-11-21 00:00:20,500] INFO [Controller id=2] Processing automatic preferred replica leader election (kafka.controller.KafkaController)
"""
NEXT = """
    [2026-11-21 00:00:30,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 2 and epoch zk version is now 2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:30,010] INFO [Controller id=1] Currently active brokers in the cluster: Set(1) (kafka.controller.KafkaController)
"""


def test_a_controller_that_still_acts_is_not_gone() -> None:
    """What a peer lost before the last line of controller.log is no sign, though server.log was quiet by then."""
    logs = {(2, "controller"): IN_OFFICE, (1, "controller"): NEXT, (2, "server"): KILLED, (1, "server"): PEER}
    tables = built(records_in(logs), "controller_term", "broker_session")
    term = tables["controller_term"].sort("controller_epoch")
    stay = tables["broker_session"].filter(broker_id=2)
    for one in (term, stay):
        assert (one["end_reason"][0], f"{one['first_sign_at'][0]:%T}") == ("killed", "00:00:21")


@pytest.mark.parametrize("name", LABS)
def test_reasons_of_labs_are_those_of_the_truth(shared: Path, name: str) -> None:
    require_right(folder_of(shared, name))


@pytest.mark.soak
@pytest.mark.parametrize("name", ALL)
def test_reasons_of_all_labs_are_those_of_the_truth(shared: Path, name: str) -> None:
    require_right(folder_of(shared, name))


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        pytest.param(
            "4.0.0-kraft-combined-moves", ((1, True), (2, False), (3, True)), marks=pytest.mark.soak
        ),
        *(
            pytest.param(one, None, marks=pytest.mark.soak)
            for one in ("4.0.0-kraft-combined-moves", "3.9.1-zk-stock")
        ),
    ],
)
def test_nothing_wrong_is_said_where_a_server_log_ends_early_or_begins_late(
    shared: Path, name: str, missing: Sequence[tuple[int, bool]] | None
) -> None:
    """missing: of which nodes the first half is, or the second; None: of each node the one, then the other."""
    cluster = folder_of(shared, name)
    lines = records(cluster, (*READ, "server"))
    rows = frame_of(lines)
    is_early = col("logged_at") < col("logged_at").median()
    nodes = rows["node_id"].unique().drop_nulls().sort()
    for node_id, is_first_half in missing or product(nodes, (True, False)):
        is_missing = is_early if is_first_half else ~is_early
        is_gone = (col("node_id") == node_id) & (col("log") == "server") & is_missing
        kept = rows.select(~is_gone.fill_null(value=False)).to_series()
        tables = built(lines.filter(kept.to_arrow()), "broker_session", "controller_term")
        stays, tenures = (rows_of(tables[one]) for one in ("broker_session", "controller_term"))
        said = [*end_reason_truth.departures(cluster, stays), *end_reason_truth.ends(cluster, tenures)]
        assert [what for _, outcome, what in said if outcome == "wrong"] == []
        assert [what for _, outcome, what in said if outcome == "right"]


@pytest.mark.parametrize(
    ("back_at", "expected"), [("00:00:46,500", "session_lost"), ("00:00:35,000", "unknown")]
)
def test_a_session_that_is_lost_once_it_was_there_again_is_another_one(back_at: str, expected: str) -> None:
    back = f"    [2026-11-21 {back_at}] INFO [Controller id=1] Newly added brokers: 2, deleted brokers: , bounced brokers: , all live brokers: 1,2 (kafka.controller.KafkaController)\n"
    logs = {(1, "controller"): CONTROLLER + back, (2, "server"): FROZEN}
    sessions = built(records_in(logs), "broker_session")["broker_session"]
    first = sessions.filter(broker_id=2).sort("joined_at").row(0, named=True)
    assert first["end_reason"] == expected
