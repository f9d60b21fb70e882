"""A channel whose begin no line shows, over days: nights say of its requests what one run says."""

from datetime import UTC, datetime, timedelta

import pytest
from polars import col

from pipeline.core.frames import frame_of
from tests.incremental.nights import at_once, differences, in_nights, segments_of
from tests.tables import log_table

FIRST = datetime(2026, 11, 2, 12, tzinfo=UTC)
# Hours since the first line, and partitions of each request (0: of an UpdateMetadata, which brokers do not print): a
# few on the first day, enough on the second and third together, few on the last.
SENT = {0: 3, 1: 4, 25: 3, 26: 0, 27: 5, 28: 7, 29: 3, 47: 4, 48: 9, 49: 3, 50: 0, 51: 2, 75: 6, 76: 3}
FIRST_ID = 700


def said(hours: float, who: str, message: str) -> str:
    return (
        f"[{FIRST + timedelta(hours=hours):%Y-%m-%d %H:%M:%S,%f}"[:-3]
        + f"] INFO [{who}] {message} (state.change.logger)\n"
    )


def sends(hours: float, count: int) -> str:
    text = f"Sending LeaderAndIsr request to broker 2 with 0 become-leader and {count} become-follower partitions"
    nothing = "Sending UpdateMetadata request to brokers HashSet(2) for 0 partitions"
    return said(hours, "Controller id=1 epoch=5", text if count else nothing)


def handles(hours: float, count: int, number: int) -> str:
    text = f"Handling LeaderAndIsr request correlationId {number} from controller 1 for {count} partitions"
    return said(hours + 0.00001, "Broker id=2", text) if count else ""


LOGS = {
    (1, "state-change"): "".join(sends(hours, count) for hours, count in SENT.items()),
    (2, "state-change"): "".join(
        handles(hours, count, number) for number, (hours, count) in enumerate(SENT.items(), FIRST_ID)
    ),
}


@pytest.mark.soak
def test_requests_have_the_ids_of_one_run() -> None:
    segments = segments_of(frame_of(log_table(LOGS)))
    for count, tables in enumerate(in_nights(segments), 1):
        differing = differences(tables, at_once(segments, count))
        assert not differing, f"after {count} nights: {differing}"
    rows = tables["gold.request_trace"].filter(col("sent_at").is_not_null()).sort("sent_at")
    ids = rows["correlation_id"].to_list()
    assert ids == [None, None, *range(FIRST_ID + 2, FIRST_ID + len(SENT))]
    assert rows.filter(col("outcome") == "received").height == 10
