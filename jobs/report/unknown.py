"""What the logs do not tell of a cluster, said on its page before its findings are."""

from collections.abc import Sequence
from datetime import timedelta

from polars import col

from jobs.questions.named.missing import missing_evidence
from jobs.questions.named.standing import nodes_text
from jobs.questions.nodes import KRAFT
from jobs.questions.unpublished import missing_table_notes
from jobs.report.elements import Markup, Room, html_element, join_markup
from jobs.report.lanes_of_evidence import spans_without_logs
from jobs.report.scale import Scale
from jobs.report.told import ClusterTold
from jobs.screen.sections import why_no_move
from jobs.text import format_count, length_text, printable_lines, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.views.reading.rows import place_of_row

EVIDENCE = "gold.evidence"
KRAFT_MOVES = "in KRaft mode moves are not judged, and ratios have no limit"
NO_TRACE = (
    "replica moves, and partitions that go Offline or NonExistent, are not printed at this log level:"
    " set log4j.logger.state.change.logger=TRACE, stateChangeAppender"
)
SHOWN, SHOWN_SILENCES = 100, 3
UNFOLDED = 5
LEAST_SILENCE = timedelta(minutes=10)


def unknown_part(told: ClusterTold, room: Room) -> Markup:
    answers = told.answers
    found = missing_evidence(answers, told.window.since)
    lines = (
        answers.lines([place for one in found.told[:SHOWN] for place in one.evidence[:1]])
        if found.told
        else {}
    )
    general_ones = [html_element("li", one) for one in (*general_unknowns(told), *found.not_known)]
    items: list[Markup] = []
    for one in found.told[:SHOWN]:
        when = f"{day_clock(one.at)} UTC: " if one.at else ""
        record = lines.get(place_of_row(one.evidence[0])) if one.evidence else None
        shown: list[str] = [f"{when}{shorten_line(one.text, 600)} [{one.certainty or 'inferred'}]"]
        if record is not None:
            raw = printable_lines(bytes(record["raw"] or b""), 1, 400)
            shown.append(
                html_element("pre", f"{shorten_line(record['near'], 400)}:{record['line']}  {raw[0]}")
            )
        item = html_element("li", *shown)
        if not room.takes(item):
            break
        items.append(item)
    more = len(found.told) - len(items)
    if more > 0:
        items.append(
            html_element("li", f"{more:,} more: {told.command('ask missing-evidence') or 'silver.log_gap'}")
        )
    return join_markup(
        [
            html_element("p", found.sentence),
            html_element("ul", *general_ones) if general_ones else join_markup([]),
            fold_long_list(items, len(found.told)),
        ]
    )


def fold_long_list(items: Sequence[Markup], count: int) -> Markup:
    """Where they would push aside what was found."""
    if len(items) <= UNFOLDED:
        return html_element("ul", *items) if items else join_markup([])
    heading = f"Each of these {count:,} with its line"
    return html_element("details", html_element("summary", heading), html_element("ul", *items))


def general_unknowns(told: ClusterTold) -> list[str]:
    """Of the whole cluster, as the first screen says it below its verdict."""
    facts, unsaid = told.facts, unanswered_question_lines(told)
    said: list[str] = []
    if facts.mode == KRAFT:
        said.append(KRAFT_MOVES)
    elif not facts.are_moves_given:
        said.append(f"moves of partitions and replicas: {why_no_move(facts)}")
    elif facts.level and not facts.level["is_trace"] and not unsaid:
        said.append(NO_TRACE)
    if facts.beyond:
        said.insert(0, f"what was so in the time that is shown: {facts.beyond}")
    read = facts.read
    beside = sum(one["count"] for one in facts.reasons if one["is_beside"])
    unread = int(read["records"] or 0) - int(read["understood"] or 0) - beside
    if unread:
        why = ", ".join(
            f"{one['not_understood_reason']} {one['count']:,}"
            for one in facts.reasons
            if not one["is_beside"]
        )
        said.append(f"{unread:,} of {read['records']:,} records are not understood ({why})")
    if facts.at_end and facts.at_end["unknown"]:
        said.append(
            f"leader or replicas at the end are not known of {format_count(facts.at_end['unknown'], 'partition')}"
        )
    return [*said, *longest_silences(told), *unsaid, *missing_table_notes(told.answers.tables)]


def unanswered_question_lines(told: ClusterTold) -> list[str]:
    """What the logs of a node cannot answer, with what there is to do about it, as gold.evidence says."""
    rows = told.within.rows(EVIDENCE, None, ("node_id", "unanswered")).explode("unanswered").drop_nulls()
    asked = rows.group_by(what="unanswered").agg(nodes=col("node_id").unique().sort()).sort("what")
    alike: dict[tuple[str, str], list[str]] = {}
    for what, nodes in asked.head(SHOWN).iter_rows():
        question, _, todo = what.partition(": ")
        alike.setdefault((nodes_text([*map(str, nodes)], "node"), todo), []).append(question)
    return [
        f"for some of the time, the logs of {whose} as controller do not tell of {'; of '.join(questions)}; "
        f"to have it told: {todo}"
        for (whose, todo), questions in alike.items()
    ]


def longest_silences(told: ClusterTold) -> list[str]:
    """Times of which no log of any node has a line, the longest ones; the drawing has all of them pale."""
    first, last = told.first_at, told.last_at
    if first is None or last is None or first >= last:
        return []
    found = sorted(spans_without_logs(told, Scale(first, last)), key=lambda one: one[0] - one[1])
    long = [one for one in found if one[1] - one[0] >= LEAST_SILENCE]
    named = "; ".join(
        f"{day_clock(begin)} to {day_clock(end)} UTC ({length_text(int((end - begin).total_seconds() * 1000))})"
        for begin, end in long[:SHOWN_SILENCES]
    )
    more = (
        f", and in {format_count(len(long) - SHOWN_SILENCES, 'shorter time')}"
        if len(long) > SHOWN_SILENCES
        else ""
    )
    said = (
        f"no log of any node has a line from {named}{more}: nothing was logged, or it was not read; what is shown of "
        "these times follows from lines "
    )
    return [f"{said}before and after"] if long else []
