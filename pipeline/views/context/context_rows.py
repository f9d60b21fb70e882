"""What the cluster was at one time, by its controllers: brokers, topics, deletions, reassignments, partitions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from polars import col, when

from pipeline.core.conditions import column_differs, column_since, is_in
from pipeline.gold.reassignment.attempts import NAMES
from pipeline.views.context.context_partitions import (
    TIMELINE,
    UNDETERMINED,
    partitions_at,
    topic_partition_name,
)
from pipeline.views.context.deletion_course import stage_at
from pipeline.views.context.event_in_work import event_in_work_rows
from pipeline.views.context.pending_elections import pending_election_rows
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import holds_at
from pipeline.views.terms.tenures import (
    KRAFT,
    acting_terms,
    at_or_before,
    context_doubts,
    context_row,
    controller_rows,
    newest_term_value,
    read_terms,
)
from pipeline.views.terms.told_stretches import unheard_of
from schemas.gold.reassignment import STEPS

TABLES = (
    *("gold.controller_term", "gold.broker_session", "gold.topic_lifecycle", "gold.reassignment", TIMELINE),
    "gold.partition_outage",
)  # fmt: skip
SESSION = (
    *("broker_id", "mode", "broker_epoch", "joined_at", "joined_how", "left_at", "left_how", "silent_from_at"),
    *("end_reason", "shutdown_requested_at", "term_id", "left_term_id", "certainty"),
)  # fmt: skip
LIFE = (
    *("topic", "topic_life", "topic_id", "mode", "first_seen_at", "created_at", "created_how", "partitions"),
    *("ended_at", "deletion_requested_at", "deletion_state", "deletion_lines", "term_id", "certainty"),
)  # fmt: skip
MOVE = (
    *("topic", "partition", "original_replicas", "target_replicas", "adding_replicas", "started_at"),
    *("caught_up_at", "ended_at", "outcome", "term_ids", "certainty"),
)  # fmt: skip
NEVER_BEGUN = ("skipped", "failed")
NOT_SOUGHT = ("none", "ignored_nonexistent", "disabled")
# Parts of an answer, in their order.
CONTROLLER, LIVE, SHUTTING_DOWN, GONE = "controller", "live_broker", "shutting_down_broker", "gone_broker"
TOPIC, DELETING, MOVING, LEADERLESS = "topic", "queued_for_deletion", "being_reassigned", "without_leader"
ELECTION, IN_WORK, PARTITION = "pending_election", "event_in_work", "partition"
PARTS = (
    *(CONTROLLER, LIVE, SHUTTING_DOWN, GONE, TOPIC, DELETING, MOVING, LEADERLESS),
    *(ELECTION, IN_WORK, PARTITION),
)


@dataclass(frozen=True)
class Context:
    """parts: rows (key, value, since_at, known_by, certainty) of all but the partitions. doubts: sentences on what the
    logs do not tell."""

    at: datetime
    parts: dict[str, list[Row]]
    partitions: pl.DataFrame
    doubts: list[str]


def context_at(answers: Answers, at: datetime) -> Context:
    """As the cluster-wide view has it: what the controller in office said, and those before it."""
    terms = read_terms(answers)
    in_office = controller_rows(terms, at)
    partitions = partitions_at(answers, at)
    brokers = last_sessions_at(answers, at)
    live = [one for one in brokers if one["left_at"] is None or one["left_at"] > at]
    lives = topics_at(answers, at)
    parts = {
        CONTROLLER: in_office,
        LIVE: [live_row(one) for one in with_session_certainty(answers, terms, live, at)],
        SHUTTING_DOWN: list(shutting_down_rows(live, at)),
        GONE: [gone_row(one) for one in brokers if one not in live],
        TOPIC: [topic_row(one) for one in with_counts(lives, at).iter_rows(named=True)],
        DELETING: [
            deletion_row(one, at, newest_term_value(terms, one["deletion_requested_at"]))
            for one in queued_deletions(lives, at).iter_rows(named=True)
        ],
        MOVING: moving_rows_at(answers, at, partitions, {one["broker_id"] for one in live}),
        LEADERLESS: leaderless_rows_at(answers, at),
        ELECTION: pending_election_rows(answers, last_of(acting_terms(terms, at)), at),
        IN_WORK: event_in_work_rows(answers, acting_terms(terms, at), at),
    }
    return Context(at, parts, partitions, context_doubts(answers, terms, at))


def last_of(rows: Sequence[Row]) -> Row | None:
    return rows[-1] if rows else None


def last_sessions_at(answers: Answers, at: datetime) -> list[Row]:
    """The last stay of each broker that had begun by then."""
    begun = answers.rows("gold.broker_session", at_or_before("joined_at", at), SESSION)
    return begun.sort("joined_at").unique("broker_id", keep="last").sort("broker_id").to_dicts()


def with_session_certainty(answers: Answers, terms: pl.DataFrame, live: list[Row], at: datetime) -> list[Row]:
    """Undetermined where nobody in office would have noticed that one left, or whose lines are missing."""
    doubted = unheard_of(answers, terms, at)
    is_watched = newest_term_value(terms, at, "mode") == KRAFT or bool(acting_terms(terms, at))
    return [
        one if is_watched and one["broker_id"] not in doubted else one | {"certainty": UNDETERMINED}
        for one in live
    ]


def live_row(one: Row) -> Row:
    """In KRaft one that is not fenced. since_at: null where it was there before the first line about it."""
    since = None if one["joined_how"] == "before_data" else one["joined_at"]
    return context_row(
        str(one["broker_id"]), {"broker_epoch": one["broker_epoch"], "mode": one["mode"]}, since, one
    )


def shutting_down_rows(live: Iterable[Row], at: datetime) -> Iterable[Row]:
    for one in live:
        asked = [each for each in one["shutdown_requested_at"] if each <= at]
        if asked:
            yield context_row(str(one["broker_id"]), {"attempts": len(asked)}, asked[0], one)


def gone_row(one: Row) -> Row:
    value = {name: one[name] for name in ("left_how", "end_reason", "silent_from_at")}
    return context_row(str(one["broker_id"]), value, one["left_at"], one | {"term_id": one["left_term_id"]})


def topics_at(answers: Answers, at: datetime) -> pl.DataFrame:
    there = holds_at(at, "first_seen_at", "ended_at") & column_differs("created_how", "no_topic")
    return answers.rows("gold.topic_lifecycle", there, LIFE).sort("topic", "topic_life")


def with_counts(lives: pl.DataFrame, at: datetime) -> pl.DataFrame:
    """Topics with partition_count; null where no line tells of any."""
    count = col("partitions").list.eval(pl.element().struct.field("added_at") <= at).list.sum()
    columns = ("topic", "topic_id", "first_seen_at", "created_at", "term_id", "certainty")
    return lives.select(*columns, partition_count=when(count > 0).then(count))


def topic_row(one: Row) -> Row:
    value = {name: one[name] for name in ("topic_id", "partition_count", "first_seen_at")}
    return context_row(one["topic"], value, one["created_at"], one)


def queued_deletions(lives: pl.DataFrame, at: datetime) -> pl.DataFrame:
    is_sought = ~col("deletion_state").is_in(NOT_SOUGHT)
    return lives.filter(col("deletion_requested_at") <= at, is_sought)


def deletion_row(life: Row, at: datetime, known_by: str | None) -> Row:
    stage = stage_at(life, at)
    replicas = [
        {"partition": partition, "broker_id": broker, "why": why}
        for (partition, broker), why in sorted(stage.ineligible.items())
    ]
    value = {"state": stage.state, "replicas_left": stage.left, "replicas_not_deletable": replicas}
    return context_row(life["topic"], value, life["deletion_requested_at"], life | {"term_id": known_by})


def moving_rows_at(answers: Answers, at: datetime, partitions: pl.DataFrame, live: set[int]) -> list[Row]:
    """Reassignments that go on then: how far they have come by then, and what they wait for by what is known then."""
    rows = answers.rows("gold.reassignment", holds_at(at, "started_at", "ended_at"), MOVE)
    return moving_rows(answers, rows.filter(~col("outcome").is_in(NEVER_BEGUN)), at, partitions, live)


def moving_rows(
    answers: Answers, rows: pl.DataFrame, at: datetime, partitions: pl.DataFrame, live: set[int]
) -> list[Row]:
    going = rows.sort("topic", "partition", "started_at")
    known = partitions.select("topic", "partition", "isr")
    sets = going.join(known, on=["topic", "partition"], how="left", maintain_order="left").to_dicts()
    steps = steps_by(answers, going, at)
    return [moving_row(one, at, steps, live) for one in sets]


def steps_by(answers: Answers, going: pl.DataFrame, at: datetime) -> list[tuple[str, int, str, datetime]]:
    """(topic, partition, step, time) of the lines about them by then that are one of Kafka's twelve steps."""
    if going.is_empty():
        return []
    first: datetime = going["started_at"].min()  # type: ignore[assignment]  # a time, as there are rows
    own = (
        column_since("logged_at", first)
        & at_or_before("logged_at", at)
        & is_in("topic", going["topic"].unique().to_list())
    )
    said = answers.rows("silver.reassignment_event", own, ("topic", "partition", "step", "logged_at"))
    named = said.with_columns(step=col("step").replace_strict(NAMES, default=None, return_dtype=pl.String))
    return named.drop_nulls().sort("logged_at").rows()


