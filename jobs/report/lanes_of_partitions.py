"""Lanes of a drawing that tell of partitions: outages, elections, leader imbalance, reassignments and deletions."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from polars import col

from jobs.questions import outages, reassignments
from jobs.questions.named.sources import partition_of
from jobs.questions.terms import spaced_words
from jobs.report.asked_tables import LIFE
from jobs.report.elements import Markup, html_element
from jobs.report.scale import MOST_BARS, Bar, Lane, Scale, stack_bars, times_text
from jobs.report.told import ClusterTold
from jobs.text import format_count, list_text, ratio_text, shorten_line
from pipeline.core.conditions import column_differs, column_equals
from pipeline.views.reading.rows import Row

MOST_TOPICS, MOST_BROKERS = 12, 20
ELECTION, IMBALANCE = "gold.leader_election", "gold.leader_imbalance"
RATIO_HEIGHT = 30
MOST_STEPS = 300  # of a broker
A_PATH = 40  # steps: a longer one would be cut as texts are
DELETIONS = {"completed": "done", "requested": "waits", "in_progress": "waits", "put_off": "waits"}
OUTCOMES = {
    "completed": "done",
    "deleted": "done",
    "failed": "failed",
    "skipped": "failed",
    "in_progress": "waits",
}


UNSURE = "; lines are missing, perhaps it was shorter"


def outage_lanes(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    """The topics with the most time without a leader; all of its partitions in one lane. Pale: undetermined."""
    last = told.facts.read["last_at"]
    if outages.TABLE not in told.built or last is None:
        return
    rows = outages.with_lasting(told.within.rows(outages.TABLE, None, outages.COLUMNS), last)
    rows = rows.with_columns(is_unsure=outages.IS_UNSURE)
    totals = (
        rows.group_by("topic")
        .agg(ms=col("noticed_ms").filter(~col("is_unsure")).sum(), unsure_ms=col("noticed_ms").sum())
        .sort(-col("ms"), -col("unsure_ms"), "topic")
    )
    if totals.height:
        yield Lane("outages by topic", is_heading=True)
    for topic in totals["topic"].head(MOST_TOPICS):
        own = rows.filter(col("topic") == topic).sort("noticed_at")
        marks: list[Markup] = []
        for class_, is_unsure, note in (("outage unsure", True, UNSURE), ("outage", False, "")):
            alike = own.filter(col("is_unsure") == is_unsure).to_dicts()
            for begin, end, count in merge_overlapping_outages(alike, last):
                said = f"{shorten_line(topic, 120)}: {format_count(count, 'outage')}, {times_text(begin, end)}{note}"
                marks += scale.bar(class_, begin, end, said)
        yield Lane(topic, marks)
    if totals.height > MOST_TOPICS:
        yield Lane(format_count(totals.height - MOST_TOPICS, "more topic"))


def merge_overlapping_outages(
    rows: Sequence[Row], last: datetime
) -> Iterator[tuple[datetime, datetime, int]]:
    """Those that touch are one; rows: by begin."""
    begin: datetime | None = None
    end, count = last, 0
    for one in rows:
        own = one["ended_at"] or last
        if begin is not None and one["noticed_at"] <= end:
            end, count = max(end, own), count + 1
            continue
        if begin is not None:
            yield begin, end, count
        begin, end, count = one["noticed_at"], own, 1
    if begin is not None:
        yield begin, end, count


def election_lanes(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    """Ticks as high as there are many; those outside of the ISR have a mark of their own."""
    asked = column_equals("outcome", "done") & column_differs("kind", "isr_removal")
    columns = ("elected_at", "is_clean", "topic", "partition", "old_leader", "leader", "kind")
    rows = told.within.rows(ELECTION, asked, columns).sort("elected_at", "topic", "partition")
    if rows.is_empty():
        return
    yield Lane("elections of leaders", is_heading=True)
    counts: dict[float, list[datetime]] = {}
    for at in rows["elected_at"]:
        if scale.first <= at <= scale.last:
            counts.setdefault(round(scale.x(at) / 3) * 3.0, []).append(at)
    most = max(map(len, counts.values()), default=1)
    marks = []
    for place, times in counts.items():
        high = round(4 + 10 * len(times) / most, 1)
        title = html_element(
            "title", f"{format_count(len(times), 'election')}, {times_text(times[0], times[-1])}"
        )
        size = {"x": place, "y": 16 - high, "width": 2.5, "height": high}
        marks.append(
            html_element("rect", title, class_="election", data_t=scale.times(times[0], times[-1]), **size)
        )
    yield Lane("elected", marks)
    unclean = rows.filter(~col("is_clean")).head(MOST_BARS).to_dicts()
    if unclean:
        yield Lane("UNCLEAN", [mark for one in unclean for mark in unclean_election_marks(one, scale)])


def unclean_election_marks(one: Row, scale: Scale) -> list[Markup]:
    at = one["elected_at"]
    title = (
        f"UNCLEAN {partition_of(one)}: leader {one['old_leader']} to {one['leader']}, {times_text(at, at)}"
    )
    if not scale.first <= at <= scale.last:
        return []
    said = html_element("title", shorten_line(title, 300))
    stands = {"transform": f"translate({scale.x(at)} 0)", "data_t": scale.times(at, at)}
    return [html_element("path", said, class_="unclean", d="M0 1l6 7l-6 7l-6 -7z", **stands)]


def imbalance_ratio_lanes(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    """Of the brokers with the highest ratios; a dashed line is the limit."""
    columns = (
        "broker_id",
        "valid_from_at",
        "valid_until_at",
        "imbalance_ratio",
        "threshold_ratio",
        "certainty",
    )
    rows = told.within.rows(IMBALANCE, None, columns)
    highest = (
        rows.group_by("broker_id")
        .agg(col("imbalance_ratio").max())
        .sort(-col("imbalance_ratio"), "broker_id")
    )
    shown = sorted(highest["broker_id"].head(MOST_BROKERS))
    if shown:
        yield Lane("leader imbalance, 0 to 1", is_heading=True)
    for broker in shown:
        own = rows.filter(col("broker_id") == broker).sort("valid_from_at").to_dicts()
        yield Lane(f"broker {broker}", ratio_marks(broker, own, scale), RATIO_HEIGHT)
    if highest.height > MOST_BROKERS:
        yield Lane(format_count(highest.height - MOST_BROKERS, "more broker"))


def ratio_marks(broker: int, rows: Sequence[Row], scale: Scale) -> list[Markup]:
    """Steps; where there are many, of those within a point of the drawing the highest."""
    low, high = RATIO_HEIGHT - 2.0, RATIO_HEIGHT - 6.0
    steps: dict[int, tuple[float, float, float]] = {}
    for number, one in enumerate(rows):
        begin, end = one["valid_from_at"], one["valid_until_at"] or scale.last
        if end < scale.first or begin > scale.last:
            continue
        left, right = round(scale.place(begin), 3), round(scale.place(end), 3)
        key = int(left) if len(rows) > MOST_STEPS else number
        known = steps.get(key, (left, right, -1.0))
        steps[key] = (known[0], max(right, known[1]), max(one["imbalance_ratio"], known[2]))
    areas = [
        f"M{left} {low}V{round(low - high * ratio, 1)}H{right}V{low}z"
        for left, right, ratio in steps.values()
        if ratio
    ]
    last = rows[-1]
    limit = next(
        (one["threshold_ratio"] for one in reversed(rows) if one["threshold_ratio"] is not None), None
    )
    is_unsure = last.get("certainty") == "undetermined"
    ratio_said = "?" if is_unsure and not last["imbalance_ratio"] else ratio_text(last["imbalance_ratio"])
    mark = " [undetermined]" if is_unsure else ""
    said = f"broker {broker}: at the end {ratio_said}{mark}, limit {ratio_text(limit)}"
    if len(rows) > MOST_STEPS:
        said = f"{said}; of many steps within a point of the drawing the highest"
    paths = ("".join(areas[place : place + A_PATH]) for place in range(0, len(areas), A_PATH))
    drawn = [html_element("path", html_element("title", said), class_="ratio", d=one) for one in paths]
    marks = [html_element("g", *drawn, class_="plot")] if drawn else []
    marks.append(
        html_element("path", class_="zero", d=f"M{scale.x(scale.first)} {low}H{scale.x(scale.last)}")
    )
    if limit is not None and limit <= 1:
        y = round(low - high * limit, 1)
        marks.append(
            html_element("path", class_="limit", d=f"M{scale.x(scale.first)} {y}H{scale.x(scale.last)}")
        )
    return marks


def reassignment_lanes(told: ClusterTold, scale: Scale) -> Iterator[Lane]:
    rows = told.within.rows(reassignments.TABLE).sort("started_at", "topic", "partition").to_dicts()
    bars = [
        Bar(
            one["started_at"],
            one["ended_at"],
            f"move {OUTCOMES.get(one['outcome'], 'other')}",
            f"{partition_of(one)} {list_text(one['original_replicas'])} to {list_text(one['target_replicas'])}: "
            f"{spaced_words(one['outcome'])}, {times_text(one['started_at'], one['ended_at'])}",
        )
        for one in rows
    ]
    yield from lanes_with_heading("reassignments", bars, scale)
    lives = (
        told.within.rows(LIFE, column_differs("deletion_state", "none"))
        .sort("first_seen_at", "topic")
        .to_dicts()
    )
    bars = [
        Bar(
            begin,
            one["ended_at"] or one["completed_at"],
            f"move {DELETIONS.get(one['deletion_state'], 'other')}",
            f"{shorten_line(one['topic'], 120)}: deletion {spaced_words(one['deletion_state'])}, "
            f"{times_text(begin, one['ended_at'] or one['completed_at'])}",
        )
        for one in lives
        if (begin := one["deletion_requested_at"] or one["put_off_at"])
    ]
    yield from lanes_with_heading("deletions of topics", bars, scale)


def lanes_with_heading(name: str, bars: Sequence[Bar], scale: Scale) -> Iterator[Lane]:
    if bars:
        yield Lane(name, is_heading=True)
        yield from stack_bars(f"{len(bars):,} in all", bars, scale)
