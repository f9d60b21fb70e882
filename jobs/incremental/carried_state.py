"""What kernels that begin at a day have to know of the time before it, by the name of their parameter."""

from collections.abc import Callable
from datetime import datetime

import polars as pl
from polars import col

from jobs.incremental.at_hand import AtHand
from jobs.incremental.lines_before import CARRIED_LINE, lines_before
from jobs.incremental.terms_before import day_before, summary_before, view_before
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.conditions import (
    Condition,
    all_conditions,
    column_before,
    column_equals,
    column_reaching,
    column_since,
    is_in,
)
from pipeline.core.frames import empty_frame
from pipeline.gold.leader_election.kraft_marks import RUNS
from pipeline.model.brokers.first_signs import SIGN_OF_TERM
from pipeline.model.partitions.service_parts import ended_intervals, whole_intervals
from pipeline.model.partitions.statements import PARTITION
from pipeline.model.partitions.topic_lives import CREATED, DELETION_BEFORE, ENDED, REMOVED
from pipeline.model.terms.succession import TERM, with_superseded
from schemas.gold import (
    broker_session,
    controller_term,
    leader_imbalance,
    partition_outage,
    partition_timeline,
    topic_lifecycle,
)
from schemas.gold.leader_imbalance import CREATION_UNSEEN
from schemas.silver import election_event, process_run, topic_event
from schemas.spec import TableSpec
from schemas.state import controller_day, partition_view, replay_summary

PLACE = ("file_id", "byte_offset")
TOPIC = ("cluster_id", "topic")
OUTAGE = (*PARTITION, "noticed_at")
UNDETERMINED = "undetermined"
# Tables that say what state a partition is in.
SAYING = ("leader_and_isr", "partition_transition", "partition_state", "state_dump")
# More names than this are not asked for one by one.
MOST_NAMES = 500

State = Callable[[AtHand, datetime], pl.DataFrame]


def names_condition(column: str, names: list[str]) -> Condition | None:
    """Rows of these names; None, all of them, where there are too many to ask for."""
    return is_in(column, names) if len(names) <= MOST_NAMES else None


def deletion_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """(cluster_id, topic, deletions, removed_at): how often each topic ended before the day, and when it was removed,
    if it has not been created since."""
    is_done = is_in("step", ENDED) & column_before("logged_at", start)
    later = at_hand.since(BY_SHORT_NAME["controller_line"], start).select(PLACE)
    done = at_hand.stored(topic_event.SPEC, is_done).join(later, on=PLACE, how="anti")
    removed = done.filter(col("step") == REMOVED)
    created = removed.clear()
    if not removed.is_empty():
        is_created = column_equals("step", CREATED) & column_before("logged_at", start)
        of_them = names_condition("topic", removed["topic"].unique().sort().to_list())
        created = at_hand.stored(topic_event.SPEC, all_conditions(is_created, of_them))
    last = (
        pl.concat([removed, created.join(later, on=PLACE, how="anti")])
        .sort("logged_at", *PLACE)
        .unique(TOPIC, keep="last", maintain_order=True)
        .filter(col("step") == REMOVED)
    )
    found = done.group_by(TOPIC).agg(deletions=pl.len().cast(pl.Int64))
    removed_at = last.select(*TOPIC, removed_at="logged_at")
    return found.join(removed_at, on=TOPIC, how="left").select(*DELETION_BEFORE)


