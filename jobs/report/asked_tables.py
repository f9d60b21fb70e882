"""Tables of a page on what was asked for and judged: reassignments, deletions of topics, moves by verdict."""

from collections.abc import Iterator

from jobs.questions import reassignments
from jobs.questions.named.sources import partition_of
from jobs.questions.rows import Row, place_of
from jobs.questions.terms import words
from jobs.report.table import MOST_ROWS, Line, Table, at, length, number, plain, said
from jobs.report.told import ClusterTold
from jobs.screen.sections import why_no_move
from jobs.text import list_text, printable_lines
from pipeline.core.conditions import differs
from pipeline.gold.transition_audit.precedence import PRECEDENCE

LIFE = "gold.topic_lifecycle"


def moved(told: ClusterTold) -> Table:
    found = told.lately("ended_at", told.within.rows(reassignments.TABLE))
    rows = found.sort("started_at", "topic", "partition")
    lines = [
        Line(
            (
                said(partition_of(one)),
                plain(one["kind"]),
                said(f"{list_text(one['original_replicas'])} to {list_text(one['target_replicas'])}"),
                at(one["started_at"]),
                at(one["ended_at"], "goes on"),
                length(one["total_ms"], ""),
                plain(one["outcome"]),
                said(words(one["reason"] or one["waiting_for"] or "")),
                said(one["certainty"]),
            ),
            one["started_at"],
            one["ended_at"],
        )
        for one in rows.head(MOST_ROWS).to_dicts()
    ]
    head = ("partition", "kind", "replicas", "started, UTC", "ended", "took", "outcome", "why, or waits for")
    more = told.command("changes")
    return Table(
        "reassignments", "Reassignments", (*head, "certainty"), lines, all_count=rows.height, more=more
    )


def deletions(told: ClusterTold) -> Table:
    found = told.lately("ended_at", told.within.rows(LIFE, differs("deletion_state", "none")))
    rows = found.sort("deletion_requested_at", "topic", "topic_life")
    lines = [
        Line(
            (
                said(one["topic"]),
                at(one["deletion_requested_at"], "not seen"),
                at(one["put_off_at"]),
                plain(one["blocked_by"]) if one["put_off_at"] else said(""),
                at(one["completed_at"]),
                length(one["deletion_ms"], ""),
                plain(one["deletion_state"]),
                plain(one["ended_how"]) if one["ended_at"] else said(""),
                said(one["certainty"]),
            ),
            one["deletion_requested_at"] or one["first_seen_at"],
            one["ended_at"],
        )
        for one in rows.head(MOST_ROWS).to_dicts()
    ]
    head = ("topic", "asked, UTC", "put off", "by", "completed", "took", "state", "topic ended", "certainty")
    more = told.command("changes")
    return Table("deletions", "Deletions of topics", head, lines, all_count=rows.height, more=more)


def moves(told: ClusterTold) -> Iterator[Table]:
    counts = told.facts.moves
    if counts is None:
        return
    verdicts = {name: count for name, count in counts.items() if name != "normal" and count}
    if not verdicts:
        why = why_no_move(told.facts)
        yield Table("moves", "Moves by verdict", (), (), empty=f"Not judged: {why}.")
        return
    meanings: dict[str, str] = {}
    for name, words_of in PRECEDENCE:
        meanings[name] = f"{meanings[name]}; or {words_of}" if name in meanings else words_of
    normal = (
        f"Refused moves that every healthy cluster of this release has: {counts['normal']:,}."
        if counts.get("refused")
        else ""
    )
    yield Table(
        "moves",
        "Moves of partitions and replicas by verdict",
        ("verdict", "moves", "which means"),
        [
            Line((plain(name), number(count), said(meanings[name])))
            for name, count in sorted(verdicts.items(), key=worst)
        ],
        notes=[normal] if normal else (),
    )
    odd = told.facts.odd_moves
    if odd:
        yield Table(
            "odd-moves",
            "Illegal and refused moves",
            ("verdict", "at, UTC", "machine", "move", "normal", "record", "place"),
            [odd_line(told, one) for one in odd],
            all_count=counts.get("illegal", 0) + counts.get("refused", 0),
            more="gold.transition_audit",
        )


def worst(one: tuple[str, int]) -> tuple[int, str]:
    order = ("illegal", "discontinuity", "undetermined", "refused", "failed")
    return (order.index(one[0]) if one[0] in order else len(order)), one[0]


def odd_line(told: ClusterTold, one: Row) -> Line:
    found = told.lines.get(place_of(one))
    near = f"{found['near']}:{found['line']}" if found else ""
    raw = bytes(found["raw"] or b"") if found else b""
    cells = (
        plain(one["verdict"]),
        at(one["logged_at"]),
        plain(one["machine"]),
        said(f"{one['from_state']} to {one['to_state']}"),
        said("normal" if one["normal"] else ""),
        said(next(iter(printable_lines(raw, width=200)), ""), "raw"),
        said(near, "place"),
    )
    return Line(cells, one["logged_at"], one["logged_at"])
