"""How far brokers are behind what a KRaft controller decides: broker by broker."""

from datetime import datetime

import polars as pl

from jobs.questions.named.answer import Answer, AnswerItem
from jobs.questions.named.clock_lengths import passed_text
from jobs.text import format_count, length_text
from pipeline.core.clocks import day_clock
from pipeline.views.metadata_lag import metadata_lags
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

SEEN = "of a broker whose lines show no leader that it applied: they are of state-change.log, at INFO"


def answer_metadata_lag(answers: Answers, since: datetime | None) -> Answer:
    """Of leaders decided since that time; the slowest broker first."""
    last = answers.last_at()
    rows = metadata_lags(answers, since)
    bounded = rows.drop_nulls("most_ms")
    if bounded.is_empty():
        none = (
            "no line of a KRaft controller decides a leader that a line of a broker applies"
            if rows.is_empty()
            else "no line bounds how far the clocks of controllers and brokers are apart"
        )
        return Answer(f"Not enough evidence: {none}.", (), [SEEN], last)
    told = [
        lag_item(own)
        for own in sorted(
            bounded.partition_by("broker_id"), key=lambda own: (-median_ms(own), own["broker_id"][0])
        )
    ]
    slowest = told[0].values
    sentence = (
        f"Each of {format_count(len(told), 'broker')} applied half of its leaders within "
        f"{length_text(slowest['median_ms'])} of the controller's line; the longest may be of "
        f"broker {slowest['broker_id']}."
    )
    unbounded = rows.height - bounded.height
    unknown = [f"of {format_count(unbounded, 'leader')} more: no line bounds the clocks"] if unbounded else []
    return Answer(sentence, told, [*unknown, SEEN], last)


def median_ms(own: pl.DataFrame) -> int:
    """At most so long for half of them."""
    return int(own["most_ms"].sort()[(own.height - 1) // 2])


def lag_item(own: pl.DataFrame) -> AnswerItem:
    """Of one broker; the lines are those of the leader that it applied latest."""
    longest: Row = own.sort("most_ms", "decided_at", "topic", "partition").row(-1, named=True)
    values = {
        "broker_id": longest["broker_id"],
        "leaders_count": own.height,
        "median_ms": median_ms(own),
        "longest_least_ms": longest["least_ms"],
        "longest_ms": longest["most_ms"],
    }
    name = f"{longest['topic']}-{longest['partition']}"
    slowest = passed_text((longest["least_ms"], longest["most_ms"]))
    text = (
        f"broker {longest['broker_id']}: {format_count(own.height, 'leader')}, half of them within "
        f"{length_text(values['median_ms'])}, the slowest after {slowest} "
        f"({name}, decided at {day_clock(longest['decided_at'])})"
    )
    return AnswerItem(
        text, longest["applied_at"], "inferred", [longest["decided"], longest["applied"]], values
    )
