"""Thousands of random lives of log files, and nights between: every byte that could be read is read once."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from tests.life.disk import BEGIN, Disk, Stored
from tests.life.disks import disk_of
from tests.life.nights import Nights
from tests.life.truth import Truth, first_line, is_longer
from tests.life.writers import START, node_in, repeated
from tests.oracle.corpus import LogFile, logs

SCHEDULES, PARTS = 200, 10
MANY_SCHEDULES = 50_000
# Of real logs, one of so many.
EACH = 10
SMALL_BYTES = 20_000
LONG_AGO = BEGIN + timedelta(days=365)


@dataclass
class Life:
    """A disk, and a night now and then."""

    disk: Disk
    nights: Nights = field(default_factory=Nights)
    truth: Truth = field(default_factory=Truth)
    excused: set[str] = field(default_factory=set)

    def live(self, acts: int = 40) -> None:
        for _ in range(acts):
            self.disk.act()
            if self.disk.random.random() < 0.15:
                self.night(self.disk.now)
        self.night(self.disk.now)
        self.night(LONG_AGO)  # all has been quiet

    def night(self, now: datetime) -> None:
        before = self.nights.contents()
        planned = self.nights.run(self.disk.files, now)
        after = self.nights.contents()
        self.truth.see(self.disk.files, now)
        self.check_night(after)
        self.excused |= {
            one.file_id
            for one in planned.segments
            if one.file_id not in before
            and self.is_copy_without_original(one.looked.found.path, after[one.file_id][1], after)
        }
        assert not self.nights.run(self.disk.files, now).segments, "a second run has nothing to read"

    def is_copy_without_original(
        self, path: str, content: bytes, after: dict[str, tuple[int | None, bytes]]
    ) -> bool:
        """What begins like it and holds more was read, is not listed any more, and differs in what is held back: that
        it is the same cannot be known, and the relation of records that are in two files takes care of it."""
        stored = self.disk.files[path]
        listed = [one for one in self.disk.files.values() if one.writer == stored.writer]
        is_listed = any(is_longer(one.good, stored.good) for one in listed)
        is_read = any(is_longer(one, stored.good) for _, one in after.values())
        return not is_listed and not is_read and any(is_longer(one, content) for _, one in after.values())

    def check(self) -> None:
        contents = self.nights.contents()
        whole: dict[str, tuple[int | None, bytes]] = {}
        for content, nodes in self.truth.expected():
            found = {name: one for name, one in contents.items() if one[1] == content and one[0] in nodes}
            assert len(found) == 1, f"{len(content)} bytes of nodes {nodes} are {len(found)} files"
            whole |= found
        assert set(contents) - set(whole) <= self.excused, "nothing else but copies whose original is gone"
        for file_id in set(contents) - set(whole):
            self.check_still_unknown(file_id, contents)
        self.check_identity(whole)

    def check_still_unknown(self, file_id: str, contents: dict[str, tuple[int | None, bytes]]) -> None:
        """What is read twice goes as soon as something of the longer file is read."""
        by_file, (node_id, content) = self.nights.by_file(), contents[file_id]
        newest = by_file[file_id][-1].known.load_seq
        for other, (other_node, longer) in contents.items():
            if is_longer(longer, content) and other_node == node_id:
                assert by_file[other][-1].known.load_seq < newest, "the longer content was at hand since"

    def check_night(self, contents: dict[str, tuple[int | None, bytes]]) -> None:
        """All that could be read is read, in whole records."""
        read = [content for _, content in contents.values()]
        for content in (one for some in self.truth.contents.values() for one in some):
            assert any(one.startswith(content) for one in read), f"{len(content)} bytes are missing"
        for one in self.nights.segments.values():
            assert one.known.start_offset == 0 or START.match(one.data), "a segment begins with a record"

    def check_identity(self, whole: dict[str, tuple[int | None, bytes]]) -> None:
        """One reading of all gives the same file_ids, where no two files begin alike."""
        once = Nights()
        files = {
            f"broker-{node_id}/{place}" if node_id is not None else f"copies/{place}": Stored(
                content, BEGIN, ""
            )
            for place, (node_id, content) in enumerate(whole.values())
        }
        once.run(files, LONG_AGO)
        names = {first_line(content) for _, content in whole.values()}
        if len(names) == len(whole) and not self.excused:
            assert once.contents() == whole


@pytest.mark.parametrize("part", range(PARTS))
def test_every_life_is_read_to_the_byte(part: int) -> None:
    for seed in range(part, SCHEDULES, PARTS):
        try_life(seed, disk_of(seed))


@pytest.mark.parametrize("each", [EACH, pytest.param(1, marks=pytest.mark.soak)])
def test_real_logs_live_the_same(shared: Path, each: int) -> None:
    """Of each small log of the corpus, two on a disk."""
    contents = list({first_line(one.data): one.data for one in small_logs(shared / "corpus")}.values())
    assert len(contents) > 20
    for seed, content in [*enumerate(contents)][::each]:
        two = enumerate((content, contents[seed - 1]))
        writers = {f"broker-{node_in(one) or 0}/{place}-controller.log": repeated(one) for place, one in two}
        try_life(seed, Disk(Random(seed), writers))  # noqa: S311  (a schedule, no secret)


@pytest.mark.soak
def test_many_more_lives() -> None:
    for seed in range(SCHEDULES, MANY_SCHEDULES):
        try_life(seed, disk_of(seed))


def small_logs(folder: Path) -> Iterator[LogFile]:
    return (one for one in logs(folder) if one.envelope == "stock" and len(one.data) < SMALL_BYTES)


def try_life(seed: int, disk: Disk) -> None:
    """AssertionError: names the seed, which makes the same life again."""
    life = Life(disk)
    try:
        life.live()
        life.check()
    except AssertionError as problem:
        raise AssertionError(f"seed {seed}: {problem}") from problem
