"""Which files are copies of the metadata log: damaged ones that are named, packed ones, and more than the limit."""

import gzip
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from jobs.cli import main
from jobs.engine.intake.discovery import Candidate, candidates_by_cluster
from jobs.metadata.files import read_metadata_copies, split_candidates
from jobs.settings.load import load_settings
from jobs.settings.model import Settings
from tests.metadata import FOLDER, samples

SEGMENT = f"{0:020}.log"
TEXT = b"[2026-11-28 10:00:00,000] INFO [Controller id=1] Ready. (kafka.controller.KafkaController)\n" * 500


@pytest.fixture
def settings() -> Settings:
    return load_settings(None)


def below(settings: Settings, *paths: Path) -> list[Candidate]:
    (found,) = candidates_by_cluster([str(one) for one in paths], settings, "c").values()
    return found


def damaged(codec: str) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(TEXT)
    packed = bytearray(sink.getvalue().to_pybytes())
    packed[4:20] = b"\xff" * 16
    return bytes(packed)


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_a_damaged_file_that_is_named_stands_among_the_logs(
    codec: str, tmp_path: Path, settings: Settings
) -> None:
    """As it does in a folder: who reads it says what is wrong with it."""
    bad, good, empty = (tmp_path / name for name in ("controller.log.1.gz", "controller.log", "server.log"))
    bad.write_bytes(damaged(codec))
    good.write_bytes(TEXT)
    empty.touch()
    named = split_candidates(below(settings, bad, good, empty), [str(bad), str(good), str(empty)])
    folder = split_candidates(below(settings, tmp_path))
    assert named.logs == folder.logs and len(named.logs) == 3
    assert named.metadata == [] and [path for path, _ in named.unread] == [str(bad)]


def test_a_file_that_nobody_may_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad, good = tmp_path / "mine.bin", tmp_path / "theirs.bin"
    bad.write_bytes(damaged("gzip"))
    shutil.copy(samples() / "4.4.0-one-node" / FOLDER / SEGMENT, good)
    assert main(["metadata", str(bad), str(good), "--no-pager"]) == 0
    out, err = capsys.readouterr()
    assert f"{bad}: a part of it is damaged" in err and f"segment  {good}" in out


def test_a_packed_segment_says_the_same(tmp_path: Path, settings: Settings) -> None:
    plain = (samples() / "4.4.0-one-node" / FOLDER / SEGMENT).read_bytes()
    for name, data in (("plain", plain), ("packed", gzip.compress(plain))):
        (tmp_path / name / FOLDER).mkdir(parents=True)
        (tmp_path / name / FOLDER / (SEGMENT if name == "plain" else f"{SEGMENT}.gz")).write_bytes(data)
    one, other = (
        read_metadata_copies(below(settings, tmp_path / name), settings) for name in ("plain", "packed")
    )
    assert one.files[0][2].records == other.files[0][2].records and one.files[0][2].records


def test_copies_obey_the_limit_together(tmp_path: Path, settings: Settings) -> None:
    """What is left out is said; packed files count as they are unpacked, dumps as files."""
    sample = samples() / "4.4.0-one-node"
    plain, dump = sample / FOLDER / SEGMENT, sample / "dump" / f"{SEGMENT}.txt"
    for name in ("a", "b", "c"):
        (tmp_path / name / FOLDER).mkdir(parents=True)
    shutil.copy(plain, tmp_path / "a" / FOLDER)
    (tmp_path / "b" / FOLDER / f"{SEGMENT}.gz").write_bytes(gzip.compress(plain.read_bytes()))
    shutil.copy(plain, tmp_path / "c" / FOLDER)
    shutil.copy(dump, tmp_path / "d.txt")
    segment, text = plain.stat().st_size, dump.stat().st_size
    for most, read in (
        (2 * segment, "ab"),
        (3 * segment, "abc"),
        (3 * segment + text, "abcd"),
        (segment - 1, ""),
    ):
        limits = settings.limits.model_copy(update={"incident_bytes": most})
        copies = read_metadata_copies(
            below(settings, tmp_path), settings.model_copy(update={"limits": limits})
        )
        refused = {Path(path).relative_to(tmp_path).parts[0][0]: why for path, why in copies.refused}
        assert "".join(sorted(set("abcd") - set(refused))) == read, most
        assert all("limits.incident_bytes" in why for why in refused.values())
