"""What stands below a table of ratios: who says the limit, and what controllers do that read none."""

from typing import Any

import pytest

from jobs.questions.ask_text import HIGH_IS_FEW, WITHOUT_LIMIT, limit_notes

ZOOKEEPER = {
    "imbalance_ratio": 0.5,
    "threshold_ratio": 0.1,
    "limit_source": "default",
    "check_interval_seconds": 300,
    "is_auto_rebalance_enabled": True,
}
KRAFT = ZOOKEEPER | {"threshold_ratio": None, "limit_source": None, "check_interval_seconds": 20}
NOTHING = dict.fromkeys(ZOOKEEPER)
IN_KRAFT = [
    "KRaft controllers never read leader.imbalance.per.broker.percentage",
    "from 3.2 on they move leaders back at every check, whatever the ratio (leader.imbalance.check.interval.seconds = 20)",
]
OFF = {"is_auto_rebalance_enabled": False}


@pytest.mark.parametrize(
    ("brokers", "notes"),
    [
        ([ZOOKEEPER, ZOOKEEPER], [HIGH_IS_FEW, "limit by Kafka's default"]),
        ([ZOOKEEPER | {"limit_source": "conf"}, NOTHING], [HIGH_IS_FEW, "limit by conf"]),
        (
            [ZOOKEEPER, ZOOKEEPER | {"limit_source": "server.log"}, ZOOKEEPER],
            [HIGH_IS_FEW, "limit by Kafka's default (1, 3), server.log (2)"],
        ),
        (
            [ZOOKEEPER | OFF],
            [
                HIGH_IS_FEW,
                "limit by Kafka's default",
                "auto.leader.rebalance.enable=false: nothing moves leaders back",
            ],
        ),
        ([ZOOKEEPER | {"limit_source": "asked"}], [HIGH_IS_FEW, "limit by --threshold"]),
        ([KRAFT, NOTHING], [WITHOUT_LIMIT, *IN_KRAFT]),
        ([KRAFT | {"threshold_ratio": 0.05}], [HIGH_IS_FEW, *IN_KRAFT]),
        (
            [KRAFT | OFF],
            [WITHOUT_LIMIT, *IN_KRAFT, "not here: auto.leader.rebalance.enable=false"],
        ),
        ([{"imbalance_ratio": 0.5, "threshold_ratio": 0.1}], [HIGH_IS_FEW]),
        ([NOTHING], [WITHOUT_LIMIT]),
    ],
)
def test_notes(brokers: list[dict[str, Any]], notes: list[str]) -> None:
    numbered = [one | {"broker_id": number} for number, one in enumerate(brokers, 1)]
    assert limit_notes(numbered) == notes
    assert all(len(line) <= 118 for line in notes)
