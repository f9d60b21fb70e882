"""A KRaft log that begins in mid-term: who is in office is told, and its epoch is not made up."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.incident.answers import answer_of, settings_of, tables_of
from tests.incident.judged_once import judging_once
from tests.incident.printing import printed

LINES = """\
[2026-11-21 09:15:00,100] INFO [QuorumController id=1] In the last 60000 ms period, 322 controller events were completed, which took an average of 11.74 ms each. The slowest event was writeNoOpRecord(2038106133), which took 30.97 ms. (org.apache.kafka.controller.EventPerformanceMonitor)
[2026-11-21 09:16:38,702] INFO [QuorumController id=1] Fencing broker 8 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)
[2026-11-21 09:16:38,704] INFO [QuorumController id=1] handleBrokerFenced: changing 210 partition(s) (org.apache.kafka.controller.ReplicationControlManager)
[2026-11-21 09:17:05,990] INFO [QuorumController id=1] The request from broker 8 to unfence has been granted because it has caught up with the offset of its register broker record 9812001. (org.apache.kafka.controller.BrokerHeartbeatManager)
"""


@pytest.fixture(scope="module", autouse=True)
def _judged_once() -> Iterator[None]:
    with judging_once():
        yield


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mid_term") / "controller.log"
    path.write_text(LINES)
    return path


def test_the_screen_names_the_controller(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = printed(capsys, str(log))
    assert "controller 1 (epoch not told)" in said
    assert "no line of a controller in office" not in said
    assert "?     1    not seen  -      (open)" in printed(capsys, str(log), "--details")


def test_who_was_controller(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = " ".join(printed(capsys, str(log), "--ask", "who-was-controller --at 2026-11-21T09:16:00").split())
    assert "At 2026-11-21 09:16:00.000 UTC the controller was node 1 (epoch not told)." in said


def test_what_it_decides_counts(log: Path) -> None:
    sessions = tables_of(answer_of([log], settings_of(), "c"))["gold.broker_session"].sort("joined_at")
    assert sessions["term_id"].to_list()[-1] == "1-0"
    assert sessions["left_how"].to_list() == ["uncontrolled", None]


TAKEN_OVER = """\
[2026-11-21 09:31:0{second},384] INFO [Controller id={node}] Registering handlers (kafka.controller.KafkaController)
[2026-11-21 09:31:0{second},843] INFO [Controller id={node}] Starting the controller scheduler (kafka.controller.KafkaController)
"""


def test_two_controllers_without_a_line_of_their_elections(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for node, second in ((2, 2), (1, 9)):
        folder = tmp_path / f"broker-{node}"
        folder.mkdir()
        (folder / "controller.log").write_text(TAKEN_OVER.format(node=node, second=second))
    said = " ".join(printed(capsys, str(tmp_path)).split())
    assert "| controller 1 (epoch not told)" in said
    assert (
        "controllers 2 (from 09:31:02.384, epoch not told) and 1 (from 09:31:09.384, epoch not told)" in said
    )
    asked = " ".join(printed(capsys, str(tmp_path), "--ask", "who-was-controller").split())
    assert "lines in office are of controller 2 from 2026-11-21 09:31:02.384 UTC on, controller 1" in asked
