"""The work of controllers, piece by piece: what their one thread was busy with, how long, and what waited."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import made_of, needs_rows_of
from pipeline.core.partial import by_line
from pipeline.core.span import Span
from pipeline.gold.controller_event.kraft import kraft_events
from pipeline.gold.controller_event.moves import COUNTS, moves_of_pieces, with_moves
from pipeline.gold.controller_event.pieces import PIECE, TERM, lines_of_pieces
from pipeline.gold.controller_event.waits import stop_answer, with_waits
from pipeline.kafka.wording.work import PATHS, work_lines
from pipeline.model.lines.families import family_feeds
from schemas.gold.controller_event import SPEC

FAILED = (
    *("controller_event_error", "broker_change_error", "topic_change_error", "partitions_add_error"),
    "alter_partition_error",
)
MOVED = ("controller_event_moved", "controller_moved")
NO_TRIGGERS = lit([], pl.List(pl.Struct({"key": pl.String, "value": pl.Int64})))
ENDING = ("Startup", "Resignation")
# Who asks for these elections by the API, or is the controller itself: no znode woke it.
NO_WATCH = ("AdminClientTriggered", "AutoTriggered")


@by_line
def work_line(
    controller_work: pl.DataFrame, controller_line: pl.DataFrame, term: pl.DataFrame, span: Span
) -> pl.DataFrame:
    """Rows of lines_of_pieces() in ZooKeeper mode, in the span."""
    in_span = controller_line.lazy().filter(span.since("ordered_at"))
    of_zookeeper = in_span.join(term.lazy().filter(col("mode") == "zookeeper"), on=TERM, how="semi")
    return lines_of_pieces(of_zookeeper, controller_work)


def work_piece(
    work_line: pl.DataFrame, transition_audit: pl.DataFrame, leader_and_isr: pl.DataFrame
) -> pl.DataFrame:
    """Rows of moves_of_pieces(): one per piece of work that has something of the shard's topics."""
    return moves_of_pieces(work_line, transition_audit, leader_and_isr)


PARTIALS = (work_line, work_piece, stop_answer)


@made_of(SPEC, "controller_work", "work_line")
def build(
    controller_work: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    work_line: pl.DataFrame,
    work_piece: pl.DataFrame,
    stop_answer: pl.DataFrame,
    node_event: pl.DataFrame,
    broker_setting: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per piece of work whose first line is in the span; in KRaft per line that tells of one.

    A piece goes from the line that begins it (work.tsv) to the line that says its end, else to the last line before
    the next piece that no silence parts from it; below INFO silence says nothing.
    Source: ControllerEventManager, KafkaController, 0.11 to 3.9; EventPerformanceMonitor, from 4.0.
    """
    in_span = controller_line.filter(span.since("ordered_at"))
    in_span_work = controller_work.filter(span.since("logged_at"))
    pieces = (
        described_pieces(work_line)
        .pipe(with_waits, stop_answer, node_event, broker_setting)
        .pipe(with_moves, work_piece)
        .with_columns(col(COUNTS).fill_null(0), col("triggers").fill_null(NO_TRIGGERS))
    )
    rows = pl.concat([pieces, kraft_events(in_span_work, in_span, term)], how="diagonal")
    return rows.with_columns(col("triggers").cast(pl.Map(pl.String, pl.Int64))).select(SPEC.columns)


@needs_rows_of("lines")
def described_pieces(lines: pl.DataFrame) -> pl.DataFrame:
    """One row per piece: what began it, from when until when, what its lines say; in order."""
    listeners = {one.kind: one.listener for one in work_lines() if one.listener}
    event, place = col("event"), pl.struct("file_id", "byte_offset")
    until = when(col("end_at").is_null() | col("is_before_end") | col("is_end")).then("logged_at")
    pieces = lines.group_by(PIECE, maintain_order=True).agg(
        controller_id=col("controller_id").first(),
        kind=col("opened_kind").first(),
        occasion=col("opened_occasion").first(),
        asked_by=col("opened_asked_by").first(),
        subject=col("opened_subject").first().fill_null([]),
        subject_count=col("opened_subject_count").first().fill_null(0),
        began_at=col("logged_at").first(),
        ended_at=until.max(),
        is_end_said=col("is_end").any(),
        is_followed=col("is_followed").any(),
        is_told_finely=col("is_told_finely").last(),
        is_silent=col("is_silent").any(),
        longest_gap_ms=col("gap_ms").max(),
        lines_count=pl.len().cast(pl.Int64),
        requests_count=event.is_in(request_events()).sum().cast(pl.Int64),
        is_error=event.is_in(FAILED).any(),
        is_moved=event.is_in(MOVED).any(),
        evidence=pl.concat_list(place.first(), place.get(until.arg_max())).first(),
    )
    is_cut = col("kind").is_in(ENDING) & ~col("is_end_said") & ~col("is_followed")
    is_watched = ~col("asked_by").is_in(NO_WATCH).fill_null(value=False)
    listener = when(is_watched).then(
        col("kind").replace_strict(listeners, default=None, return_dtype=pl.String)
    )
    return pieces.with_columns(
        ended_at=pl.max_horizontal("began_at", "ended_at"),
        listener=listener,
        path=listener.replace_strict(PATHS, default=None, return_dtype=pl.String),
        outcome=when("is_error").then(lit("error"))
        .when("is_moved").then(lit("moved"))
        .when(is_cut).then(lit("cut"))
        .when(col("occasion") == "nothing").then(lit("nothing_new"))
        .otherwise(lit("ok")),
        certainty=when(col("is_end_said") | (col("is_told_finely") & ~col("is_silent")))
        .then(lit("proved"))
        .otherwise(lit("inferred")),
        evidence=col("evidence").list.unique(maintain_order=True),
    ).with_columns(busy_ms=(col("ended_at") - col("began_at")).dt.total_milliseconds())  # fmt: skip


def request_events() -> list[str]:
    """Events of lines with which a controller puts requests to brokers into their queues."""
    return sorted({feed.event for feed in family_feeds("control_request") if feed.step == "sent"})
