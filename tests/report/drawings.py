"""What the drawing of a page holds, lane by lane."""

from datetime import UTC, datetime

from jobs.questions.window import Window
from jobs.report.drawing import draw_timeline, pattern_definitions
from jobs.report.elements import Room
from jobs.report.told import cluster_report
from pipeline.views.reading.answers import Answers
from tests.report.reading import Node, read

BEGIN = datetime(2026, 11, 21, 8, tzinfo=UTC)


ALL = Window()


def drawn(answers: Answers, window: Window = ALL, room: int = 1_000_000) -> Node:
    told = cluster_report(answers, window, "off", is_stored=True)
    return read(pattern_definitions() + draw_timeline(told, "", Room(room)))


def lanes(root: Node) -> dict[str, list[Node]]:
    """By heading and label the marks of each lane."""
    found: dict[str, list[Node]] = {}
    heading = ""
    for one in (each for each in root.all("g") if "transform" in each.attributes):
        label = one.all("text")[0]
        if "group" in str(label.attributes["class"]):
            heading = label.text
        else:
            found.setdefault(f"{heading} / {label.text}", []).extend(one.all("rect") + one.all("path"))
    return found


def of_class(marks: list[Node], name: str) -> list[Node]:
    return [one for one in marks if name in str(one.attributes["class"]).split()]
