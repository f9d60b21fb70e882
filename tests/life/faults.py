"""A store that fails at a chosen act: the error comes before the act or after it, as a dying machine would have it."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from pipeline.store.tables.delta import DeltaFolder
from schemas.spec import TableSpec

WRITES = ("create", "append", "append_once", "overwrite", "replace_from", "delete_segments")
RESTORES = ("restore",)
READS = ("read_named", "head", "note")


class Fault(Exception):
    """What the failing act raises."""


class Acts:
    """Counts the acts of a run on tables of a layer (default: all) and fails at one. at: 0 never; is_after: the act is
    done, and its caller not told."""

    def __init__(self, at: int = 0, *, is_after: bool = False, layer: str = "") -> None:
        self.at, self.is_after, self.layer, self.count, self.lock = at, is_after, layer, 0, Lock()

    def around(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(store: DeltaFolder, table: TableSpec | str, *given: Any, **named: Any) -> Any:
            name = table if isinstance(table, str) else table.name
            with self.lock:
                is_counted = name.startswith(self.layer)
                self.count += is_counted
                is_it = is_counted and self.count == self.at
            if is_it and not self.is_after:
                raise self.fail()
            result = act(store, table, *given, **named)
            if is_it:
                raise self.fail()
            return result

        return acting

    def fail(self) -> Fault:
        return Fault()


class Copying(Acts):
    """Copies the warehouse after each act, one act at a time: to a folder of the act's number, from 1."""

    def __init__(self, warehouse: Path, copies: Path) -> None:
        super().__init__()
        self.warehouse, self.copies = warehouse, copies

    def around(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def acting(*given: Any, **named: Any) -> Any:
            with self.lock:
                result = act(*given, **named)
                self.count += 1
                shutil.copytree(self.warehouse, self.copies / str(self.count))
            return result

        return acting


@contextmanager
def failing(acts: Acts, names: Sequence[str] = WRITES) -> Iterator[Acts]:
    """Every store does the named acts through `acts` meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setattr(DeltaFolder, name, acts.around(getattr(DeltaFolder, name)))
        yield acts
