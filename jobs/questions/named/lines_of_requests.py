"""Every line of both sides about one request of a controller to a broker, as far as it tells of a partition."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import polars as pl
from polars import col

from jobs.questions.given_names import TopicPartition
from pipeline.core.conditions import column_before, column_since
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

TABLE = "silver.control_request"
LINE = ("file_id", "byte_offset")
REQUEST = ("controller_id", "broker_id", "request")
# Lines about single partitions (TRACE) stand before the one that sums the request up, by the same thread.
BEFORE = timedelta(seconds=10)
TIMES = ("sent_at", "received_at", "applied_at", "failed_at", "answered_at")


def lines_of_requests(
    answers: Answers, requests: Sequence[Row], partition: TopicPartition
) -> list[Sequence[Row]]:
    """For each request (a row of gold.request_trace) the places of its lines: those of the controller until it is sent,
    of the broker, of the answer. Lines about other partitions are left out."""
    times = [one[name] for one in requests for name in TIMES if one[name] is not None]
    if not times:
        return [one["evidence"] for one in requests]
    near = column_since("logged_at", min(times) - BEFORE) & column_before("logged_at", max(times) + BEFORE)
    is_own = (col("topic") == partition.topic) & (col("partition") == partition.partition)
    lines = answers.rows(TABLE, near).filter(is_own.fill_null(value=True)).sort("logged_at", *LINE)
    return [lines_of_request(lines, one) for one in requests]


def lines_of_request(lines: pl.DataFrame, request: Row) -> Sequence[Row]:
    """lines: rows of silver.control_request about the partition, or about whole requests, in the order of time."""
    by_broker = col("event").str.starts_with("broker_")
    is_it = pl.all_horizontal((col(name) == request[name]).fill_null(value=True) for name in REQUEST)
    is_id = col("correlation_id") == request["correlation_id"]
    sent_at, answered_at = request["sent_at"], request["answered_at"]
    own = lines.filter(is_it)
    # Of a partition the last line before the request was sent: one of another request may be near.
    is_sent = (col("step") == "sent") & col("topic").is_not_null()
    sent = own.filter(~by_broker, is_sent, is_between_times(sent_at and sent_at - BEFORE, sent_at)).tail(1)
    got_times = (request["received_at"], request["applied_at"], request["failed_at"])
    got = own.filter(by_broker, is_id, is_between_times(*got_times))
    answered = own.filter(col("step") == "answered", is_id, is_between_times(answered_at))
    of_broker, of_answer = places_of(got), places_of(answered)
    proving = [place for place in places_of(request["evidence"]) if place not in of_broker + of_answer]
    places = dict.fromkeys(places_of(sent) + proving + of_broker + of_answer)
    return [dict(zip(LINE, place, strict=True)) for place in places]


def places_of(rows: pl.DataFrame | Sequence[Row]) -> list[tuple[str, int]]:
    found = rows.to_dicts() if isinstance(rows, pl.DataFrame) else rows
    return [(one["file_id"], one["byte_offset"]) for one in found]


def is_between_times(first: datetime | None, *last: datetime | None) -> pl.Expr:
    """From first until the last of those that are known; first None: nothing is."""
    known = [one for one in (first, *last) if one is not None]
    return col("logged_at").is_between(first, max(known)) if first is not None else pl.lit(value=False)
