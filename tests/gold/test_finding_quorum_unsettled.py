"""A KRaft quorum that does not settle: thousands of epochs are one finding with count, span and the longest gap."""

from collections import Counter
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from tests.chain import found_by
from tests.rows import records_in
from tests.rules.rows import fact_texts

Row = dict[str, Any]
VOTERS = (1, 2, 3)
BEGIN = datetime(2026, 11, 21)  # noqa: DTZ001  as Kafka prints it
ALIKE = {"quorum_flapping", "no_controller", "quorum_without_leader"}


def quorum(
    epochs: int, none_share: float, apart_s: tuple[float, float], office_s: tuple[float, float]
) -> str:
    """Lines of all voters: each epoch is led by nobody, or by one of them until the next one."""
    random, now, leader, lines = Random(7), BEGIN, 0, []  # noqa: S311  no secrets are drawn

    def say(after_ms: int, level: str, node: int, text: str) -> None:
        at = now + timedelta(milliseconds=after_ms)
        clock = f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03}"
        lines.append(
            f"[{clock}] {level} [QuorumController id={node}] {text} (org.apache.kafka.controller.QuorumController)"
        )

    for epoch in range(1, epochs + 1):
        for node in VOTERS:
            if node == leader:
                lost = f"We were the leader at epoch {epoch - 1}, but in the new epoch {epoch}, the leader is (none)."
                say(
                    5,
                    "WARN",
                    node,
                    f"Renouncing the leadership due to a metadata log event. {lost} Reverting to last stable offset 7.",
                )
            else:
                say(node, "INFO", node, f"In the new epoch {epoch}, the leader is (none).")
        leader = 0 if random.random() < none_share and epoch < epochs else random.choice(VOTERS)
        if leader:
            say(40, "INFO", leader, f"Becoming the active controller at epoch {epoch}, next write offset 5.")
        now += timedelta(seconds=round(random.uniform(*(office_s if leader else apart_s)), 3))
    return "\n".join(lines)


def found(text: str) -> list[Row]:
    logs = {
        (node, "controller"): "\n".join(line for line in text.splitlines() if f"id={node}]" in line)
        for node in VOTERS
    }
    return found_by(records_in(logs), *ALIKE).to_dicts()


@pytest.mark.parametrize(
    ("epochs", "none_share", "apart_s", "office_s"),
    [
        pytest.param(600, 0.5, (1, 20), (1, 20), id="minutes"),
        pytest.param(600, 0.8, (1, 4), (1, 1800), id="hours"),
        pytest.param(300, 0.8, (1, 4), (1, 8_000), id="days"),
        pytest.param(12_000, 0.8, (1, 4), (1, 1800), id="weeks", marks=pytest.mark.soak),
    ],
)
def test_it_is_one_finding(
    epochs: int, none_share: float, apart_s: tuple[float, float], office_s: tuple[float, float]
) -> None:
    rows = found(quorum(epochs, none_share, apart_s, office_s))
    assert Counter(row["rule"] for row in rows) == {"quorum_flapping": 1}
    facts = fact_texts(rows[0]["facts"])
    assert int(facts["gaps_count"]) > 10
    assert int(facts["longest_gap_ms"]) > 10_000
    assert (
        f"; {facts['gaps_count']} times nobody led for more than 10.0 s, the longest " in rows[0]["sentence"]
    )


def test_one_that_goes_on_stands_by_itself() -> None:
    lines = quorum(200, 0.5, (1, 20), (1, 20)).splitlines()
    last = max(index for index, line in enumerate(lines) if "Becoming" in line)
    until = next(index for index, line in enumerate(lines) if index > last - 150 and "Becoming" in line)
    rows = found("\n".join([*lines[: until + 1], *race(lines[until])]))
    assert sorted((row["rule"], row["valid_until_at"] is None) for row in rows) == [
        ("quorum_flapping", False), ("quorum_without_leader", True),
    ]  # fmt: skip


def race(line: str) -> list[str]:
    """Ten epochs without a leader, in half a minute after that line."""
    begin, epoch = datetime.fromisoformat(line[1:20]), int(line.split("epoch ")[1].split(",", maxsplit=1)[0])
    said = "INFO [QuorumController id={0}] In the new epoch {1}, the leader is (none). (org.apache.kafka.controller.QuorumController)"
    return [
        f"[{begin + timedelta(seconds=3 * one):%Y-%m-%d %H:%M:%S},500] {said.format(node, epoch + one)}"
        for one in range(1, 11)
        for node in VOTERS
    ]
