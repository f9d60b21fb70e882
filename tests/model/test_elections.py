"""Elections up to 0.10, whose lines stand in two files: what belongs to one, and epochs that no line tells."""

import polars as pl
import pytest

from pipeline.model.terms.elections import controller_elections
from tests.chain import built
from tests.rows import records_in

AT = "[2026-11-21 {0}] INFO "
WON = AT + "{1} successfully elected as leader (kafka.server.ZookeeperLeaderElector)"
HEARD = AT + "New leader is {1} (kafka.server.ZookeeperLeaderElector$LeaderChangeListener)"
OWN = "[Controller {{1}}]: {} (kafka.controller.KafkaController)"
BEGUN = AT + OWN.format("Broker {1} starting become controller state transition")
EPOCH = AT + OWN.format("Controller {1} incremented epoch to {2}")
RESIGNED = AT + OWN.format("Broker {1} resigned as the controller")
UP = AT + OWN.format("Controller starting up")
FIVE = (EPOCH.format("10:00:00,000", 2, 5), EPOCH.format("10:00:09,000", 2, 7))


def of(server: list[str], controller: list[str], others: tuple[str, ...] = ()) -> list[tuple[object, ...]]:
    """(controller_id, controller_epoch, time, whether its own lines begin in controller.log, whether one tells it)."""
    logs = {(1, "server"): server, (1, "controller"): controller, (2, "controller"): list(others)}
    events = built(
        records_in({file: "\n".join(lines) for file, lines in logs.items() if lines}), "controller_step"
    )
    found: pl.DataFrame = controller_elections(events["controller_step"])
    return found.select(
        "controller_id",
        "controller_epoch",
        pl.col("elected_at").dt.strftime("%H:%M:%S.%3f"),
        pl.col("own_file_id") == "1-controller",
        "is_epoch_told",
    ).rows()


WON_AT_10 = [WON.format("10:00:00,000", 1)]
JOINED = [(1, 6, "10:00:00.000", True, True)]
ITS_OWN = [(1, 6, "10:00:01.000", True, True)]


@pytest.mark.parametrize(
    ("server", "controller", "expected"),
    [
        pytest.param(WON_AT_10, [BEGUN.format("10:00:00,000", 1), EPOCH.format("10:00:00,300", 1, 6)], JOINED, id="joined in the same ms"),
        pytest.param(WON_AT_10, [EPOCH.format("10:00:39,000", 1, 6)], JOINED, id="its process was held up"),
        pytest.param(WON_AT_10, [EPOCH.format("17:00:01,000", 1, 6)], [(1, 6, "17:00:01.000", True, True)], id="hours later"),
        pytest.param(WON_AT_10, [RESIGNED.format("10:00:00,500", 1), EPOCH.format("10:00:01,000", 1, 6)], ITS_OWN, id="it resigned in between"),
        pytest.param(WON_AT_10, [UP.format("10:00:00,500", 1), EPOCH.format("10:00:01,000", 1, 6)], ITS_OWN, id="it started in between"),
        pytest.param([*WON_AT_10, WON.format("10:00:02,000", 1)], [EPOCH.format("10:00:02,001", 1, 6)], [(1, 6, "10:00:02.000", True, True)], id="elected twice"),
        pytest.param(WON_AT_10, [BEGUN.format("10:00:01,000", 1), BEGUN.format("10:00:05,000", 1), EPOCH.format("10:00:05,001", 1, 6)], [(1, 6, "10:00:05.000", True, True)], id="begun twice"),
        pytest.param([], [BEGUN.format("10:00:01,000", 1), EPOCH.format("10:00:01,001", 1, 6)], ITS_OWN, id="without server.log"),
    ],
)  # fmt: skip
def test_lines_of_one_election(
    server: list[str], controller: list[str], expected: list[tuple[object, ...]]
) -> None:
    assert of(server, controller) == expected


@pytest.mark.parametrize(
    ("server", "others", "epochs"),
    [
        pytest.param([WON.format("10:00:04,000", 1)], FIVE, [5, 6, 7], id="the only number between two"),
        pytest.param([WON.format("10:00:04,000", 1), WON.format("10:00:05,000", 1)], FIVE, [5, 7], id="two elections for one number"),
        pytest.param([WON.format("10:00:10,000", 1)], FIVE, [5, 7], id="none follows"),
        pytest.param([WON.format("09:59:58,000", 1), HEARD.format("10:00:02,000", 2)], FIVE, [4, 5, 7], id="it heard of the next one"),
        pytest.param([WON.format("09:59:58,000", 1), HEARD.format("10:00:02,000", 3)], FIVE, [5, 7], id="it heard of another one"),
        pytest.param([WON.format("09:00:00,000", 1), HEARD.format("09:00:02,000", 2)], FIVE, [5, 7], id="heard of before that one"),
    ],
)  # fmt: skip
def test_an_epoch_that_no_line_tells(server: list[str], others: tuple[str, ...], epochs: list[int]) -> None:
    found = of(server, [], others)
    assert [one[1] for one in found] == epochs
    assert [one[1] for one in found if not one[4]] == [one for one in epochs if one not in {5, 7}]
