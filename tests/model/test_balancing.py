"""What a broker goes by: conf, a file, its own list of settings, Kafka's default, one setting after the other."""

from datetime import datetime
from typing import Any

import polars as pl
import pytest
from polars import col

from pipeline.model.brokers.balancing import (
    DEFAULTS,
    NAMES,
    changed_at,
    typed_setting_value,
    with_balancing_settings,
)
from pipeline.model.settings import BalancingSetting, StatedBalancing
from schemas.silver import broker_setting
from schemas.silver.broker_setting import ENABLE, INTERVAL, PER_BROKER
from tests.frames import at as moment
from tests.frames import frame

PRINTED = f"""
    cluster_id | node_id | logged_at | file_id | byte_offset | name         | value
    c          | 1       | 10        | f       | 0           | {PER_BROKER} | 20
    c          | 1       | 10        | f       | 0           | {INTERVAL}   | 30
    c          | 1       | 10        | f       | 0           | {ENABLE}     | FALSE
    c          | 1       | 20        | f       | 9           | {PER_BROKER} | 40
    c          | 2       | 10        | g       | 0           | {PER_BROKER} | ten
    c          | 3       | 10        | h       | 0           | {PER_BROKER} | 50
    c          |         | 10        | i       | 0           | {PER_BROKER} | 60
    other      | 4       | 10        | j       | 0           | {PER_BROKER} | 70
"""


NOTHING = BalancingSetting()


def held(told: BalancingSetting = NOTHING, at: str | None = None, when: int = 15) -> dict[int, Any]:
    """By broker (threshold, interval, enabled, source) at a second, or at the end."""
    printed = frame(broker_setting.SPEC, PRINTED)
    rows = pl.DataFrame({"controller_id": range(1, 5)}, schema={"controller_id": pl.Int32}).with_columns(
        cluster_id=pl.lit("c"), checked_at=pl.lit(moment(when))
    )
    found = with_balancing_settings(rows, "controller_id", told, printed, at)
    assert found.height == rows.height
    columns = (*DEFAULTS, "limit_source")
    return {row["controller_id"]: tuple(row[name] for name in columns) for row in found.to_dicts()}


def test_what_is_said_nowhere_else_is_printed_or_kafkas_default() -> None:
    assert held() == {
        1: (0.4, 30, False, "server.log"),
        2: (0.1, 300, True, "default"),
        3: (0.5, 300, True, "server.log"),
        4: (0.1, 300, True, "default"),
    }


def test_each_setting_counts_by_itself() -> None:
    cluster = StatedBalancing(check_interval_seconds=60)
    own = ((1, StatedBalancing(0.05, 60, True, "conf")), (3, StatedBalancing(None, 60, False)))
    assert held(BalancingSetting(cluster, own)) == {
        1: (0.05, 60, True, "conf"),
        2: (0.1, 60, True, "default"),
        3: (0.5, 60, False, "server.log"),
        4: (0.1, 60, True, "default"),
    }
    of_file = held(BalancingSetting(StatedBalancing(threshold_ratio=0.0, source="server.properties")))
    assert {said[0] for said in of_file.values()} == {0.0}
    assert {said[3] for said in of_file.values()} == {"server.properties"}
    assert of_file[1][1:3] == (30, False)


def test_what_is_told_of_a_broker_counts_as_a_whole() -> None:
    """What its cluster is told is not asked then: what it printed is next."""
    own = (1, StatedBalancing(is_auto_rebalance_enabled=True))
    found = held(BalancingSetting(StatedBalancing(0.3, 60, source="conf"), (own,)))
    assert found[1] == (0.4, 30, True, "server.log")
    assert found[2] == (0.3, 60, True, "conf")


@pytest.mark.parametrize(("when", "ratio"), [(5, 0.2), (10, 0.2), (15, 0.2), (19, 0.2), (20, 0.4), (99, 0.4)])
def test_the_list_that_held_then(when: int, ratio: float) -> None:
    assert held(at="checked_at", when=when)[1][0] == ratio


@pytest.mark.parametrize(("when", "value"), [(5, "10"), (15, "10"), (15, "20"), (5, "20")])
def test_a_default_is_printed_from_its_line_on(when: int, value: str) -> None:
    """Another value is told as printed before it, too."""
    printed = frame(broker_setting.SPEC, PRINTED).filter(col("logged_at") == moment(10), col("node_id") == 1)
    rows = pl.DataFrame(
        {"cluster_id": ["c"], "broker_id": [1], "checked_at": [moment(when)]},
        schema_overrides={"broker_id": pl.Int32},
    )
    lines = printed.with_columns(value=pl.lit(value))
    found = with_balancing_settings(rows, "broker_id", NOTHING, lines, at="checked_at")
    source = "default" if (when, value) == (5, "10") else "server.log"
    assert found["limit_source"].to_list() == [source]
    assert found["threshold_ratio"].to_list() == [int(value) / 100]


def test_of_lines_of_one_moment_the_last_counts() -> None:
    printed = frame(broker_setting.SPEC, PRINTED.replace("| 20        | f", "| 10        | f"))
    rows = pl.DataFrame(
        {"cluster_id": ["c"], "broker_id": [1], "checked_at": [moment(10)]},
        schema_overrides={"broker_id": pl.Int32},
    )
    found = [
        with_balancing_settings(rows, "broker_id", NOTHING, lines, at=at)["threshold_ratio"].to_list()
        for at in (None, "checked_at")
        for lines in (printed, printed.reverse())
    ]
    assert found == [[0.4]] * 4


def test_when_a_broker_prints_another_value() -> None:
    found = changed_at(frame(broker_setting.SPEC, PRINTED), "broker_id")
    times: list[tuple[int, list[datetime]]] = found.select("broker_id", "limits_changed_at").rows()
    assert times == [(1, [moment(20)])]


def test_values_in_the_type_of_their_setting() -> None:
    told = pl.DataFrame({"value": [" 7 ", "+5", "10.5", "TRUE", "no", "99999999999", "", None]})
    found = told.select(typed_setting_value(name).alias(name) for name in NAMES).to_dict(as_series=False)
    assert found == {
        "threshold_ratio": [0.07, 0.05, None, None, None, None, None, None],
        "check_interval_seconds": [7, 5, None, None, None, 99999999999, None, None],
        "is_auto_rebalance_enabled": [None, None, None, True, False, None, None, None],
    }
