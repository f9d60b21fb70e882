"""Logs that begin in the middle of a term of ZooKeeper mode: nights say of it what one run says."""

from datetime import UTC, datetime, timedelta

import pytest

from pipeline.core.frames import frame_of
from tests.incremental.nights import at_once, differences, in_nights, segments_of
from tests.tables import log_table

FIRST = datetime(2026, 11, 2, 22, tzinfo=UTC)
STATE = "LeaderAndIsr(leader=2, leaderEpoch=3, isr=List(2, 3), zkVersion=3)"


def said(hours: float, message: str, logger: str) -> str:
    return f"[{FIRST + timedelta(hours=hours):%Y-%m-%d %H:%M:%S},000] {message} ({logger})\n"


def changed(hours: float) -> str:
    text = f"TRACE [Controller id=1 epoch=5] Changed partition t-0 from OnlinePartition to OnlinePartition with state {STATE}"
    return said(hours, text, "state.change.logger")


def listed(hours: float) -> str:
    text = "INFO [Controller id=1] New topics: [Set(u)], deleted topics: [Set()], new partition replica assignment [Map(u-0 -> Vector(2, 3))]"
    return said(hours, text, "kafka.controller.KafkaController")


LOGS = {
    (1, "state-change"): changed(0.5) + changed(1) + changed(52),
    (1, "controller"): listed(0.7) + listed(3) + listed(27) + listed(51),
}


@pytest.mark.soak
def test_lines_of_each_night_are_of_the_term() -> None:
    segments = segments_of(frame_of(log_table(LOGS)))
    count = 0
    for count, tables in enumerate(in_nights(segments), 1):
        differing = differences(tables, at_once(segments, count)) if count in {2, 4} else []
        assert not differing, f"after {count} nights: {differing}"
    lines = tables["silver.controller_line"]
    assert count == 4
    assert lines["term_id"].unique().to_list() == ["1-5"]
    assert lines.filter(log="controller").height == 4
