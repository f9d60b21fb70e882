"""What one controller itself held at a time: what it was told at its start, then its own lines alone."""

from datetime import datetime

import polars as pl
from polars import col, lit

from pipeline.core.clocks import day_clock
from pipeline.core.conditions import Condition, column_differs, column_equals, column_since, is_in
from pipeline.core.errors import InputProblem
from pipeline.core.stretches import TIME
from pipeline.views.context import context_rows as rows
from pipeline.views.context.context_partitions import partitions_at, topic_partition_name
from pipeline.views.context.context_rows import Context
from pipeline.views.context.event_in_work import event_in_work_rows
from pipeline.views.context.own_partitions import partitions_of_controller
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
    controller_row,
    read_terms,
)

LIVE, EPOCH, ASKED, FORGOTTEN = "live", "epoch", "shutdown_requested", "shutdown_forgotten"
THERE, GONE = ("listed", "created"), ("deletion_completed", "removed")
QUEUED = ("deletion_requested", "deletion_listed")
NO_LINES = "not enough evidence: no line of its own was read of term {term_id}: what it held is not known"
UNCOMMITTED = (
    "not enough evidence: a KRaft controller that was deposed unnoticed may hold records that were never committed, "
    "and prints few of them"
)


def context_of(answers: Answers, controller_id: int, at: datetime) -> Context:
    """InputProblem: it did not act as controller then, as far as lines tell.

    In KRaft every controller holds what the metadata log says: while one is in office, that is the cluster-wide view.
    """
    terms = read_terms(answers)
    own = [one for one in acting_terms(terms, at) if one["controller_id"] == controller_id]
    if not own:
        raise not_acting(terms, controller_id, at)
    term = own[-1]
    row = controller_row(term, at)
    if term["mode"] == KRAFT and row["value"]["office"] != "deposed":
        whole = rows.context_at(answers, at)
        return Context(at, whole.parts | {rows.CONTROLLER: [row]}, whole.partitions, whole.doubts)
    if term["mode"] == KRAFT or term["told_from_at"] is None:
        why = UNCOMMITTED if term["mode"] == KRAFT else NO_LINES.format(term_id=term["term_id"])
        nothing = partitions_at(answers, at).clear()
        return Context(at, {rows.CONTROLLER: [row]}, nothing, [why])
    return context_from_lines(answers, terms, term, at)


def not_acting(terms: pl.DataFrame, controller_id: int, at: datetime) -> InputProblem:
    named = terms.filter((col("controller_id") == controller_id) & (col("began_at") <= at)).to_dicts()
    was = (
        f"that its last term until then ended {day_clock(named[-1]['until_at'])}"
        if named
        else ("no term of it until then")
    )
    nodes = ", ".join(str(one) for one in terms["controller_id"].unique().sort())
    return InputProblem(
        expected=f"that node {controller_id} acted as controller at {day_clock(at)} UTC",
        found=f"{was} (controllers of these logs: {nodes})",
        todo="see 'terms' for who was controller when, or leave --controller out",
    )


def context_from_lines(answers: Answers, terms: pl.DataFrame, term: Row, at: datetime) -> Context:
    own = column_since("logged_at", term["began_at"]) & at_or_before("logged_at", at)
    own &= column_equals("controller_id", term["controller_id"])
    brokers = brokers_of_controller(answers, own, term)
    live = {int(one["key"]) for one in brokers.get(rows.LIVE, ())}
    there, queued, ended = topics_of_controller(answers, own)
    partitions = partitions_of_controller(answers, term, at, live, ended, list(queued))
    parts = {rows.CONTROLLER: [controller_row(term, at)], **brokers} | {
        rows.TOPIC: [
            context_row(one, controller_topic_value(partitions, one), when, term)
            for one, when in sorted(there.items())
        ],
        rows.DELETING: deletions_of(answers, own, queued, term, at),
        rows.MOVING: moving_rows_of_term(answers, term, at, partitions, live),
        rows.LEADERLESS: leaderless_rows_of_term(partitions, term),
        rows.ELECTION: pending_election_rows(answers, term, at),
        rows.IN_WORK: event_in_work_rows(answers, [term], at),
    }
    return Context(
        at, parts, partitions, context_doubts(answers, terms.filter(col("term_id") == term["term_id"]), at)
    )


