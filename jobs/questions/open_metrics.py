"""Steps of gauges in the text format of OpenMetrics 1.0, with timestamps, as promtool takes them for backfilling."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
Step = tuple[datetime, float | None]


@dataclass(frozen=True)
class Series:
    """One series of a gauge: its steps in order of time, each of which holds until the next; None: not told."""

    name: str
    help: str
    labels: Mapping[str, str]
    steps: Sequence[Step]


def exposition_lines(series: Iterable[Series], until: datetime, every: timedelta) -> Iterator[str]:
    """Lines of a whole exposition; series of one name have to follow one another.

    A step is a sample, and while it holds there is one more each time `every` is over: Prometheus draws a sample for
    five minutes only. What is not told is NaN once, as the sample before would be drawn on, and then no sample.
    Source: OpenMetrics 1.0.0, Text Format: families are not interleaved, times of a series ascend, # EOF ends it.
    """
    for name, own in groupby(series, key=lambda one: one.name):
        for place, one in enumerate(own):
            if place == 0:
                yield f"# HELP {name} {one.help.translate(ESCAPED)}"
                yield f"# TYPE {name} gauge"
            head = f"{name}{{{exposition_labels(one.labels)}}}"
            yield from (
                f"{head} {exposition_number(value)} {exposition_timestamp(at)}"
                for at, value in sample_steps(one.steps, until, every)
            )
    yield "# EOF"


def sample_steps(steps: Sequence[Step], until: datetime, every: timedelta) -> Iterator[Step]:
    """Without a NaN at the begin, where nothing would be drawn on."""
    ends = [*(at for at, _ in steps[1:]), None]
    is_drawn = False
    for (at, value), end in zip(steps, ends, strict=True):
        if value is None:
            if is_drawn:
                yield at, None
            is_drawn = False
            continue
        is_drawn = True
        moment = at
        while moment < end if end is not None else moment <= until:
            yield moment, value
            moment += every


def exposition_labels(given: Mapping[str, str]) -> str:
    return ",".join(f'{name}="{value.translate(ESCAPED)}"' for name, value in given.items())


def exposition_number(value: float | None) -> str:
    return "NaN" if value is None else f"{value:g}" if value % 1 else f"{int(value)}"


def exposition_timestamp(at: datetime) -> str:
    """Seconds since 1970 with milliseconds."""
    return f"{at.timestamp():.3f}"
