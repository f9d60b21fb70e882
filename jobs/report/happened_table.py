"""The table of a page that tells in order what was decided and asked for, each with the line that says it."""

from collections.abc import Sequence
from datetime import timedelta

from jobs.questions.named.answer import AnswerItem
from jobs.questions.named.happened import About, Happened, asked_for, happened_items
from jobs.questions.named.sources import SOURCES
from jobs.report.table import MOST_ROWS, Cell, PageTable, TableLine, text_cell, time_cell
from jobs.report.told import ClusterTold
from jobs.text import printable_lines, shorten_line
from pipeline.core.conditions import all_conditions, column_before, column_since
from pipeline.views.reading.rows import Place, Row, place_of_row

LEFT_OUT = "gold.leader_election"  # the most of all rows: the drawing has them, findings the unclean ones
MOST_READ = 5000  # of a table
WIDTH = 190


def happenings_page_table(told: ClusterTold) -> PageTable:
    """The last ones where there are too many."""
    every, unread_count = happenings_in_order(told)
    shown = every[-MOST_ROWS:]
    places = [place for one in shown for place in one.evidence[:1]]
    lines = told.answers.lines(places) if places else {}
    return PageTable(
        "happened",
        "What happened, in order",
        ("at, UTC", "what", "certainty", "place", "line"),
        [happened_line(one, lines) for one in shown],
        notes=[
            "Without elections of leaders, which the drawing counts: 'ask what-happened' tells them, too."
        ],
        all_count=len(every) + unread_count,
        more=told.command("ask what-happened --at TIME --around 5m"),
    )


def happenings_in_order(told: ClusterTold) -> tuple[list[AnswerItem], int]:
    """The last of each table, and how many there are before these."""
    begin, end = told.first_at, told.last_at
    if begin is None or end is None:
        return [], 0
    found: list[Happened] = []
    unread_count = 0
    for place, source in enumerate(SOURCES):
        if source.table == LEFT_OUT or not told.within.has(source.table):
            continue
        within = column_since(source.at, begin) & column_before(source.at, end + timedelta(microseconds=1))
        rows = told.within.rows(source.table, all_conditions(within, source.only)).sort(
            source.at, maintain_order=True
        )
        unread_count += max(rows.height - MOST_READ, 0)
        found += [(row[source.at], place, row) for row in rows.tail(MOST_READ).to_dicts()]
    asked = asked_for(told.within, begin, end, About())
    found += [(row["at"], len(SOURCES), row) for row in asked]
    items = happened_items(sorted(found, key=lambda one: one[:2]))
    return [one.item for one in items], unread_count


def happened_line(one: AnswerItem, lines: dict[Place, Row]) -> TableLine:
    found = lines.get(place_of_row(one.evidence[0])) if one.evidence else None
    raw: Sequence[str] = printable_lines(bytes(found["raw"] or b""), 1, WIDTH) if found else ()
    near = f"{shorten_line(found['near'], WIDTH)}:{found['line']}" if found else ""
    cells = (
        time_cell(one.at),
        Cell(one.text),
        text_cell(one.certainty),
        text_cell(near, "place"),
        text_cell("".join(raw[:1]), "raw"),
    )
    return TableLine(cells, one.at, one.at)
