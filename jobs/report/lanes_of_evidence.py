"""Lanes of a drawing that tell whose logs tell of which time, and where lines of them are missing."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from polars import col

from jobs.questions.rows import Row
from jobs.questions.terms import words
from jobs.report.elements import Markup
from jobs.report.scale import MOST_LANES, Lane, Scale, times_text
from jobs.report.told import ClusterTold
from jobs.text import shortened

EVIDENCE, GAP = "gold.evidence", "silver.log_gap"
TOUCHING = 600  # files that are apart for less than such a part of what is drawn are one bar
LEVELS = {"TRACE": "trace", "INFO": "info", None: "other"}
Span = tuple[datetime, datetime]


def evidence(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    """A bar from the first line of a file until its last; a thin one between files; hatched: lines are missing. Where
    nothing is drawn no log of the node tells."""
    files = spans(told, scale)
    levels: dict[int | None, list[Row]] = {}
    for one in told.within.rows(EVIDENCE).sort("node_id", "valid_from_at").to_dicts():
        levels.setdefault(one["node_id"], []).append(one)
    gaps: dict[int | None, list[Markup]] = {}
    asked = ("node_id", "kind", "from_at", "until_at", "sentence")
    for one in told.within.rows(GAP, None, asked).sort("from_at", "kind").to_dicts():
        begin, end = one["from_at"] or one["until_at"], one["until_at"] or one["from_at"]
        if begin is not None:
            title = f"{words(one['kind'])}: {shortened(one['sentence'], 200)}"
            gaps.setdefault(one["node_id"], []).extend(scale.bar("missing", begin, end, title))
    nodes = sorted({*files, *levels, *gaps}, key=lambda one: (one is None, one or 0))
    yield Lane("evidence: whose logs tell", is_heading=True)
    for node in nodes[:MOST_LANES]:
        marks = node_marks(node, files.get(node, []), levels.get(node, []), scale)
        yield Lane("node not known" if node is None else f"node {node}", [*marks, *gaps.get(node, [])])
    if len(nodes) > MOST_LANES:
        yield Lane(f"{len(nodes) - MOST_LANES} more nodes")


def node_marks(
    node: int | None, files: Sequence[Span], levels: Sequence[Row], scale: Scale
) -> Iterator[Markup]:
    """levels: rows of gold.evidence; a node without any is drawn by its files alone."""
    name = "node not known" if node is None else f"node {node}"
    if not levels:
        for begin, end in files:
            yield from scale.bar("logs other", begin, end, f"{name}: {times_text(begin, end)}")
        return
    for one in levels:
        begin, end = one["valid_from_at"], one["valid_until_at"]
        level = one["state_change_level"]
        said = f", state changes at {level}" if level else ""
        title = f"{name}: {', '.join(one['logs']) or 'no logs'}{said}; {times_text(begin, end)}"
        yield from scale.bar("between", begin, end, f"{title}, between files", y=7, height=2)
        for first, last in files if one["logs"] else ():
            if first <= end and last >= begin:
                yield from scale.bar(f"logs {LEVELS[level]}", max(first, begin), min(last, end), title)


def spans(told: ClusterTold, scale: Scale) -> dict[int | None, list[Span]]:
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
