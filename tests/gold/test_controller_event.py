"""What controllers were busy with: the labs against a naive reading, and small cases of what begins and ends a piece."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import col

from pipeline.core.frames import frame_of
from tests.chain import built
from tests.gold.work_lines import CHECKED, CHECKING, EPOCHS, SILENT, change, line, started
from tests.lab import Row, folder_of, json_lines, records
from tests.rows import records_in

TARGETS = "kafka/open-audits/targets/controller_event.tsv"
LOGS = ("controller", "state-change", "mixed", "server")
LABS = ("2.2.2-zk-stock", "3.9.1-zk-stock")
OTHER_LABS = (
    *("0.11.0.3-zk-stock", "1.0.2-zk-stock", "2.5.1-zk-stock", "2.6.3-zk-stock", "2.6.3-zk-trace"),
    *("3.2.3-zk-stock", "3.2.3-zk-trace", "3.9.1-zk-trace"),
)
# In 0.11 and 1.0 the naive reading takes the end of a watch, printed as a controller resigns, for a notification.
NO_NOTIFICATION = ("IsrChangeNotification", "isr_notification")
CUT_BY_IT = "Resignation"
# Checks that came late by a second and more: each of a controller that was frozen.
LATE_MS = {
    "1.0.2-zk-stock": [7606],
    "2.2.2-zk-stock": [4060],
    "2.6.3-zk-stock": [6878],
    "2.6.3-zk-trace": [3617],
    "3.2.3-zk-stock": [3574],
    "3.9.1-zk-stock": [4976],
}
SLOW_MS = {
    "0.11.0.3-zk-stock": [1677],
    "1.0.2-zk-stock": [2179],
    "2.6.3-zk-trace": [2153],
    "3.2.3-zk-stock": [2300],
    "3.9.1-zk-stock": [1605],
}


def quick_and(soak: tuple[str, ...], *quick: str) -> list[Any]:
    return [*quick, *(pytest.param(name, marks=pytest.mark.soak) for name in soak)]


def events(shared: Path, name: str) -> pl.DataFrame:
    folder = folder_of(shared, name)
    if not folder.is_dir():
        pytest.skip(f"no run {name}")
    found: pl.DataFrame = built(records(folder, LOGS), "controller_event")["controller_event"]
    return found


def targets(shared: Path, name: str) -> list[dict[str, str]]:
    rows = csv.DictReader((shared / TARGETS).read_text().splitlines(), delimiter="\t")
    return [row for row in rows if row["cluster"] == name and (row["kind"], row["opener"]) != NO_NOTIFICATION]


@pytest.mark.parametrize("name", quick_and(OTHER_LABS, *LABS))
def test_every_piece_is_what_a_naive_reading_gives(shared: Path, name: str) -> None:
    wanted = {(row["kind"], row["begin_at"]): int(row["busy_ms"]) for row in targets(shared, name)}
    rows = events(shared, name).to_dicts()
    found = {
        (row["kind"], row["began_at"].isoformat(timespec="milliseconds")[:23]): row["busy_ms"] for row in rows
    }
    assert found.keys() == wanted.keys()
    # Up to 1.0 the naive reading leaves out the line about the channel of a broker that came or went.
    near = 3 if name[:2] in {"0.", "1."} else 0
    assert [
        (key, ms, wanted[key])
        for key, ms in found.items()
        if abs(ms - wanted[key]) > near and not (near and key[0] == CUT_BY_IT)
    ] == []
    assert sorted(ms for ms in found.values() if ms >= 1000) == SLOW_MS.get(name, [])


@pytest.mark.parametrize("name", quick_and(OTHER_LABS, *LABS))
def test_checks_are_late_where_the_controller_was_frozen(shared: Path, name: str) -> None:
    rows = events(shared, name).filter(col("waited_by") == "timer")
    late = [ms for ms in rows["waited_ms"].to_list() if ms >= 1000]
    assert late == LATE_MS.get(name, [])
    assert max((ms for ms in rows["waited_ms"].to_list() if ms < 1000), default=0) <= 47


@pytest.mark.parametrize("name", quick_and(OTHER_LABS, *LABS))
def test_every_registration_and_loss_has_its_line_or_falls_into_a_start(shared: Path, name: str) -> None:
    rows = events(shared, name)
    changes = rows.filter(col("kind") == "BrokerChange")["began_at"].dt.epoch("ms").to_list()
    writes = [
        one["time_ms"]
        for one in json_lines(folder_of(shared, name) / "truth" / "znodes_txn.jsonl")
        if one["op"] in {"create", "delete"} and one["path"].startswith("/brokers/ids/")
    ]
    starts = rows.filter(col("kind") == "Startup").select(
        begin=col("began_at").dt.epoch("ms"), end=col("ended_at").dt.epoch("ms")
    )
    by_line = [at for at in writes if any(-3 <= change - at < 1200 for change in changes)]
    by_start = [
        at
        for at in writes
        if at not in by_line and any(begin - 6500 <= at <= end for begin, end in starts.iter_rows())
    ]
    assert len(by_line) + len(by_start) == len(writes)


@pytest.mark.parametrize("name", quick_and(OTHER_LABS, *LABS))
def test_steps_of_arrivals_departures_and_creations_are_in_order(shared: Path, name: str) -> None:
    assert events(shared, name).filter(~col("order_ok")).is_empty()


@pytest.mark.parametrize(
    ("name", "periods", "slow"),
    [
        ("4.0.0-kraft-combined-stock", 1, 19),
        pytest.param("4.3.1-kraft-separate-stock", 2, 0, marks=pytest.mark.soak),
        pytest.param("4.3.1-kraft-combined-trace", 1, 12, marks=pytest.mark.soak),
        pytest.param("3.9.2-kraft-separate-stock", 0, 0, marks=pytest.mark.soak),
    ],
)
def test_kraft_tells_of_slow_events_and_periods(shared: Path, name: str, periods: int, slow: int) -> None:
    kinds = Counter(events(shared, name)["kind"].to_list())
    assert (kinds.pop("period", 0), kinds.pop("slow_event", 0), set(kinds)) == (
        periods,
        slow,
        {"failed_event"},
    )


@pytest.mark.soak
def test_a_shutdown_waits_behind_the_loss_of_another_broker(shared: Path) -> None:
    """1,500 partitions on three brokers: the loss takes 1.6 s, and a shutdown that was asked for meanwhile as long."""
    rows = events(shared, "2.6.3-zk-big")
    slow = rows.filter(col("busy_ms") > 1000).sort("began_at").select("kind", "busy_ms", "waited_ms")
    assert slow.rows()[:2] == [("BrokerChange", 1586, None), ("ControlledShutdown", 1786, 1512)]
    assert ("ControlledShutdown", 3095, 1332) in slow.rows()


def found_in(text: str, *columns: str) -> list[Row]:
    rows = built(records_in({(1, "controller"): text}), "controller_event")["controller_event"]
    return frame_of(rows.to_arrow()).sort("began_at", "work_seq").select(columns).to_dicts()


def spans(text: str) -> list[tuple[str, int, bool]]:
    return [tuple(row.values()) for row in found_in(text, "kind", "busy_ms", "is_end_said")]


def test_the_line_that_says_the_end_ends_it() -> None:
    """What is printed later, without a begin of its own, is of nothing."""
    text = started(0) + change(10, came="2") + line(10.7, EPOCHS) + line(20, "Registering handlers")
    assert spans(text) == [("Startup", 200, True), ("BrokerChange", 700, True)]


ANSWERED = "Delete topic callback invoked on StopReplica response received from broker 2: request error = NONE, partition errors = Map()"
FINE = line(5, CHECKED) + line(5, CHECKING, "TRACE")


def test_a_silence_parts_lines_where_nothing_below_info_is_printed() -> None:
    tool = "Starting replica leader election (PREFERRED) for partitions a-0 triggered by AdminClientTriggered"
    quiet = started(0) + line(10, tool) + line(12, SILENT)
    fine = started(0) + FINE + line(10, tool) + line(12, SILENT)
    assert spans(quiet)[-1] == ("ReplicaLeaderElection", 0, False)
    assert spans(fine)[-1] == ("ReplicaLeaderElection", 2000, False)
    assert found_in(fine, "kind", "certainty")[-1]["certainty"] == "inferred"


def test_where_the_end_is_printed_and_missing_a_silence_parts_lines() -> None:
    text = started(0) + FINE + change(10, went="2") + line(12, SILENT)
    assert spans(text)[-1] == ("BrokerChange", 0, False)
    assert spans(text + line(13, EPOCHS))[-1] == ("BrokerChange", 3000, True)


def test_nothing_is_put_together_over_a_long_silence() -> None:
    answered = line(10, ANSWERED, "DEBUG")
    assert spans(started(0) + answered + line(14.9, SILENT))[-1][1] == 4900
    assert spans(started(0) + answered + line(15.1, SILENT))[-1][1] == 0


def test_the_controllers_own_election_is_a_step_of_its_check_and_one_by_a_tool_is_not() -> None:
    own = "Starting replica leader election (PREFERRED) for partitions a-0 triggered by AutoTriggered"
    tool = own.replace("AutoTriggered", "AdminClientTriggered")
    text = started(0) + line(5, CHECKED) + line(5.01, CHECKING, "TRACE") + line(5.02, own) + line(5.03, tool)
    kinds = [row["kind"] for row in found_in(text, "kind")]
    assert kinds == ["Startup", "AutoPreferredReplicaLeaderElection", "ReplicaLeaderElection"]


def test_the_first_check_is_due_five_seconds_after_the_start_the_next_after_the_time_that_was_so_twice() -> (
    None
):
    checks = "".join(line(at, CHECKED) for at in (5.2, 25.2, 45.3, 72.3))
    waits = [row["waited_ms"] for row in found_in(started(0) + checks, "kind", "waited_ms")[1:]]
    assert waits == [0, None, 0, 6900]


def test_a_clock_that_was_set_back_makes_no_check_late() -> None:
    """By six seconds between the second check and the third."""
    checks = "".join(line(at, CHECKED) for at in (5.2, 25.2, 39.2, 59.2, 79.2, 99.2))
    waits = [row["waited_ms"] for row in found_in(started(0) + checks, "kind", "waited_ms")[1:]]
    assert max(wait or 0 for wait in waits) == 0


def test_a_check_that_is_late_by_an_interval_may_have_lost_the_one_before() -> None:
    first = started(0) + line(905.2, CHECKED)
    next_ones = started(0) + "".join(line(at, CHECKED) for at in (5.2, 25.2, 45.2, 85.2))
    assert [row["waited_ms"] for row in found_in(first, "waited_ms")] == [None, None]
    assert [row["waited_ms"] for row in found_in(next_ones, "waited_ms")] == [None, 0, None, 0, None]


def test_a_start_without_its_end_is_cut_if_nothing_follows() -> None:
    text = started(0).splitlines(keepends=True)[0]
    assert found_in(text, "kind", "outcome") == [{"kind": "Startup", "outcome": "cut"}]


def test_what_woke_it_what_it_is_about_and_what_it_caused() -> None:
    moved = (
        "[2026-11-21 10:00:10,100] TRACE [Controller id=1 epoch=1] Changed state of replica 2 for partition a-0 from "
        "OfflineReplica to OnlineReplica (state.change.logger)\n"
    )
    text = (
        started(0)
        + change(10, came="2")
        + line(10.05, "New broker startup callback for 2")
        + line(10.2, EPOCHS)
    )
    rows = built(records_in({(1, "controller"): text, (1, "state-change"): moved}), "controller_event")[
        "controller_event"
    ]
    (row,) = rows.filter(col("kind") == "BrokerChange").to_dicts()
    assert (row["listener"], row["path"], row["occasion"], row["subject"]) == (
        *("brokers", "/brokers/ids", "arrival"),
        ["2"],
    )
    assert (row["moves_count"], row["partitions_count"]) == (1, 1)
    assert dict(row["triggers"]) == {"KafkaController.onBrokerStartup": 1}
