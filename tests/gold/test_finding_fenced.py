"""Findings about brokers that a KRaft controller fenced, by its own lines; its logs begin in mid-term."""

import polars as pl
import pytest
from polars import col, lit

from pipeline.core.frames import empty_frame
from pipeline.rules.broker_fenced.rule import without_reported_fences
from schemas.gold import finding
from tests.chain import built_of_many
from tests.frames import at, frame
from tests.gold.term_lines import line, observed
from tests.rules.rows import fact_texts

CONTROLLER, BROKER = 9, 1
REPLICAS, HEARTBEATS, CLUSTER = (
    f"org.apache.kafka.controller.{one}"
    for one in ("ReplicationControlManager", "BrokerHeartbeatManager", "ClusterControlManager")
)


def said(second: float, text: str, logger: str, node: int = CONTROLLER) -> str:
    return line(second, f"[QuorumController id={node}] {text}", logger)


def fenced(second: float, changed: int | None, epoch: int | None = None) -> str:
    """epoch: as from 4.0 on."""
    where = "" if epoch is None else f" at epoch {epoch}"
    fence = said(second, f"Fencing broker {BROKER}{where} because its session has timed out.", REPLICAS)
    if changed is None:
        return fence
    return fence + said(second + 0.005, f"handleBrokerFenced: changing {changed} partition(s)", REPLICAS)


def back(second: float, epoch: int, node: int = CONTROLLER) -> str:
    why = f"because it has caught up with the offset of its register broker record {epoch}"
    return said(
        second, f"The request from broker {BROKER} to unfence has been granted {why}.", HEARTBEATS, node
    )


def registered(second: float, epoch: int) -> str:
    record = f"RegisterBrokerRecord(brokerId={BROKER}, isMigratingZkBroker=false, incarnationId=Tj9BQEWkQlqiitLypE5Jgg, brokerEpoch={epoch}, endPoints=[], features=[], rack=null, fenced=true, inControlledShutdown=false, logDirs=[])"
    text = f"Replayed RegisterBrokerRecord establishing a new incarnation of broker {BROKER}: {record}"
    return said(second, text, CLUSTER)


def unfenced(second: float, epoch: int) -> str:
    """The record of it, which says the epoch."""
    record = f"BrokerRegistrationChangeRecord(brokerId={BROKER}, brokerEpoch={epoch}, fenced=-1, inControlledShutdown=0, logDirs=[])"
    text = f"Replayed BrokerRegistrationChangeRecord modifying the registration for broker {BROKER}: {record}"
    return said(second, text, CLUSTER)


def asked(second: float) -> str:
    text = f"Unfenced broker {BROKER} has requested and been granted a controlled shutdown."
    return said(second, text, HEARTBEATS)


def let_go(second: float) -> str:
    text = f"The request from broker {BROKER} to shut down has been granted since the lowest active offset 7 is now greater than the broker's controlled shutdown offset 6."
    return said(second, text, HEARTBEATS)


def busy(second: float) -> str:
    text = "In the last 60000 ms period, 322 controller events were completed, which took an average of 11.74 ms each. The slowest event was writeNoOpRecord(2038106133), which took 30.97 ms."
    return said(second, text, "org.apache.kafka.controller.EventPerformanceMonitor")


def signal(second: float, name: str) -> str:
    logger = "org.apache.kafka.common.utils.LoggingSignalHandler"
    return line(second, f"Terminating process due to signal {name}", logger)


def timed_out(second: float) -> str:
    text = f"[BrokerServer id={BROKER}] Timed out waiting for the controller to approve controlled shutdown"
    return line(second, text, "kafka.server.BrokerServer", "ERROR")


def late(text: str) -> str:
    """The same an hour later."""
    return text.replace(" 00:", " 01:")


def own_line(second: float) -> str:
    return line(second, f"[BrokerServer id={BROKER}] Waiting for the broker", "kafka.server.BrokerServer")


