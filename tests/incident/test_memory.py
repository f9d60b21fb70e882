"""`incident` stops where memory is short, of the machine or of its container, and says what it is at."""

from pathlib import Path

import pytest

from jobs.engine.intake.told_counts import tell_count
from jobs.incident import progress
from jobs.incident.memory import Memory, require_memory, scarcest_memory
from jobs.incident.progress import EACH_SECONDS, ProgressLine
from pipeline.core.errors import InputProblem

GIB = 1 << 30
MACHINE = "MemTotal:       16777216 kB\nMemFree:  1 kB\nMemAvailable:    {} kB\nHugePages_Total:  0\n"


def given(folder: Path, available_kib: int, **container: str) -> Memory | None:
    (folder / "meminfo").write_text(MACHINE.format(available_kib))
    for name, text in container.items():
        (folder / f"memory.{name}").write_text(text)
    return scarcest_memory(folder / "meminfo", folder, folder / "status")


@pytest.mark.parametrize(
    ("available_kib", "container", "expected"),
    [
        (8 << 20, {}, Memory(8 * GIB, 16 * GIB)),
        (8 << 20, {"max": "max\n", "current": "5\n"}, Memory(8 * GIB, 16 * GIB)),
        (8 << 20, {"max": f"{2 * GIB}\n", "current": f"{GIB}\n"}, Memory(GIB, 2 * GIB)),
        (8 << 20, {"max": f"{2 * GIB}", "current": f"{2 * GIB}", "stat": f"anon 7\ninactive_file {GIB}\n"},
         Memory(GIB, 2 * GIB)),
        (1 << 10, {"max": f"{2 * GIB}", "current": f"{GIB}"}, Memory(1 << 20, 16 * GIB)),
    ],
)  # fmt: skip
def test_the_scarcer_of_machine_and_container_counts(
    tmp_path: Path, available_kib: int, container: dict[str, str], expected: Memory
) -> None:
    assert given(tmp_path, available_kib, **container) == expected


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(2 * GIB, Memory(GIB + GIB // 2, 2 * GIB)), (9223372036854771712, Memory(8 * GIB, 16 * GIB))],
)
def test_a_container_of_version_1_counts_too(tmp_path: Path, limit: int, expected: Memory) -> None:
    (tmp_path / "memory").mkdir()
    for name, text in (
        ("limit_in_bytes", f"{limit}\n"),
        ("usage_in_bytes", f"{GIB}\n"),
        ("stat", f"inactive_file 1\ntotal_inactive_file {GIB // 2}\n"),
    ):
        (tmp_path / "memory" / f"memory.{name}").write_text(text)
    assert given(tmp_path, 8 << 20) == expected


def test_what_is_held_may_grow_by_half_until_the_next_look(tmp_path: Path) -> None:
    (tmp_path / "status").write_text(f"Name:\tpython\nVmRSS:\t{6 << 20} kB\n")
    found = given(tmp_path, 4 << 20)
    assert found == Memory(4 * GIB, 16 * GIB, 6 * GIB) and not found.is_short
    found = given(tmp_path, (3 << 20) - 1)
    assert found is not None and found.is_short


def test_where_nothing_is_told_nothing_is_short(tmp_path: Path) -> None:
    found = scarcest_memory(tmp_path / "none", tmp_path)
    assert found is None
    require_memory(found)


@pytest.mark.parametrize(
    ("free", "total", "is_short"),
    [
        (GIB, 16 * GIB, False),
        (GIB // 2, 16 * GIB, True),
        (300 << 20, GIB, False),
        (200 << 20, GIB, True),
        # Of a container that has little anyhow a quarter is enough.
        (100 << 20, 256 << 20, False),
    ],
)
def test_what_is_left_is_short_or_not(free: int, total: int, *, is_short: bool) -> None:
    assert Memory(free, total).is_short is is_short
    if is_short:
        with pytest.raises(InputProblem, match="or let the nightly job read them"):
            require_memory(Memory(free, total))


def test_where_nobody_looks_a_line_is_said_each_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine(is_terminal=False)
    line.stage("read", "1 segment")
    assert capsys.readouterr().err == ""
    line.started -= EACH_SECONDS
    line.detail("silver.term")
    line.detail("gold.finding")
    assert capsys.readouterr().err == "incident: silver.term (10 s)\n"
    line.started -= EACH_SECONDS
    line.detail("gold.evidence")
    assert capsys.readouterr().err == "incident: gold.evidence (20 s)\n"


def test_long_work_on_files_says_how_far_it_is() -> None:
    said: list[str] = []
    assert list(tell_count("abc", said.append, "files", each_seconds=0)) == ["a", "b", "c"]
    assert said == ["files: 0 of 3", "files: 1 of 3", "files: 2 of 3"]
    assert list(tell_count("abc", said.append, "files")) == ["a", "b", "c"]
    assert len(said) == 3


def test_each_step_looks_at_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "scarcest_memory", lambda: Memory(1, GIB))
    with pytest.raises(InputProblem, match=r"1 B of 1\.0 GiB left|left"):
        ProgressLine(is_terminal=False).detail("silver.term")
