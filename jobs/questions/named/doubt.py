"""What an answer by name cannot know, in one place: of a time outside of the data, or of logs that were not given."""

from dataclasses import replace

from jobs.questions.named.answer import Answer
from jobs.questions.named.given import Given, question_window
from jobs.questions.untold import find_unknowns
from pipeline.views.reading.answers import Answers

NOT_ENOUGH, OUTSIDE = "Not enough evidence", "the data end before"


def doubt_answer(found: Answer, answers: Answers, given: Given, rests_on: str | None) -> Answer:
    """Nothing is said to be well of a time outside of the data, or where the logs that would tell were not given."""
    read, is_told = answers.read(), found.sentence.startswith(NOT_ENOUGH)
    beyond = question_window(answers, given).beyond(read["first_at"], read["last_at"])
    if beyond is not None and not (is_told and OUTSIDE in found.sentence):
        at_end = f" At their end: {found.sentence}" if found.told else ""
        return replace(found, sentence=f"{NOT_ENOUGH}: {beyond}.{at_end}")
    if is_told:
        return found
    why = getattr(find_unknowns(answers), rests_on) if rests_on else None
    if why is None:
        return found
    if found.told:
        return replace(found, not_known=[*found.not_known, f"whether that is all: {why}"])
    return replace(found, sentence=f"{NOT_ENOUGH}: {why}. {found.sentence}")
