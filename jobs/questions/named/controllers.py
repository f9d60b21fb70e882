"""Who was controller at a time."""

from datetime import datetime

from jobs.questions.named.answer import Answer, AnswerItem
from jobs.questions.nodes import controllers_without_term
from jobs.questions.reasons import reason_text
from jobs.text import epoch_text
from pipeline.core.clocks import day_clock
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.terms.tenures import LAST_LINE, is_end_unseen

TERM = "gold.controller_term"


def who_was_controller(answers: Answers, at: datetime | None) -> Answer:
    """at: None for the end of the data."""
    last = answers.last_at()
    rows = terms_with_first_lines(answers)
    if not rows or last is None:
        return Answer(f"Not enough evidence: {without_term(answers)}.", as_of=last)
    asked = last if at is None else at
    if asked > last:
        at_end = who_was_controller(answers, None)
        sentence = f"Not enough evidence: the data end before {day_clock(asked)} UTC. {at_end.sentence}"
        return Answer(sentence, at_end.told, ["who was controller after the end of the data"], last)
    begun = [row for row in rows if (at_first := term_began_at(row)) is not None and at_first <= asked]
    if not begun:
        first = f"{controller_and_epoch(rows[0])}, from {at_text(term_began_at(rows[0]))} on"
        sentence = f"Not enough evidence: the first controller that the logs show is {first}."
        return Answer(sentence, [term_item(rows[0])], ["who was controller before it"], last)
    held = [row for row in begun if (end := ended_at(row)) is None or end > asked]
    moment = f"{day_clock(asked)} UTC"
    current = held[-1] if held else begun[-1]
    if is_unproved(current, asked) or is_end_unseen(current, asked, is_held=bool(held)):
        return not_seen_then(current, rows, moment, last)
    if not held:
        return none_then(current, rows, moment, last)
    sentence = f"At {moment} the controller was {controller_and_epoch(current)}."
    others = held[:-1]
    if others:
        sentence += f" {' and '.join(map(controller_and_epoch, others))} had not yet resigned."
    return Answer(sentence, [term_item(one) for one in reversed(held)], [], last)


def without_term(answers: Answers) -> str:
    seen = [
        f"controller {one['controller_id']} from {at_text(one['from_at'])} on"
        for one in controllers_without_term(answers)
    ]
    if not seen:
        return "no line of a controller in office was read"
    return f"no election was read; lines in office are of {', '.join(seen)}"


def terms_with_first_lines(answers: Answers) -> list[Row]:
    """Terms in their turn with told_from_at, the first line of the controller's own node, and unproved_from_at."""
    names = ("told_from_at", "unproved_from_at")
    told = {row["term_id"]: row for row in answers.rows("silver.term", None, ("term_id", *names)).to_dicts()}
    return [row | {name: told.get(row["term_id"], {}).get(name) for name in names} for row in answers.terms()]


def is_unproved(row: Row, asked: datetime) -> bool:
    """After days of which no log is there no line proves that it was still in office."""
    since: datetime | None = row["unproved_from_at"]
    return since is not None and asked >= since


def not_seen_then(previous: Row, rows: list[Row], moment: str, last: datetime) -> Answer:
    following = rows[rows.index(previous) + 1 :][:1]
    seen = ended_at(previous) if previous["ended_how"] in LAST_LINE else previous["last_act_at"]
    then = (
        f"; {controller_and_epoch(following[0])} was elected {at_text(term_began_at(following[0]))}"
        if following
        else ""
    )
    return Answer(
        f"Not enough evidence of {moment}: the last line of {controller_and_epoch(previous)} in office "
        f"is of {at_text(seen)}{then}.",
        [term_item(one) for one in (previous, *following)],
        ["when it ended, so whether it was still controller then"],
        last,
    )


def none_then(previous: Row, rows: list[Row], moment: str, last: datetime) -> Answer:
    following = rows[rows.index(previous) + 1 :][:1]
    then = (
        f"; {controller_and_epoch(following[0])} was elected {at_text(term_began_at(following[0]))}"
        if following
        else ""
    )
    return Answer(
        f"At {moment} there was no controller: {controller_and_epoch(previous)} had ended "
        f"{at_text(ended_at(previous))}{then}.",
        [term_item(one) for one in (previous, *following)],
        [],
        last,
    )


def at_text(at: datetime | None) -> str:
    return f"{day_clock(at)} UTC" if at else "at a time that no line tells"


def term_began_at(row: Row) -> datetime | None:
    """When it was elected; its first line where no election was read."""
    found: datetime | None = row["elected_at"] or row["told_from_at"] or row["last_act_at"]
    return found


def ended_at(row: Row) -> datetime | None:
    ends = [at for at in (row["ended_at"], row["superseded_at"]) if at]
    return min(ends) if ends else None


def controller_and_epoch(row: Row) -> str:
    noun = "broker" if row["mode"] == "zookeeper" else "node"
    return f"{noun} {row['controller_id']} ({epoch_text(row['controller_epoch'])})"


def term_item(row: Row) -> AnswerItem:
    elected = f"elected {day_clock(row['elected_at'])}" if row["elected_at"] else "election not read"
    end = ended_at(row)
    how = (row["ended_how"] or "not known").replace("_", " ")
    ended = f"ended {day_clock(end)} ({how})" if end else "in office at the end of the data"
    if row["ended_how"] in LAST_LINE and end:
        ended = f"last line {day_clock(end)} ({how} after it)"
    why = reason_text(row, row["controller_id"])
    text = (
        f"term {row['term_id']}: {controller_and_epoch(row)}, {elected}, {ended}{f': {why}' if why else ''}"
    )
    return AnswerItem(text, row["elected_at"], row["certainty"], row["evidence"])
