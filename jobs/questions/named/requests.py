"""What people and tools asked of the cluster from a time on."""

from datetime import datetime

from jobs.questions.changes.asked import (
    change_sentence,
    changes_of,
    changes_of_topic,
    served_by,
    unseen_change_notes,
)
from jobs.questions.changes.out import DOCUMENT
from jobs.questions.named.answer import Answer, AnswerItem
from jobs.text import format_count
from pipeline.core.clocks import day_clock
from pipeline.core.errors import InputProblem
from pipeline.views.changes.frames import LINE
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

VALUES = tuple(name for name in DOCUMENT if name not in ("at", "certainty"))


def answer_changes(
    answers: Answers, since: datetime | None, until: datetime | None, topic: str | None = None
) -> Answer:
    """In the order of time, each with what became of it. InputProblem: until is not after since; no such topic."""
    last = answers.last_at()
    if last is None or not answers.has("gold.controller_term"):
        return Answer("Not enough evidence: no line of a controller in office was read.", as_of=last)
    if since is not None and until is not None and since >= until:
        raise InputProblem(
            expected="--until after --since",
            found=f"{day_clock(since)} and {day_clock(until)} UTC",
            todo="give them in the order of time",
        )
    if since is not None and since > last:
        return Answer(f"Not enough evidence: the data end before {day_clock(since)} UTC.", as_of=last)
    rows = changes_of_topic(answers, changes_of(answers, since, until), topic)
    span = "".join(f" {word} {day_clock(at)} UTC" for word, at in (("since", since), ("until", until)) if at)
    whose = f" of topic {topic}" if topic else ""
    sentence = (
        f"{format_count(len(rows), 'change')}{whose} that people or tools asked for{span}."
        if rows
        else f"No line shows a change{whose} that people or tools asked for{span}."
    )
    return Answer(sentence, [change_item(row) for row in rows], unseen_change_notes(answers, rows), last)


def change_item(row: Row) -> AnswerItem:
    by = served_by(row)
    line = [{name: row[name] for name in LINE}] if row["file_id"] is not None else []
    text = f"{change_sentence(row)}{f' ({by})' if by else ''}"
    return AnswerItem(text, row["at"], row["certainty"], line, {name: row[name] for name in VALUES})