def brokers_of_controller(answers: Answers, own: Condition, term: Row) -> dict[str, list[Row]]:
    """Live brokers by its last list, since the first of its lists from which on each is on all; shutting down: those
    that asked it, and that it has not forgotten."""
    said = is_in("step", (LIVE, EPOCH, ASKED, FORGOTTEN)) & column_equals("said_by", "decision")
    columns = ("logged_at", "step", "broker_id", "broker_epoch", "file_id", "byte_offset")
    lines = answers.rows("silver.broker_event", own & said, columns).sort("logged_at", "byte_offset")
    lists = lines.filter(col("step") == LIVE)
    listed_at, asked_at = dict[int, datetime](), dict[int, datetime]()
    for (at, *_), each in lists.group_by("logged_at", "file_id", "byte_offset", maintain_order=True):
        listed_at = {broker: listed_at.get(broker, at) for broker in each["broker_id"].to_list()}
    epochs = dict(lines.filter(col("step") == EPOCH).select("broker_id", "broker_epoch").iter_rows())
    for at, step, broker in (
        lines.filter(col("step").is_in([ASKED, FORGOTTEN])).select(columns[:3]).iter_rows()
    ):
        asked_at = {one: when for one, when in asked_at.items() if one != broker}
        asked_at |= {broker: at} if step == ASKED else {}
    if not listed_at:
        return {}
    mode = {"mode": term["mode"]}
    return {
        rows.LIVE: [
            context_row(str(one), {"broker_epoch": epochs.get(one)} | mode, listed_at[one], term)
            for one in sorted(listed_at)
        ],
        rows.SHUTTING_DOWN: [
            context_row(str(one), {"attempts": 1}, asked_at[one], term)
            for one in sorted(asked_at)
            if one in listed_at
        ],
    }


def topics_of_controller(
    answers: Answers, own: Condition
) -> tuple[dict[str, datetime], dict[str, datetime], dict[str, datetime]]:
    """Topics that are there, those queued for deletion, and those that ended in the term, each with since when."""
    asked = own & is_in("step", (*THERE, *QUEUED, *GONE))
    lines = answers.rows("silver.topic_event", asked, ("logged_at", "byte_offset", "topic", "step"))
    there, queued, ended = dict[str, datetime](), dict[str, datetime](), dict[str, datetime]()
    for at, _, topic, step in lines.sort("logged_at", "byte_offset").iter_rows():
        if step in GONE:
            ended[topic] = at
            there.pop(topic, None)
            queued.pop(topic, None)
        else:
            (queued if step in QUEUED else there).setdefault(topic, at)
    return there, queued, ended


def controller_topic_value(partitions: pl.DataFrame, topic: str) -> Row:
    count = len(partitions.filter(col("topic") == topic))
    return {"topic_id": None, "partition_count": count, "first_seen_at": None}


def deletions_of(
    answers: Answers, own: Condition, queued: dict[str, datetime], term: Row, at: datetime
) -> list[Row]:
    """By its own lines how far each deletion has come; which replicas a topic has is taken from all lines."""
    if not queued:
        return []
    of_topics = is_in("topic", list(queued))
    columns = ("logged_at", "byte_offset", "topic", "step", "reason")
    said = answers.rows("silver.topic_event", own & of_topics, columns)
    replicas = ("logged_at", "byte_offset", "topic", "step", "partition", "replica_id", "error")
    of_replicas = answers.rows("silver.deletion_replica", own & of_topics, replicas)
    lines = pl.concat(
        [
            said.with_columns(step=col("step").str.strip_prefix("deletion_")),
            of_replicas.rename({"replica_id": "broker_id", "error": "reason"}),
        ],
        how="diagonal",
    ).sort("logged_at", "byte_offset")
    lives = answers.rows(
        "gold.topic_lifecycle", of_topics & holds_at(at, "first_seen_at", "ended_at"), ("topic", "partitions")
    )
    known = {one["topic"]: one["partitions"] for one in lives.iter_rows(named=True)}
    found = []
    for topic, asked_at in sorted(queued.items()):
        steps = lines.filter(col("topic") == topic).rename({"logged_at": "at"}).to_dicts()
        life = {"topic": topic, "deletion_requested_at": asked_at, "deletion_lines": steps}
        life |= {"partitions": known.get(topic, []), "certainty": term["certainty"]}
        found.append(rows.deletion_row(life, at, term["term_id"]))
    return found


def moving_rows_of_term(
    answers: Answers, term: Row, at: datetime, partitions: pl.DataFrame, live: set[int]
) -> list[Row]:
    """Those that it began or drove on, and that it has not ended: what a later controller ended it does not know."""
    own = col("term_ids").list.contains(term["term_id"]) & (col("term_ids").list.last() != term["term_id"])
    is_ended = (col("ended_at") <= at).fill_null(value=False)
    is_unheard = own & (col("ended_at") >= lit(term["superseded_at"], TIME))
    began = answers.rows(
        "gold.reassignment", at_or_before("started_at", at) & column_differs("outcome", "skipped"), rows.MOVE
    )
    going = began.filter(
        col("term_ids").list.contains(term["term_id"]), ~is_ended | is_unheard.fill_null(value=False)
    )
    return rows.moving_rows(answers, going, at, partitions, live)


def leaderless_rows_of_term(partitions: pl.DataFrame, term: Row) -> list[Row]:
    none = dict.fromkeys(("unserved_from_at", "root_event", "root_broker_id"))
    gone = partitions.filter(~col("is_served") & ~col("is_deleting"))
    return [
        context_row(topic_partition_name(one), none | {"old_leader": one["leader"]}, one["since_at"], term)
        for one in gone.iter_rows(named=True)
    ]
