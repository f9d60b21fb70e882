"""Questions of the catalog with the arguments that they cannot do without, of the sample."""

from jobs.questions.catalog import QUESTIONS
from jobs.questions.taken import TAKES

# What each argument is given that has no flag.
EXAMPLES = {"partition": "fraud_scores-0", "node": "1", "finding": "F1", "term": "3"}


def words_of(name: str) -> list[str]:
    """A question with what it takes without a flag."""
    return [name, *(EXAMPLES[one] for one in QUESTIONS[name].takes if not TAKES[one].flag.startswith("-"))]
