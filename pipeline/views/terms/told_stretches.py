"""When what the cluster held is told by the logs, and from when to when brokers may have come and gone unseen."""

from collections.abc import Iterable
from datetime import datetime

import polars as pl
from polars import col, lit

from pipeline.core.conditions import column_equals
from pipeline.core.stretches import TIME
from pipeline.views.reading.answers import Answers
from pipeline.views.terms.tenures import KRAFT, ZOOKEEPER, missing_lines
from schemas.gold.leader_imbalance import CREATION_UNSEEN

SPAN = {"from_at": TIME, "until_at": TIME}
Stretch = tuple[datetime, datetime | None]


def known_term_spans(answers: Answers, terms: pl.DataFrame) -> pl.DataFrame:
    """(from_at, until_at): when topics and partitions are told. ZooKeeper: while a controller is in office whose start
    was read, as it lists there what it finds, and until lines of it are missing; without one no controller has a value.
    KRaft: from its first controller on, as every controller keeps all of it, in office or not; but not where the
    metadata log began before the logs."""
    of_kraft = terms.filter(col("mode") == KRAFT).select(from_at=col("began_at").min()).drop_nulls()
    doubted = answers.rows(
        "gold.leader_imbalance", column_equals("reason", CREATION_UNSEEN), ("valid_from_at",)
    )
    quorum = of_kraft.with_columns(until_at=lit(doubted["valid_from_at"].min(), TIME))
    both = pl.concat([started_term_spans(answers, terms), quorum])
    return both.filter(col("until_at").is_null() | (col("until_at") > col("from_at")))


def known_broker_spans(answers: Answers, terms: pl.DataFrame, stays: pl.DataFrame) -> pl.DataFrame:
    """(from_at, until_at): when all live brokers are told, by stays (broker_id, joined_at, left_at). ZooKeeper: as
    above, each controller lists them as it starts. KRaft: but for unseen_broker_spans()."""
    first = terms.filter(col("mode") == KRAFT)["began_at"].min()
    known: list[Stretch] = []
    begin = first if isinstance(first, datetime) else None
    for since, until in unseen_broker_spans(terms, stays):
        if begin is not None and since > begin:
            known.append((begin, since))
        begin = until
    if begin is not None:
        known.append((begin, None))
    return pl.concat([started_term_spans(answers, terms), pl.DataFrame(known, schema=SPAN, orient="row")])


def unseen_broker_spans(terms: pl.DataFrame, stays: pl.DataFrame) -> list[Stretch]:
    """In KRaft, whose controllers list no brokers as they start: from the begin of a term without lines of its own
    controller, until each broker has been said to come or go since its end; None: not yet. They do not overlap."""
    silent = terms.filter((col("mode") == KRAFT) & col("told_from_at").is_null()).sort("began_at")
    found: list[Stretch] = []
    for began_at, until_at in silent.select("began_at", "until_at").iter_rows():
        heard_at = None if until_at is None else all_brokers_seen_at(stays, until_at)
        is_within = bool(found) and (found[-1][1] is None or found[-1][1] > began_at)
        found.append((found.pop()[0] if is_within else began_at, heard_at))
    return found


def all_brokers_seen_at(stays: pl.DataFrame, since: datetime) -> datetime | None:
    """When the last of the brokers is heard of that have come or gone since then; None: one has not."""
    return latest_if_all_known(next_event(stays, since).values())


def latest_if_all_known(times: Iterable[datetime | None]) -> datetime | None:
    given = list(times)
    known = [one for one in given if one is not None]
    return max(known) if known and len(known) == len(given) else None


def next_event(stays: pl.DataFrame, since: datetime) -> dict[int, datetime | None]:
    """By broker when it is said to come or go first, from that time on."""
    events = pl.concat([stays.select("broker_id", at="joined_at"), stays.select("broker_id", at="left_at")])
    later = events.group_by("broker_id").agg(at=col("at").filter(col("at") >= since).min())
    return dict(later.iter_rows())


def unheard_of(answers: Answers, terms: pl.DataFrame, at: datetime) -> list[int]:
    """Brokers of KRaft that are not heard of, by then, since the last term without lines of its own controller."""
    silent = terms.filter((col("mode") == KRAFT) & col("told_from_at").is_null() & (col("began_at") <= at))
    if silent.is_empty():
        return []
    stays = answers.rows("gold.broker_session", None, ("broker_id", "joined_at", "left_at"))
    since = silent.sort("began_at").row(-1, named=True)
    heard = next_event(stays, since["until_at"] or at)
    return [broker for broker, when in heard.items() if when is None or when > at]


def started_term_spans(answers: Answers, terms: pl.DataFrame) -> pl.DataFrame:
    """(from_at, until_at) of ZooKeeper controllers whose start was read, until lines of them are missing."""
    of_zookeeper = terms.filter(col("mode") == ZOOKEEPER, "is_begin_seen")
    gaps = missing_lines(answers, of_zookeeper["controller_id"].unique().to_list())
    missing = gaps.select(controller_id="node_id", lost_at="from_at")
    lost = (
        of_zookeeper.join(missing, on="controller_id", how="left")
        .filter((col("lost_at") >= col("began_at")).fill_null(value=False))
        .group_by("term_id")
        .agg(col("lost_at").min())
    )
    ends = pl.min_horizontal("until_at", "superseded_at", "lost_at")
    return of_zookeeper.join(lost, on="term_id", how="left").select(from_at="began_at", until_at=ends)
