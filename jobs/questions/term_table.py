"""Terms of controllers on the first screen, a line each."""

from collections.abc import Sequence

from jobs.layout import format_table
from jobs.questions.reasons import short_reason
from jobs.questions.term_gaps import BY_SILENCE, gap_text, most_gap_ms
from jobs.questions.terms import spaced_words
from jobs.text import (
    clock_text,
    number_text,
)
from pipeline.core.clocks import day_clock
from pipeline.views.reading.rows import Row


def short_table(terms: Sequence[Row], findings: Sequence[Row]) -> list[str]:
    """One line a term, for the first screen, with the numbers of the findings about it."""
    has_lives = len({one["life"] for one in terms}) > 1
    days = {one["elected_at"].date() for one in terms if one["elected_at"]}
    when = day_clock if len(days) > 1 else clock_text
    cells = [
        (
            one["term_id"] if has_lives else number_text(one["controller_epoch"]),
            str(one["controller_id"]),
            when(one["elected_at"]) if one["elected_at"] else "not seen",
            f"{one['ready_ms']} ms" if one["ready_ms"] is not None else "-",
            short_end(one),
            term_gap_note(one),
            " ".join(
                f"F{number}" for number, each in enumerate(findings, 1) if each["term_id"] == one["term_id"]
            ),
        )
        for one in terms
    ]
    return format_table(("TERM", "ctl", "elected", "ready", "ended", "", ""), cells)


def short_end(term: Row) -> str:
    """How it ended; of one that resigned, and nothing tells why, that it did."""
    if term["ended_how"] == "open":
        return "(open)"
    return spaced_words(
        term["ended_how"] or ("resigned" if term["resigned_at"] else "not known")
    ) + short_reason(term)


def term_gap_note(term: Row) -> str:
    is_told = term["ended_how"] in BY_SILENCE or most_gap_ms(term) >= 1000 or term["gap_kind"] == "none"
    return gap_text(term).strip() if is_told else ""
