"""The unit and its timer: taken by systemd, and with commands that are there."""

import re
from configparser import ConfigParser
from pathlib import Path

import pytest

from pipeline.core.errors import EXIT_CODES
from tests.deploy.given import PROGRAM, WORTH_A_RETRY, checked, parsed, text_of

SERVICE, TIMER = (f"{PROGRAM}.{kind}" for kind in ("service", "timer"))
EXPOSURE = "20"  # of 100, as systemd-analyze counts


@pytest.fixture(scope="module")
def service() -> dict[str, str]:
    read = ConfigParser(interpolation=None, delimiters="=")
    read.optionxform = str  # type: ignore[assignment, method-assign]  # names as they are written
    read.read_string(text_of(f"systemd/{SERVICE}"))
    return dict(read["Service"])


@pytest.fixture
def units(tmp_path: Path) -> list[str]:
    """As they are, but with a program that is here."""
    for name in (SERVICE, TIMER):
        (tmp_path / name).write_text(
            text_of(f"systemd/{name}").replace(f"/opt/kca/bin/{PROGRAM}", "/bin/true")
        )
    return [str(tmp_path / name) for name in (SERVICE, TIMER)]


def test_systemd_takes_them(units: list[str]) -> None:
    assert checked("systemd-analyze", "verify", *units) == ""


def test_little_is_left_open(units: list[str]) -> None:
    checked("systemd-analyze", "security", "--offline=yes", f"--threshold={EXPOSURE}", units[0])


def test_its_commands_are_there_and_write_below_its_own_folder(service: dict[str, str]) -> None:
    own = {f"/var/lib/{name}" for name in service["StateDirectory"].split()}
    nightly, findings = (parsed(service[name].split()[1:]) for name in ("ExecStart", "ExecStopPost"))
    assert {service[name].split()[0] for name in ("ExecStart", "ExecStopPost")} == {f"/opt/kca/bin/{PROGRAM}"}
    (kept,) = re.findall(r"TMPDIR=(\S+)", service["Environment"])
    assert nightly.warehouse == findings.warehouse
    assert {nightly.warehouse, findings.output.rpartition("/")[0], kept} < own
    assert findings.format == "prometheus" and findings.output.endswith(".prom")


def test_codes_that_come_again_are_not_tried_again(service: dict[str, str]) -> None:
    without = {int(code) for code in service["RestartPreventExitStatus"].split()}
    assert without == {one.code for one in EXIT_CODES} - {0, *WORTH_A_RETRY}
    assert service["Restart"] == "on-failure"


def test_java_may_compile(service: dict[str, str]) -> None:
    assert "MemoryDenyWriteExecute" not in service
