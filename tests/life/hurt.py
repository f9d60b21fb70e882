"""Lives of log files whose machines lose power, and of which somebody makes others with `cat`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from tests.life.disk import Disk, Stored
from tests.life.writers import START, TRACE, Writer, line, records_of

# What had not reached the disk is missing, or zero bytes: few, or what is left of a block.
ZEROS = (0, 0, 1, 300, 5000)
STEPS_MS = (200, 700, 3000)


@dataclass
class HurtDisk(Disk):
    """Each record is written at once, and whole unless the power goes."""

    def acts(self) -> dict[Callable[[], None], int]:
        return {
            self.append: 14, self.roll: 3, self.rotate: 3, self.compress: 2, self.copy: 2, self.copy_and_truncate: 1,
            self.power_cut: 3, self.cat: 2,
        }  # fmt: skip

    def append(self) -> None:
        path = self.random.choice(list(self.writers))
        text = b""
        for _ in range(self.random.randint(2, 9)):
            text += self.writers[path](self.now)
            self.now += timedelta(milliseconds=self.random.choice(STEPS_MS))
        before = self.files.get(path, Stored(b"", self.now, path)).content
        self.put(path, before + text, path)

    def power_cut(self) -> None:
        """The last records are lost from somewhere on; the next process writes on behind what is left."""
        path = self.random.choice(list(self.writers))
        content = self.files[path].content if path in self.files else b""
        if content:
            last = sum(map(len, records_of(content)[-self.random.randint(1, 2) :]))
            end = len(content) - self.random.randrange(0, last + 1)
            self.put(path, content[:end] + bytes(self.random.choice(ZEROS)), path)

    def cat(self) -> None:
        """Files of one writer, in the order of their times or in any, those of earlier `cat` among them."""
        plain = [one for one in self.files.items() if one[1].content and one[1].codec == "plain"]
        if plain:
            writer = self.random.choice(plain)[1].writer
            of_writer = [one for one in plain if one[1].writer == writer]
            chosen = self.random.sample(of_writer, min(len(of_writer), self.random.randint(2, 4)))
            if self.random.random() < 0.7:
                chosen.sort(key=lambda one: (START.search(one[1].content) or [b""])[0])
            self.put(self.fresh(chosen[0][0]), b"".join(one.content for _, one in chosen), writer)


@dataclass
class Written:
    """What a broker wrote, each record with a number of its own."""

    random: Random
    node_id: int
    records: list[bytes] = field(default_factory=list)

    def write(self, at: datetime) -> bytes:
        number, more = len(self.records), ",7" * self.random.randrange(9)
        message = (
            f"[Controller id={self.node_id}] Broker failure callback for {self.node_id * 1000 + number}{more}"
        )
        self.records.append(line(at, message) + (TRACE if self.random.random() < 0.15 else b""))
        return self.records[-1]


def hurt_disk(seed: int) -> tuple[HurtDisk, list[Written]]:
    random = Random(seed)  # noqa: S311  (a schedule, no secret)
    all_written = [Written(random, node_id) for node_id in range(1, random.choice((2, 3)))]
    writers: dict[str, Writer] = {f"broker-{one.node_id}/controller.log": one.write for one in all_written}
    return HurtDisk(random, writers, is_telling=random.random() < 0.5), all_written
