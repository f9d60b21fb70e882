"""Why a partition had no leader."""

from collections.abc import Sequence
from datetime import datetime

from polars import col

from jobs.questions.ask_text import leader_text
from jobs.questions.given_names import TopicPartition, unknown_partition
from jobs.questions.named.answer import Answer, AnswerItem
from jobs.questions.outage_events import LOST_DIR, event_of
from jobs.questions.outages import UNENDED, with_lasting
from jobs.text import epoch_text, format_count, length_text, list_text
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import Condition, column_equals
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import holds_at

OUTAGE, ELECTION, TIMELINE = "gold.partition_outage", "gold.leader_election", "gold.partition_timeline"


def why_leaderless(answers: Answers, partition: TopicPartition, at: datetime | None) -> Answer:
    """Of the outage at that time; else of the one that goes on, else of the last. InputProblem: no such partition."""
    last = answers.last_at()
    is_own = column_equals("topic", partition.topic) & column_equals("partition", partition.partition)
    if answers.rows(TIMELINE, is_own, ("topic",)).is_empty():
        raise unknown_partition(partition, answers.partition_counts())
    rows = (
        [] if last is None else with_lasting(answers.rows(OUTAGE, is_own), last).sort("noticed_at").to_dicts()
    )
    chosen, perhaps_from_at = outage_at(rows, at)
    if chosen is None:
        when = f" at {day_clock(at)} UTC" if at else ""
        others = f"; it had {format_count(len(rows), 'outage')} at other times" if rows else ""
        none = f"No line shows {partition} without a leader{when}{others}."
        return Answer(none, (), unknown_of_partition(answers, is_own, at), last)
    told = [outage_item(chosen), *election_items(answers, partition, chosen)]
    said = leaderless_sentence(partition, chosen, before_it(answers, chosen))
    if at is not None and perhaps_from_at is not None:
        said = (
            f"Not enough evidence of {day_clock(at)} UTC: it can have been without a leader from"
            f" {day_clock(perhaps_from_at)} UTC on, before a controller noticed. {said}"
        )
    return Answer(said, told, outage_doubts(chosen), last)


def outage_at(rows: Sequence[Row], at: datetime | None) -> tuple[Row | None, datetime | None]:
    """The outage of that time, without a time the last one; and where it was noticed later and can have begun then,
    since when: at the earliest when the partition was served again last. rows: in the order of time."""
    begun = [row for row in rows if at is None or row["noticed_at"] <= at][-1:]
    if at is None or (begun and (begun[0]["ended_at"] is None or at < begun[0]["ended_at"])):
        return (begun[0] if begun else None), None
    later = next((row for row in rows if row["noticed_at"] > at), None)
    if later is None or later["unserved_from_at"] is None or later["unserved_from_at"] > at:
        return None, None
    return later, max([later["unserved_from_at"], *(row["ended_at"] for row in begun)])


def unknown_of_partition(answers: Answers, is_own: Condition, at: datetime | None) -> list[str]:
    """What is not known of a partition of which no outage is told at that time."""
    held = answers.rows(TIMELINE, is_own & holds_at(at), ("is_served", "certainty")).to_dicts()
    if any(one["is_served"] is not None and one["certainty"] != "undetermined" for one in held):
        return []
    return ["whether somebody served it then"] if held else ["whether it was there then: no line names it"]


# How it ended, where no leader ended it.
ENDS = {
    "deleted": "until its topic was deleted, {at}",
    "wiped": "and the metadata of the cluster were begun anew by {at}",
    "lines_missing": "until {at} at least, from when on nothing is known of it",
    "taken_over": "until {at} at least, when another controller took over",
}
UNDETERMINED, NO_LINE = "undetermined", "no line tells why"


def leaderless_sentence(asked: TopicPartition, row: Row, term: Row | None = None) -> str:
    """term: of the broker at the root, which was controller until then."""
    is_unsure, length = row["certainty"] == UNDETERMINED, length_text(row["noticed_ms"])
    lasted = f"not certain, {length} between these lines" if is_unsure else f"at least {length}"
    is_ended = row["ended_how"] not in UNENDED and not is_unsure
    if is_ended and row["most_ms"] is not None and row["most_ms"] != row["noticed_ms"]:
        lasted += f", at most {length_text(row['most_ms'])}"
    end = "and still has none at the end of the data"
    if row["ended_at"]:
        end = ENDS.get(row["ended_how"], "until {at}").format(at=f"{day_clock(row['ended_at'])} UTC")
    has = "had" if row["ended_at"] else "has had"
    since = f"{day_clock(row['noticed_at'])} UTC"
    return f"{asked} {has} no leader that serves it since {since} {end} ({lasted}): {leaderless_cause(row, term)}."


