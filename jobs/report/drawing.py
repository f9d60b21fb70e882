"""One drawing over time: lanes of nodes and of partitions, and which times the logs tell of."""

from collections.abc import Callable, Iterator

from jobs.report import lanes_of_clients, lanes_of_evidence, lanes_of_nodes, lanes_of_partitions
from jobs.report.condensed import byte_count_of_marks, condense_marks, fair_share
from jobs.report.elements import Markup, Room, html_element, join_markup
from jobs.report.lanes_of_findings import finding_lanes
from jobs.report.scale import LABEL, LEFT, RIGHT, Lane, Scale
from jobs.report.table import page_time_millis
from jobs.report.told import ClusterTold
from jobs.text import shorten_line

WIDE = 1120
TOP = 36  # times stand there
EDGE = 3.5  # as wide as a moment is drawn
LANES: tuple[Callable[[ClusterTold, Scale], Iterator[Lane]], ...] = (
    lanes_of_nodes.controller_lanes,
    lanes_of_nodes.busy_lanes,
    lanes_of_nodes.broker_lanes,
    lanes_of_clients.client_lanes,
    lanes_of_partitions.outage_lanes,
    lanes_of_partitions.election_lanes,
    lanes_of_partitions.imbalance_ratio_lanes,
    lanes_of_partitions.reassignment_lanes,
    lanes_of_evidence.evidence_drawing_lanes,
)
KEYS = {
    "term": "in office (epoch)",
    "nobody": "no controller",
    "nobody perhaps": "at most so long",
    "two": "two at once",
    "late": "gave up late (KRaft: harmless)",
    "busy": "busy with one event",
    "up": "up",
    "silent": "perhaps gone already",
    "down": "gone",
    "slow": "slow with a request of the controller",
    "felt": "clients could feel it",
    "felt perhaps": "perhaps",
    "outage": "without a leader",
    "outage unsure": "perhaps: lines are missing",
    "unclean": "unclean election",
    "ratio": "ratio",
    "move done": "done",
    "move failed": "failed or skipped",
    "move waits": "goes on",
    "move other": "ended otherwise",
    "logs trace": "logs at TRACE",
    "logs info": "at INFO",
    "logs other": "other logs",
    "between": "no line of this node: its logs do not tell",
    "untold": "no line of any node: what is pale follows from lines before and after",
    "missing": "lines are missing",
}


def draw_timeline(told: ClusterTold, prefix: str | None, room: Room) -> Markup:
    """prefix: before the anchors of findings; None, they are not on the page. room: marks that do not fit are left out,
    which is said."""
    first, last = told.first_at, told.last_at
    if first is None or last is None or first >= last:
        return html_element("p", "Nothing is drawn: the records have no time.", class_="note")
    scale = Scale(first, last)
    found = [*finding_lanes(told, scale, prefix)]
    told_from = TOP + sum(map(lane_height, found))
    every = [*found, *(lane for lanes in LANES for lane in lanes(told, scale))]
    most = fair_share((byte_count_of_marks(lane.marks) for lane in every), room.left)
    parts, y, left_out, close = [], TOP, 0, 0
    for lane in every:
        fitting = condense_marks(lane.marks, most, scale)
        own = Room(most)
        marks = [one for one in fitting if own.takes(one)]
        left_out += len(fitting) - len(marks)
        close += len(lane.marks) - len(fitting)
        parts.append(lane_part(lane, marks, y))
        y += lane_height(lane)
    shown = html_element(
        "svg",
        *grid_lines(scale, y),
        *parts,
        *unlogged_shades(told, scale, told_from, y),
        viewBox=f"0 0 {WIDE} {y + 8}",
        role="img",
        aria_label="controllers, brokers, clients, outages, elections, imbalance, moves and evidence over time",
        class_="drawing",
        data_from=page_time_millis(first),
        data_until=page_time_millis(last),
        data_left=LEFT,
        data_right=RIGHT,
    )
    said = [f"{left_out:,} marks more are not drawn."] if left_out else []
    said += (
        [f"{close:,} marks are drawn with others that stand close: paler, with how many there are."]
        if close
        else []
    )
    notes = [html_element("p", one, class_="note") for one in said]
    return join_markup([html_element("div", shown, class_="drawn"), drawing_legend(), *notes])


def unlogged_shades(told: ClusterTold, scale: Scale, top: float, bottom: float) -> Iterator[Markup]:
    """Over what is drawn of times of which no log tells; what is told last before is not covered."""
    for begin, end in lanes_of_evidence.spans_without_logs(told, scale):
        left, right = scale.x(begin) + EDGE, scale.x(end)
        if left < right:
            size = {"x": round(left, 1), "y": top, "width": round(right - left, 1), "height": bottom - top}
            yield html_element("rect", class_="untold", data_t=scale.times(begin, end), **size)


def pattern_definitions() -> Markup:
    """What is drawn where lines are missing, and the bounds of what is drawn: once on a page."""
    line = html_element("path", d="M0 6L6 0", class_="hatch")
    pattern = html_element("pattern", line, id="hatch", width=6, height=6, patternUnits="userSpaceOnUse")
    area = html_element("rect", class_="area", x=LEFT, y=-99, width=RIGHT - LEFT, height=9999)
    defs = html_element("defs", pattern, html_element("clipPath", area, id="plot"))
    return html_element("svg", defs, width=0, height=0, class_="kept", aria_hidden="true")


def lane_height(lane: Lane) -> int:
    return lane.height + (8 if lane.is_heading else 2)


def lane_part(lane: Lane, marks: list[Markup], y: int) -> Markup:
    label = shorten_line(lane.label, LABEL)
    whole = [html_element("title", lane.label)] if label != lane.label else []
    down = 15 if lane.is_heading else (lane.height + 8) // 2
    class_ = "group" if lane.is_heading else "label"
    text = html_element("text", label, *whole, class_=class_, x=0, y=down)
    base = (
        [] if lane.is_heading else [html_element("path", class_="base", d=f"M{LEFT} {lane.height}H{RIGHT}")]
    )
    return html_element("g", text, *base, *marks, transform=f"translate(0 {y})")


def grid_lines(scale: Scale, height: int) -> Iterator[Markup]:
    for x, said in scale.ticks():
        yield html_element("path", class_="grid", d=f"M{x} {TOP - 6}V{height}")
        anchor = "end" if x > RIGHT - 30 else "middle"
        yield html_element("text", said, class_="tick", x=x, y=20, text_anchor=anchor)


def drawing_legend() -> Markup:
    keys = (
        html_element("span", html_element("span", class_=f"key {class_}"), f" {words}")
        for class_, words in KEYS.items()
    )
    said = " Times are UTC."
    return html_element("p", join_markup(keys, " "), said, class_="legend")
