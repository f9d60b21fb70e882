"""What `incident` takes, and what it leaves behind: archives, pipes, windows, tables, limits, an end by hand."""

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from jobs.incident.command import main
from pipeline.catalog.tables import SPECS
from tests.conftest import REPOSITORY
from tests.incident.answers import SAMPLE, answer_of, settings_of
from tests.incident.judged_once import judging_once
from tests.incident.printing import printed

LAB = SAMPLE / "lab-2.2.2"
LINES = {number: (LAB / f"broker-{number}" / "controller.log").read_text() for number in (1, 2, 3)}


@pytest.fixture(scope="module", autouse=True)
def _judged_once() -> Iterator[None]:
    with judging_once():
        yield


def write_logs(folder: Path) -> Path:
    """A small cluster in a folder, controller.log of three brokers."""
    for number, text in LINES.items():
        (folder / f"broker-{number}").mkdir(parents=True)
        (folder / f"broker-{number}" / "controller.log").write_text(text)
    return folder


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """The test's own."""
    return write_logs(tmp_path / "logs")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of tests that leave them as they are: what is asked of them differs."""
    return write_logs(tmp_path_factory.mktemp("kept") / "logs")


def without_paths(screen: str) -> list[str]:
    told = ("controller.log:", "stdin!", "      logs in ")
    return [line for line in screen.splitlines() if not any(one in line for one in told)]


def test_an_archive_is_what_is_in_it(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "b.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(kept, arcname=".")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    screen = printed(capsys, str(archive), "--details")
    assert without_paths(screen) == without_paths(printed(capsys, str(kept), "--details"))
    assert f"logs in {tmp_path}\n" in screen and " b.tgz!broker-1/controller.log:1\n" in screen
    shown = printed(capsys, str(archive), "--show", "F1")
    assert f"logs in {tmp_path}\n" in shown
    assert "  b.tgz!broker-1/controller.log:1\n" in shown
    assert not re.search(r"\$ (sed|zcat|zstdcat)", shown)
    assert not list((tmp_path / "tmp").iterdir())


def test_what_is_left_out_of_an_archive_is_told(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tarfile.open(logs / "more.tar", "w") as tar:
        link = tarfile.TarInfo("controller.log")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    assert main([str(logs)]) == 7
    said = capsys.readouterr()
    assert f"logs in {logs}\n" in said.out
    assert "  more.tar!controller.log: links that lead out of it: 1" in said.out
    assert said.err.endswith("; what is told is by all others; mend the files and ask again.\n")


@pytest.mark.parametrize("packed", ["gzip", "tar"])
def test_the_beginning_of_what_was_cut_is_read_and_the_rest_is_told(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], packed: str
) -> None:
    file = logs / "broker-1" / "controller.log"
    if packed == "gzip":
        place, said = logs / "broker-1" / "controller.log.gz", "what is behind cannot be read"
        place.write_bytes(gzip.compress(LINES[1].encode())[:-2_000])
    else:
        place, said = tmp_path / "logs" / "more.tar", "it breaks off or is damaged"
        with tarfile.open(place, "w") as tar:
            tar.add(file, arcname="broker-1/controller.log")
        os.truncate(place, 20_000)
    file.unlink()
    screen = printed(capsys, str(logs), "--format", "json", code=7)
    (cluster,) = json.loads(screen)["clusters"]
    assert cluster["read"]["records"] > sum(text.count("\n[") for text in (LINES[2], LINES[3]))
    assert said in cluster["not_read"][0]["sentence"]


def test_lines_of_several_pods_in_a_pipe_are_told_apart(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        f"[pod/broker-{number}/kafka] {line}"
        for number, text in LINES.items()
        for line in text.splitlines(keepends=True)
    ]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("".join(lines).encode())))
    screen = printed(capsys, "-", "--details")
    assert without_paths(screen) == without_paths(printed(capsys, str(kept), "--details"))
    assert "stdin!broker-1:1\n" in screen


def test_a_window_cuts_what_is_shown(capsys: pytest.CaptureFixture[str], kept: Path) -> None:
    """It is judged by all that was read."""
    found = {}
    for bound in ((), ("--since", "2026-11-21T09:00:13"), ("--until", "2026-11-21T09:00:08.41")):
        ((told,),) = json.loads(printed(capsys, str(kept), "--format", "json", *bound)).values()
        found[bound[:1]] = [one["rule"] for one in told["findings"]]
        assert told["read"]["records"] == 264
        within = [not bound or (one["at"] >= bound[1]) is (bound[0] == "--since") for one in told["changes"]]
        assert all(within)
    assert found == {
        (): ["controller_outlived"],
        ("--since",): [],
        ("--until",): ["controller_outlived"],
    }
    screen = printed(capsys, str(kept), "--since", "2026-11-21T09:00:13")
    assert "SHOWN since 2026-11-21 09:00:13.000 UTC: 0 of 1 finding; judged by all that was read" in " ".join(
        screen.split()
    )


def test_a_finding_is_shown_with_its_lines(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, str(kept), "--show", "F1")
    assert shown.startswith("WARNING F1  controller 1 (epoch 7) resigned") and "VERDICT" not in shown
    assert f"  logs in {kept}\n  broker-1/controller.log:1\n" in shown
    assert LINES[1].splitlines()[0] in shown and f"$ sed -n '1,1p' {kept}/broker-1/controller.log" in shown
    assert main([str(kept), "--show", "F9"]) == 4
    assert "Expected a finding F9, found F1" in capsys.readouterr().err


def test_a_finding_and_questions_are_answered_together(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [
        "--show",
        "F1",
        "--ask",
        "who-was-controller --at 10:00:13 --zone Europe/Berlin",
        "--ask",
        "terms",
    ]
    shown = printed(capsys, str(kept), *asked)
    assert shown.startswith("WARNING F1  controller 1 (epoch 7) resigned")
    finding, first, second = shown.find("WARNING F1"), shown.find("who-was-controller"), shown.find("TERM")
    assert finding < first < second and "At 2026-11-21 09:00:13.000 UTC the controller was" in shown
    (told,) = json.loads(printed(capsys, str(kept), *asked, "--format", "json"))["clusters"]
    (one,) = told["findings"]
    assert (one["number"], one["evidence"][0]["text"]) == (1, LINES[1].splitlines()[0])
    assert [each["question"].split()[0] for each in told["answers"]] == ["who-was-controller", "terms"]
    assert [
        json.loads(line) for line in printed(capsys, str(kept), *asked, "--format", "jsonl").splitlines()
    ] == [told]


def test_tables_go_into_a_folder_that_is_empty(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    printed(capsys, str(logs), "--tables", str(out), "--cluster", "c")
    found = {f"{one.parent.name}.{one.stem}": one for one in (out / "c").rglob("*.parquet")}
    assert found.keys() == {spec.name for spec in SPECS}
    assert pl.read_parquet(found["silver.term"]).height == 2
    assert main([str(logs), "--tables", str(out)]) == 2
    assert "found c in it; name another" in capsys.readouterr().err


def test_what_is_too_long_is_the_nightlys(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KCA_LIMITS__INCIDENT_BYTES", "1000")
    assert main([str(kept)]) == 4
    assert "Expected at most 1.0 kB of logs of one cluster (limits.incident_bytes)" in capsys.readouterr().err


def test_several_clusters_are_told_once_more_the_worst_first(
    tmp_path: Path, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    all_of_them = tmp_path / "all"
    all_of_them.mkdir()
    quiet = all_of_them / "a" / "broker-1"
    quiet.mkdir(parents=True)
    (quiet / "controller.log").write_text("".join(LINES[1].splitlines(keepends=True)[:1]))
    logs.rename(all_of_them / "b")
    lines = printed(capsys, str(all_of_them)).splitlines()
    assert [line.split()[1] for line in lines if line.startswith("SUMMARY")] == ["b", "a"]


def test_an_end_by_hand_leaves_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "jobs", "incident", "-"],
        cwd=REPOSITORY, env=os.environ | {"TMPDIR": str(tmp_path)}, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("incident-*/stdin")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "incident: interrupted, nothing was changed\n")
    assert not list(tmp_path.iterdir())


def test_last_records_are_read_however_new_they_are(kept: Path) -> None:
    answer = answer_of([kept], settings_of())
    assert answer.result.states == {"read": 3}
