"""Which tables stand on a page; of them controllers and brokers: who was there from when until when."""

from collections.abc import Iterator, Sequence

from jobs.questions.term_gaps import gap_text
from jobs.questions.untold import NO_CONTROLLER
from jobs.report.asked_tables import deletions_page_table, move_verdict_tables, reassignments_page_table
from jobs.report.happened_table import happenings_page_table
from jobs.report.served_tables import client_table, imbalance_page_tables, outage_tables
from jobs.report.table import (
    MOST_ROWS,
    Cell,
    PageTable,
    TableLine,
    duration_cell,
    number_cell,
    text_cell,
    time_cell,
    words_cell,
)
from jobs.report.told import ClusterTold
from jobs.screen.sections import is_term_since

SESSION = "gold.broker_session"


def page_tables(told: ClusterTold, prefix: str) -> Iterator[PageTable]:
    yield terms_page_table(told, prefix)
    yield brokers_page_table(told)
    yield from outage_tables(told)
    yield from client_table(told)
    yield from imbalance_page_tables(told)
    yield reassignments_page_table(told)
    yield deletions_page_table(told)
    yield from move_verdict_tables(told)
    yield happenings_page_table(told)


def terms_page_table(told: ClusterTold, prefix: str) -> PageTable:
    found: dict[str, list[int]] = {}
    for number_of, one in told.findings:
        if one["term_id"]:
            found.setdefault(one["term_id"], []).append(number_of)
    since = told.window.since
    rows = [one for one in told.facts.terms if is_term_since(one, since)]
    lines = [
        TableLine(
            (
                Cell(one["term_id"], one["life"] * 1e9 + (one["controller_epoch"] or 0)),
                number_cell(one["controller_id"]),
                time_cell(one["elected_at"], "not seen"),
                words_cell(one.get("election_reason")),
                duration_cell(one["ready_ms"], "-"),
                time_cell(one["ended_at"], "open" if one["ended_how"] == "open" else "-"),
                words_cell(one["ended_how"]),
                text_cell(gap_text(one).strip()),
                finding_numbers_cell(found.get(one["term_id"], ()), prefix),
                text_cell(one["certainty"]),
            ),
            one["elected_at"],
            one["ended_at"],
        )
        for one in rows[-MOST_ROWS:]
    ]
    head = ("term", "controller", "elected, UTC", "why elected", "ready after", "ended, UTC", "how")
    return PageTable(
        "terms",
        "Controllers by term",
        (*head, "no controller, or two", "finding", "certainty"),
        lines,
        all_count=len(rows),
        more=told.command("terms"),
        empty=f"Not enough evidence: {told.facts.beyond or NO_CONTROLLER}.",
    )


def finding_numbers_cell(numbers: Sequence[int], prefix: str) -> Cell:
    """The first leads to its finding."""
    if not numbers:
        return Cell("")
    return Cell(" ".join(f"F{one}" for one in numbers), numbers[0], href=f"#{prefix}F{numbers[0]}")


def brokers_page_table(told: ClusterTold) -> PageTable:
    rows = told.lately("left_at", told.within.rows(SESSION)).sort("joined_at", "broker_id")
    lines = [
        TableLine(
            (
                number_cell(one["broker_id"]),
                time_cell(one["joined_at"]),
                words_cell(one["joined_how"]),
                time_cell(one["silent_from_at"]),
                time_cell(one["left_at"], "still there"),
                words_cell(one["left_how"]) if one["left_at"] else text_cell(""),
                number_cell(one["led_count"], "?" if one["left_at"] else ""),
                words_cell(one["end_reason"]) if one["left_at"] else text_cell(""),
                text_cell(one["certainty"]),
            ),
            one["joined_at"],
            one["left_at"],
        )
        for one in rows.head(MOST_ROWS).to_dicts()
    ]
    head = (
        "broker",
        "joined, UTC",
        "how",
        "perhaps gone since",
        "left",
        "how",
        "led then",
        "why",
        "certainty",
    )
    return PageTable("brokers", "Brokers: when each was there", head, lines, all_count=rows.height)
