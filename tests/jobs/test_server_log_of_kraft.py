"""server.log is read by default where the cluster is in KRaft, and only there."""

from pathlib import Path

import pytest

from jobs.engine.incremental.placement import Placement
from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.file_probe import Looker
from jobs.settings.load import load_settings
from pipeline.core.files import list_files
from pipeline.kafka.layout.paths import locate_path

TIME = "[2026-11-21 09:00:00,123] INFO "
ZOOKEEPER = {
    "controller.log": TIME + "[Controller id=1] Starting up (kafka.controller.KafkaController)\n",
    "server.log": TIME + "[KafkaServer id=1] started (kafka.server.KafkaServer)\n",
}
# The older file of server.log has no line that only KRaft has.
KRAFT = {
    "server.log": TIME + "[BrokerServer id=1] shutting down (kafka.server.BrokerServer)\n",
    "server.log.2026-11-21-08": TIME
    + "Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)\n",
}


@pytest.mark.parametrize(
    ("logs", "setting", "known", "read"),
    [
        (ZOOKEEPER, "auto", False, {"controller.log"}),
        (ZOOKEEPER, True, False, {"controller.log", "server.log"}),
        (KRAFT, "auto", False, set(KRAFT)),
        (KRAFT, False, False, set()),
        ({"server.log": ZOOKEEPER["server.log"]}, "auto", True, {"server.log"}),
    ],
)
def test_server_log_is_read_of_kraft_clusters(
    tmp_path: Path, logs: dict[str, str], *, setting: str | bool, known: bool, read: set[str]
) -> None:
    folder = tmp_path / "broker-1"
    folder.mkdir()
    for name, text in logs.items():
        (folder / name).write_text(text)
    candidates = [Candidate(one, locate_path(one.relative)) for one in list_files(str(tmp_path))]
    looker = Looker("c", load_settings(environ={}, flags={"server_log": setting}), None, None, is_kraft=known)
    looker.placement = Placement.DRIVER
    looked = looker.look(candidates, {})
    assert {Path(one.found.path).name for one in looked if one.refusal is None} == read
    assert looker.is_kraft is (known or logs is KRAFT)