# What the lines prove of the broker at the root, by root_left_how of gold.partition_outage.
LEFT = {
    "controlled": "controlled shutdown of broker {}",
    "uncontrolled": "broker {} was gone without a controlled shutdown",
    "bounced": "broker {} restarted before it was missed",
    "missing_in_list": "broker {} was gone, no line tells how",
    "missing_at_startup": "broker {} was gone when the controller started up",
}


def leaderless_cause(row: Row, term: Row | None) -> str:
    if term is not None:
        how = (term["ended_how"] or "not known").replace("_", " ")
        epoch = epoch_text(term["controller_epoch"])
        return (
            f"broker {row['root_broker_id']}, controller until then ({epoch}, its end: {how}),"
            " was gone when the next one started up"
        )
    broker, event = row["root_broker_id"], event_of(row)
    if broker is None:
        return NO_LINE if event == "unknown" else event
    if event == LOST_DIR:
        return f"a log directory of broker {broker} failed"
    return (
        LEFT[row["root_left_how"]].format(broker)
        if row["root_left_how"]
        else f"{event}: broker {broker} was gone"
    )


def before_it(answers: Answers, row: Row) -> Row | None:
    """The term before the one that found the broker gone, if that broker was its controller."""
    if row["root_left_how"] != "missing_at_startup":
        return None
    terms = answers.terms()
    places = [place for place, one in enumerate(terms) if one["term_id"] == row["term_id"]]
    before = terms[places[0] - 1] if places and places[0] else None
    return before if before and before["controller_id"] == row["root_broker_id"] else None


def outage_item(row: Row) -> AnswerItem:
    broker, old = row["root_broker_id"], row["old_leader"]
    is_other = None not in (old, broker) and old != broker
    before = "not known" if old is None else f"{old} is the last that a line names" if is_other else old
    new = f", leader after: {row['new_leader']}" if row["new_leader"] is not None else ""
    left = f", broker {broker} left: {row['root_left_how']}" if row["root_left_how"] else ""
    text = f"leader before: {before}{new}{left}".replace("_", " ")
    return AnswerItem(text, row["noticed_at"], row["certainty"], row["evidence"])


def election_items(answers: Answers, asked: TopicPartition, row: Row) -> list[AnswerItem]:
    """What controllers tried while it lasted, in order."""
    is_own = column_equals("topic", asked.topic) & column_equals("partition", asked.partition)
    is_within = (col("elected_at") >= row["noticed_at"]) & (col("topic_life") == row["topic_life"])
    tried = answers.rows(ELECTION, is_own).filter(is_within).sort("elected_at", "seq")
    if row["ended_at"] is not None:
        tried = tried.filter(col("elected_at") <= row["ended_at"])
    return [
        AnswerItem(
            f"{election_kind_text(one)} {one['outcome']}{why_so(one)}; live brokers {list_text(one['live_brokers'])}, "
            f"ISR before {list_text(one['isr_before'])}{came_of(one)}",
            one["elected_at"],
            one["certainty"],
            one["evidence"],
        )
        for one in tried.to_dicts()
    ]


def election_kind_text(row: Row) -> str:
    """With the rule by which its leader is chosen."""
    return f"election ({'new partition' if row['kind'] == 'init' else row['kind'].replace('_', ' ')})"


def why_so(row: Row) -> str:
    """Why it failed, or what is missing to judge it."""
    if row["failure"]:
        why = NO_LINE if row["failure"] == UNDETERMINED else row["failure"].replace("_", " ")
        return f": {why}"
    return f" (not judged: {row['reason'].replace('_', ' ')})" if row["reason"] else ""


def came_of(row: Row) -> str:
    return "" if row["failure"] else f", leader {leader_text(row['leader'])}"


def outage_doubts(row: Row) -> list[str]:
    length = ["whether it lasted so long, as lines are missing"] if row["certainty"] == UNDETERMINED else []
    begin = [] if row["most_ms"] is not None else ["since when it can have begun"]
    return [*length, *begin, *(["when it ended"] if row["ended_how"] in UNENDED else [])]
