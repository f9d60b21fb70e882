"""Findings about controllers that were busy for long, or stood still."""

from typing import Any

import polars as pl

from pipeline.core.frames import empty_frame
from pipeline.rules.registry import RULES as EVERY_RULE
from schemas.gold import controller_event, controller_term, finding
from tests.chain import built, found_by_each
from tests.frames import at
from tests.gold.work_lines import CHECKED, CHECKING, EPOCHS, change, line, started
from tests.rows import records_in

FINE = line(5.2, CHECKED) + line(5.2, CHECKING, "TRACE")
LATER = line(100, CHECKED)
DEPOSED = (
    "[2026-11-21 10:00:12,000] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 2 "
    "and epoch zk version is now 2 (kafka.controller.KafkaController)\n"
)
STOPPING = "[2026-11-21 10:00:11,000] INFO [KafkaServer id=3] Starting controlled shutdown (kafka.server.KafkaServer)\n"
Row = dict[str, Any]
Logs = dict[tuple[int, str], str]
RULES = ("slow_event", "controller_stalled", "kraft_slow_events")
SLOW = "Exceptionally slow controller event {} took {} ms."


def told(text: str, others: Logs | None = None) -> list[Row]:
    (rows,) = told_of((text, others or {}))
    return rows


def told_of(*stories: tuple[str, Logs]) -> list[list[Row]]:
    """Of each of them, controller.log of node 1 and others, built at once."""
    logs = {f"{number}": {(1, "controller"): text, **others} for number, (text, others) in enumerate(stories)}
    return [rows.sort("valid_from_at").to_dicts() for rows in found_by_each(logs, *RULES).values()]


def said(rows: list[Row]) -> list[tuple[str, str]]:
    return [(one["severity"], one["sentence"]) for one in rows]


def test_what_it_was_busy_with_and_what_waited() -> None:
    text = started(0) + change(10, went="2") + line(22.5, EPOCHS) + line(22.6, "Shutting down broker 3")
    rows = told(text, {(3, "server"): STOPPING})
    assert said(rows) == [
        (
            "warning",
            "controller 1 (epoch 1) was busy for 12.5 s with the loss of broker 2; 1 event waited, the controlled "
            "shutdown of broker 3 for 11.6 s",
        )
    ]
    assert (rows[0]["valid_from_at"], rows[0]["valid_until_at"]) == (
        at(36010),
        at(36022.5),
    )
    assert rows[0]["certainty"] == "proved"


def test_what_is_soon_done_or_not_known_to_take_long_is_none() -> None:
    soon = started(0) + change(10, went="2") + line(10.9, EPOCHS)
    # Of a piece without an end nothing is known after a silence.
    silent = started(0) + change(10, went="2") + line(40, CHECKED)
    assert told_of((soon, {}), (silent, {})) == [[], []]


def test_of_a_deposed_controller_none_is_told() -> None:
    text = started(0) + change(10, went="2") + line(15, EPOCHS)
    alone, deposed = told_of((text, {}), (text, {(2, "controller"): DEPOSED}))
    assert said(alone)[0][0] == "info"
    assert deposed == []


def test_of_one_that_may_have_been_deposed_by_then_nothing_is_a_warning() -> None:
    """Of the next election no line is read; the first sign of that term comes later."""
    text = started(0) + change(10, went="2") + line(15, EPOCHS)
    acts = "[2026-11-21 10:{} TRACE [Controller id=2 epoch=2] Changed partition a-0 from OnlinePartition to OnlinePartition with leader 3 (state.change.logger)\n"
    checks = "".join(line(second, CHECKED) for second in (5.2, 25.2, 45.2, 72.2))
    deposed, doubted, late = told_of(
        (text, {(2, "state-change"): acts.format("00:15,500]")}),
        (text + line(200, EPOCHS), {(2, "state-change"): acts.format("05:00,500]")}),
        (started(0) + checks, {(2, "state-change"): acts.format("01:15,500]")}),
    )
    assert deposed == []
    assert said(doubted)[0][0] == "info"
    assert [one["severity"] for one in late] == ["info"]


