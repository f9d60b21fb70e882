"""Which tables stand on a page; of them controllers and brokers: who was there from when until when."""

from collections.abc import Iterator, Sequence

from jobs.questions.terms import gap_text
from jobs.questions.untold import NO_CONTROLLER
from jobs.report.asked_tables import deletions, moved, moves
from jobs.report.happened_table import happened
from jobs.report.served_tables import imbalance, outage_tables
from jobs.report.table import MOST_ROWS, Cell, Line, Table, at, length, number, plain, said
from jobs.report.told import ClusterTold
from jobs.screen.sections import is_since

SESSION = "gold.broker_session"


def tables_of(told: ClusterTold, prefix: str) -> Iterator[Table]:
    yield terms(told, prefix)
    yield brokers(told)
    yield from outage_tables(told)
    yield from imbalance(told)
    yield moved(told)
    yield deletions(told)
    yield from moves(told)
    yield happened(told)


def terms(told: ClusterTold, prefix: str) -> Table:
    found: dict[str, list[int]] = {}
    for number_of, one in told.findings:
        if one["term_id"]:
            found.setdefault(one["term_id"], []).append(number_of)
    since = told.window.since
    rows = [one for one in told.facts.terms if is_since(one, since)]
    lines = [
        Line(
            (
                Cell(one["term_id"], one["life"] * 1e9 + (one["controller_epoch"] or 0)),
                number(one["controller_id"]),
                at(one["elected_at"], "not seen"),
                plain(one.get("election_reason")),
                length(one["ready_ms"], "-"),
                at(one["ended_at"], "open" if one["ended_how"] == "open" else "-"),
                plain(one["ended_how"]),
                said(gap_text(one).strip()),
                numbered(found.get(one["term_id"], ()), prefix),
                said(one["certainty"]),
            ),
            one["elected_at"],
            one["ended_at"],
        )
        for one in rows[-MOST_ROWS:]
    ]
    head = ("term", "controller", "elected, UTC", "why elected", "ready after", "ended, UTC", "how")
    return Table(
        "terms",
        "Controllers by term",
        (*head, "no controller, or two", "finding", "certainty"),
        lines,
        all_count=len(rows),
        more=told.command("terms"),
        empty=f"Not enough evidence: {told.facts.beyond or NO_CONTROLLER}.",
    )


def numbered(numbers: Sequence[int], prefix: str) -> Cell:
    """The first leads to its finding."""
    if not numbers:
        return Cell("")
    return Cell(" ".join(f"F{one}" for one in numbers), numbers[0], href=f"#{prefix}F{numbers[0]}")


def brokers(told: ClusterTold) -> Table:
    rows = told.lately("left_at", told.within.rows(SESSION)).sort("joined_at", "broker_id")
    lines = [
        Line(
            (
                number(one["broker_id"]),
                at(one["joined_at"]),
                plain(one["joined_how"]),
                at(one["silent_from_at"]),
                at(one["left_at"], "still there"),
                plain(one["left_how"]) if one["left_at"] else said(""),
                number(one["led_count"], "?" if one["left_at"] else ""),
                plain(one["end_reason"]) if one["left_at"] else said(""),
                said(one["certainty"]),
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
    return Table("brokers", "Brokers: when each was there", head, lines, all_count=rows.height)
