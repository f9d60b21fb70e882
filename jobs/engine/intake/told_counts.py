"""Long work on files, one after the other, says how far it is."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
EACH_SECONDS = 5.0


def tell_nothing(_: str) -> None:
    """To nobody."""


def tell_count(
    items: Sequence[Item], tell: Callable[[str], None], what: str, each_seconds: float = EACH_SECONDS
) -> Iterator[Item]:
    """The items; every few seconds how many of them are done."""
    told_at = time.monotonic()
    for done, one in enumerate(items):
        if (now := time.monotonic()) - told_at >= each_seconds:
            tell(f"{what}: {done:,} of {len(items):,}")
            told_at = now
        yield one
