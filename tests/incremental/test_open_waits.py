"""A node that does not reach the quorum for days: nights say of it what one run says, with whom it could not connect."""

from datetime import UTC, datetime, timedelta

import pytest

from pipeline.core.frames import frame_of
from tests.incremental.nights import at_once, differences, in_nights, segments_of
from tests.tables import log_table

FIRST = datetime(2026, 11, 2, 22, tzinfo=UTC)
STEP = timedelta(seconds=60)  # of one wait lines are a minute apart at most
LOADER = "org.apache.kafka.image.loader.MetadataLoader"
UNKNOWN = "[MetadataLoader id=4] initializeNewPublishers: the loader is still catching up because we still don't know the high water mark yet."
CAUGHT_UP = "[MetadataLoader id=4] initializeNewPublishers: The loader finished catching up to the current high water mark of 9"


def said(hours: float, message: str, logger: str, level: str = "INFO") -> str:
    return f"[{FIRST + timedelta(hours=hours):%Y-%m-%d %H:%M:%S},000] {level} {message} ({logger})\n"


def lost(hours: float, node: int) -> str:
    text = f"[RaftManager id=4] Connection to node {node} (/10.0.0.{node}:9093) could not be established. Node may not be available."
    return said(hours, text, "org.apache.kafka.clients.NetworkClient", "WARN")


def waits(until_hours: float) -> list[str]:
    count = round(timedelta(hours=until_hours) / STEP)
    return [said(one * STEP / timedelta(hours=1), UNKNOWN, LOADER) for one in range(count)]


HOURS = 51
LONG = [*waits(HOURS), lost(1.001, 2), lost(1.002, 3), lost(HOURS - 1, 5)]
STORIES = {
    "still": LONG,
    "over before the first midnight": [
        *waits(1.9),
        lost(1.001, 2),
        said(1.95, CAUGHT_UP, LOADER),
        lost(HOURS, 5),
    ],
}


@pytest.mark.soak
@pytest.mark.parametrize("name", STORIES)
def test_nights_say_what_one_run_says(name: str) -> None:
    segments = segments_of(frame_of(log_table({(4, "server"): "".join(sorted(STORIES[name]))})))
    told, last = [], max(segments.nights.values()) + 1
    for number, tables in enumerate(in_nights(segments), 1):
        differing = differences(tables, at_once(segments, number)) if number in {2, last} else []
        assert not differing, f"after {number} nights: {differing}"
        told += tables["gold.finding"].filter(rule="quorum_not_reached")["valid_until_at"].to_list()
    assert len(told) == last
