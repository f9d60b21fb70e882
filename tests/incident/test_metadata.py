"""`incident` with copies of KRaft's metadata log: alone, as a dump, and beside text logs."""

import json
import shutil
import sys
from pathlib import Path

import polars as pl
import pytest

from jobs.incident.command import main
from tests.metadata import FOLDER, SHARED, samples

SEPARATE = SHARED / "kafka" / "metadata-samples" / "4.4.0-separate"


def answer(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    assert main([str(one) for one in words]) == code
    return capsys.readouterr().out


def test_records_alone_answer(capsys: pytest.CaptureFixture[str]) -> None:
    text = answer(capsys, samples() / "diverged")
    lines = text.splitlines()
    told = " ".join(text.split())
    assert len(lines) <= 40
    for said in (
        "metadata log alone, of nodes 102,103",
        "since when and why brokers were away",
        "without a leader 39/39",
        "TERMS 2 (102 103), epochs 2 to 3",
        "controlled shutdown 71",
        "illegal 0, broken rules 0",
        "valid 19 of brokers and 230 of partitions",
        "offsets 0-391, epochs 2-3; certain to 390 (majority); 37 made void by a later epoch",
    ):
        assert said in told
    assert "all brokers are stopped in order" in told


def test_a_dump_answers_as_its_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It names no node, and stands in one file."""
    folder = samples() / "4.4.0-one-node"
    shutil.copy(folder / "dump" / "00000000000000000000.log.txt", tmp_path / "pasted.txt")
    shutil.copytree(folder / FOLDER, tmp_path / "raw" / FOLDER)
    documents = [
        json.loads(answer(capsys, "--format", "json", tmp_path / name))["clusters"][0]
        for name in ("pasted.txt", "raw")
    ]
    names = (
        "verdict",
        "offsets",
        "terms",
        "partitions",
        "brokers",
        "outages",
        "elections",
        "moves",
        "broken",
    )
    assert len(documents[0]["partitions"]) > 3
    pasted, raw = ([one[name] for name in names] for one in documents)
    assert pasted == raw


def test_damage_is_critical(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    shutil.copy(samples() / "hostile" / "bad-crc.log", tmp_path / FOLDER / "00000000000000000000.log")
    text = answer(capsys, tmp_path, "--fail-on", "critical", code=8)
    assert "1 file damaged" in text and "the check sum fails at byte 1,812" in " ".join(text.split())


@pytest.mark.parametrize("words", [["--no-metadata"], ["--ask", "terms"]])
def test_without_lines_there_is_nothing_else(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert answer(capsys, samples() / "diverged", *words, code=4) == ""


def test_a_segment_of_a_topic_is_none(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "orders-0").mkdir()
    shutil.copy(samples() / "hostile" / "user-topic.log", tmp_path / "orders-0" / "00000000000000000000.log")
    opened: list[str] = []
    sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
    assert answer(capsys, tmp_path, code=4) == ""
    assert opened and not [one for one in opened if "orders-0" in one]


def tables_below(folder: Path) -> dict[str, pl.DataFrame]:
    found = {one.stem: pl.read_parquet(one) for one in sorted(folder.rglob("*.parquet"))}
    return {
        name: rows for name, rows in found.items() if name not in ("file_sighting", "run", "quality_result")
    }


@pytest.mark.soak
@pytest.mark.skipif(not SEPARATE.is_dir(), reason="no sample of six nodes")
def test_lines_and_records_of_one_run_agree(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = answer(capsys, SEPARATE, "--tables", tmp_path / "both")
    told = " ".join(text.split())
    assert "230 states: 229 as replayed, 1 in no line, 0 differ" in told
    assert "MOVES on record: illegal 0" in told and len(text.splitlines()) <= 45
    assert "WITNESS" not in answer(capsys, SEPARATE, "--no-metadata", "--tables", tmp_path / "lines")
    both, lines = tables_below(tmp_path / "both"), tables_below(tmp_path / "lines")
    assert both.keys() == lines.keys() and len(both) > 20
    for name, rows in both.items():
        shown = [one for one in rows.columns if one not in ("run_id", "seen_at")]
        assert sorted(map(repr, rows.select(shown).rows())) == sorted(
            map(repr, lines[name].select(shown).rows())
        )


def test_records_without_their_batches_prove_less(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """As grep copies them: no epoch, and no batch that would name the cause of an election."""
    dump = (samples() / "4.4.0-one-node" / "dump" / "00000000000000000000.log.txt").read_text()
    lines = [one for one in dump.splitlines(keepends=True) if one.startswith("| ")]
    (tmp_path / "grepped.txt").write_text("".join(lines))
    told = " ".join(answer(capsys, tmp_path).split())
    assert "cause not told" in told and "epochs not told; nothing proves any of it committed" in told
    assert "illegal 0, broken rules 0, undecided 0" in told


def test_a_snapshot_alone_has_no_history(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Its state stands, and no move is told."""
    folder = samples() / "4.4.0-one-node" / FOLDER
    shutil.copytree(folder, tmp_path / FOLDER, ignore=shutil.ignore_patterns("*.log"))
    told = " ".join(answer(capsys, tmp_path).split())
    assert "a snapshot alone" in told and "valid 0 of brokers and 0 of partitions" in told
