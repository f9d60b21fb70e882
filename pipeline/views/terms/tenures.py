"""Who held the office of the controller at which time, and where the logs do not tell what it held."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import polars as pl
from polars import col, when

from pipeline.core.clocks import day_clock
from pipeline.core.conditions import Condition, IsNull, column_before, column_equals, is_in
from pipeline.model.lines.own_gaps import OF_ANY
from pipeline.model.terms.succession import printed_controller_epoch
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from schemas.gold.leader_imbalance import CREATION_UNSEEN
from schemas.silver.log_gap import LINES_MISSING, NORMAL

ZOOKEEPER, KRAFT = "zookeeper", "kraft"
CONTROLLER, DEPOSED = "controller", "deposed controller"
NOT_KNOWN = "not known"  # of an office: whether the last one held it still
MISSING = tuple(one for one in LINES_MISSING if one not in NORMAL)
TERM = (
    *("term_id", "life", "controller_id", "controller_epoch", "mode", "elected_at", "ready_at", "superseded_at"),
    *("vacant_from_at", "ended_at", "ended_how", "last_act_at", "first_sign_at", "certainty"),
)  # fmt: skip
# Its end is that of its last line, which it outlived: until when, no line of its own tells.
LAST_LINE = ("crashed", "process_end")
UNSEEN = (None, "superseded_unseen")
WHO = ("controller_id", "controller_epoch")
GAP = ("node_id", "kind", "from_at", "until_at", "sentence")


def read_terms(answers: Answers) -> pl.DataFrame:
    """Terms with began_at, until_at (null: open) and is_begin_seen, in the order of their begins. Who was deposed
    unnoticed goes on beyond the begin of the next one. The term that a KRaft controller claims in ZooKeeper while a
    cluster is migrated to it is none of its own."""
    seen = answers.rows("silver.term", None, ("term_id", "first_seen_at", "told_from_at", "is_isr_told"))
    terms = answers.rows("gold.controller_term", None, TERM).join(seen, on="term_id", how="left")
    of_quorum = terms.filter(col("mode") == KRAFT)["controller_id"].unique().to_list()
    is_claimed = (
        (col("mode") == ZOOKEEPER) & col("elected_at").is_null() & col("controller_id").is_in(of_quorum)
    )
    is_open = (col("ended_how") == "open").fill_null(value=False)
    return (
        terms.filter(~is_claimed)
        .with_columns(
            began_at="first_seen_at",
            until_at=when(~is_open).then(pl.coalesce("ended_at", "superseded_at")),
            is_begin_seen=col("elected_at").is_not_null() & col("told_from_at").is_not_null(),
        )
        .sort("began_at", "life", "controller_epoch")
        .with_columns(printed_controller_epoch())
    )


def acting_terms(terms: pl.DataFrame, at: datetime) -> list[Row]:
    """Terms whose controllers act then, in the order of their begins: all but the last are deposed."""
    begun = terms.filter(col("began_at") <= at)
    return begun.filter(col("until_at").is_null() | (col("until_at") > at)).to_dicts()


def controller_rows(terms: pl.DataFrame, at: datetime) -> list[Row]:
    """The one in office first, then those that do not know yet that they are deposed; who was the last, where nobody
    is; no row where none was heard of."""
    begun = terms.filter(col("began_at") <= at)
    rows = [controller_row(one, at) for one in reversed(acting_terms(terms, at))]
    if begun.is_empty() or any(one["key"] == CONTROLLER for one in rows):
        return rows
    last = begun.row(-1, named=True)
    if is_end_unseen(last, at, is_held=False):
        return [context_row(CONTROLLER, vacant_controller(last, NOT_KNOWN), last["until_at"], last), *rows]
    return [
        context_row(
            CONTROLLER, vacant_controller(last, "vacant"), last["vacant_from_at"] or last["until_at"], last
        ),
        *rows,
    ]


def is_end_unseen(row: Row, at: datetime, *, is_held: bool) -> bool:
    """Behind its last line, and no line tells when it ended: of a peer that lost it, or heard that nobody leads."""
    if is_held:
        return bool(row["superseded_at"] and row["ended_how"] in UNSEEN and at > row["last_act_at"])
    signs = [sign for sign in (row["vacant_from_at"], row["first_sign_at"]) if sign]
    return row["ended_how"] in LAST_LINE and (not signs or at < min(signs))


def vacant_controller(last: Row, office: str) -> Row:
    value = {"controller_id": None, "controller_epoch": last["controller_epoch"], "mode": last["mode"]}
    return value | {"office": office, "last_controller_id": last["controller_id"]}


def controller_row(one: Row, at: datetime) -> Row:
    is_deposed = one["superseded_at"] is not None and one["superseded_at"] <= at
    if not is_deposed and is_end_unseen(one, at, is_held=True):
        return context_row(CONTROLLER, vacant_controller(one, NOT_KNOWN), one["last_act_at"], one)
    is_starting = one["mode"] == ZOOKEEPER and (one["ready_at"] is None or one["ready_at"] > at)
    is_starting = is_starting and one["is_begin_seen"]
    value = {name: one[name] for name in ("controller_id", "controller_epoch", "mode")}
    office = "deposed" if is_deposed else "starting" if is_starting else "in office"
    value |= {"office": office, "last_controller_id": None}
    return context_row(DEPOSED if is_deposed else CONTROLLER, value, one["elected_at"], one)


def context_row(key: str, value: Row, since: datetime | None, row: Row) -> Row:
    """One row of an answer; known_by: the term whose lines say so."""
    common = {"since_at": since, "known_by": row.get("term_id"), "certainty": row["certainty"]}
    return {"key": key, "value": value, **common}


def at_or_before(column: str, at: datetime) -> Condition:
    """At that time or before: times are whole microseconds."""
    return column_before(column, at + timedelta(microseconds=1))


def context_doubts(answers: Answers, terms: pl.DataFrame, at: datetime) -> list[str]:
    """Sentences on what the logs do not tell of that time."""
    begun = terms.filter(col("began_at") <= at)
    if begun.is_empty():
        return [
            "no line of a controller in office was read by then: all that is told here was said by brokers"
        ]
    last = begun.row(-1, named=True)
    found = []
    if last["mode"] == ZOOKEEPER and not acting_terms(terms, at):
        is_unseen = is_end_unseen(last, at, is_held=False)
        who = "it is not known whether anybody was in office" if is_unseen else "nobody was in office"
        found.append(f"{who}: brokers may have left and joined since, and no line tells")
    if last["mode"] == ZOOKEEPER and not last["is_begin_seen"]:
        found.append(
            f"the start of controller {last['controller_id']} (epoch {last['controller_epoch']}) is in no log: what it "
            "did may be missing, and there may be more topics and partitions than it has named since"
        )
    if last["mode"] == KRAFT and is_creation_unseen(answers, at):
        found.append("the metadata log began before these logs: there may be more topics and partitions")
    silent = begun.filter((col("mode") == KRAFT) & col("told_from_at").is_null())
    if last["mode"] == KRAFT and not silent.is_empty():
        named = ", ".join(
            f"{one} (epoch {epoch})" for one, epoch in silent.select(WHO).unique().sort(WHO).iter_rows()
        )
        found.append(
            f"no line was read of controller {named}: what it decided is not known until a later line tells"
        )
    gaps = missing_lines(answers, [last["controller_id"]])
    later = gaps.filter(
        col("from_at") <= at, col("until_at").is_null() | (col("until_at") >= last["began_at"])
    )
    return found + [
        f"since {day_clock(one['from_at'])}: {one['sentence']}" for one in later.iter_rows(named=True)
    ]


def is_creation_unseen(answers: Answers, at: datetime) -> bool:
    doubted = at_or_before("valid_from_at", at) & column_equals("reason", CREATION_UNSEEN)
    return not answers.rows("gold.leader_imbalance", doubted, ("broker_id",)).is_empty()


def missing_lines(answers: Answers, nodes: Sequence[int]) -> pl.DataFrame:
    """Gaps in the logs of these nodes that have a time, and take lines away."""
    may_be_theirs = is_in("node_id", nodes) | (is_in("kind", OF_ANY) & IsNull("node_id"))
    gaps = answers.rows("silver.log_gap", is_in("kind", MISSING) & may_be_theirs, GAP)
    return gaps.filter(col("from_at").is_not_null()).sort("from_at", "sentence")


def newest_term_value(terms: pl.DataFrame, at: datetime, column: str = "term_id") -> str | None:
    """Of the term that had begun last by then."""
    begun = terms.filter(col("began_at") <= at)[column]
    return None if begun.is_empty() else str(begun.last())
