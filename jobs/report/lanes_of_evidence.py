"""Lanes of a drawing that tell whose logs tell of which time, and where lines of them are missing."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from polars import col

from jobs.questions.terms import spaced_words
from jobs.report.elements import Markup
from jobs.report.scale import MOST_LANES, Lane, Scale, times_text
from jobs.report.told import ClusterTold
from jobs.text import format_count, shorten_line
from pipeline.views.reading.rows import Row

EVIDENCE, GAP = "gold.evidence", "silver.log_gap"
TOUCHING = 600  # files that are apart for less than such a part of what is drawn are one bar
LEVELS = {"TRACE": "trace", "INFO": "info", None: "other"}
Span = tuple[datetime, datetime]


def evidence_drawing_lanes(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    """A bar from the first line of a file until its last; a thin one where no file has a line; hatched: lines are
    missing."""
    files = log_spans_by_node(told, scale)
    levels: dict[int | None, list[Row]] = {}
    for one in told.within.rows(EVIDENCE).sort("node_id", "valid_from_at").to_dicts():
        levels.setdefault(one["node_id"], []).append(one)
    gaps: dict[int | None, list[Markup]] = {}
    asked = ("node_id", "kind", "from_at", "until_at", "sentence")
    for one in told.within.rows(GAP, None, asked).sort("from_at", "kind").to_dicts():
        begin, end = one["from_at"] or one["until_at"], one["until_at"] or one["from_at"]
        if begin is not None:
            title = f"{spaced_words(one['kind'])}: {shorten_line(one['sentence'], 200)}"
            gaps.setdefault(one["node_id"], []).extend(scale.bar("missing", begin, end, title))
    nodes = sorted({*files, *levels, *gaps}, key=lambda one: (one is None, one or 0))
    yield Lane("evidence: whose logs tell", is_heading=True)
    for node in nodes[:MOST_LANES]:
        marks = node_marks(node, files.get(node, []), levels.get(node, []), scale)
        yield Lane("node not known" if node is None else f"node {node}", [*marks, *gaps.get(node, [])])
    if len(nodes) > MOST_LANES:
        yield Lane(format_count(len(nodes) - MOST_LANES, "more node"))


def node_marks(
    node: int | None, files: Sequence[Span], levels: Sequence[Row], scale: Scale
) -> Iterator[Markup]:
    """levels: rows of gold.evidence; a node without any is drawn by its files alone."""
    name = "node not known" if node is None else f"node {node}"
    read: list[Span] = []
    for one in levels:
        begin, end = one["valid_from_at"], one["valid_until_at"]
        level = one["state_change_level"]
        said = f", state changes at {level}" if level else ""
        title = f"{name}: {', '.join(one['logs']) or 'no logs'}{said}; {times_text(begin, end)}"
        own = [(max(first, begin), min(last, end)) for first, last in files if first <= end and last >= begin]
        for first, last in own if one["logs"] else ():
            read.append((first, last))
            yield from scale.bar(f"logs {LEVELS[level]}", first, last, title)
    for begin, end in () if levels else files:
        read.append((begin, end))
        yield from scale.bar("logs other", begin, end, f"{name}: {times_text(begin, end)}")
    for begin, end in () if node is None else gaps_between_spans(sorted(read), scale.first, scale.last):
        said = f"{name}: no line of it was read, so its logs do not tell here; {times_text(begin, end)}"
        yield from scale.bar("between", begin, end, said, y=7, height=2)


def gaps_between_spans(spans: Sequence[Span], begin: datetime, end: datetime) -> Iterator[Span]:
    """What they leave of a time; spans: by begin."""
    for first, last in spans:
        if first > begin:
            yield begin, min(first, end)
        begin = max(begin, last)
    if begin < end:
        yield begin, end


def spans_without_logs(told: ClusterTold, scale: Scale) -> list[Span]:
    """Times of which no log of any node has a line, where these are long enough to be seen."""
    own = sorted(one for each in log_spans_by_node(told, scale).values() for one in each)
    least = (scale.last - scale.first) / TOUCHING
    return [one for one in gaps_between_spans(own, scale.first, scale.last) if one[1] - one[0] > least]


def log_spans_by_node(told: ClusterTold, scale: Scale) -> dict[int | None, list[Span]]:
    """By node the times from the first line of a file until its last, those that touch as one."""
    near = (scale.last - scale.first) / TOUCHING
    files = told.answers.segments.filter(col("first_logged_at").is_not_null())
    rows = files.select("node_id", "first_logged_at", "last_logged_at").sort(
        "first_logged_at", "last_logged_at"
    )
    found: dict[int | None, list[Span]] = {}
    for node, begin, end in rows.iter_rows():
        own = found.setdefault(node, [])
        if own and begin - own[-1][1] <= near:
            own[-1] = own[-1][0], max(own[-1][1], end)
        else:
            own.append((begin, end))
    return found