UNFENCED_RUNNING = line(
    25,
    f"[BrokerLifecycleManager id={BROKER}] The broker has been unfenced. Transitioning from RECOVERY to RUNNING.",
    "kafka.server.BrokerLifecycleManager",
)
HEARD = "the controller heard nothing of it for its session"
# (controller.log, server.log of the broker), severity, end, sentence behind "broker 1 was fenced"
CASES = {
    "its process lived on": (
        (busy(1) + back(5, 98) + fenced(10, 210) + back(37.288, 98) + busy(50), ""),
        ("warning", at(37.288), f"from 00:00:10 to 00:00:37 (27.3 s): {HEARD}; 210 partitions changed leader or ISR; its process lived on: it was frozen or cut off, not stopped"),
    ),
    "the fence names the registration": (
        (busy(1) + fenced(10, 1, epoch=98) + back(20, 98), ""),
        ("warning", at(20), f"from 00:00:10 to 00:00:20 (10.0 s): {HEARD}; 1 partition changed leader or ISR; its process lived on: it was frozen or cut off, not stopped"),
    ),
    "another process": (
        (busy(1) + fenced(10, 6) + registered(18, 99) + back(20, 99), ""),
        ("warning", at(20), f"from 00:00:10 to 00:00:20 (10.0 s): {HEARD}; 6 partitions changed leader or ISR; another process of it registered at 00:00:18"),
    ),
    "another process, whose record stands behind its epoch": (
        (busy(1) + fenced(10, 6, epoch=90) + registered(18, 94) + back(20, 99) + unfenced(20.002, 94), ""),
        ("warning", at(20), f"from 00:00:10 to 00:00:20 (10.0 s): {HEARD}; 6 partitions changed leader or ISR; another process of it registered at 00:00:18"),
    ),
    "no line tells which process": (
        (busy(1) + fenced(10, 6) + back(20, 99), ""),
        ("warning", at(20), f"from 00:00:10 to 00:00:20 (10.0 s): {HEARD}; 6 partitions changed leader or ISR"),
    ),
    "its own line says that it is back": (
        (busy(1) + fenced(10, 6) + busy(15), UNFENCED_RUNNING),
        ("warning", at(25), f"from 00:00:10 to 00:00:25 (15.0 s): {HEARD}; 6 partitions changed leader or ISR"),
    ),
    "still so": (
        (busy(1) + back(5, 98) + fenced(10, None) + busy(50), ""),
        ("warning", None, f"from 00:00:10, still so at the end of the data: {HEARD}"),
    ),
    "the controller's log ends": (
        (busy(1) + fenced(10, 6), late(own_line(20))),
        ("warning", at(10), f"from 00:00:10, until when no line tells: {HEARD}; 6 partitions changed leader or ISR"),
    ),
    "it had asked to be shut down": (
        (busy(1) + back(2, 98) + asked(3) + fenced(10, 6) + busy(50), ""),
        ("info", None, f"from 00:00:10, still so at the end of the data: {HEARD}, though it was being shut down; 6 partitions changed leader or ISR"),
    ),
    "it was stopped by hand, without leave": (
        (busy(1) + back(2, 98) + fenced(10, 6) + busy(50), signal(4, "SIGINT") + timed_out(9)),
        ("info", None, f"from 00:00:10, still so at the end of the data: {HEARD}, though it was being shut down, because it got SIGINT at 00:00:04 and gave up its controlled shutdown; 6 partitions changed leader or ISR"),
    ),
}  # fmt: skip
SILENT = {
    "it may have left before": busy(1) + fenced(10, None, epoch=98) + busy(50),
    "it changed nothing": busy(1) + fenced(10, 0) + busy(50),
    "it had left in order": busy(1)
    + back(2, 98)
    + asked(3)
    + let_go(4)
    + fenced(10, None, epoch=98)
    + busy(50),
}


def found_in(stories: dict[str, tuple[str, str]]) -> pl.DataFrame:
    logs = {
        name: {(CONTROLLER, "controller"): own, (BROKER, "server"): other}
        for name, (own, other) in stories.items()
    }
    rows: pl.DataFrame = built_of_many(logs, "finding")["finding"]
    return rows.filter(col("rule") == "broker_fenced")


def test_a_fence_is_told_with_what_its_lines_say() -> None:
    found = found_in({name: logs for name, (logs, _) in CASES.items()})
    head = "broker 1 was fenced "
    told = {
        row["cluster_id"]: (row["severity"], row["valid_until_at"], row["sentence"].removeprefix(head))
        for row in found.to_dicts()
    }
    assert told == {name: expected for name, (_, expected) in CASES.items()}
    assert set(found["certainty"]) == {"proved"} and set(found["valid_from_at"]) == {at(10)}
    facts = {row["cluster_id"]: fact_texts(row["facts"]) for row in found.to_dicts()}
    assert facts["its process lived on"] == {
        "broker_id": "1", "changed_count": "210", "lasted_ms": "27288", "is_same_process": "true",
    }  # fmt: skip
    assert facts["another process"]["is_same_process"] == "false"


def test_a_fence_of_one_that_was_gone_already_is_none() -> None:
    assert found_in({name: (own, "") for name, own in SILENT.items()}).is_empty()


def test_who_came_in_between_unseen_may_have_unfenced_it() -> None:
    """Node 8 was in office, of which no line is there."""
    unseen = observed(CONTROLLER, 7, 15, 8) + observed(CONTROLLER, 8, 30, CONTROLLER) + observed(7, 8, 30, 9)
    story = busy(1) + fenced(10, 6) + unseen + back(40, 99) + busy(50)
    (one,) = found_in({"unseen": (story, "")}).to_dicts()
    assert (one["valid_until_at"], "until when no line tells" in one["sentence"]) == (at(10), True)


TOLD = """
    cluster_id | rule             | valid_from_at | valid_until_at | root_at | sentence
    c          | outage           | 10            | 20             | 10      | 1,2
    c          | broker_flapping  | 100           | 200            | 100     | 3
    c          | broker_flapping  | 300           |                | 300     | 4
    c          | unclean_shutdown | 390           | 400            | 400     | 5
    c          | fatal_fault      | 500           | 500            | 500     | 6
    c          | no_controller    | 600           |                | 600     | 7
"""


@pytest.mark.parametrize(
    ("broker", "second", "is_told"),
    [
        *((1, 10, True), (2, 12, True), (1, 60, False), (3, 10, False)),
        *((3, 150, True), (3, 201, False), (4, 9000, True)),
        *((5, 400, True), (6, 509, True), (7, 610, False)),
    ],
)
def test_what_another_finding_tells_is_told_once(broker: int, second: float, *, is_told: bool) -> None:
    names = frame(finding.SPEC, TOLD).select(
        "cluster_id", "rule", *("valid_from_at", "valid_until_at", "root_at"), ids="sentence"
    )
    key = {"broker_flapping": "broker_id", "unclean_shutdown": "broker_id", "fatal_fault": "node_id"}
    facts = [
        {key[one["rule"]]: int(one["ids"])}
        if one["rule"] in key
        else {"broker_ids": [int(each) for each in one["ids"].split(",")]}
        for one in names.to_dicts()
    ]
    told = names.with_columns(facts=pl.Series(facts, dtype=empty_frame(finding.SPEC).schema["facts"]))
    fence = pl.DataFrame({"cluster_id": ["c"]}).with_columns(
        broker_id=lit(broker, pl.Int32), left_at=lit(at(second)).cast(pl.Datetime("us", "UTC"))
    )
    assert without_reported_fences(fence, told).is_empty() is is_told
