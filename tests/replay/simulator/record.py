"""What a simulated controller writes: lines with their term, and what each says about one object."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import NamedTuple

from tests.oracle.rows import Release
from tests.replay.simulator.wording import INFO_SINCE, said

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR")
Thing = tuple[str, int, int | None]  # topic, partition, replica (None: the partition itself)
Term = tuple[int, int]  # life of the cluster's data, epoch


class Move(NamedTuple):
    """`outcome`: done, refused or failed."""

    thing: Thing
    from_state: str
    to_state: str
    outcome: str

    @property
    def kind(self) -> str:
        return "partition" if self.thing[2] is None else "replica"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one node; `body` is what stands behind the level, stack trace included.

    `level` is empty where Kafka moved the state without a line. `verdict`: see `printed`.
    """

    at_ms: int
    node: int
    log: str
    level: str
    body: str
    term: Term
    move: Move | None = None
    verdict: str = ""

    def is_printed(self, threshold: str) -> bool:
        """state.change.logger is at `threshold`; the controller's own loggers are at TRACE as shipped."""
        if not self.level:
            return False
        return self.log == "controller" or LEVELS.index(self.level) >= LEVELS.index(threshold)


def printed(lines: Iterable[Line], level_at: Callable[[int], str]) -> list[Line]:
    """The lines that a log holds whose level at a time is `level_at`, each with the verdict that the truth gives it.

    Up to 1.0 a replica can come online without a line; R1 reaches to 2.2, so the log leaves that undetermined.
    """
    last: dict[tuple[Thing, Term], tuple[str | None, str]] = {}
    found = []
    for line in lines:
        is_printed, move = line.is_printed(level_at(line.at_ms)), line.move
        if move is None:
            if is_printed:
                found.append(line)
            continue
        held, unseen = last.get((move.thing, line.term), (None, ""))
        is_done = move.outcome == "done"
        if is_printed:
            joined = "same_state" if move.from_state == move.to_state else "valid"
            done = "first" if held is None else joined if held == move.from_state else unseen
            found.append(replace(line, verdict=done if is_done else move.outcome))
        if is_done:
            silent = "hidden" if line.level else "undetermined"
            last[move.thing, line.term] = (move.to_state, "") if is_printed else (held, silent)
    return found


class Died(Exception):
    """The controller's process ends before its next line."""


def stock_level(version: Release) -> str:
    """Level of state.change.logger as shipped."""
    return "INFO" if version >= INFO_SINCE else "TRACE"


@dataclass
class Recorder:
    """Writes lines one after the other; some fall into one millisecond, as in real logs.

    `left`: lines that the controller still writes before it dies; None while it is well.
    """

    version: Release
    rng: Random
    at_ms: int
    left: int | None = None
    lines: list[Line] = field(default_factory=list)

    def say(self, node: int, term: Term, event: str, **values: object) -> None:
        """A line of controller.log, if the release has it."""
        found = said(event, self.version, {"controller_id": node, "controller_epoch": term[1], **values})
        if found is not None:
            form, message = found
            body = f"{message} ({form.logger})"
            self.lines.append(Line(self.tick(), node, "controller", form.level, body, term))

    def move(
        self, node: int, term: Term, move: Move, values: Mapping[str, object], exception: str = ""
    ) -> None:
        """A line of state-change.log about one object."""
        event = f"{move.kind}_transition" + ("" if move.outcome == "done" else "_failed")
        topic, partition, replica = move.thing
        named = {
            "controller_id": node,
            "controller_epoch": term[1],
            "topic": topic,
            "partition": partition,
            "replica_id": replica,
            f"from_{move.kind}_state": move.from_state,
            f"to_{move.kind}_state": move.to_state,
            **values,
        }
        if self.version[:2] == (1, 0) and move.to_state == "NonExistentPartition":
            del named["controller_epoch"]  # item 18: 1.0 leaves it out
        found = said(event, self.version, named)
        if found is None:
            raise LookupError(f"expected a template of {event} in {self.version} for {sorted(named)}")
        form, message = found
        body = f"{message} ({form.logger})" + (f"\n{exception}" if exception else "")
        self.lines.append(Line(self.tick(), node, "state-change", form.level, body, term, move))

    def live(self) -> None:
        """Before anything is done or said: the controller may have died by now."""
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.left = None
                raise Died

    def silent(self, node: int, term: Term, move: Move) -> None:
        self.lines.append(Line(self.at_ms, node, "state-change", "", "", term, move))

    def tick(self) -> int:
        self.at_ms += self.rng.choice((0, 0, 0, 1, 1, 2))
        return self.at_ms


def listed(values: Iterable[object]) -> str:
    return ",".join(str(value) for value in values)
