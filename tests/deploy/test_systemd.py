"""The unit and its timer: taken by systemd, and with commands that are there."""

import re
from configparser import ConfigParser
from pathlib import Path

import pytest

from pipeline.core.errors import EXIT_CODES
from tests.deploy.given import PARTIAL, PROGRAM, WORTH_A_RETRY, checked, parsed, text_of

SERVICE, TIMER, NOTIFY = (f"{PROGRAM}{kind}" for kind in (".service", ".timer", "-notify.service"))
EXPOSURE, EXPOSURE_OF_NOTIFY = "20", "25"  # of 100, as systemd-analyze counts


def unit(name: str) -> ConfigParser:
    read = ConfigParser(interpolation=None, delimiters="=")
    read.optionxform = str  # type: ignore[assignment, method-assign]  # names as they are written
    read.read_string(text_of(f"systemd/{name}"))
    return read


@pytest.fixture(scope="module")
def service() -> dict[str, str]:
    return dict(unit(SERVICE)["Service"])


@pytest.fixture
def units(tmp_path: Path) -> list[str]:
    """As they are, but with a program that is here."""
    for name in (SERVICE, TIMER, NOTIFY):
        (tmp_path / name).write_text(
            text_of(f"systemd/{name}").replace(f"/opt/kca/bin/{PROGRAM}", "/bin/true")
        )
    return [str(tmp_path / name) for name in (SERVICE, TIMER, NOTIFY)]


def test_systemd_takes_them(units: list[str]) -> None:
    assert checked("systemd-analyze", "verify", *units) == ""


def test_little_is_left_open(units: list[str]) -> None:
    for one, most in ((units[0], EXPOSURE), (units[2], EXPOSURE_OF_NOTIFY)):
        checked("systemd-analyze", "security", "--offline=yes", f"--threshold={most}", one)


def test_its_commands_are_there_and_write_below_its_own_folder(service: dict[str, str]) -> None:
    own = {f"/var/lib/{name}" for name in service["StateDirectory"].split()}
    nightly, findings = (parsed(service[name].split()[1:]) for name in ("ExecStart", "ExecStopPost"))
    assert {service[name].split()[0] for name in ("ExecStart", "ExecStopPost")} == {f"/opt/kca/bin/{PROGRAM}"}
    (kept,) = re.findall(r"TMPDIR=(\S+)", service["Environment"])
    assert nightly.warehouse == findings.warehouse
    assert {nightly.warehouse, findings.output.rpartition("/")[0], kept} < own
    assert findings.format == "prometheus" and findings.output.endswith(".prom")


def test_findings_are_sent_after_each_run_by_a_unit_that_alone_has_a_network(service: dict[str, str]) -> None:
    own, run = unit(NOTIFY), unit(SERVICE)["Unit"]
    assert (run["OnSuccess"], run["OnFailure"]) == (NOTIFY, NOTIFY)
    assert service["IPAddressDeny"] == "any" and "IPAddressDeny" not in own["Service"]
    file = own["Service"]["EnvironmentFile"].removeprefix("-")
    assert own["Unit"]["ConditionPathExists"] == file
    program, *words = own["Service"]["ExecStart"].split()
    assert Path(program).name == PROGRAM
    assert (
        parsed(words).fail and parsed(words).warehouse == parsed(service["ExecStart"].split()[1:]).warehouse
    )
    assert own["Service"]["User"] == service["User"]


def test_codes_that_come_again_are_not_tried_again(service: dict[str, str]) -> None:
    without = {int(code) for code in service["RestartPreventExitStatus"].split()}
    assert without == {one.code for one in EXIT_CODES} - {0, PARTIAL, *WORTH_A_RETRY}
    assert service["SuccessExitStatus"] == str(PARTIAL)
    assert service["Restart"] == "on-failure"


def test_java_may_compile(service: dict[str, str]) -> None:
    assert "MemoryDenyWriteExecute" not in service
