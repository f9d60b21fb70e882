"""Archives that want to do harm: nothing leaves the folder, nothing costs more than the limits, and each kind is told."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.core.archives import Archive, Budget, Unpacking, archive_kind
from pipeline.core.files import Listed, list_files
from pipeline.core.streams import HARMLESS_BYTES

TEXT = b"[2026-11-21 09:00:00,123] INFO x (kafka.controller.KafkaController)\n"


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = len(TEXT)) -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname, found.size = kind, link, size if kind == tarfile.REGTYPE else 0
    return found


def tar_of(path: Path, *entries: tarfile.TarInfo, content: bytes = TEXT) -> Path:
    with tarfile.open(path, "w") as tar:
        for one in entries:
            tar.addfile(one, io.BytesIO(content) if one.isreg() else None)
    return path


def zip_of(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            packed.writestr(name, TEXT)
    return path


def members(path: Path, **limits: int) -> dict[str, str | None]:
    """By path behind the archive's own what is said of it; None: it is read."""
    into = path.parent / "into"
    into.mkdir()
    before = {one for one in path.parent.rglob("*") if into not in one.parents}
    budget = Budget(**{"bytes": 1 << 30, "members": 100, "ratio": 500} | limits)
    found: Listed = next(iter(list_files(str(path))))
    kind = archive_kind(str(path))
    assert kind is not None
    listed = list(Unpacking(into, budget).members(Archive(found, kind, "a")))
    assert before == {one for one in path.parent.rglob("*") if into not in one.parents}
    for one in listed:
        content = b"" if one.problem else Path(one.bytes_at).read_bytes()
        assert one.problem or content[: len(TEXT)] == TEXT[: len(content)]
    return {one.path.removeprefix(str(path)): one.problem for one in listed}


def test_paths_links_and_devices(tmp_path: Path) -> None:
    tar = tar_of(
        tmp_path / "a.tar",
        entry("./b/controller.log"),
        entry("../up.log"),
        entry("b/../../up.log"),
        entry("/etc/cron.d/x"),
        entry("b/in.log", tarfile.SYMTYPE, "controller.log"),
        entry("b/out.log", tarfile.SYMTYPE, "/etc/passwd"),
        entry("c.log", tarfile.LNKTYPE, "../x"),
        entry("pipe", tarfile.FIFOTYPE),
        entry("null", tarfile.CHRTYPE),
    )
    assert members(tar) == {
        "!b/controller.log": None,
        "!../up.log": "paths that lead out of the archive: 3",
        "!b/out.log": "links that lead out of it: 2",
        "!pipe": "devices and pipes: 2",
    }


def test_a_zip_has_the_same(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", "b/controller.log", "../up.log", "..\\up.log", "/x.log")
    link = zipfile.ZipInfo("b/link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr(link, "/etc/passwd")
    assert members(path) == {
        "!b/controller.log": None,
        "!../up.log": "paths that lead out of the archive: 3",
        "!b/link": "links that lead out of it: 1",
    }


def test_a_name_that_stands_twice_is_two_files(tmp_path: Path) -> None:
    assert members(tar_of(tmp_path / "a.tar", entry("x.log"), entry("x.log"))) == {
        "!x.log": None,
        "!x.log#2": None,
    }


def test_archives_in_archives_are_not_followed(tmp_path: Path) -> None:
    inner = zip_of(tmp_path / "i.zip", "x.log").read_bytes()
    tar = tar_of(tmp_path / "a.tar", entry("i.zip", size=len(inner)), content=inner)
    assert members(tar) == {"!i.zip": "archives in an archive, which are not followed, unpack them: 1"}


def test_more_members_than_anybody_packs(tmp_path: Path) -> None:
    tar = tar_of(tmp_path / "a.tar", *(entry(f"{number}.log") for number in range(5)))
    assert members(tar, members=2) == {
        "!0.log": None,
        "!1.log": None,
        "": "it has more than 2 members (limits.archive_members)",
    }


def test_a_zip_with_a_directory_that_is_too_long_is_not_opened(tmp_path: Path) -> None:
    (said,) = members(zip_of(tmp_path / "a.zip", *"abc"), members=2).values()
    assert "it has more than 2 members (limits.archive_members)" in str(said)


BOMB: int = HARMLESS_BYTES + (8 << 20)
BOMBS: dict[str, Callable[[Path], Path]] = {
    "tar": lambda folder: packed_by_gzip(
        tar_of(folder / "a.tar", entry("x.log", size=BOMB), content=b"\0" * BOMB)
    ),
    "zip": lambda folder: zip_of_zeros(folder / "a.zip"),
    "header": lambda folder: packed_by_gzip(long_header(folder / "a.tar")),
}


def packed_by_gzip(path: Path) -> Path:
    path.write_bytes(gzip.compress(path.read_bytes(), 1))
    return path


def zip_of_zeros(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        packed.writestr("x.log", b"\0" * BOMB)
    return path


def long_header(path: Path) -> Path:
    header = entry("x")
    header.type, header.size = tarfile.XHDTYPE, BOMB
    path.write_bytes(header.tobuf(tarfile.USTAR_FORMAT) + b"\0" * BOMB)
    return path


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_ends_where_the_limits_do(tmp_path: Path, kind: str) -> None:
    (said,) = members(BOMBS[kind](tmp_path), ratio=1).values()
    assert said is not None
    assert "bomb" in said or "a header of" in said


def test_what_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    tar = tar_of(tmp_path / "a.tar", entry("0.log"), entry("1.log"))
    tar.write_bytes(tar.read_bytes()[: 3 * 512 + 10])
    found = members(tar)
    assert found.pop("!0.log") is None
    assert [str(one)[:26] for one in found.values()] == ["it breaks off or is damage"]
