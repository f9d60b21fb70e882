"""Lines whose place among the others changes after they were read: the tables are those of one reading."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.life.disk import BEGIN, Stored
from tests.life.harness import PUBLISHED, Harness, require_same, tables_of

pytestmark = [pytest.mark.spark, pytest.mark.soak]
NOT_QUIET = 4_000_000_000.0  # of a time that has not come: the last record may go on
LOGGER = "(kafka.controller.KafkaController)"
# Rolled amid lines some milliseconds out of order; then the clock is set back and the log rolled again.
ROLLED = f"""\
[2026-11-21 00:00:29,000] INFO [Controller id=3] 3 successfully elected as the controller. Epoch incremented to 2 and epoch zk version is now 2 {LOGGER}
[2026-11-21 00:00:29,010] INFO [Controller id=3] Currently active brokers in the cluster: Set(3) {LOGGER}
[2026-11-21 00:00:29,372] INFO [Controller id=3] Broker failure callback for 2 {LOGGER}
"""
GROWING = f"""\
[2026-11-21 00:00:29,371] INFO [Controller id=3] Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 3 {LOGGER}
[2026-11-21 00:00:29,380] INFO [Controller id=3] Currently active brokers in the cluster: Set(3) {LOGGER}
[2026-11-21 00:00:29,390] INFO [Controller id=3] Currently shutting brokers in the cluster: Set() {LOGGER}
"""
SET_BACK = f"""\
[2026-11-21 00:00:29,100] INFO [Controller id=3] Starting preferred replica leader election for partitions {LOGGER}
[2026-11-21 00:00:29,110] INFO [Controller id=3] Starting topic deletion for topics b {LOGGER}
"""
# A beginning of it is found while it is away, and ends amid the trace.
FAILED = f"""\
[2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 {LOGGER}
[2026-11-21 00:00:01,100] INFO [Controller id=1] Ready to serve as the new controller with epoch 1 {LOGGER}
[2026-11-21 00:00:02,000] ERROR [ControllerEventThread controllerId=1] Error processing event BrokerChange (kafka.controller.ControllerEventManager$ControllerEventThread)
"""
TRACE = (
    "java.lang.IllegalStateException: no such broker\n\tat kafka.controller.KafkaController.f(K.scala:1)\n"
)
GROWN = f"[2026-11-21 00:00:09,000] INFO [Controller id=1] Broker failure callback for 2 {LOGGER}\n"
# The end of another file goes on in it, which was read in the night before, and what stands before that a night earlier.
AGAIN = f"""\
[2026-11-21 00:00:02,000] INFO [Controller id=2] Broker failure callback for 1 {LOGGER}
[2026-11-21 00:00:03,000] INFO [Controller id=2] Newly added brokers: , deleted brokers: 1, bounced brokers: , all live brokers: 2,3 {LOGGER}
"""
EARLIER = f"[2026-11-21 00:00:01,000] INFO [Controller id=2] Broker failure callback for 4 {LOGGER}\n"
BEFORE = EARLIER + AGAIN[: AGAIN.index("\n") + 1]
CUT_SHORT = EARLIER + AGAIN[:-40]
CONTROLLER_2 = "broker-2/controller.log"
CONTROLLER_1, CONTROLLER_3 = "broker-1/controller.log", "broker-3/controller.log"


def put(logs: Path, files: Mapping[str, str], at: float) -> None:
    for name, text in files.items():
        path = logs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (at, at))


def test_lines_that_come_to_stand_behind_others(spark: SparkSession, tmp_path: Path) -> None:
    often, once = (Harness(spark, tmp_path / name) for name in ("often", "once"))
    away = often.logs / f"{CONTROLLER_1}.1"
    put(often.logs, {f"{CONTROLLER_3}.1": ROLLED, CONTROLLER_3: GROWING}, NOT_QUIET)
    put(often.logs, {f"{CONTROLLER_1}.1": FAILED + TRACE, f"{CONTROLLER_2}.1": BEFORE}, 0)
    assert often.run() in PUBLISHED
    away.unlink()
    put(often.logs, {f"{CONTROLLER_1}.5": FAILED}, 0)
    put(often.logs, {f"{CONTROLLER_3}.1": ROLLED, CONTROLLER_3: GROWING}, 0)
    put(often.logs, {f"{CONTROLLER_2}.1": CUT_SHORT}, 0)
    assert often.run() in PUBLISHED
    put(often.logs, {f"{CONTROLLER_1}.1": FAILED + TRACE + GROWN, f"{CONTROLLER_3}.2": SET_BACK}, 0)
    put(often.logs, {CONTROLLER_2: AGAIN}, 0)
    assert often.run() in PUBLISHED
    texts = {
        f"{CONTROLLER_1}.1": FAILED + TRACE + GROWN,
        f"{CONTROLLER_3}.1": ROLLED,
        CONTROLLER_3: GROWING,
        f"{CONTROLLER_3}.2": SET_BACK,
        f"{CONTROLLER_2}.1": CUT_SHORT,
        CONTROLLER_2: AGAIN,
    }
    once.read_once({name: Stored(text.encode(), BEGIN, "") for name, text in texts.items()})
    require_same(often, once, tables_of("ingest"), least=0)
