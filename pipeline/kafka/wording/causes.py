"""Why a controller acts: the lines that open what it does, as data with their sources."""

from dataclasses import dataclass
from functools import cache

from pipeline.kafka.facts import read_fact_table


@dataclass(frozen=True)
class Opener:
    """A line after which moves have this cause. is_event: it begins what the controller does as one step.

    An empty cause leaves the cause open until the next opener says it.
    """

    event: str
    cause: str | None
    is_event: bool
    source: str


@cache
def cause_openers() -> tuple[Opener, ...]:
    """Rows of causes.tsv (log-formats of Kafka's controller, 0.8.2 to 3.9)."""
    return tuple(
        Opener(row["event"], row["cause"] or None, row["opens"] == "1", row["source"])
        for row in read_fact_table("wording/causes.tsv")
    )
