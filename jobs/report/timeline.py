"""The drawing of a page for a notebook: HTML with its own style, which loads nothing and runs nothing."""

from jobs.questions.answers import Answers
from jobs.questions.window import Window
from jobs.report.drawing import drawing, hatching
from jobs.report.elements import Markup, Room, element
from jobs.report.sources import source
from jobs.report.told import told_of
from jobs.settings.arguments import moment

MOST_BYTES = 500_000
NAME = "audit-timeline"
OWN = "background: var(--bg); color: var(--fg); padding: 4px 8px;\n"


def timeline(answers: Answers, since: str | None = None, until: str | None = None) -> str:
    """Of one cluster. since, until: ISO times, UTC without a zone. Its style is no other cell's: all of it stands
    below a class of its own."""
    window = Window(*(None if one is None else moment(one) for one in (since, until)))
    told = told_of(answers, window, "", is_stored=True)
    style = source("drawing.css").replace(":root", "&")
    return element(
        "div",
        element("style", Markup(f".{NAME} {{\n{OWN}{style}}}\n")),
        hatching(),
        element("h3", told.cluster_id),
        drawing(told, None, Room(MOST_BYTES)),
        class_=NAME,
    )
