"""Why a controller acts: the lines that open what it does, as data with their sources."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


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
def openers() -> tuple[Opener, ...]:
    """Rows of causes.tsv (log-formats of Kafka's controller, 0.8.2 to 3.9)."""
    lines = files("pipeline.kafka").joinpath("causes.tsv").read_text("utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return tuple(Opener(event, cause or None, opens == "1", source) for event, cause, opens, source in rows)
