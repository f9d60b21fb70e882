"""What is told once it has stood for a while: the end of what was read so far may say what the next line takes back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """What is told of a thing now, and was told of it before; None: nothing."""

    key: tuple[str, str]
    before: Any
    after: Any


class Settled:
    """Things by key, with the value that was told of each. seconds: so long a value stands in all answers before it is
    told."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.told: dict[tuple[str, str], Any] = {}
        self.since: dict[tuple[str, str], tuple[Any, float]] = {}

    def settle(self, now: Mapping[tuple[str, str], Any], at: float) -> list[Change]:
        """What changed. now: the values of the newest answer; at: seconds of a clock that only goes on."""
        changes = []
        for key in [*now, *(one for one in self.told if one not in now)]:
            value, before = now.get(key), self.told.get(key)
            if value == before:
                self.since.pop(key, None)
                continue
            if self.since.get(key, (None, at))[0] != value:
                self.since.pop(key, None)
            _, since = self.since.setdefault(key, (value, at))
            if at - since >= self.seconds:
                changes.append(Change(key, before, value))
                del self.since[key]
        for key in [one for one in self.since if one not in now and one not in self.told]:
            del self.since[key]
        for change in changes:
            self.told[change.key] = change.after
            if change.after is None:
                del self.told[change.key]
        return changes
