"""The table of a page that tells in order what was decided and asked for, each with the line that says it."""

from collections.abc import Sequence

from jobs.questions.named.answer import Told
from jobs.questions.named.happened import About, Happened, asked_for, rows_of, told_of
from jobs.questions.named.sources import SOURCES
from jobs.questions.rows import Place, Row, place_of
from jobs.report.table import MOST_ROWS, Cell, Line, Table, at, said
from jobs.report.told import ClusterTold
from jobs.text import printable_lines, shortened

LEFT_OUT = "gold.leader_election"  # the most of all rows: the drawing has them, findings the unclean ones
WIDTH = 190


def happened(told: ClusterTold) -> Table:
    """The last ones where there are too many."""
    every = told_in_order(told)
    shown = every[-MOST_ROWS:]
    places = [place for one in shown for place in one.evidence[:1]]
    lines = told.answers.lines(places) if places else {}
    return Table(
        "happened",
        "What happened, in order",
        ("at, UTC", "what", "certainty", "place", "line"),
        [happened_line(one, lines) for one in shown],
        notes=[
            "Without elections of leaders, which the drawing counts: 'ask what-happened' tells them, too."
        ],
        all_count=len(every),
        more=told.command("ask what-happened --at TIME --around 5m"),
    )


def told_in_order(told: ClusterTold) -> list[Told]:
    begin, end = told.first_at, told.last_at
    if begin is None or end is None:
        return []
    answers, everything = told.within, About()
    found: list[Happened] = [
        (row[source.at], place, row)
        for place, source in enumerate(SOURCES)
        if source.table != LEFT_OUT
        for row in rows_of(answers, source, begin, end, everything)
    ]
    found += [(row["at"], len(SOURCES), row) for row in asked_for(answers, begin, end, everything)]
    return list(told_of(sorted(found, key=lambda one: one[:2])))


def happened_line(one: Told, lines: dict[Place, Row]) -> Line:
    found = lines.get(place_of(one.evidence[0])) if one.evidence else None
    raw: Sequence[str] = printable_lines(bytes(found["raw"] or b""), 1, WIDTH) if found else ()
    near = f"{shortened(found['near'], WIDTH)}:{found['line']}" if found else ""
    cells = (
        at(one.at),
        Cell(one.text),
        said(one.certainty),
        said(near, "place"),
        said("".join(raw[:1]), "raw"),
    )
    return Line(cells, one.at, one.at)
