"""Lanes of a drawing that tell of nodes: who was controller, and which brokers were there."""

from collections.abc import Iterator
from datetime import timedelta

from polars import col, when

from jobs.questions.nodes import KRAFT
from jobs.questions.term_gaps import BY_SILENCE, gap_text
from jobs.questions.terms import spaced_words
from jobs.report.elements import Markup
from jobs.report.scale import MOST_LANES, Lane, Scale, times_text
from jobs.report.told import ClusterTold
from jobs.text import epoch_text, format_count, length_text, number_text
from pipeline.core.conditions import column_since
from pipeline.rules.shared.requests import NAMES
from pipeline.rules.shared.work import work_text
from pipeline.views.context.event_in_work import NOT_OF_A_TIME
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

SESSION, TERM, EVENT = "gold.broker_session", "silver.term", "gold.controller_event"
REQUEST = "gold.request_trace"
BUSY_MS = 100  # below it a stretch is no mark
SLOW_MS = 1000  # below it a request is no mark


def controller_lanes(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    terms = told.facts.terms
    if not terms:
        return
    yield Lane("controllers", is_heading=True)
    nodes = sorted({one["controller_id"] for one in terms})
    seen = dict(told.answers.rows(TERM, None, ("term_id", "first_seen_at")).iter_rows())
    for node in nodes[:MOST_LANES]:
        marks: list[Markup] = []
        for one in terms:
            if one["controller_id"] == node:
                end = one["ended_at"] or (None if one["ended_how"] == "open" else one["superseded_at"])
                following = one["superseded_at"]
                is_late = following is not None and end is not None and following < end
                begin = seen.get(one["term_id"]) or one["last_act_at"]
                is_sure = one["certainty"] == "proved" and one["elected_at"] is not None
                class_ = "term" if is_sure else "term unsure"
                how = spaced_words(one["ended_how"] or "not known how")
                times = times_text(begin, end)
                times = times if one["elected_at"] else f"election not seen, first line {times}"
                title = f"controller {node}, {epoch_text(one['controller_epoch'])}: {times}, {how}"
                marks += scale.bar(class_, begin, following if is_late else end, title)
                if is_late:
                    marks += scale.bar(
                        "after", following, end, f"{title}; the next one was elected", y=6, height=4
                    )
                marks += scale.written(begin, end, number_text(one["controller_epoch"]))
        yield Lane(f"controller {node}", marks)
    yield Lane(
        "none, or two at once", [mark for one in terms for mark in controller_change_marks(one, scale)]
    )


def busy_lanes(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    """Stretches in which a controller was busy with one event."""
    long = column_since("busy_ms", BUSY_MS)
    rows = told.answers.rows(EVENT, long).filter(~col("kind").is_in(NOT_OF_A_TIME))
    if rows.is_empty():
        return
    about = when(col("kind") == "slow_event").then("event_name").otherwise(work_text())
    events = rows.with_columns(about=about).sort("began_at", "work_seq").to_dicts()
    yield Lane(
        "controller busy",
        [
            mark
            for one in events
            for mark in scale.bar(
                "busy",
                one["began_at"],
                one["ended_at"],
                f"controller {one['controller_id']} was busy for {length_text(one['busy_ms'])} with {one['about']}: "
                f"{times_text(one['began_at'], one['ended_at'])}",
            )
        ],
    )


def controller_change_marks(term: Row, scale: Scale) -> list[Markup]:
    """The time until the next controller, and that of two at once; in KRaft the quorum takes nothing of the older."""
    gap, end, following = term["gap_ms"], term["ended_at"], term["superseded_at"]
    if gap is None or end is None or following is None or not gap_text(term):
        return []
    begin, until = min(end, following), max(end, following)
    said = (
        f"after {epoch_text(term['controller_epoch'])}: {gap_text(term).strip()}; {times_text(begin, until)}"
    )
    overlap = "late" if term["mode"] == KRAFT else "two"
    nobody = "nobody perhaps" if term["ended_how"] in BY_SILENCE else "nobody"
    return scale.bar(nobody if gap >= 0 else overlap, begin, until, said)


def broker_lanes(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    rows = told.within.rows(SESSION).sort("broker_id", "joined_at").to_dicts()
    stays: dict[int, list[Row]] = {}
    for one in rows:
        stays.setdefault(one["broker_id"], []).append(one)
    slow = slow_request_marks(told.answers, scale) if stays else {}
    if stays:
        yield Lane("brokers", is_heading=True)
    for broker, own in list(stays.items())[:MOST_LANES]:
        marks: list[Markup] = []
        for place, one in enumerate(own):
            silent, left = one["silent_from_at"], one["left_at"]
            end = silent or left
            times = times_text(one["joined_at"], end)
            marks += scale.bar("up", one["joined_at"], end, f"broker {broker} up: {times}")
            if silent and left and silent < left:
                marks += scale.bar(
                    "silent", silent, left, f"broker {broker} silent: {times_text(silent, left)}"
                )
            if left:
                back = own[place + 1]["joined_at"] if place + 1 < len(own) else None
                title = f"broker {broker} gone ({spaced_words(one['left_how'])}): {times_text(left, back)}"
                marks += scale.bar("down", left, back, title, y=6, height=4)
        yield Lane(f"broker {broker}", marks + slow.get(broker, []))
    hidden = len(stays) - MOST_LANES
    if hidden > 0:
        yield Lane(format_count(hidden, "more broker"))


def slow_request_marks(answers: Answers, scale: Scale) -> dict[int, list[Markup]]:
    """By broker the requests of controllers that took it long, by one clock each: from received to carried out, or from
    sent to answered."""
    is_slow = column_since("apply_ms", SLOW_MS) | column_since("answer_ms", SLOW_MS)
    marks: dict[int, list[Markup]] = {}
    for one in (
        answers.rows(REQUEST, is_slow).sort("told_at", "broker_id", "file_id", "byte_offset").to_dicts()
    ):
        is_own = (one["apply_ms"] or 0) >= SLOW_MS
        begin_at = one["received_at"] if is_own else one["sent_at"]
        took_ms = one["apply_ms"] if is_own else one["answer_ms"]
        end_at = begin_at + timedelta(milliseconds=took_ms)
        what = "carried out" if is_own else "answered"
        name = NAMES.get(one["request"], "request")
        title = (
            f"broker {one['broker_id']}: {name} of controller {one['controller_id']} {what} after "
            f"{length_text(took_ms)}: {times_text(begin_at, end_at)}"
        )
        marks.setdefault(one["broker_id"], []).extend(
            scale.bar("slow", begin_at, end_at, title, y=10, height=4)
        )
    return marks
