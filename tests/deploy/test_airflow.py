"""The DAG: parsed by Airflow where it is installed, and what its task does with each exit code anywhere."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from jobs.notify.destination import VARIABLE
from pipeline.core.errors import EXIT_CODES
from tests.deploy.given import DEPLOY, PARTIAL, PROGRAM, WORTH_A_RETRY, parsed

FILE = DEPLOY / "airflow" / "kafka_controller_audit.py"
Task = Callable[[], None]


class Again(Exception):
    """Airflow tries the task again."""


class Failed(Again):
    """It does not."""


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dag_of_deploy", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def stood_in(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Up to the operator: what Airflow is told of the DAG and of its tasks, and the tasks as functions."""
    told: dict[str, Any] = {"tasks": {}}

    def dag(**given: Any) -> Callable[[Task], Task]:
        told["dag"] = given
        return lambda function: function

    def task(**given: Any) -> Callable[[Task], Task]:
        def kept(function: Task) -> Task:
            told["tasks"][function.__name__] = (given, function)
            return lambda: None

        return kept

    sdk, errors = ModuleType("airflow.sdk"), ModuleType("airflow.sdk.exceptions")
    vars(sdk).update(dag=dag, task=task)
    vars(errors).update(AirflowException=Again, AirflowFailException=Failed)
    for module in (ModuleType("airflow"), sdk, errors):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    told["module"] = loaded()
    return told


def test_its_commands_are_there_and_runs_do_not_overlap(stood_in: dict[str, Any]) -> None:
    module = stood_in["module"]
    commands = (module.NIGHTLY, module.FINDINGS, module.NOTIFY)
    assert {Path(words[0]).name for words in commands} == {PROGRAM}
    nightly, findings, notify = (parsed(words[1:]) for words in commands)
    assert nightly.warehouse == findings.warehouse == notify.warehouse and findings.output.endswith(".prom")
    assert stood_in["dag"]["max_active_runs"] == 1 and not stood_in["dag"]["catchup"]
    assert stood_in["tasks"].keys() == {"nightly"}


@pytest.mark.parametrize("url", ["", "https://hooks.example.com/x"])
@pytest.mark.parametrize("code", [one.code for one in EXIT_CODES])
def test_the_code_of_the_run_decides_and_what_follows_is_done_in_any_case(
    stood_in: dict[str, Any], code: int, url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, url)
    program, seen = tmp_path / PROGRAM, tmp_path / "seen"
    program.write_text(
        f'#!/bin/sh\necho "$1" >> {seen}\ntest "$1" = findings || test "$1" = notify || exit {code}\n'
    )
    program.chmod(0o755)
    module = stood_in["module"]
    for name in ("NIGHTLY", "FINDINGS", "NOTIFY"):
        monkeypatch.setattr(module, name, (str(program), *getattr(module, name)[1:]))
    _, nightly = stood_in["tasks"]["nightly"]
    ended = None
    try:
        nightly()
    except Again as raised:
        ended = type(raised)
    assert ended == (None if code in (0, PARTIAL) else Again if code in WORTH_A_RETRY else Failed)
    assert seen.read_text().split() == ["nightly", "findings", *(["notify"] if url else [])]


def test_an_endpoint_that_takes_nothing_is_worth_another_try(
    stood_in: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, "https://hooks.example.com/x")
    program = tmp_path / PROGRAM
    program.write_text("#!/bin/sh\ntest $1 = notify && exit 3\nexit 0\n")
    program.chmod(0o755)
    module = stood_in["module"]
    assert "--fail" in module.NOTIFY
    for name in ("NIGHTLY", "FINDINGS", "NOTIFY"):
        monkeypatch.setattr(module, name, (str(program), *getattr(module, name)[1:]))
    with pytest.raises(Again):
        stood_in["tasks"]["nightly"][1]()


def test_airflow_parses_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    dagbag = pytest.importorskip("airflow.dag_processing.dagbag", reason="no apache-airflow here")
    bag = dagbag.DagBag(dag_folder=str(FILE))
    assert not bag.import_errors
    (found,) = bag.dags.values()
    assert (found.dag_id, found.task_ids, found.max_active_runs) == ("kafka_controller_audit", ["nightly"], 1)