def test_a_check_that_comes_late_tells_that_the_controller_stood_still() -> None:
    checks = "".join(line(second, CHECKED) for second in (5.2, 25.2, 45.2, 72.2))
    rows = told(started(0) + checks)
    assert said(rows) == [
        (
            "warning",
            "controller 1 (epoch 1) did nothing for 7.0 s: its check of leader balance came that late",
        )
    ]
    assert (rows[0]["valid_from_at"], rows[0]["valid_until_at"]) == (at(36065.2), at(36072.2))


def test_a_check_that_waits_behind_a_long_event_is_told_there() -> None:
    checks = "".join(line(second, CHECKED) for second in (5.2, 25.2, 45.2))
    busy = change(64, went="2") + line(72.1, EPOCHS)
    assert [one["rule"] for one in told(started(0) + checks + busy + line(72.2, CHECKED))] == ["slow_event"]


def test_slow_events_of_kraft_are_told_once_a_term_the_worst_first() -> None:
    def quorum(clock: str, level: str, text: str, logger: str) -> str:
        return f"[2026-11-21 10:{clock}] {level} [QuorumController id=1] {text} ({logger})\n"

    monitor = "org.apache.kafka.controller.EventPerformanceMonitor"
    text = quorum(
        "00:00,000", "INFO", "Becoming the active controller at epoch 4, next write offset 520.",
        "org.apache.kafka.controller.QuorumController",
    )  # fmt: skip
    text += quorum("01:00,000", "ERROR", SLOW.format("writeNoOpRecord", 2500), monitor)
    text += quorum("02:00,000", "ERROR", SLOW.format("createTopics(12)", 12309), monitor)
    rows = told(text)
    assert said(rows) == [
        (
            "warning",
            "controller 1 (epoch 4) printed 2 exceptionally slow events, the worst createTopics with 12.3 s",
        )
    ]


def test_the_usual_time_of_a_partition_is_told_where_the_release_is_known() -> None:
    names = [f"t-{number}" for number in range(30)]
    moves = "".join(
        f"[2026-11-21 10:00:11,000] TRACE [Controller id=1 epoch=1] Changed partition {name} state from OnlinePartition "
        "to OfflinePartition (state.change.logger)\n"
        for name in names
    )
    text = started(0) + change(10, went="2") + line(13, EPOCHS)
    (row,) = told(text, {(1, "state-change"): moves})
    assert "(30 partitions, 100.0 ms each" in row["sentence"]
    assert row["facts"]["partitions_count"] == 30


def test_nothing_of_it_is_made_of_nothing() -> None:
    assert (
        built(records_in({(1, "controller"): started(0)}), "controller_event")["controller_event"]
        .select(pl.len())
        .item()
        == 1
    )


# Seventy days of checks each five minutes: held against each other they are 200 million pairs, and no machine has the
# memory for them.
CHECKS = 20_000


def test_of_a_term_of_months_only_checks_that_came_late_are_held_against_its_work() -> None:
    lasting = {"cluster_id": "c", "term_id": "1-1", "controller_id": 1, "evidence": []}
    checks = [
        lasting
        | {"work_seq": number, "waited_by": "timer", "waited_ms": 20_000 if number == CHECKS else 1}
        | {"began_at": at(300 * number), "ended_at": at(300 * number)}
        for number in range(1, CHECKS + 1)
    ]
    events = empty_frame(controller_event.SPEC)
    schema = {name: events.schema[name] for name in checks[0]}
    found = EVERY_RULE["controller_stalled"].find(
        controller_event=pl.DataFrame(checks, schema),
        controller_term=empty_frame(controller_term.SPEC),
        earlier=empty_frame(finding.SPEC),
        stalled_ms=3000,
    )
    assert found["valid_until_at"].to_list() == [at(300 * CHECKS)]
