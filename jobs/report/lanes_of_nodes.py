"""Lanes of a drawing that tell of nodes: who was controller, which brokers were there, and whose logs tell of when."""

from collections.abc import Iterator
from datetime import datetime

from jobs.questions.nodes import KRAFT
from jobs.questions.rows import Row
from jobs.questions.terms import gap_text, words
from jobs.report.elements import Markup
from jobs.report.scale import Lane, Scale, times_text
from jobs.report.told import ClusterTold
from jobs.text import shortened

SESSION, EVIDENCE, GAP = "gold.broker_session", "gold.evidence", "silver.log_gap"
MOST_LANES = 40


def controllers(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    terms = told.facts.terms
    if not terms:
        return
    yield Lane("controllers", is_heading=True)
    nodes = sorted({one["controller_id"] for one in terms})
    for node in nodes[:MOST_LANES]:
        marks: list[Markup] = []
        for one in terms:
            if one["controller_id"] == node:
                end = one["ended_at"] or (None if one["ended_how"] == "open" else one["superseded_at"])
                following = one["superseded_at"]
                is_late = following is not None and end is not None and following < end
                class_ = "term" if one["certainty"] == "proved" else "term unsure"
                how = words(one["ended_how"] or "not known how")
                times = times_text(one["elected_at"], end)
                title = f"controller {node}, epoch {one['controller_epoch']}: {times}, {how}"
                marks += scale.bar(class_, one["elected_at"], following if is_late else end, title)
                if is_late:
                    marks += scale.bar(
                        "after", following, end, f"{title}; the next one was elected", y=6, height=4
                    )
                marks += scale.written(one["elected_at"], end, str(one["controller_epoch"]))
        yield Lane(f"controller {node}", marks)
    yield Lane("none, or two at once", [mark for one in terms for mark in between(one, scale)])


def between(term: Row, scale: Scale) -> list[Markup]:
    """The time until the next controller, and that of two at once; in KRaft the quorum takes nothing of the older."""
    gap, end, following = term["gap_ms"], term["ended_at"], term["superseded_at"]
    if gap is None or end is None or following is None or not gap_text(term):
        return []
    begin, until = min(end, following), max(end, following)
    said = f"after epoch {term['controller_epoch']}: {gap_text(term).strip()}; {times_text(begin, until)}"
    overlap = "late" if term["mode"] == KRAFT else "two"
    return scale.bar("nobody" if gap >= 0 else overlap, begin, until, said)


def brokers(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    rows = told.within.rows(SESSION).sort("broker_id", "joined_at").to_dicts()
    stays: dict[int, list[Row]] = {}
    for one in rows:
        stays.setdefault(one["broker_id"], []).append(one)
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
                title = f"broker {broker} gone ({words(one['left_how'])}): {times_text(left, back)}"
                marks += scale.bar("down", left, back, title, y=6, height=4)
        yield Lane(f"broker {broker}", marks)
    hidden = len(stays) - MOST_LANES
    if hidden > 0:
        yield Lane(f"{hidden} more brokers")


def evidence(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    """Where nothing is drawn the logs do not tell; hatched: where lines are missing."""
    yield Lane("evidence: whose logs tell", is_heading=True)
    marks: dict[int | None, list[Markup]] = {}
    for one in covered(told):
        node, logs = one["node_id"], ", ".join(one["logs"]) or "no logs"
        level = one["state_change_level"]
        title = f"node {node}: {logs}{f', state changes at {level}' if level else ''}; " + times_text(
            one["valid_from_at"], one["valid_until_at"]
        )
        class_ = (
            f"logs {'trace' if level == 'TRACE' else 'info' if level else 'other'}"
            if one["logs"]
            else "missing"
        )
        marks.setdefault(node, []).extend(
            scale.bar(class_, one["valid_from_at"], one["valid_until_at"], title)
        )
    gaps = told.within.rows(GAP, None, ("node_id", "kind", "from_at", "until_at", "sentence")).to_dicts()
    for one in gaps:
        if one["from_at"] or one["until_at"]:
            title = f"{words(one['kind'])}: {shortened(one['sentence'], 200)}"
            begin, end = edges(one["from_at"], one["until_at"])
            marks.setdefault(one["node_id"], []).extend(scale.bar("missing", begin, end, title))
    for node in sorted(marks, key=lambda one: (one is None, one or 0))[:MOST_LANES]:
        yield Lane("node not known" if node is None else f"node {node}", marks[node])


def edges(begin: datetime | None, end: datetime | None) -> tuple[datetime | None, datetime | None]:
    """One edge known alone is a mark at it."""
    return begin or end, end or begin


def covered(told: ClusterTold) -> list[Row]:
    """gold.evidence; where it has no row of a file's node what bronze.source_file says of its times."""
    rows = told.within.rows(EVIDENCE).sort("node_id", "valid_from_at").to_dicts()
    known = {one["node_id"] for one in rows}
    files = told.answers.segments.select("node_id", "log", "first_logged_at", "last_logged_at").drop_nulls(
        ["first_logged_at", "last_logged_at"]
    )
    return rows + [
        {
            "node_id": one["node_id"],
            "logs": [one["log"]],
            "state_change_level": None,
            "valid_from_at": one["first_logged_at"],
            "valid_until_at": one["last_logged_at"],
        }
        for one in files.to_dicts()
        if one["node_id"] not in known
    ]
