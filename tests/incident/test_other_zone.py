"""Logs of a node that prints the times of another zone."""

from pathlib import Path

import pytest

from jobs.incident.command import main
from tests.incident.two_zones import write_two_zones
from tests.mending.plain import plain_nightly


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return write_two_zones(tmp_path / "logs")


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


def test_a_run_names_what_is_of_another_zone_too(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--logs", str(logs), "--warehouse", str(logs.parent / "warehouse"), "--cluster", "prod"]
    assert plain_nightly(arguments) == 7
    told = capsys.readouterr()
    assert "another zone: node 3: its times are 5 h ahead of those of nodes 1, 2" in " ".join(
        told.out.split()
    )
    assert "--reparse" in told.err and "began anew" not in told.out
