"""The drawing of a page for a notebook: HTML with its own style, which loads nothing and runs nothing."""

from jobs.moments import parse_moment
from jobs.questions.window import asked_window
from jobs.report.drawing import draw_timeline, pattern_definitions
from jobs.report.elements import Markup, Room, html_element
from jobs.report.sources import read_page_source
from jobs.report.told import cluster_report
from pipeline.views.reading.answers import Answers

MOST_BYTES = 500_000
NAME = "audit-timeline"
OWN = "background: var(--bg); color: var(--fg); padding: 4px 8px;\n"


def timeline_html(answers: Answers, since: str | None = None, until: str | None = None) -> str:
    """Of one cluster. since, until: as on the command line, UTC without a zone. Its style is no other cell's: all of it
    stands below a class of its own."""
    begin, end = (None if one is None else parse_moment(one) for one in (since, until))
    window = asked_window(begin, end, answers)
    told = cluster_report(answers, window, "", is_stored=True)
    style = read_page_source("drawing.css").replace(":root", "&")
    return html_element(
        "div",
        html_element("style", Markup(f".{NAME} {{\n{OWN}{style}}}\n")),
        pattern_definitions(),
        html_element("h3", told.cluster_id),
        draw_timeline(told, None, Room(MOST_BYTES)),
        class_=NAME,
    )
