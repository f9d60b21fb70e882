"""Connections that end every few minutes cost a night no more after weeks than after days."""

from datetime import UTC, datetime, timedelta
from typing import Any

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import frame_of
from pipeline.core.span import Span
from tests.incremental.nights import builders, segments_of
from tests.tables import log_table

FIRST = datetime(2026, 11, 2, 1, tzinfo=UTC)
CHECK = "[Controller id=1] Newly added brokers: , deleted brokers: , bounced brokers: , all live brokers: 1,2,3 (kafka.controller.KafkaController)"
EPOCH = "[Controller id=1] 1 successfully elected as the controller. Epoch incremented to 4 and epoch zk version is now 5 (kafka.controller.KafkaController)"
LOST = "[ReplicaFetcher replicaId=2, leaderId=3, fetcherId=0] Node 3 disconnected. (org.apache.kafka.clients.NetworkClient)"
STARTED = "[KafkaServer id=2] started (kafka.server.KafkaServer)"
DAYS, LINES_A_DAY = 6, 10
TAKING = ("process_run", "controller_term", "broker_session")


def said(at: datetime, message: str) -> str:
    return f"[{at:%Y-%m-%d %H:%M:%S},000] INFO {message}\n"


def logs(days: int) -> dict[tuple[int, str], str]:
    controller, server = said(FIRST, EPOCH), said(FIRST, STARTED)
    for day in range(days):
        begin = FIRST + timedelta(days=day)
        controller += said(begin + timedelta(minutes=1), CHECK)
        server += "".join(said(begin + timedelta(minutes=10 * one + 2), LOST) for one in range(LINES_A_DAY))
    return {(1, "controller"): controller, (2, "server"): server}


def test_a_night_takes_the_connections_of_its_days() -> None:
    *_, (builder, tables) = builders(segments_of(frame_of(log_table(logs(DAYS))), days_a_night=DAYS - 1))
    for name in TAKING:
        table = BY_SHORT_NAME[name]
        given: dict[str, Any] = builder.inputs.of(table, Span(builder.starts.begin_of(table)))
        assert 0 < given["connection_event"].height <= 3 * LINES_A_DAY, name
    (run,) = tables.rows["silver.process_run"].to_dicts()
    last = FIRST + timedelta(days=DAYS - 1, minutes=10 * LINES_A_DAY - 8)
    assert (run["first_line_at"], run["last_line_at"]) == (FIRST, last)
