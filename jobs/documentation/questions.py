"""The questions of the catalog with what each takes, for the documentation."""

from jobs.questions.catalog import QUESTIONS
from jobs.questions.taken import TAKES
from pipeline.catalog.docs import markdown_table


def questions_part() -> str:
    """A row a question, those that answer in a sentence first: whether it is a command, too, and what it answers."""
    rows = [
        (
            f"`{' '.join([name, *map(str, (TAKES[one] for one in question.takes))])}`",
            f"`{name}`" if question.is_command else "",
            question.words,
        )
        for name, question in sorted(QUESTIONS.items(), key=lambda pair: pair[1].is_listing)
    ]
    return markdown_table(("`ask`", "command", "answers"), rows)
