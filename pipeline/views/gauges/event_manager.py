"""Gauges of the controller's event manager by minute: how busy its thread was, and how long events stood and took.

A thread prints no line for all that it does: it was busy, and events waited, for so long at least.
"""

from datetime import timedelta

import polars as pl
from polars import col, when

from pipeline.views.gauges.gauge_steps import GaugeWindow, known_value_steps, sum_weights
from pipeline.views.reading.answers import Answers
from pipeline.views.terms.tenures import KRAFT, ZOOKEEPER
from pipeline.views.terms.told_stretches import SPAN, started_term_spans

TABLE = "gold.controller_event"
BUSY, WAITED, TOOK = "EventThreadBusyPercent", "EventQueueTimeMs", "EventQueueProcessingTimeMs"
MINUTE = timedelta(minutes=1)
COLUMNS = (
    *("term_id", "work_seq", "kind", "began_at", "ended_at", "longest_gap_ms", "waited_ms", "waited_by"),
    "slowest_ms",
)


def event_manager_steps(
    answers: Answers, terms: pl.DataFrame, window: GaugeWindow
) -> dict[str, pl.DataFrame]:
    """(at, value) by gauge, those that Kafka has in the modes of the cluster."""
    minutes = GaugeWindow(window.since - MINUTE, window.until + MINUTE)
    rows = answers.rows(TABLE, minutes.touches("began_at", "ended_at"), COLUMNS)
    modes = set(terms["mode"])
    found = {}
    if ZOOKEEPER in modes:
        pieces = pieces_of_acting_terms(rows, terms)
        known = started_term_spans(answers, terms)
        found[BUSY] = known_value_steps(sum_weights(busy_minutes(pieces), window), known, None, window)
        found[WAITED] = known_span_steps(waited_minutes(pieces), window)
    if KRAFT in modes:
        found[TOOK] = known_span_steps(processing_periods(rows), window)
    return found


def known_span_steps(spans: pl.DataFrame, window: GaugeWindow) -> pl.DataFrame:
    """What spans (from_at, until_at, weight) say, and nothing between them."""
    return known_value_steps(sum_weights(spans, window), spans.select(*SPAN), None, window)


def pieces_of_acting_terms(rows: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """ZooKeeper mode: pieces of work until the next controller was elected, with the piece before."""
    ends = pl.min_horizontal("until_at", "superseded_at")
    of_zookeeper = terms.filter(col("mode") == ZOOKEEPER).select("term_id", end_at=ends)
    before = {f"before_{name}": col(name).shift(1).over("term_id") for name in BEFORE}
    return (
        rows.join(of_zookeeper, on="term_id", how="inner")
        .sort("term_id", "work_seq")
        .with_columns(**before)
        .filter(col("end_at").is_null() | (col("began_at") < col("end_at")))
        .with_columns(ended_at=pl.min_horizontal("ended_at", "end_at"))
    )


BEFORE = ("began_at", "ended_at", "longest_gap_ms")


def busy_minutes(pieces: pl.DataFrame) -> pl.DataFrame:
    """(from_at, until_at, weight): of each minute in which a piece was in work the whole percent that it was."""
    first, last = col("began_at").dt.truncate("1m"), col("ended_at").dt.truncate("1m")
    within = pl.min_horizontal("ended_at", "until_at") - pl.max_horizontal("began_at", "from_at")
    return (
        pieces.with_columns(from_at=pl.datetime_ranges(first, last, interval="1m"))
        .explode("from_at")
        .with_columns(until_at=col("from_at") + MINUTE)
        .group_by(*SPAN)
        .agg(busy_ms=within.dt.total_milliseconds().sum())
        .select(*SPAN, weight=(col("busy_ms") * 100 // (MINUTE // timedelta(milliseconds=1))).clip(0, 100))
    )


def waited_minutes(pieces: pl.DataFrame) -> pl.DataFrame:
    """(from_at, until_at, weight): of each minute the longest time that an event taken up in it had stood in the queue.

    A timer's event is late where the process stood still, too, and is then in no queue: of its lateness counts the time
    in which lines show another event in work. What a broker's clock tells does not count.
    """
    due_at = col("began_at") - pl.duration(milliseconds="waited_ms")
    behind = col("before_ended_at") - pl.max_horizontal("before_began_at", due_at)
    shown_ms = behind.dt.total_milliseconds() - col("before_longest_gap_ms").fill_null(0)
    waited_ms = (
        when(col("waited_by") == "timer").then(shown_ms).when(col("waited_by") == "answer").then("waited_ms")
    )
    from_at = col("began_at").dt.truncate("1m")
    return (
        pieces.with_columns(from_at=from_at, weight=waited_ms)
        .filter(col("weight") > 0)
        .group_by("from_at")
        .agg(col("weight").max())
        .select("from_at", until_at=col("from_at") + MINUTE, weight="weight")
    )


def processing_periods(rows: pl.DataFrame) -> pl.DataFrame:
    """(from_at, until_at, weight): KRaft, from 4.0: of each period of the monitor its slowest event, ms."""
    following = col("from_at").shift(-1)
    return (
        rows.filter(col("kind") == "period")
        .drop_nulls("slowest_ms")
        .select(from_at="began_at", until_at="ended_at", weight=col("slowest_ms").floor().cast(pl.Int64))
        .sort("from_at", "until_at")
        .with_columns(until_at=pl.min_horizontal("until_at", following))
        .filter(col("until_at") > col("from_at"))
    )