def timeline_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Rows of gold.partition_timeline that begin before the day: those open then, all of the topics in which something
    is said afterwards, and of the partitions that are open in KRaft by an inference."""
    said = (at_hand.since(BY_SHORT_NAME[name], start)["topic"] for name in SAYING)
    topics = pl.concat(list(said)).unique().drop_nulls().sort().to_list()
    earlier, of_topics = column_before("valid_from_at", start), names_condition("topic", topics)
    kept = earlier if of_topics is None else earlier & (column_reaching("valid_until_at", start) | of_topics)
    rows = at_hand.stored(partition_timeline.SPEC, kept)
    is_open = column_reaching("valid_until_at", start).polars()
    inferred = rows.filter(is_open, col("topic_id").is_not_null(), col("partition_epoch").is_null())
    if inferred.is_empty():
        return rows
    own = ("cluster_id", "topic_id", "partition")
    of_topic = is_in("topic_id", inferred["topic_id"].unique().sort().to_list())
    others = at_hand.stored(partition_timeline.SPEC, earlier & of_topic)
    found = pl.concat([rows, others.join(inferred.select(own).unique(), on=own, how="semi")])
    return found.unique(("cluster_id", *partition_timeline.SPEC.key), keep="first")


def led_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Rows of gold.partition_timeline that ended before the day, of each partition that has no leader of a known epoch
    then: the last one with a leader, and the last one with an epoch."""
    has_leader, has_epoch = (
        col("leader") >= 0,
        col("leader").is_not_null() & col("leader_epoch").is_not_null(),
    )
    is_led_then = column_before("valid_from_at", start).polars() & (has_leader & has_epoch).fill_null(
        value=False
    )
    since_then = at_hand.since(BY_SHORT_NAME["partition_timeline"], start)
    later = whole_intervals(since_then).sort("interval_seq")
    first = later.unique(PARTITION, keep="first", maintain_order=True)
    unled = first.filter(~is_led_then, col("interval_seq") > 1)
    if unled.is_empty():
        return empty_frame(partition_timeline.SPEC)
    of_topics = names_condition("topic", unled["topic"].unique().sort().to_list())
    ended = at_hand.stored(
        partition_timeline.SPEC, all_conditions(column_before("valid_until_at", start), of_topics)
    )
    theirs = ended_intervals(ended).join(unled, on=PARTITION, how="semi").sort("interval_seq")
    last = [
        theirs.filter(one).unique(PARTITION, keep="last", maintain_order=True)
        for one in (has_leader, has_epoch)
    ]
    return pl.concat(last).unique((*PARTITION, "interval_seq"))


def sessions_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Rows of gold.broker_session that begin before the day: those that reach it, and the last one of each broker."""
    rows = at_hand.stored(broker_session.SPEC, column_before("joined_at", start))
    last = rows.sort("joined_at", nulls_last=False).unique(("cluster_id", "broker_id"), keep="last")
    kept = pl.concat([rows.filter(column_reaching("left_at", start).polars()), last])
    return kept.unique(("cluster_id", "broker_id", "joined_at"), keep="first")


def topic_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Rows of gold.topic_lifecycle that begin before the day, those that ended among them: a KRaft controller that
    starts prints topics of long ago once more."""
    return at_hand.stored(topic_lifecycle.SPEC, column_before("first_seen_at", start))


def outage_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Rows of gold.partition_outage that begin before the day and reach it; undetermined only by what was before it:
    what comes after it is judged anew."""
    rows = interval_before(at_hand, partition_outage.SPEC, "noticed_at", "ended_at", start)
    is_told = col("certainty") == UNDETERMINED
    told = rows.filter(is_told)
    if told.is_empty():
        return rows
    doubted = doubted_before(at_hand, told, start)
    certain = told.join(doubted, on=OUTAGE, how="anti").with_columns(certainty=pl.lit("inferred"))
    return pl.concat([rows.filter(~is_told), certain, told.join(doubted, on=OUTAGE, how="semi")])


def doubted_before(at_hand: AtHand, outages: pl.DataFrame, start: datetime) -> pl.DataFrame:
    """(OUTAGE) of these outages those of which an interval that ended before the day is in doubt."""
    first_at = outages["noticed_at"].to_list()
    ended = column_before("valid_until_at", start) & column_since("valid_until_at", min(first_at))
    of_topics = names_condition("topic", outages["topic"].unique().sort().to_list())
    parts = at_hand.stored(partition_timeline.SPEC, all_conditions(ended, of_topics))
    is_in_doubt = ~col("is_served") & (col("certainty") == UNDETERMINED)
    in_doubt = parts.filter(is_in_doubt).select(*PARTITION, from_at="valid_from_at")
    found = outages.join(in_doubt, on=PARTITION).filter(col("from_at") >= col("noticed_at"))
    return found.select(OUTAGE).unique()


def imbalance_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Rows of gold.leader_imbalance that begin before the day and reach it, and of those that ended before one that
    tells of a partition whose creation was not seen."""
    spec = leader_imbalance.SPEC
    open_ones = interval_before(at_hand, spec, "valid_from_at", "valid_until_at", start)
    unseen = column_before("valid_until_at", start) & column_equals("reason", CREATION_UNSEEN)
    return pl.concat([open_ones, at_hand.stored(spec, unseen).head(1)])


