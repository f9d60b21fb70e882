"""Why a node did not come up and what to do, in words: failed_starts.tsv."""

import re
from collections.abc import Mapping
from functools import cache

from pipeline.kafka.facts import read_fact_table

PLACE = re.compile(r"\{(\w+)\}")


NOT_TOLD = "not_told"  # its last row names nothing


@cache
def ways_of(cause: str) -> tuple[tuple[str, str], ...]:
    """(why, todo) of each row of the cause, then of those that say no more than the exception."""
    rows = read_fact_table("wording/failed_starts.tsv")
    return tuple(
        (row["why"], row["todo"]) for name in (cause, NOT_TOLD) for row in rows if row["cause"] == name
    )


def in_words(cause: str, known: Mapping[str, str]) -> tuple[str, str]:
    """Why and what to do, by the first row of which all is known."""
    why, todo = next(way for way in ways_of(cause) if set(PLACE.findall(way[0])) <= known.keys())
    return PLACE.sub(lambda place: known[place[1]], why), todo
