"""A run over several clusters ends with a line of each, the worst first."""

import pytest

from jobs.screen.summary import Verdict, failed_verdict, verdict_summary
from pipeline.core.errors import GateFailed


def test_the_worst_cluster_stands_first() -> None:
    broken = failed_verdict("broken", GateFailed(expected="x", found="y", todo="z"))
    same = "nothing new; when last judged 0 critical, 2 warning, 0 info"
    found = [
        Verdict("calm", "nothing found"),
        Verdict("same", same, {"warning": 2}),
        broken,
        Verdict("worst", "NOT OK: 1 critical", {"critical": 1}),
    ]
    assert [line for line in verdict_summary(found) if line] == [
        "SUMMARY  broken  FAILED: Expected x, found y; z.",
        "SUMMARY  worst   NOT OK: 1 critical",
        f"SUMMARY  same    {same}",
        "SUMMARY  calm    nothing found",
    ]
    assert verdict_summary(found[:1]) == []


def test_what_is_not_known_comes_before_what_is_well() -> None:
    found = [Verdict("a", "nothing found"), Verdict("b", "NOT ENOUGH EVIDENCE: x"), failed_verdict("c", "y")]
    assert [line.split()[1] for line in verdict_summary(found)[1:]] == ["c", "b", "a"]
    assert verdict_summary(found[:1]) == []


def test_a_long_verdict_goes_on_below_its_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    found = [Verdict("a", "well"), Verdict("prod", " ".join(["word"] * 20))]
    assert [line.find("w") for line in verdict_summary(found)[1:]] == [15, 15, 15, 15]
