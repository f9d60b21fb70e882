"""controller.log alone, as people paste it: what it cannot say is not claimed."""

import shutil
from pathlib import Path

import pytest

from tests.incident.answers import SAMPLE, answer_of, settings_of, tables_of
from tests.incident.printing import printed


@pytest.fixture(scope="module")
def controller_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("half") / "lab"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("state-change*", "server*"))
    return folder


def test_who_led_what_is_not_claimed(controller_logs: Path) -> None:
    """Elections stand in state-change.log: what a controller finds offline as it starts is led again unseen."""
    tables = tables_of(answer_of([controller_logs], settings_of(), "c"))
    assert set(tables["gold.partition_outage"]["certainty"]) == {"undetermined"}
    assert set(tables["gold.finding"]["rule"]) & {"outage", "unclean_election"} == set()
    assert "critical" not in tables["gold.finding"]["severity"]


def test_the_screen_says_so(controller_logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = " ".join(printed(capsys, str(controller_logs)).split())
    assert "AT END offline ? | not preferred ?/44 | not known 44" in said
    assert "no line of state-change.log of controllers 1, 2, 3 was read, so who led what" in said
    assert "OUTAGE none for certain; up to 26 of 1 s or more, 10 min 1 s in total" in said
