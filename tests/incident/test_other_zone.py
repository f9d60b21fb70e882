"""Logs of a node that prints the times of another zone."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs import nightly
from jobs.incident.command import main

ELECTED = "[2026-11-21 {hour}:00:{at:02d},000] INFO [Controller id={by}] {by} successfully elected as the controller. Epoch incremented to {epoch} and epoch zk version is now {epoch} (kafka.controller.KafkaController)"
HEARD = "[2026-11-21 {hour}:00:{at:02d},000] INFO [Broker id={node}] Add 1 partitions and deleted 0 partitions from metadata cache in response to UpdateMetadata request sent by controller {by} epoch {epoch} with correlation id 1 (state.change.logger)"
EPOCHS = ((3, 1, 1), (1, 5, 2), (3, 20, 3), (2, 33, 4), (3, 50, 5))  # controller, second, epoch


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Broker 3 is 5 h ahead of the others, its hours are those of Asia/Karachi."""
    for node, hour in ((1, "12"), (2, "12"), (3, "17")):
        lines = [
            (ELECTED if by == node else HEARD).format(hour=hour, at=at, by=by, epoch=epoch, node=node)
            for by, at, epoch in EPOCHS
        ]
        folder = tmp_path / "logs" / f"broker-{node}"
        folder.mkdir(parents=True)
        for log, wording in (("controller", "KafkaController"), ("state-change", "state.change.logger")):
            own = [line for line in lines if wording in line]
            (folder / f"{log}.log").write_text("".join(f"{line}\n" for line in own))
    return tmp_path / "logs"


def test_what_is_of_another_zone_is_named_and_left_out(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(logs), "--cluster", "prod"]) == 7
    screen = " ".join(capsys.readouterr().out.split())
    assert "not read: 2 REFUSED: several writers, or another zone" in screen
    assert "its times are 5 h ahead of those of nodes 1, 2 though they tell of the same elections" in screen
    assert "(clusters: prod: brokers: 3: zone: AREA/CITY)" in screen
    assert "2 files could not be read" in screen
    assert "began anew" not in screen
    assert "12:00:50" in screen and "17:00" not in screen


def test_all_are_read_once_its_zone_is_given(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf = logs.parent / "conf.yaml"
    conf.write_text("clusters: {prod: {brokers: {3: {zone: Asia/Karachi}}}}\n")
    assert main([str(logs), "--cluster", "prod", "--conf", str(conf)]) == 0
    screen = capsys.readouterr().out
    assert "REFUSED" not in screen and "nodes 1,2,3" in screen


@pytest.mark.spark
def test_a_run_names_what_is_of_another_zone_too(
    spark: SparkSession, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--logs", str(logs), "--warehouse", str(logs.parent / "warehouse"), "--cluster", "prod"]
    assert nightly.main(arguments) == 7
    told = capsys.readouterr()
    assert "another zone: node 3: its times are 5 h ahead of those of nodes 1, 2" in " ".join(
        told.out.split()
    )
    assert "--reparse" in told.err and "began anew" not in told.out