def moving_row(
    one: Row, at: datetime, steps: Sequence[tuple[str, int, str, datetime]], live: set[int]
) -> Row:
    own = (one["topic"], one["partition"])
    reached = [name for *whose, name, when in steps if tuple(whose) == own and when >= one["started_at"]]
    step = max(reached, key=lambda name: STEPS[name], default=None)
    is_caught_up = one["caught_up_at"] is not None and one["caught_up_at"] <= at
    adding = [] if is_caught_up else one["adding_replicas"] or []
    gone = [broker for broker in adding if broker not in live]
    lagging = [broker for broker in adding if one["isr"] is not None and broker not in one["isr"]]
    value = {
        "from": one["original_replicas"],
        "to": one["target_replicas"],
        "step": step,
        "step_number": None if step is None else STEPS[step],
        "waits_for": "broker_gone" if gone else "broker_lagging" if lagging else None,
        "waits_for_brokers": gone or lagging,
    }
    terms = one["term_ids"]
    return context_row(
        topic_partition_name(one), value, one["started_at"], one | {"term_id": terms[0] if terms else None}
    )


def leaderless_rows_at(answers: Answers, at: datetime) -> list[Row]:
    """since_at: when a controller noticed; unserved_from_at: the earliest that it can have begun."""
    names = ("unserved_from_at", "root_event", "root_broker_id", "old_leader")
    rows = answers.rows("gold.partition_outage", holds_at(at, "noticed_at", "ended_at")).sort(
        "topic", "partition"
    )
    return [
        context_row(topic_partition_name(one), {name: one[name] for name in names}, one["noticed_at"], one)
        for one in rows.to_dicts()
    ]
