"""A folder of log files and all that befalls them: written, rolled, compressed, copied, cut, held up, deleted."""

import gzip
import os
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from random import Random

from tests.life.writers import Writer, records_of

BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
NODE = re.compile(r"broker-(\d+)/")


@dataclass(frozen=True)
class Stored:
    """One file. writer: the path that it was written at first. is_half: of its archive only the beginning is there."""

    content: bytes
    modified_at: datetime
    writer: str
    codec: str = "plain"
    is_half: bool = False

    @property
    def good(self) -> bytes:
        """What can be unpacked of it."""
        return unpacked(self.bytes) if self.is_half else self.content

    @property
    def bytes(self) -> bytes:
        if self.codec == "plain":
            return self.content
        whole = compressed(self.content)
        return whole[: len(whole) // 2] if self.is_half else whole


@lru_cache(100_000)
def compressed(content: bytes) -> bytes:
    return gzip.compress(content, 1, mtime=0)


@lru_cache(100_000)
def unpacked(beginning: bytes) -> bytes:
    """Of a gzip file of which the end is missing."""
    return zlib.decompressobj(zlib.MAX_WBITS + 16).decompress(beginning)


def node_of_path(path: str) -> int | None:
    found = NODE.search(path)
    return int(found[1]) if found else None


@dataclass
class Disk:
    """The files by path. writers: by path what is written there. is_telling: whether each copy's path names its
    node; copies: the folder of those that do not. never: acts that do not happen here. most_records: at once."""

    random: Random
    writers: Mapping[str, Writer]
    is_telling: bool = False
    copies: str = "copies"
    never: frozenset[str] = frozenset()
    most_records: int = 5
    now: datetime = BEGIN
    files: dict[str, Stored] = field(default_factory=dict)
    late: dict[str, Stored] = field(default_factory=dict)
    halves: dict[str, Stored] = field(default_factory=dict)
    unwritten: dict[str, bytes] = field(default_factory=dict)
    names: int = 0

    def acts(self) -> dict[Callable[[], None], int]:
        """What may happen, and how often."""
        return {
            self.append: 14, self.roll: 3, self.rotate: 3, self.compress: 3, self.copy: 3, self.copy_half: 3,
            self.compress_half: 2, self.finish: 5, self.copy_and_truncate: 2, self.rewrite: 1, self.cut: 1,
            self.hold_up: 2, self.deliver: 3, self.delete: 1,
        }  # fmt: skip

    def act(self) -> str:
        """Something happens, and some time passes. The name of what happened."""
        acts = {act: weight for act, weight in self.acts().items() if act.__name__ not in self.never}
        act = self.random.choices(list(acts), list(acts.values()))[0]
        act()
        self.now += timedelta(seconds=self.random.choice((1, 5, 20, 90, 600, 4000)))
        return act.__name__

    def put(
        self, path: str, content: bytes, writer: str, codec: str = "plain", *, is_half: bool = False
    ) -> None:
        self.files[path] = Stored(content, self.now, writer, codec, is_half)

    def write(self, folder: Path, at: Callable[[Stored], datetime] = attrgetter("modified_at")) -> None:
        """All files as they are now, and no others. at: the time of modification that a file gets."""
        for path in folder.rglob("*"):
            if path.is_file() and path.relative_to(folder).as_posix() not in self.files:
                path.unlink()
        for name, stored in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(stored.bytes)
            os.utime(path, (at(stored).timestamp(),) * 2)

    def any_file(self, *codecs: str) -> tuple[str, Stored] | None:
        """A file that holds something; one that is written to is as likely as all others."""
        found = [
            one
            for one in self.files.items()
            if one[1].content and one[1].codec in (codecs or ("plain", "gzip"))
        ]
        active = [one for one in found if one[0] in self.writers]
        return (
            self.random.choice(active if active and self.random.random() < 0.5 else found) if found else None
        )

    def fresh(self, path: str, ending: str = "") -> str:
        """A new place for a copy; not every one says of which node it is."""
        self.names += 1
        name = (
            path.removesuffix(".gz")
            if self.is_telling or self.random.random() < 0.5
            else f"{self.copies}/controller.log"
        )
        return f"{name}.{self.names}{ending}"

    def append(self) -> None:
        """Some records; the last one may be half written, or hang in a buffer."""
        path = self.random.choice(list(self.writers))
        records = b"".join(
            self.writers[path](self.now) for _ in range(self.random.randint(1, self.most_records))
        )
        text = self.unwritten.pop(path, b"") + records
        if self.random.random() < 0.3:
            end = self.random.randrange(1, len(text))
            text, self.unwritten[path] = text[:end], text[end:]
        before = self.files.get(path, Stored(b"", self.now, path)).content
        self.put(path, before + text, path)

    def whole(self, path: str) -> Stored | None:
        """The file at a path with all that its broker has in mind: what is renamed was closed."""
        if path not in self.files:
            return None
        rest = self.unwritten.pop(path, b"")
        if rest:
            self.put(path, self.files[path].content + rest, path)
        return self.files.pop(path)

    def roll(self) -> None:
        path = self.random.choice(list(self.writers))
        stored = self.whole(path)
        if stored is not None:
            self.names += 1
            self.files[f"{path}.2026-11-21-{self.names:02}"] = stored

    def rotate(self) -> None:
        """controller.log becomes .1, .1 becomes .2; .3 was the last."""
        path = self.random.choice(list(self.writers))
        stored = self.whole(path)
        if stored is not None:
            for number in (2, 1):
                if f"{path}.{number}" in self.files:
                    self.files[f"{path}.{number + 1}"] = self.files.pop(f"{path}.{number}")
            self.files[f"{path}.1"] = stored

    def compress(self) -> None:
        found = self.any_file("plain")
        if found is not None:
            path, stored = found
            self.put(f"{path}.{self.names}.gz", stored.content, stored.writer, "gzip")
            if path not in self.writers and self.random.random() < 0.8:
                del self.files[path]

    def copy(self) -> None:
        found = self.any_file()
        if found is not None:
            path, stored = found
            at = stored.modified_at if self.random.random() < 0.5 else self.now
            self.files[self.fresh(path, ".gz" if stored.codec == "gzip" else "")] = replace(
                stored, modified_at=at
            )

    def copy_half(self) -> None:
        """Bytes up to anywhere; the rest comes later, or never."""
        found = self.any_file("plain")
        if found is not None:
            path, stored = found
            to = self.fresh(path)
            end = self.random.randrange(1, len(stored.content) + 1)
            if self.random.random() < 0.3:
                end = stored.content.rfind(b"\n", 0, end) + 1
            self.put(to, stored.content[:end], stored.writer)
            self.halves[to] = stored

    def compress_half(self) -> None:
        found = self.any_file("plain")
        if found is not None:
            path, stored = found
            to = self.fresh(path, ".gz")
            self.put(to, stored.content, stored.writer, "gzip", is_half=True)
            self.halves[to] = replace(stored, codec="gzip")

    def finish(self) -> None:
        if self.halves:
            path = self.random.choice(list(self.halves))
            stored = self.halves.pop(path)
            if path in self.files:
                self.files[path] = replace(stored, modified_at=self.now)

    def copy_and_truncate(self) -> None:
        """What is written between the copy and the truncation is lost."""
        path = self.random.choice(list(self.writers))
        if path in self.files:
            self.files[self.fresh(path, ".1")] = replace(self.files[path], modified_at=self.now)
            if self.random.random() < 0.5:
                self.writers[path](self.now)
            self.put(path, b"", path)

    def rewrite(self) -> None:
        """Some of the records, in their order, or with others between."""
        found = self.any_file("plain")
        if found is not None:
            path, stored = found
            kept = [one for one in records_of(stored.content) if self.random.random() < 0.8]
            self.put(path, b"".join(kept), stored.writer)

    def cut(self) -> None:
        found = self.any_file("plain")
        if found is not None:
            path, stored = found
            self.put(path, stored.content[: self.random.randrange(len(stored.content))], stored.writer)

    def hold_up(self) -> None:
        """Delivered later, if at all; what is written goes on elsewhere."""
        found = self.any_file()
        if found is not None and found[0] not in self.writers:
            self.late[found[0]] = self.files.pop(found[0])

    def deliver(self) -> None:
        if self.late:
            path = self.random.choice(list(self.late))
            self.files[path] = self.late.pop(path)

    def delete(self) -> None:
        found = self.any_file()
        if found is not None and found[0] not in self.writers:
            del self.files[found[0]]
