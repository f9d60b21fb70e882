"""Files of this machine, without Hadoop, whose way to them is not atomic and needs a JVM."""

import contextlib
import errno
import os
import re
import shutil
import uuid
from pathlib import Path

from pipeline.core.errors import SettingsError
from pipeline.store.files.durable import sync_path

ENDING = ".crc"  # of the sums that Hadoop keeps of a file, in a hidden one beside it
# delta-rs ends on these, or takes them for a quoted character of another path.
NOT_IN_PATHS = re.compile(r"[\[\]^|]|%[0-9A-Fa-f]{2}")


class LocalFiles:
    """Few small file operations on local paths, with or without `file:`."""

    def path(self, uri: str) -> Path:
        return Path(f"/{uri.removeprefix('file:').lstrip('/')}" if uri.startswith("file:/") else uri)

    def qualified(self, uri: str) -> str:
        """SettingsError: a path that delta-rs does not open."""
        full = os.path.normpath(self.path(uri).absolute())
        odd = NOT_IN_PATHS.search(full)
        if odd is not None:
            raise SettingsError(
                expected="a path of a warehouse without [ ] ^ | and without % before two hexadecimal digits",
                found=f"{odd[0]} in {full}",
                todo="name another folder",
            )
        return full

    def exists(self, uri: str) -> bool:
        return self.path(uri).exists()

    def names(self, uri: str) -> list[str]:
        folder = self.path(uri)
        return sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []

    def create(self, uri: str, text: str) -> bool:
        """A written file is linked to its name."""
        return link_new(self.path(uri), text)

    def replace(self, uri: str, text: str) -> None:
        """A reader sees the old or the new content, never a part; nor does one after a power cut."""
        written = write_draft(self.path(uri), text)
        sync_path(written)
        written.replace(self.path(uri))

    def modified_ms(self, uri: str) -> int | None:
        try:
            return self.path(uri).stat().st_mtime_ns // 1_000_000
        except FileNotFoundError:
            return None

    def size_bytes(self, uri: str) -> int:
        return sum(one.lstat().st_size for one in self.path(uri).rglob("*") if one.is_file())

    def text(self, uri: str) -> str | None:
        try:
            return self.path(uri).read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return None

    def rename(self, uri: str, to: str) -> None:
        if self.exists(uri):
            self.path(uri).rename(self.path(to))

    def delete(self, uri: str, *, with_content: bool = True) -> None:
        """What may not be deleted stays."""
        path = self.path(uri)
        if not path.is_dir() or path.is_symlink():
            for one in (path, path.with_name(f".{path.name}{ENDING}")):
                with contextlib.suppress(FileNotFoundError, PermissionError):
                    one.unlink()
        elif with_content:
            shutil.rmtree(path, ignore_errors=True)
        else:
            remove_empty(path)


def remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError as problem:
        if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
            raise


def write_draft(target: Path, text: str) -> Path:
    """The text in a file of its own beside the target; hidden from Hadoop, which does not list such names."""
    target.parent.mkdir(parents=True, exist_ok=True)
    path = target.with_name(f".{target.name}.{uuid.uuid4().hex}{ENDING}")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return path


def link_new(target: Path, text: str) -> bool:
    """False if the target is there. Where the file system has no links its name is made first, its content then."""
    written = write_draft(target, text)
    try:
        os.link(written, target)
    except FileExistsError:
        return False
    except OSError:
        return open_new(target, text)
    finally:
        written.unlink()
    return True


def open_new(target: Path, text: str) -> bool:
    try:
        with target.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        return False
    return True
