"""Findings about requests of controllers: lost, not carried out, slow."""

import pytest

from tests.chain import audit_limit, found_by
from tests.gold.request_lines import (
    BACK,
    SHUT,
    controller_says,
    elected,
    handles,
    learns,
    opened,
    sends,
    tells,
)
from tests.rows import records_in

RULES = ("requests_lost", "request_error", "slow_broker")
START = elected() + opened(0.1)
SENT = tells(1, 0) + sends(2, 3) + tells(3, 4) + sends(4, 5)
GOT = handles(2.1, 1, 3) + learns(3.1, 2, 4)
ALIVE = "Newly added brokers: 2, deleted brokers: , bounced brokers: , all live brokers: 1,2"


def told(controller: str, moves: str, broker: str, **limits: int) -> list[tuple[str, str]]:
    lines = {(1, "controller"): controller, (1, "state-change"): moves, (2, "state-change"): broker}
    rows = found_by(records_in(lines), *RULES, audit_limit=audit_limit(**limits)).sort(
        "rule", "valid_from_at"
    )
    return list(rows.select("severity", "sentence").iter_rows())


@pytest.mark.parametrize(
    ("left", "sentences"),
    [
        (
            600,
            [
                (
                    "info",
                    "1 request of controller 1 (epoch 1) with 5 partitions in no line of broker 2, which stayed: lost, "
                    "or its lines are missing",
                )
            ],
        ),
        # Gone soon after: the next registration sends all anew.
        (20, []),
    ],
)
def test_what_never_arrives_at_a_broker_that_stays_is_told(
    left: int, sentences: list[tuple[str, str]]
) -> None:
    controller = (
        START + controller_says(0.5, ALIVE) + controller_says(left, SHUT) + controller_says(left + 20, BACK)
    )
    again = left + 20.1
    moves = SENT + tells(again + 1, 0) + sends(again + 2, 7)
    assert told(controller + opened(again), moves, GOT + handles(again + 2.1, 1, 7)) == sentences


def test_a_broker_that_could_not_carry_out_a_request_is_told() -> None:
    failed = (
        "[2026-11-21 10:00:02,200] ERROR [Broker id=2] Skipped the become-leader state change with correlation id 1 from "
        "controller 1 epoch 1 for partition t-{} (last update controller epoch 1) since the replica for the partition is "
        "offline due to storage error org.apache.kafka.common.errors.KafkaStorageException: gone (state.change.logger)\n"
    )
    broker = handles(2.1, 1, 3) + failed.format(0) + failed.format(1) + learns(3.1, 2, 4)
    assert told(START, SENT, broker) == [
        ("warning", "broker 2 answered LeaderAndIsr with KAFKA_STORAGE_ERROR for 2 partitions")
    ]


@pytest.mark.parametrize(("took_ms", "count"), [(9300, 1), (4000, 0)])
def test_a_broker_is_slow_where_half_of_its_requests_take_long(took_ms: int, count: int) -> None:
    def finishes(seconds: float, correlation_id: int) -> str:
        at = handles(seconds, correlation_id, 3)
        done = f"Finished LeaderAndIsr request in {took_ms}ms correlationId {correlation_id} from controller 1 for 3"
        head = handles(seconds + took_ms / 1000, 0, 3).split("[Broker")[0]
        return at + f"{head}[Broker id=2] {done} partitions (state.change.logger)\n"

    moves = tells(1, 0) + "".join(sends(20 * one, 3) for one in range(1, 13))
    broker = "".join(finishes(20 * one + 0.1, one) for one in range(1, 13))
    said = [("info", "broker 2 needed 9.3 s for requests of the controller (median of 12)")]
    assert told(START, moves, broker) == said[:count]
