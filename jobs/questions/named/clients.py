"""Which clients could feel something at a time, of which topics, for how long, and why."""

from dataclasses import replace
from datetime import datetime, timedelta

import polars as pl
from polars import col

from jobs.moments import Moment, asked_moment
from jobs.questions.named.answer import Answer, AnswerItem
from jobs.text import first_names, format_count, length_text
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import all_conditions, column_before, column_reaching
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.in_doubt import is_service_unknown
from pipeline.views.reading.rows import Row
from schemas.gold.client_impact import AUDIENCES, RECOVERY_MS

TABLE, TIMELINE = "gold.client_impact", "gold.partition_timeline"
WHO = {
    "producers_acks_all": "producers with acks=all",
    "producers": "producers",
    "consumers": "consumers",
    "groups": "groups of partitions",
    "transactions": "transactions of partitions",
    "topic_creators": "who created",
}
WHAT = {
    "leader_dead_unnoticed": "leader dead or frozen, not noticed yet",
    "no_leader": "no leader",
    "leader_moved": "leader moved",
    "below_min_isr": "fewer in-sync replicas than min.insync.replicas",
    "acks_waiting": "an in-sync follower did not answer",
    "coordinator_moved": "coordinator moved",
    "creation_wait": "creation waited for leaders",
    "creation_refused": "creation refused",
    "records_lost": "records lost by an unclean election",
}
REFUSED, WAIT = "creation_refused", "creation_wait"
SHOWN_ITEMS = 20
# A creation that waits for less is as usual.
USUAL_WAIT_MS = 1000
NOT_TOLD = (
    "requests that failed: brokers log refused appends below the minimum alone",
    "a node that stopped for less than its session leaves no line",
)


def who_felt_it(answers: Answers, at: Moment, since: Moment, until: Moment) -> Answer:
    """By audience and topic, the worst first. at: at that time; else from `since` on, before `until`."""
    last = answers.last_at()
    if last is None:
        return Answer("Not enough evidence: no time is on any record.")
    moment = asked_moment(at, last)
    first_at, until_at = (
        (moment, moment) if moment else (asked_moment(since, last), asked_moment(until, last))
    )
    if first_at is not None and first_at > last:
        return Answer(f"Not enough evidence: the data end before {day_clock(first_at)} UTC.", as_of=last)
    first = answers.read()["first_at"]
    if until_at is not None and first is not None and until_at < first:
        return Answer(f"Not enough evidence: the data begin after {day_clock(until_at)} UTC.", as_of=last)
    recovery = timedelta(milliseconds=RECOVERY_MS)
    near = all_conditions(
        None if first_at is None else column_reaching("until_earliest_at", first_at - recovery),
        None if until_at is None else column_before("from_at", until_at + timedelta(microseconds=1)),
    )
    rows = answers.rows(TABLE, near).filter(is_still_felt(first_at, recovery))
    when = time_text(moment, first_at, until_at)
    unknown = partitions_of_unknown_service(answers, first_at, until_at)
    if rows.is_empty() and unknown and (first_at or until_at):
        none = f"Not enough evidence: nobody that lines tell of {when}."
        return Answer(none, (), [*unknown, *NOT_TOLD], last)
    not_told = [*NOT_TOLD, *unknown]
    if rows.is_empty():
        return Answer(f"Nobody, as far as lines tell, {when}.", (), not_told, last)
    items = [
        replace(impact_item(row), is_minor=place >= SHOWN_ITEMS or is_usual_wait(row))
        for place, row in enumerate(by_audience_and_topic(rows))
    ]
    whom = rows["audience"].unique().to_list()
    topics = format_count(rows["topic"].n_unique(), "topic")
    named = ", ".join(WHO[one].removesuffix(" of partitions") for one in AUDIENCES if one in whom)
    return Answer(f"{named} of {topics} could feel it {when}.", items, not_told, last)


