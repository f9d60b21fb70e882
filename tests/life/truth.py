"""What could be read of a disk over its nights, by its own simple rules: the measure of what was read."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tests.life.disk import Stored, node_of_path
from tests.life.nights import QUIET
from tests.life.writers import START, node_in, records_of


@dataclass
class Truth:
    """What a reader who forgets nothing has seen: by writer all that could be read, and where it stood."""

    contents: dict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    listed: dict[str, set[tuple[int | None, bytes]]] = field(default_factory=lambda: defaultdict(set))

    def see(self, files: dict[str, Stored], now: datetime) -> None:
        for path, one in files.items():
            self.listed[one.writer] |= {(node_of_path(path), some) for some in (one.good, readable(one, now))}
            others = [two.good for two in files.values() if two.writer == one.writer]
            is_half_of_another = any(is_longer(two, one.good) for two in others)
            if not is_half_of_another and readable(one, now):
                self.contents[one.writer].add(readable(one, now))

    def expected(self) -> list[tuple[bytes, set[int | None]]]:
        """Contents of which none is the beginning of another, and the nodes that each may be of."""
        return [
            (content, self.nodes(writer, content))
            for writer, contents in self.contents.items()
            for content in contents
            if not any(is_longer(one, content) for one in contents)
        ]

    def nodes(self, writer: str, content: bytes) -> set[int | None]:
        said = node_in(content)
        if said is not None:
            return {said}
        related = [
            one for one in self.listed[writer] if one[1].startswith(content) or content.startswith(one[1])
        ]
        return {None, *(node for node, _ in related), *(node_in(one) for _, one in related)}


def readable(one: Stored, now: datetime) -> bytes:
    """All of a complete file, else all but its last record; nothing before the first line has ended, or nothing
    but one record may be there."""
    begun = re.search(rb"^" + START.pattern + rb".*\n", one.good, re.M)
    if begun is None:
        return b""
    last = records_of(one.good)[-1]
    at = START.match(last) and datetime.fromisoformat(last[1:24].decode().replace(",", ".")).replace(
        tzinfo=UTC
    )
    is_written = last.endswith(b"\n") and at is not None and now - at >= QUIET
    if one.codec == "gzip" or now - one.modified_at >= QUIET or is_written:
        return one.good
    starts = [match.start() for match in re.finditer(rb"^" + START.pattern, one.content, re.M)]
    return one.content[: starts[-1]] if len(starts) > 1 else b""


def is_longer(one: bytes, beginning: bytes) -> bool:
    return len(one) > len(beginning) and one.startswith(beginning)


def first_line(content: bytes) -> bytes:
    found = re.search(rb"^" + START.pattern + rb".*\n", content, re.M)
    return content[: found.end()] if found else content
