"""Ratios over Kafka's limit of a controller whose beginning is missing: told as Kafka says them."""

from typing import Any

import pytest

from tests.chain import found_by
from tests.rows import records_in

Row = dict[str, Any]
RATIO = "[2026-11-21 0{0}] TRACE [Controller id=5] Leader imbalance ratio for broker {1} is {2} (kafka.controller.KafkaController)"
ELECTED = "[2026-11-21 0{0}] INFO [Controller id=5] 5 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)"


MOVES = """
[2026-11-21 00:00:02,000] INFO [Controller id=5 epoch=1] Changed partition orders-0 state from NonExistentPartition to NewPartition with assigned replicas 1 (state.change.logger)
[2026-11-21 00:20:00,000] INFO [Controller id=5 epoch=1] Changed partition orders-1 state from NonExistentPartition to NewPartition with assigned replicas 2 (state.change.logger)
"""


def found(*ratios: float, before: tuple[str, ...] = (), moves: str = "") -> list[Row]:
    """The findings of checks five minutes apart, of broker 1; broker 2 is balanced."""
    checks = [
        RATIO.format(f"0:{5 * check:02d}:00,000", broker, said)
        for check, ratio in enumerate(ratios, 1)
        for broker, said in ((1, ratio), (2, 0.0))
    ]
    logs = {(5, "controller"): "\n".join([*before, *checks])}
    all_logs = logs | ({(5, "state-change"): moves} if moves else {})
    return found_by(records_in(all_logs), "stated_imbalance").to_dicts()


def test_a_broker_that_leads_nothing() -> None:
    [row] = found(1.0, 1.0, 1.0)
    assert (row["severity"], row["valid_until_at"], row["certainty"]) == ("warning", None, "proved")
    assert row["sentence"] == (
        "Kafka itself says: broker 1 leads none of the partitions it should (ratio 1.0 > 0.1) in 3 checks from 00:05:00 "
        "to 00:15:00: it is or was down, or cannot be elected"
    )


def test_it_is_over_with_the_first_check_within_the_limit() -> None:
    [row] = found(0.25, 0.3333333333333333, 0.125, 0.1, 0.25)
    assert (row["severity"], row["valid_until_at"].minute, len(row["evidence"])) == ("info", 20, 4)
    assert (
        "leads too few of the partitions it should (ratio up to 0.3333 > 0.1) in 3 checks" in row["sentence"]
    )


@pytest.mark.parametrize("ratios", [(1.0, 1.0), (1.0, 1.0, 0.0, 1.0, 1.0), (0.1, 0.1, 0.1)], ids=str)
def test_what_the_next_checks_mend(ratios: tuple[float, ...]) -> None:
    assert not found(*ratios)


def test_where_the_lines_tell_all_theirs_counts() -> None:
    """All, with state-change.log: without it who leads is not known."""
    elected = (ELECTED.format("0:00:01,000"),)
    assert not found(1.0, 1.0, 1.0, before=elected, moves=MOVES)
    assert found(1.0, 1.0, 1.0, before=elected)