def partitions_of_unknown_service(
    answers: Answers, first_at: datetime | None, until_at: datetime | None
) -> list[str]:
    """What is not known then: of how many partitions no line tells whether they were served."""
    near = all_conditions(
        None if first_at is None else column_reaching("valid_until_at", first_at),
        None if until_at is None else column_before("valid_from_at", until_at + timedelta(microseconds=1)),
    )
    partition = ("topic", "topic_id", "partition")
    rows = answers.rows(TIMELINE, near, (*partition, "is_served", "leader", "certainty", "is_deleting"))
    unknown = rows.filter(is_service_unknown()).select(partition).n_unique()
    all_of_then = format_count(rows.select(partition).n_unique(), "partition")
    return [f"whether {unknown:,} of {all_of_then} were served"] if unknown else []


def is_still_felt(first_at: datetime | None, recovery: timedelta) -> pl.Expr:
    end = pl.max_horizontal("until_earliest_at", "until_at") + recovery
    return pl.lit(value=True) if first_at is None else (end >= first_at).fill_null(value=True)


def time_text(moment: datetime | None, since: datetime | None, until: datetime | None) -> str:
    if moment is not None:
        return f"at {day_clock(moment)} UTC"
    begin = "" if since is None else f" from {day_clock(since)}"
    end = "" if until is None else f" until {day_clock(until)}"
    return f"in the time{begin}{end} UTC" if begin or end else "in all of the data"


def by_audience_and_topic(rows: pl.DataFrame) -> list[Row]:
    """The longest first; those that go on before all."""
    is_open = col("until_earliest_at").is_null()
    return (
        rows.sort(is_open, "low_ms", descending=True, nulls_last=False)
        .group_by("audience", "topic", maintain_order=True)
        .agg(
            partitions=col("partition").drop_nulls().unique().sort(),
            kinds=col("kinds").list.explode().unique(maintain_order=True),
            low_ms=pl.when(~is_open.any()).then(col("low_ms").max()),
            high_ms=pl.when(col("high_ms").is_not_null().all()).then(col("high_ms").max()),
            begun_at=col("from_at").min(),
            ended_at=pl.max_horizontal("until_at", "until_earliest_at").max(),
            open_count=is_open.sum(),
            refused_count=col("refused_count").sum(),
            delayed_operation=col("delayed_operation").first(),
            effect=col("effect").first(),
            root_broker_id=col("root_broker_id").drop_nulls().first(),
            names=col("names").list.explode().drop_nulls().unique().sort(),
            name_count=col("name_count").max(),
            certainty=col("certainty").first(),
            evidence=col("evidence").first(),
        )
        .sort(
            col("open_count") == 0,
            pl.max_horizontal("low_ms", 0),
            "topic",
            descending=[False, True, False],
            maintain_order=True,
        )
        .to_dicts()
    )


def is_usual_wait(row: Row) -> bool:
    is_short = not row["open_count"] and row["high_ms"] is not None
    return is_short and row["kinds"] == [WAIT] and row["high_ms"] < USUAL_WAIT_MS + RECOVERY_MS


def impact_item(row: Row) -> AnswerItem:
    partitions = row["partitions"]
    of = f"{row['topic']}" + (f" (partition {first_names(map(str, partitions))})" if partitions else "")
    kinds = "; ".join(WHAT[one] for one in row["kinds"])
    length = "" if row["kinds"] == [REFUSED] else f"{length_bounds(row)}: "
    text = f"{WHO[row['audience']]} {of}: {length}{kinds}"
    if row["root_broker_id"] is not None:
        text += f" (broker {row['root_broker_id']})"
    if row["names"]:
        text += f"; named: {first_names(row['names'])}"
    if row["refused_count"]:
        text += f"; {format_count(row['refused_count'], 'refused append')}"
    names = (
        "audience",
        "topic",
        "partitions",
        "kinds",
        "names",
        "low_ms",
        "high_ms",
        "refused_count",
        "delayed_operation",
        "effect",
    )
    return AnswerItem(
        text, row["begun_at"], row["certainty"], row["evidence"], {name: row[name] for name in names}
    )


def length_bounds(row: Row) -> str:
    if row["open_count"]:
        return "goes on at the end of the data"
    if row["high_ms"] is None:
        return f"at least {length_text(row['low_ms'])}, no line tells how long at most"
    return f"{length_text(row['low_ms'])} to {length_text(row['high_ms'])}"
