"""Listing and opening: folders, globs, single files, codecs, and what is told instead of read."""

import os
import resource
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pipeline.core.files import NO_TIME, file_time, list_files
from pipeline.core.opening import open_by_content, open_input

NOBODY = 65534
LONGEST_NAME = 255


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in ("a/controller.log", "a/b/state-change.log", "c/controller.log.gz"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return root


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's right to read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_logs() -> Iterator[Path]:
    """A folder that everybody may enter: pytest's own are closed."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for name in ("a/b/state-change.log", "a/controller.log", "c/controller.log.gz"):
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x")
        yield Path(folder)
        for one in Path(folder).rglob("*"):
            one.chmod(0o755)


def names(root: str | Path, *, follow_links: bool = False) -> list[str]:
    return sorted(one.relative for one in list_files(str(root), follow_links=follow_links) if not one.problem)


def refusals(root: str | Path, *, follow_links: bool = False) -> dict[str, str]:
    found = list_files(str(root), follow_links=follow_links)
    return {one.relative: one.problem for one in found if one.problem}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("", ["a/b/state-change.log", "a/controller.log", "c/controller.log.gz"]),
        ("*/controller.log*", ["a/controller.log", "c/controller.log.gz"]),
        ("a*", ["a/b/state-change.log", "a/controller.log"]),
        ("nothing*", []),
    ],
)
def test_folders_and_globs(logs: Path, pattern: str, expected: list[str]) -> None:
    assert names(f"{logs}/{pattern}") == expected


def test_a_single_file_stands_in_its_folder(logs: Path) -> None:
    assert names(logs / "a/controller.log") == ["controller.log"]


def test_what_is_there_is_no_glob(logs: Path) -> None:
    (logs / "a").rename(logs / "a[1]")
    assert names(logs / "a[1]") == ["b/state-change.log", "controller.log"]


def test_a_local_uri_is_the_path_that_it_names(logs: Path) -> None:
    (logs / "a").rename(logs / "with space")
    by_uri = {one.path for one in list_files(f"file://{logs}/with%20space")}
    assert by_uri == {one.path for one in list_files(f"{logs}/with space")} != set()
    with closing(open_input(f"file://{logs}/with%20space/controller.log", "plain")) as stream:
        assert stream.read() == b"x"


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list_files(str(tmp_path / "none"))


def test_links_that_leave_the_root_are_told_and_followed_on_request(logs: Path) -> None:
    outside = logs.parent / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "controller.log").write_bytes(b"y")
    (outside / "deep" / "back").symlink_to(outside)
    (outside / "deep" / "home").symlink_to(logs)
    (logs / "folder").symlink_to(outside)
    (logs / "file.log").symlink_to(outside / "controller.log")
    (logs / "sibling").symlink_to(f"{logs}-2")
    Path(f"{logs}-2").mkdir()
    inside = names(logs)
    assert inside == ["a/b/state-change.log", "a/controller.log", "c/controller.log.gz"]
    assert set(refusals(logs)) == {"folder", "file.log", "sibling"}
    assert all("--follow-links" in said for said in refusals(logs).values())
    assert names(logs, follow_links=True) == sorted([*inside, "file.log", "folder/controller.log"])
    loops = [one for one in list_files(str(logs), follow_links=True) if one.problem]
    assert {one.relative for one in loops if one.is_elsewhere} == {"folder/deep/back", "folder/deep/home"}
    assert len(loops) == 2


def test_loops_and_links_to_what_is_read_are_elsewhere(logs: Path) -> None:
    (logs / "loop").symlink_to(logs)
    (logs / "a" / "up").symlink_to("..")
    (logs / "latest.log").symlink_to("a/controller.log")
    for follow_links in (False, True):
        told = [one for one in list_files(str(logs), follow_links=follow_links) if one.problem]
        assert {one.relative for one in told} == {"loop", "a/up", "latest.log"}
        assert all(one.is_elsewhere for one in told)


def test_what_a_link_names_is_not_elsewhere_where_the_glob_leaves_it_out(logs: Path) -> None:
    """A link to the newest of rolled files, and to the folder of the newest day."""
    (logs / "day-2").mkdir()
    (logs / "day-2" / "controller.log.21").write_text("x")
    (logs / "day-2" / "controller.log").symlink_to("controller.log.21")
    (logs / "current").symlink_to("day-2")
    for root, name in (
        ("day-*/controller.log", "day-2/controller.log"),
        ("curr*", "current/controller.log.21"),
    ):
        (told,) = refusals(logs / root).values()
        assert "--follow-links" in told
        assert name in names(logs / root, follow_links=True)
    elsewhere = [one.relative for one in list_files(str(logs / "*" / "controller.log*")) if one.is_elsewhere]
    assert elsewhere == ["day-2/controller.log"]


def test_links_to_nothing_and_to_themselves_are_told(logs: Path) -> None:
    (logs / "gone").symlink_to(logs / "nowhere")
    (logs / "ring").symlink_to(logs / "ring")
    said = refusals(logs)
    assert "No such file" in said["gone"]
    assert "symbolic links" in said["ring"]


def test_a_root_that_is_a_link_is_read(logs: Path) -> None:
    link = logs.parent / "link"
    link.symlink_to(logs)
    (logs / "loop").symlink_to(link)
    assert names(link) == ["a/b/state-change.log", "a/controller.log", "c/controller.log.gz"]
    assert set(refusals(link)) == {"loop"}


def test_pipes_sockets_and_devices_are_told_and_never_opened(logs: Path, tmp_path: Path) -> None:
    os.mkfifo(logs / "pipe.log")
    with socket.socket(socket.AF_UNIX) as one, contextmanager(changed_folder)(logs):
        one.bind("socket.log")
    expected = {"pipe.log": "a named pipe, not a log file", "socket.log": "a socket, not a log file"}
    if os.geteuid() == 0:
        os.mknod(logs / "zero", 0o20666, os.makedev(1, 5))
        expected["zero"] = "a device, not a log file"
    assert refusals(logs) == expected
    assert refusals(logs / "pipe.log") == {"pipe.log": expected["pipe.log"]}
    with pytest.raises(OSError, match="no regular file"):
        open_input(str(logs / "pipe.log"), "plain")


def changed_folder(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    yield
    os.chdir(before)


def test_what_may_not_be_read_is_told_and_the_rest_is_listed(open_logs: Path) -> None:
    (open_logs / "a" / "b").chmod(0)
    (open_logs / "c" / "controller.log.gz").chmod(0)
    with as_nobody():
        assert names(open_logs) == ["a/controller.log"]
        assert refusals(open_logs) == {
            "a/b": "folder: Permission denied",
            "c/controller.log.gz": "no permission to read it",
        }


def test_names_that_may_be_seen_and_not_asked_for_are_told(open_logs: Path) -> None:
    (open_logs / "a").chmod(0o444)
    with as_nobody():
        said = refusals(open_logs)
    (open_logs / "a").chmod(0o755)
    assert said == {"a/controller.log": "Permission denied", "a/b": "Permission denied"}


def test_a_root_that_may_not_be_listed_is_an_error(open_logs: Path) -> None:
    (open_logs / "a").chmod(0)
    with as_nobody(), pytest.raises(PermissionError):
        list_files(str(open_logs / "a"))


@pytest.mark.parametrize(
    "name", [b"new\nline.log", b"-rf;$(id)`x`'\".log", b"x" * LONGEST_NAME, "ü\u202e.log".encode()]
)
def test_odd_names_are_read(tmp_path: Path, name: bytes) -> None:
    (tmp_path / os.fsdecode(name)).write_bytes(b"x")
    (found,) = list_files(str(tmp_path))
    assert found.relative.encode() == name
    assert found.problem is None
    with closing(open_by_content(found.path)[1]) as stream:
        assert stream.read() == b"x"


def test_names_that_are_no_text_are_told(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"f\xff")
    folder.mkdir()
    (folder / "controller.log").write_bytes(b"x")
    (found,) = list_files(str(tmp_path))
    assert (found.relative, found.problem) == (r"f\xff/controller.log", "its name is not UTF-8: rename it")
    found.path.encode()


def test_times_that_no_calendar_has_are_no_time(logs: Path) -> None:
    assert file_time(logs.stat().st_mtime).year > 2000
    assert file_time(2.0**60) == file_time(float("inf")) == NO_TIME


def test_folders_deeper_than_a_path_may_be_are_told(tmp_path: Path) -> None:
    before = Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(30):
            Path("d" * 200).mkdir()
            os.chdir("d" * 200)
    finally:
        os.chdir(before)
    (said,) = refusals(tmp_path).values()
    assert "File name too long" in said


def test_many_entries_are_listed_as_they_come(tmp_path: Path) -> None:
    """The first is there before the last is looked at, and no descriptor stays open for each folder."""
    for number in range(300):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "controller.log").write_bytes(b"x")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (min(len(list(Path("/proc/self/fd").iterdir())) + 64, soft), hard)
    )
    try:
        files = iter(list_files(str(tmp_path)))
        next(files)
        for number in range(300):
            (tmp_path / f"{number}" / "controller.log").unlink()
        assert list(files) == []
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
