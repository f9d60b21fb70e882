"""Listing and opening: folders, globs, single files, codecs, what is left out."""

import gzip
import os
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.core.files import list_files, open_by_content, open_input


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for name in ("a/controller.log", "a/b/state-change.log", "c/controller.log.gz"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def test_a_folder_gives_its_files_and_follows_no_link(logs: Path) -> None:
    found = [one.relative for one in list_files(str(logs))]
    assert found == ["a/b/state-change.log", "a/controller.log", "c/controller.log.gz"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*/controller.log*", ["a/controller.log", "c/controller.log.gz"]),
        ("a*", ["a/b/state-change.log", "a/controller.log"]),
        ("a/controller.log", ["a/controller.log"]),
        ("nothing*", []),
    ],
)
def test_globs_and_single_files(logs: Path, pattern: str, expected: list[str]) -> None:
    found = [Path(one.path).relative_to(logs).as_posix() for one in list_files(f"{logs}/{pattern}")]
    assert found == expected


def test_uris_are_listed_like_paths(logs: Path) -> None:
    found = [one.relative for one in list_files(f"file://{logs}/a")]
    assert found == ["b/state-change.log", "controller.log"]


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list_files(str(tmp_path / "none"))


def test_codecs_give_the_uncompressed_bytes(tmp_path: Path) -> None:
    content = b"[1] x\n" * 1000
    (tmp_path / "plain").write_bytes(content)
    (tmp_path / "two.gz").write_bytes(gzip.compress(content[:3000]) + gzip.compress(content[3000:]))
    (tmp_path / "z.zst").write_bytes(pa.Codec("zstd").compress(content, asbytes=True))
    for name, codec in (("plain", "plain"), ("two.gz", "gzip"), ("z.zst", "zstd")):
        with open_input(str(tmp_path / name), codec) as stream:
            assert stream.read() == content


def test_compressed_streams_seek_forward(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    (tmp_path / "a.gz").write_bytes(gzip.compress(content))
    (tmp_path / "a.zst").write_bytes(pa.Codec("zstd").compress(content, asbytes=True))
    for name, codec in (("a.gz", "gzip"), ("a.zst", "zstd")):
        with open_input(str(tmp_path / name), codec) as stream:
            stream.seek(1_000_003)
            assert stream.read(10) == content[1_000_003:1_000_013]


def test_a_folder_that_may_not_be_entered_is_said(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (logs / "a" / "b").chmod(0)
    if os.access(logs / "a" / "b", os.R_OK):
        pytest.skip("this user may read everything")
    found = {one.relative: one.problem for one in list_files(str(logs))}
    assert found["a/b"] == "folder: Permission denied"


def test_the_codec_is_what_the_bytes_say_not_the_name(tmp_path: Path) -> None:
    content = b"[1] x\n" * 1000
    files = {
        "a.gz": ("plain", content),
        "a.log": ("gzip", gzip.compress(content)),
        "b.log.gz": ("zstd", pa.Codec("zstd").compress(content, asbytes=True)),
        "empty.gz": ("plain", b""),
    }
    for name, (codec, stored) in files.items():
        (tmp_path / name).write_bytes(stored)
        found, stream = open_by_content(str(tmp_path / name))
        with stream:
            assert (found, stream.read()) == (codec, content if stored else b"")
