"""Tables of a page on what was asked for and judged: reassignments, deletions of topics, moves by verdict."""

from collections.abc import Iterator

from jobs.questions import reassignments
from jobs.questions.named.sources import partition_of
from jobs.questions.terms import spaced_words
from jobs.report.table import (
    MOST_ROWS,
    PageTable,
    TableLine,
    duration_cell,
    number_cell,
    text_cell,
    time_cell,
    words_cell,
)
from jobs.report.told import ClusterTold
from jobs.screen.sections import why_no_move
from jobs.text import list_text, printable_lines
from pipeline.core.conditions import column_differs
from pipeline.gold.transition_audit.precedence import PRECEDENCE
from pipeline.views.reading.rows import Row, place_of_row

LIFE = "gold.topic_lifecycle"


def reassignments_page_table(told: ClusterTold) -> PageTable:
    found = told.lately("ended_at", told.within.rows(reassignments.TABLE))
    rows = found.sort("started_at", "topic", "partition")
    lines = [
        TableLine(
            (
                text_cell(partition_of(one)),
                words_cell(one["kind"]),
                text_cell(f"{list_text(one['original_replicas'])} to {list_text(one['target_replicas'])}"),
                time_cell(one["started_at"]),
                time_cell(one["ended_at"], "goes on"),
                duration_cell(one["total_ms"], ""),
                words_cell(one["outcome"]),
                text_cell(spaced_words(one["reason"] or one["waiting_for"] or "")),
                text_cell(one["certainty"]),
            ),
            one["started_at"],
            one["ended_at"],
        )
        for one in rows.head(MOST_ROWS).to_dicts()
    ]
    head = ("partition", "kind", "replicas", "started, UTC", "ended", "took", "outcome", "why, or waits for")
    more = told.command("changes")
    return PageTable(
        "reassignments", "Reassignments", (*head, "certainty"), lines, all_count=rows.height, more=more
    )


def deletions_page_table(told: ClusterTold) -> PageTable:
    found = told.lately("ended_at", told.within.rows(LIFE, column_differs("deletion_state", "none")))
    rows = found.sort("deletion_requested_at", "topic", "topic_life")
    lines = [
        TableLine(
            (
                text_cell(one["topic"]),
                time_cell(one["deletion_requested_at"], "not seen"),
                time_cell(one["put_off_at"]),
                words_cell(one["blocked_by"]) if one["put_off_at"] else text_cell(""),
                time_cell(one["completed_at"]),
                duration_cell(one["deletion_ms"], ""),
                words_cell(one["deletion_state"]),
                words_cell(one["ended_how"]) if one["ended_at"] else text_cell(""),
                text_cell(one["certainty"]),
            ),
            one["deletion_requested_at"] or one["first_seen_at"],
            one["ended_at"],
        )
        for one in rows.head(MOST_ROWS).to_dicts()
    ]
    head = ("topic", "asked, UTC", "put off", "by", "completed", "took", "state", "topic ended", "certainty")
    more = told.command("changes")
    return PageTable("deletions", "Deletions of topics", head, lines, all_count=rows.height, more=more)


def move_verdict_tables(told: ClusterTold) -> Iterator[PageTable]:
    counts = told.facts.moves
    if counts is None:
        return
    verdicts = {name: count for name, count in counts.items() if name != "normal" and count}
    if not verdicts:
        why = why_no_move(told.facts)
        yield PageTable("moves", "Moves by verdict", (), (), empty=f"Not judged: {why}.")
        return
    meanings: dict[str, str] = {}
    for name, words_of in PRECEDENCE:
        meanings[name] = f"{meanings[name]}; or {words_of}" if name in meanings else words_of
    normal = (
        f"Refused moves that every healthy cluster of this release has: {counts['normal']:,}."
        if counts.get("refused")
        else ""
    )
    yield PageTable(
        "moves",
        "Moves of partitions and replicas by verdict",
        ("verdict", "moves", "which means"),
        [
            TableLine((words_cell(name), number_cell(count), text_cell(meanings[name])))
            for name, count in sorted(verdicts.items(), key=verdict_sort_key)
        ],
        notes=[normal] if normal else (),
    )
    odd = told.facts.odd_moves
    if odd:
        yield PageTable(
            "odd-moves",
            "Illegal and refused moves",
            ("verdict", "at, UTC", "machine", "move", "normal", "record", "place"),
            [odd_line(told, one) for one in odd],
            all_count=counts.get("illegal", 0) + counts.get("refused", 0),
            more="gold.transition_audit",
        )


def verdict_sort_key(one: tuple[str, int]) -> tuple[int, str]:
    order = ("illegal", "discontinuity", "undetermined", "refused", "failed")
    return (order.index(one[0]) if one[0] in order else len(order)), one[0]


def odd_line(told: ClusterTold, one: Row) -> TableLine:
    found = told.lines.get(place_of_row(one))
    near = f"{found['near']}:{found['line']}" if found else ""
    raw = bytes(found["raw"] or b"") if found else b""
    cells = (
        words_cell(one["verdict"]),
        time_cell(one["logged_at"]),
        words_cell(one["machine"]),
        text_cell(f"{one['from_state']} to {one['to_state']}"),
        text_cell("normal" if one["normal"] else ""),
        text_cell(next(iter(printable_lines(raw, width=200)), ""), "raw"),
        text_cell(near, "place"),
    )
    return TableLine(cells, one["logged_at"], one["logged_at"])
