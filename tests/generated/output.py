"""What steps of a simulated cluster write: lines of one node, by log."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from tests.generated.held import LINES_A_MS, stamp

STATE = "state-change"
CONTROLLER = "controller"
SERVER = "server"
TRACES = "state.change.logger"


class Step(Protocol):
    """Something that a cluster does, from `at` until `end`, ms."""

    @property
    def at(self) -> int: ...

    @property
    def end(self) -> int: ...

    def write(self, out: "Output") -> None:
        """The lines of it that the node of this output writes."""


@dataclass
class Output:
    """The lines of one node in a stretch of time, by log; each with its line end."""

    node: int
    folder: str = "broker"
    logs: dict[str, list[str]] = field(default_factory=lambda: {STATE: [], CONTROLLER: [], SERVER: []})

    @property
    def count(self) -> int:
        return sum(map(len, self.logs.values()))

    def line(self, at: int, log: str, level: str, text: str, logger: str) -> None:
        self.logs[log].append(f"[{stamp(at)}] {level} {text} ({logger})\n")

    def lines(self, at: int, head: str, texts: Iterable[str], tail: str = f" ({TRACES})\n") -> None:
        """Lines of state-change.log that begin and end alike, LINES_A_MS of them at each millisecond from `at` on."""
        out, rest = self.logs[STATE], iter(texts)
        while some := list(islice(rest, LINES_A_MS)):
            begin = f"[{stamp(at)}] {head}"
            out += [f"{begin}{text}{tail}" for text in some]
            at += 1


def after(at: int, count: int) -> int:
    """The next free millisecond behind so many lines."""
    return at + -(-count // LINES_A_MS)


def times_of(at: int, items: Sequence[object]) -> list[int]:
    """When each of these is written by Output.lines."""
    return [at + place // LINES_A_MS for place in range(len(items))]
