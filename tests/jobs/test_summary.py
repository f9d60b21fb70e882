"""A run over several clusters ends with a line of each, the worst first."""

from collections.abc import Callable
from pathlib import Path

import pytest

from jobs import main, nightly
from jobs.run.request import RunRequest, RunResult
from jobs.screen.first_screen import Screen, first_screen
from jobs.screen.summary import Verdict, failed, summary
from pipeline.core.errors import GateFailed
from pipeline.core.stored_tables import MemoryTables

COUNTS = {"calm": {}, "worst": {"findings:critical": 1}, "same": {"findings:warning": 2}}


def result_of(request: RunRequest, outcome: str = "published") -> RunResult:
    return RunResult(request.cluster_id, "r", outcome, {}, dict(COUNTS[request.cluster_id]))


def run(_: object, request: RunRequest, __: object, shown: Callable[..., None]) -> RunResult:
    """same: nothing is new in it; broken: its gate is closed."""
    name = request.cluster_id
    if name == "broken":
        raise GateFailed(expected="x", found="y", todo="z")
    result = result_of(request, "nothing_new" if name == "same" else "published")
    shown(type("Store", (), {"folder": "w"}), MemoryTables(), result)
    return result


def screen(tables: MemoryTables, folder: str, request: RunRequest, result: RunResult) -> Screen:
    if result.outcome == "nothing_new":
        return first_screen(tables, folder, request, result)
    verdict = "NOT OK: 1 critical" if result.counts else "nothing found"
    return Screen(f"{request.cluster_id}  screen", (), verdict)


def test_the_worst_cluster_stands_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("broken", *COUNTS):
        folder = tmp_path / "logs" / name / "broker-1"
        folder.mkdir(parents=True)
        (folder / "controller.log").write_text("x")
    monkeypatch.setattr(main, "run_cluster", run)
    monkeypatch.setattr(main, "first_screen", screen)
    given = ["--logs", str(tmp_path / "logs"), "--warehouse", str(tmp_path / "w")]
    assert nightly.main(given) == 5
    printed = capsys.readouterr()
    assert printed.out.split("\n\n")[-1].splitlines() == [
        "SUMMARY  broken  FAILED: Expected x, found y; z.",
        "SUMMARY  worst   NOT OK: 1 critical",
        "SUMMARY  same    nothing new; when last judged 0 critical, 2 warning, 0 info",
        "SUMMARY  calm    nothing found",
    ]
    assert nightly.main([*given[:1], f"{tmp_path}/logs/calm", *given[2:], "--cluster", "calm"]) == 0
    assert "SUMMARY" not in capsys.readouterr().out


def test_what_is_not_known_comes_before_what_is_well() -> None:
    found = [Verdict("a", "nothing found"), Verdict("b", "NOT ENOUGH EVIDENCE: x"), failed("c", "y")]
    assert [line.split()[1] for line in summary(found)[1:]] == ["c", "b", "a"]
    assert summary(found[:1]) == []


def test_a_long_verdict_goes_on_below_its_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    found = [Verdict("a", "well"), Verdict("prod", " ".join(["word"] * 20))]
    assert [line.find("w") for line in summary(found)[1:]] == [15, 15, 15, 15]
