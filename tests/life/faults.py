"""A store that fails at a chosen act: the error comes before the act or after it, as a dying machine would have it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import pytest

from pipeline.store.delta import DeltaFolder

ACTS = ("create", "append", "overwrite", "replace_tail", "delete_segments", "restore")


class Fault(Exception):
    """What the failing act raises."""


class Acts:
    """Counts the acts of a run and fails at one. at: 0 never; is_after: the act is done, and its caller not told."""

    def __init__(self, at: int = 0, *, is_after: bool = False) -> None:
        self.at, self.is_after, self.count, self.lock = at, is_after, 0, Lock()

    def around(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*given: Any, **named: Any) -> Any:
            with self.lock:
                self.count += 1
                is_it = self.count == self.at
            if is_it and not self.is_after:
                raise self.fail()
            result = act(*given, **named)
            if is_it:
                raise self.fail()
            return result

        return acting

    def fail(self) -> Fault:
        return Fault()


@contextmanager
def failing(acts: Acts) -> Iterator[Acts]:
    """Every store acts through `acts` meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ACTS:
            patch.setattr(DeltaFolder, name, acts.around(getattr(DeltaFolder, name)))
        yield acts
