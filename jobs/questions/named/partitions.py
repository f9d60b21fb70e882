"""Why a partition had no leader."""

from datetime import datetime

from polars import col

from jobs.questions.answers import Answers
from jobs.questions.ask import TopicPartition, unknown_partition
from jobs.questions.ask_text import leader_text
from jobs.questions.named.answer import Answer, Told
from jobs.questions.outages import broker_ids, gone, with_lasting
from jobs.questions.rows import Row
from jobs.text import counted, day_clock, length_text, list_text
from pipeline.core.conditions import equals

OUTAGE, ELECTION = "gold.partition_outage", "gold.leader_election"


def why_leaderless(answers: Answers, asked: TopicPartition, at: datetime | None) -> Answer:
    """Of the outage at that time; else of the one that goes on, else of the last. InputProblem: no such partition."""
    last = answers.last_at()
    is_own = equals("topic", asked.topic) & equals("partition", asked.partition)
    if answers.rows("gold.partition_timeline", is_own, ("topic",)).is_empty():
        raise unknown_partition(asked, answers.partition_counts())
    rows = (
        [] if last is None else with_lasting(answers.rows(OUTAGE, is_own), last).sort("noticed_at").to_dicts()
    )
    chosen = [row for row in rows if at is None or holds(row, at)][-1:]
    if not chosen:
        when = f" at {day_clock(at)} UTC" if at else ""
        others = f"; it had {counted(len(rows), 'outage')} at other times" if rows else ""
        return Answer(f"No line shows {asked} without a leader{when}{others}.", as_of=last)
    row = chosen[0]
    tries = elections(answers, asked, row)
    return Answer(sentence(asked, row), [outage_told(row), *tries], doubts(row), last)


def holds(row: Row, at: datetime) -> bool:
    begun = row["unserved_from_at"] or row["noticed_at"]
    return bool(begun <= at and (row["ended_at"] is None or row["ended_at"] > at))


# How it ended, where no leader ended it.
ENDS = {
    "deleted": "until its topic was deleted, {at}",
    "wiped": "and the metadata of the cluster were begun anew by {at}",
    "lines_missing": "until {at} at least, from when on nothing is known of it",
    "taken_over": "until {at} at least, when another controller took over",
}
UNENDED = ("lines_missing", "taken_over")  # it can have lasted longer


def sentence(asked: TopicPartition, row: Row) -> str:
    lasted = f"at least {length_text(row['noticed_ms'])}"
    is_ended = row["ended_how"] not in UNENDED
    if is_ended and row["most_ms"] is not None and row["most_ms"] != row["noticed_ms"]:
        lasted += f", at most {length_text(row['most_ms'])}"
    end = "and still has none at the end of the data"
    if row["ended_at"]:
        end = ENDS.get(row["ended_how"], "until {at}").format(at=f"{day_clock(row['ended_at'])} UTC")
    cause = f"{row['root_event']}{gone(row | {'brokers': broker_ids(row)})}"
    has = "had" if row["ended_at"] else "has had"
    return f"{asked} {has} no leader that serves it since {day_clock(row['noticed_at'])} UTC {end} ({lasted}): {cause}."


def outage_told(row: Row) -> Told:
    old = (
        f"leader before: {row['old_leader']}" if row["old_leader"] is not None else "leader before: not known"
    )
    new = f", leader after: {row['new_leader']}" if row["new_leader"] is not None else ""
    left = f", broker {row['root_broker_id']} left: {row['root_left_how']}" if row["root_left_how"] else ""
    return Told(f"{old}{new}{left}".replace("_", " "), row["noticed_at"], row["certainty"], row["evidence"])


def elections(answers: Answers, asked: TopicPartition, row: Row) -> list[Told]:
    """What controllers tried while it lasted, in order."""
    is_own = equals("topic", asked.topic) & equals("partition", asked.partition)
    is_within = (col("elected_at") >= row["noticed_at"]) & (col("topic_life") == row["topic_life"])
    tried = answers.rows(ELECTION, is_own).filter(is_within).sort("elected_at", "seq")
    if row["ended_at"] is not None:
        tried = tried.filter(col("elected_at") <= row["ended_at"])
    return [
        Told(
            f"election {one['outcome']}: {(one['failure'] or one['reason'] or one['kind']).replace('_', ' ')}"
            f"; live brokers {list_text(one['live_brokers'])}, ISR before {list_text(one['isr_before'])},"
            f" leader {leader_text(one['leader'])}",
            one["elected_at"],
            one["certainty"],
            one["evidence"],
        )
        for one in tried.to_dicts()
    ]


def doubts(row: Row) -> list[str]:
    begin = [] if row["most_ms"] is not None else ["since when it can have begun"]
    return [*begin, "when it ended"] if row["ended_how"] in UNENDED else begin