def run_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Rows of silver.election_event: of the KRaft terms that go on at the day the first run of preferred elections of
    each day and kind before it. Which controllers print theirs is told by any of them."""
    terms = with_superseded(at_hand.whole(BY_SHORT_NAME["term"]))
    began = pl.min_horizontal("elected_at", "first_seen_at")
    is_open = column_reaching("superseded_at", start).polars()
    going_on = terms.filter(col("mode") == "kraft", is_open, began < start)
    first = going_on.select(at=began)["at"].min()
    if not isinstance(first, datetime):
        return empty_frame(election_event.SPEC)
    in_time = column_since("logged_at", first) & column_before("logged_at", start)
    rows = at_hand.stored(election_event.SPEC, is_in("event", RUNS) & in_time).sort("logged_at", *PLACE)
    day = rows.with_columns(day_at=col("logged_at").dt.truncate("1d"))
    each = day.unique(
        ("cluster_id", "node_id", "event", "trigger", "day_at"), keep="first", maintain_order=True
    )
    return each.drop("day_at")


def process_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """Rows of silver.process_run that reach the day, with their lines of before it alone: the others are read."""
    rows = at_hand.stored(process_run.SPEC, column_reaching("next_started_at", start))
    lines = ("first_line_at", "last_line_at")
    return rows.with_columns(pl.when(col(name) < start).then(name).alias(name) for name in lines)


def sign_before(at_hand: AtHand, start: datetime) -> pl.DataFrame:
    """(SIGN_OF_TERM) of each term the first sign of its end, if it lies before the day."""
    rows = at_hand.stored(controller_term.SPEC, column_before("first_sign_at", start))
    lines = col("lines").map.get("first_sign")
    return rows.select(*TERM, sign_before_at="first_sign_at", sign_before_lines=lines)


def interval_before(
    at_hand: AtHand, spec: TableSpec, from_column: str, until_column: str, start: datetime
) -> pl.DataFrame:
    """Rows of an interval table that begin before the day and reach it: the table is its own state."""
    return at_hand.stored(spec, column_before(from_column, start) & column_reaching(until_column, start))


STATES: dict[str, State] = {
    "summary_before": summary_before,
    "deletion_before": deletion_before,
    "timeline_before": timeline_before,
    "session_before": sessions_before,
    "topic_before": topic_before,
    "outage_before": outage_before,
    "imbalance_before": imbalance_before,
    "run_before": run_before,
    "led_before": led_before,
    "line_before": lines_before,
    "view_before": view_before,
    "day_before": day_before,
    "process_before": process_before,
    "sign_before": sign_before,
}
# Tables whose rows of the days before are such a state: a kernel that takes it is built by days if they hold it.
KEPT_IN = {
    "summary_before": replay_summary.SPEC,
    "view_before": partition_view.SPEC,
    "day_before": controller_day.SPEC,
}
NOTHING: dict[str, pl.DataFrame] = {
    "summary_before": empty_frame(replay_summary.SPEC),
    "deletion_before": pl.DataFrame(schema=DELETION_BEFORE),
    "timeline_before": empty_frame(partition_timeline.SPEC),
    "session_before": empty_frame(broker_session.SPEC),
    "topic_before": empty_frame(topic_lifecycle.SPEC),
    "outage_before": empty_frame(partition_outage.SPEC),
    "imbalance_before": empty_frame(leader_imbalance.SPEC),
    "run_before": empty_frame(election_event.SPEC),
    "led_before": empty_frame(partition_timeline.SPEC),
    "line_before": CARRIED_LINE,
    "view_before": empty_frame(partition_view.SPEC),
    "day_before": empty_frame(controller_day.SPEC),
    "process_before": empty_frame(process_run.SPEC),
    "sign_before": pl.DataFrame(schema=SIGN_OF_TERM),
}


def state_before_day(name: str, at_hand: AtHand, start: datetime | None) -> pl.DataFrame:
    """The state of that name before the day; nothing where all is built."""
    return NOTHING[name] if start is None else STATES[name](at_hand, start)
