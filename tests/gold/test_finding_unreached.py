"""Nodes that do not reach the metadata quorum: told where no start explains it, and once."""

from typing import Any

import polars as pl
import pytest

from pipeline.core.frames import empty_frame
from pipeline.rules.quorum_not_reached.rule import find as quorum_not_reached
from schemas.gold.finding import SPEC
from tests.chain import built
from tests.gold.start_stories import at
from tests.rows import records_in

LOADER = "org.apache.kafka.image.loader.MetadataLoader"
UNKNOWN = "initializeNewPublishers: the loader is still catching up because we still don't know the high water mark yet."
CAUGHT_UP = "initializeNewPublishers: The loader finished catching up to the current high water mark of 9"
NO_FINDINGS = empty_frame(SPEC)
TIMED_OUT = "RegistrationResponseHandler: channel manager timed out before sending the request."
TAKEN = "RegistrationResponseHandler: controller acknowledged ControllerRegistrationRequest."


def loader(second: float, text: str) -> str:
    return at(second, "INFO", f"[MetadataLoader id=4] {text}", LOADER)


def waits(first: int, last: int) -> str:
    return "".join(loader(second, UNKNOWN) for second in range(first, last + 1))


def unreached(second: float, node: int) -> str:
    said = f"[RaftManager id=4] Connection to node {node} (/10.0.0.2:9093) could not be established. Node may not be available."
    return at(second, "WARN", said, "org.apache.kafka.clients.NetworkClient")


def unresolved(second: float, channel: str) -> str:
    said = f"[NodeToControllerChannelManager id=4 name={channel}] Error connecting to node controller-3.example:9090 (id: 3 rack: null isFenced: false)"
    return at(second, "WARN", said, "org.apache.kafka.clients.NetworkClient")


def registration(second: float, text: str, level: str = "ERROR") -> str:
    said = f"[ControllerRegistrationManager id=4 incarnation=AmWCf053RvikDU9KphtiHQ] {text}"
    return at(second, level, said, "kafka.server.ControllerRegistrationManager")


def stopped(second: float) -> str:
    return at(
        second, "INFO", "Terminating process due to signal SIGTERM", "org.apache.kafka.common.utils.LoggingSignalHandler"
    )  # fmt: skip


def found(log: str, told: pl.DataFrame = NO_FINDINGS) -> list[dict[str, Any]]:
    names = ("node_event", "connection_event", "data_end")
    tables = built(records_in({(4, "server"): log}), *names)
    node_event, connection_event, data_end = (tables[name] for name in names)
    return quorum_not_reached(node_event, connection_event, told, data_end).to_dicts()


@pytest.mark.parametrize(
    ("log", "said", "severity"),
    [
        (waits(1, 90), "node 4 does not reach the metadata quorum: it knows of no high watermark from 00:00:01 to 00:01:30, still so at the end of its log", "warning"),
        (waits(1, 9) + unreached(2, 2) + unreached(3, 2) + unreached(4, -2), "from 00:00:01 to 00:00:09, still so at the end of its log; it could not connect to node 2", "warning"),
        (waits(1, 9) + unreached(4, -2), ", still so at the end of its log; it could not connect to the servers that it is set to ask", "warning"),
        (waits(1, 90) + loader(91, CAUGHT_UP), "from 00:00:01 to 00:01:30; by 00:01:31 that was over", "info"),
        (waits(1, 90) + stopped(91), "from 00:00:01 to 00:01:30, and no line tells what came then", "warning"),
        (waits(1, 90) + stopped(91) + waits(200, 205) + loader(206, CAUGHT_UP), "from 00:00:01 to 00:01:30, and no line tells what came then", "info"),
        (registration(1, TIMED_OUT), "controller 4 could not register with the controller in office at 00:00:01, still so", "warning"),
        (unresolved(0.5, "registration") + registration(1, TIMED_OUT), "at 00:00:01, still so at the end of its log; it could not connect to node 3", "warning"),
        (registration(1, TIMED_OUT) + registration(80, TIMED_OUT) + registration(90, TAKEN, "INFO"), "2 times from 00:00:01 to 00:01:20; by 00:01:30 that was over", "info"),
    ],
    ids=["long", "short and cut off", "its first servers", "over", "stopped", "stopped and back", "not registered", "whom it registers with", "registered late"],
)  # fmt: skip
def test_a_node_out_of_reach(log: str, said: str, severity: str) -> None:
    (row,) = found(log)
    assert said in row["sentence"]
    assert (row["severity"], row["valid_until_at"] is None) == (severity, "still so" in said)


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(waits(1, 9), id="a start, and the log ends"),
        pytest.param(waits(1, 9) + unreached(2, 2) + loader(10, CAUGHT_UP), id="a start"),
        pytest.param(waits(1, 9) + unreached(2, 2) + stopped(10), id="stopped as it starts"),
        pytest.param(registration(1, TIMED_OUT) + registration(9, TAKEN, "INFO"), id="registered"),
        pytest.param(waits(1, 40) + waits(900, 940) + loader(941, CAUGHT_UP), id="two starts"),
    ],
)  # fmt: skip
def test_what_a_start_explains(log: str) -> None:
    assert found(log) == []


def test_where_the_quorum_has_no_leader_that_is_told() -> None:
    (row,) = found(waits(1, 90))
    told = pl.DataFrame([row | {"rule": "quorum_without_leader"}], schema_overrides=NO_FINDINGS.schema)
    assert found(waits(1, 90), told) == []
    for node in ({"node_id": "5"}, {}):
        start = row | {"rule": "failed_start", "facts": node}
        others = pl.DataFrame([start], schema_overrides=NO_FINDINGS.schema)
        assert len(found(waits(1, 90), others)) == 1
