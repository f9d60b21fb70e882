"""What stands in the findings of one kind, and how leaders are balanced."""

from collections.abc import Sequence
from datetime import datetime

from jobs.questions.broker_text import ratio_texts
from jobs.questions.named.answer import Answer, AnswerItem
from jobs.text import format_count
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.judged import count_elections
from pipeline.views.reading.rows import Row

# The rules whose findings answer a question.
UNCLEAN = ("unclean_election", "last_known_leader")
STUCK = (
    *("outage", "no_controller", "quorum_without_leader", "controller_powerless", "stuck_deletion"),
    *("stuck_reassignment", "topic_without_leader_since_creation", "standing_imbalance", "failed_start"),
    *("voter_out_of_touch", "quorum_not_reached", "migration_waits"),
)
FLAPPING = ("broker_flapping", "quorum_flapping")


def answer_unclean(answers: Answers, since: datetime | None) -> Answer:
    """Elections of a leader outside of the ISR; and how many of which no line tells whether they were such."""
    found = of_rules(answers, UNCLEAN, since)
    counts = count_elections(answers, since)
    doubts = format_count(counts["undecided"], "election") if counts["undecided"] else ""
    unknown = [f"whether {doubts} of {counts['chosen']:,} were unclean"] if doubts else []
    if not counts["chosen"] and not found:
        return Answer("Not enough evidence: no election was read.", as_of=answers.last_at())
    return Answer(
        f"{format_count(len(found), 'unclean election')}."
        if found
        else f"No line shows an unclean election among {counts['chosen']:,}.",
        standing_items(found),
        unknown,
        answers.last_at(),
    )


def answer_stuck(answers: Answers, since: datetime | None) -> Answer:
    """What goes on at the end of the data and should have ended."""
    found = [one for one in of_rules(answers, STUCK, since) if one["valid_until_at"] is None]
    waits = "1 thing waits" if len(found) == 1 else f"{len(found)} things wait"
    sentence = f"{waits} at the end of the data." if found else "Nothing is told to be stuck."
    return Answer(sentence, standing_items(found, is_marked=False), (), answers.last_at())


def answer_flapping(answers: Answers, since: datetime | None) -> Answer:
    """Brokers and quorums that come and go."""
    found = of_rules(answers, FLAPPING, since)
    return Answer(
        standing_sentence(found, "case", "No broker and no quorum is told to flap."),
        standing_items(found),
        (),
        answers.last_at(),
    )


def of_rules(answers: Answers, rules: Sequence[str], since: datetime | None) -> list[Row]:
    """The findings of these rules that were still so at a time, those first that are told first."""
    return [
        one
        for one in answers.findings()
        if one["rule"] in rules and (since is None or (one["valid_until_at"] or since) >= since)
    ]


def standing_sentence(found: Sequence[Row], noun: str, nothing: str) -> str:
    going_on = sum(one["valid_until_at"] is None for one in found)
    return (
        f"{format_count(len(found), noun)}, {going_on} still so at the end of the data." if found else nothing
    )


def standing_items(found: Sequence[Row], *, is_marked: bool = True) -> list[AnswerItem]:
    """is_marked: what goes on is told to be so."""
    return [
        AnswerItem(
            f"{one['severity']}: {one['sentence']}"
            f"{'  STILL SO' if is_marked and one['valid_until_at'] is None else ''}",
            one["valid_from_at"],
            one["certainty"],
            one["evidence"],
        )
        for one in found
    ]


def imbalance_now(answers: Answers) -> Answer:
    """Each broker's ratio and limit at the end of the data."""
    rows = [one for one in answers.brokers() if one["certainty"] is not None]
    last = answers.last_at()
    if all(one["imbalance_ratio"] is None for one in rows) and not any(
        one["threshold_ratio"] for one in rows
    ):
        return Answer("Not enough evidence: no ratio can be computed.", as_of=last)
    over = [str(one["broker_id"]) for one in rows if one["is_breach"] and one["certainty"] != "undetermined"]
    limits = {one["threshold_ratio"] for one in rows} - {None}
    sentence = (
        "No broker is over its limit." if limits else "KRaft controllers know no limit; the ratios are these."
    )
    unsure = [str(one["broker_id"]) for one in rows if one["certainty"] == "undetermined"]
    if limits and unsure and not over:
        sentence = (
            f"Not enough evidence: no broker is known to be over its limit, {nodes_text(unsure)} may be."
        )
    if over:
        sentence = f"Over the limit: {nodes_text(over)}."
    lines = [AnswerItem(ratio_sentence(one), certainty=one["certainty"]) for one in rows]
    unknown = [f"the ratio of {nodes_text(unsure)}, as lines are missing"] if unsure else []
    return Answer(sentence, lines, unknown, last)


def ratio_sentence(row: Row) -> str:
    preferred, elsewhere, ratio, limit, _ = ratio_texts(row)
    return (
        f"broker {row['broker_id']}: ratio {ratio} (limit {limit}), {elsewhere} of {preferred} preferred partitions led"
        " elsewhere"
    )


def nodes_text(nodes: Sequence[str], noun: str = "broker") -> str:
    return f"{noun}{'s' if len(nodes) > 1 else ''} {', '.join(nodes)}"
