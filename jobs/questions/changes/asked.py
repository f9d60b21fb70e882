"""All changes of a stretch of time in its order, each with its words, who served it and what became of it."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from polars import col

from jobs.questions.given_names import unknown_topic
from jobs.questions.untold import NO_CONTROLLER
from jobs.text import length_text
from pipeline.views.changes.kinds import ASKED_BY, AUTO, KINDS, OUTCOMES, UNREAD, UNSEEN
from pipeline.views.changes.of_controllers import TERMS
from pipeline.views.changes.requests import change_rows_between
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

NAMED = 3  # partitions of a request that are named


def changes_of(answers: Answers, since: datetime | None = None, until: datetime | None = None) -> list[Row]:
    """COLUMNS, term_id, controller_epoch, what and outcome, in the order of time."""
    found = change_rows_between(answers, since, until).to_dicts()
    return [row | {"what": change_words(row), "outcome": outcome_words(row)} for row in found]


def changes_of_topic(answers: Answers, rows: list[Row], topic: str | None) -> list[Row]:
    """Those that name the topic; all if none is given. InputProblem: no line names such a topic."""
    own = rows if topic is None else [row for row in rows if topic in (row["topics"] or [])]
    if topic is not None and not own and topic not in (counts := answers.partition_counts()):
        raise unknown_topic(topic, counts)
    return own


def unseen_change_notes(answers: Answers, rows: Sequence[Row]) -> list[str]:
    """What can't be told apart, and what is never seen: by the mode, and of controllers without logs."""
    terms = answers.rows(TERMS, None, ("mode", "term_id", "elected_at", "last_act_at")).sort("last_act_at")
    unread = terms.filter(col("elected_at").is_null())["term_id"].to_list()
    has_created = any(row["kind"] == "topic_created" and row["asked_by"] == "unknown" for row in rows)
    if terms.is_empty():
        return [f"What controllers were asked: {NO_CONTROLLER}."]
    notes = [UNSEEN[mode] for mode in terms["mode"].unique().sort()]
    notes += [AUTO] if has_created else []
    return [*notes, UNREAD.format(terms=names_text(unread))] if unread else notes


def served_by(row: Row) -> str:
    """Who was in office; nothing where that is not known."""
    if row["controller_id"] is None:
        return ""
    epoch = "" if row["controller_epoch"] is None else f", epoch {row['controller_epoch']}"
    return f"controller {row['controller_id']}{epoch}"


def change_sentence(row: Row) -> str:
    """What it was and what became of it."""
    return f"{row['what']}: {row['outcome']}" if row["outcome"] else str(row["what"])


def change_words(row: Row) -> str:
    topics, partitions = row["topics"] or [], row["partitions"] or []
    words = KINDS[row["kind"]].one.format_map(
        row | {"topic": topics[0] if topics else "?", "partitions": changed_partitions_text(partitions)}
    )
    by = ASKED_BY[row["asked_by"]]
    late = ", at the latest then" if row["kind"] == "deletion" and row["certainty"] == "inferred" else ""
    return f"{words}{late}{' ' + by if by else ''}"


def changed_partitions_text(names: Sequence[str]) -> str:
    if not names:
        return "partitions that are not named"
    return names_text(names) if len(names) <= NAMED else f"{len(names):,} partitions ({names_text(names)})"


def names_text(names: Sequence[str]) -> str:
    """The first of them."""
    return ", ".join([*names[:NAMED], *(["…"] if len(names) > NAMED else [])])


def outcome_words(row: Row) -> str | None:
    """Several outcomes of one request with their counts."""
    codes = Counter(row["outcomes"] or [])
    length = None if row["ms"] is None else length_text(row["ms"])
    values = row | {"length": length or "?"}
    said = [(OUTCOMES[code].format_map(values), count) for code, count in codes.items()]
    if len(said) < 2:
        return said[0][0] if said else None
    return ", ".join(f"{count:,} {words}" for words, count in said)
