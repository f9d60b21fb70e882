"""Whose clock is wrong, by lines of which one cannot be before the other."""

from jobs.questions.named.answer import Answer, AnswerItem
from jobs.text import format_count, length_text
from pipeline.core.clocks import day_clock
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

TABLE = "gold.clock_skew"
# Less is no answer to whose clock is wrong: bounds are right within one, and a line within some.
LEAST_MS = 10


def whose_clock(answers: Answers) -> Answer:
    """Of the last hour of every two nodes in which lines bound the difference."""
    last = answers.last_at()
    rows = (
        answers.rows(TABLE)
        .sort("hour_at")
        .unique(["node_id", "other_id"], keep="last")
        .sort("node_id", "other_id")
    )
    told = [skew_item(one) for one in rows.to_dicts()]
    if not told:
        none = "Not enough evidence: no lines of two nodes belong together, of which one cannot be before the other."
        return Answer(none, (), ["in KRaft only processes that start or stop tell"], last)
    off = [one for one in rows.to_dicts() if is_apart(one)]
    unknown = [f"the clocks of nodes {one['node_id']} and {one['other_id']}: bounded on one side alone"
               for one in rows.to_dicts() if is_bounded_once(one)]  # fmt: skip
    pairs = format_count(len(told), "pair")
    if not off:
        return Answer(
            f"No clock is certainly wrong: of {pairs} of nodes none is {LEAST_MS} ms apart.",
            told,
            unknown,
            last,
        )
    named = ", ".join(f"{one['node_id']} and {one['other_id']}" for one in off)
    return Answer(f"Of {pairs} of nodes {len(off)} are certainly apart: {named}.", told, unknown, last)


def is_apart(row: Row) -> bool:
    return (row["low_ms"] or 0) > LEAST_MS or (row["high_ms"] or 0) < -LEAST_MS


def is_bounded_once(row: Row) -> bool:
    return not row["is_step"] and (row["low_ms"] is None) != (row["high_ms"] is None)


def skew_item(row: Row) -> AnswerItem:
    names = ("node_id", "other_id", "low_ms", "high_ms", "low_count", "high_count", "drift_ppm", "is_step")
    text = f"the clock of node {row['other_id']} {difference_text(row)} that of node {row['node_id']}"
    if row["drift_ppm"]:
        text += f", and runs {'faster' if row['drift_ppm'] > 0 else 'slower'} by {abs(row['drift_ppm'])} ppm"
    pairs = format_count(row["low_count"] + row["high_count"], "pair")
    text += f" ({pairs} of lines since {day_clock(row['hour_at'])})"
    return AnswerItem(
        text, row["until_at"], row["certainty"], row["evidence"], {name: row[name] for name in names}
    )


def difference_text(row: Row) -> str:
    low, high = row["low_ms"], row["high_ms"]
    if low is not None and high is not None and signed_text(low).split()[-1] == signed_text(high).split()[-1]:
        least, most = sorted((abs(low), abs(high)))
        return f"is {least:,} to {most:,} ms {'ahead of' if low >= 0 else 'behind'}"
    if row["is_step"]:
        return "was set beside"
    if low is None:
        return f"is at most {signed_text(high)}"
    if high is None:
        return f"is at least {signed_text(low)}"
    return f"is {signed_text(low)} to {signed_text(high)}"


def signed_text(ms: int) -> str:
    """Ahead of the other's where it is not below zero."""
    return f"{length_text(ms)} ahead of" if ms >= 0 else f"{length_text(-ms)} behind"
