"""Who led which partition when in KRaft mode: from what brokers print by partition epoch, and what fencing implies."""

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.gold.partition_timeline.kraft_disks import blocked_by_disk
from pipeline.gold.partition_timeline.kraft_fencing import (
    brokers_out_by_decision,
    held_states,
    leaderships_of_states,
    with_fences,
    with_leaderships,
    with_lost_brokers,
    with_replayed_end,
)
from pipeline.gold.partition_timeline.kraft_topics import kraft_topics
from pipeline.gold.partition_timeline.missing_broker_logs import LINES_MISSING, with_missing_logs
from pipeline.gold.partition_timeline.missing_epochs import shown_holes, with_hole_before_next
from pipeline.gold.partition_timeline.own_stops import process_stops, undecided_stops
from pipeline.gold.partition_timeline.silences import last_restatements
from pipeline.gold.partition_timeline.watched import watched_log_holes, with_watched_leader
from pipeline.model.lines.acting import SEQ_BITS
from pipeline.model.partitions.changed_epochs import with_changed_epochs
from pipeline.model.partitions.partition_states import (
    ASSIGNED,
    HELD,
    IDENTITY,
    lines_with_topic_id,
    printed_states,
    seed_states,
    since_printed,
    states_by_epoch,
    with_seeds,
)
from pipeline.model.partitions.statements import MOVING
from pipeline.model.terms.kraft_terms import (
    LINE,
    kraft_terms,
    unproved_holes,
    until_unseen,
    with_decided,
    with_kraft_term,
)

KNOWN = (*HELD, "partition_epoch", "state", "certainty", "topic_life", "gone_at", "gone_by", "is_gone_before")
TRACKED = ("partition_epoch", "state", *HELD, *ASSIGNED, "is_unseen", "is_assignment_stale")
TAKEN = "partition_created"
PLACE = ("file_id", "byte_offset")
MOST_EPOCHS = (1 << SEQ_BITS) - 1


def kraft_intervals(
    partition_state: pl.DataFrame,
    broker_absence: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    wording_seen: pl.DataFrame,
    process_run: pl.DataFrame,
    timeline_before: pl.DataFrame,
    told: pl.DataFrame,
    broker_event: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per interval of a partition in KRaft mode in which nothing known of it changed.

    What may have gone by unseen as logs of a broker are missing: see with_missing_logs. told: own_stops.state_lines of
    the whole cluster.
    Begin: the decision that implies it, else the first line of any node that states it; lines that come late, as those
    of a process that starts and prints all it has, tell nothing but the assignment where none was known.
    Places: seq and event_seq are the millisecond of the begin, seq within it the partition epoch: what brokers print
    has no place in a controller's term. The term is the one in office then.
    """
    terms = kraft_terms(term)
    absences = until_unseen(broker_absence.filter(~col("is_partial")), terms)
    before = timeline_before.filter(col("topic_id").is_not_null())
    seen = seed_states(before)
    decided = lines_with_topic_id(partition_state, before, span).pipe(with_decided, controller_line, terms)
    lines = with_changed_epochs(decided, seen)
    said = printed_states(lines).pipe(with_seeds, seen, term)
    led = states_by_epoch(said).pipe(with_leaderships).pipe(with_lost_brokers, absences)
    stated = stated_assignments(lines, before)
    topics = kraft_topics(said, lines, before, terms, span)
    disks = blocked_by_disk(lines, broker_absence)
    shown = shown_holes(absences, broker_event, controller_line, told)
    holes = pl.concat([watched_log_holes(wording_seen), unproved_holes(terms), shown])
    of_leaders = (
        leaderships_of_states(led, topics)
        .pipe(with_replayed_end, lines)
        .pipe(with_watched_leader, wording_seen)
        .pipe(with_hole_before_next, holes)
    )
    fenced = of_leaders.pipe(
        with_fences, brokers_out_by_decision(absences), disks, assignments_by_line(led, stated)
    )
    return (
        pl.concat([with_partition_state(held_states(led, fenced)), stated], how="diagonal")
        .pipe(fill_known_state)
        .pipe(
            with_missing_logs,
            wording_seen,
            broker_absence,
            terms,
            process_stops(process_run, told),
            last_restatements(said),
            shown,
            undecided_stops(process_run, told, absences).filter(span.since("silent_from_at")),
        )
        .pipe(state_changing_rows)
        .pipe(with_kraft_term, terms)
        .pipe(with_timeline_columns)
    )


def until_kraft(in_zookeeper: pl.DataFrame, kraft_begin: pl.DataFrame) -> pl.DataFrame:
    """Intervals of ZooKeeper mode until KRaft takes over: afterwards the new controller tells brokers that are not
    restarted yet what it holds, in the same words. kraft_begin: (cluster_id, valid_from_at) of what it told first."""
    taken = kraft_begin.group_by("cluster_id").agg(kraft_at=col("valid_from_at").min())
    is_open = (col("valid_until_at") > col("kraft_at")).fill_null(value=True)
    is_taken = is_open & col("kraft_at").is_not_null()
    is_before = (col("valid_from_at") < col("kraft_at")).fill_null(value=True)
    return (
        in_zookeeper.join(taken, on="cluster_id", how="left")
        .filter(is_before)
        .with_columns(
            ended_by=when(is_taken).then(lit(TAKEN)).otherwise("ended_by"),
            valid_until_at=pl.min_horizontal("valid_until_at", "kraft_at"),
        )
        .drop("kraft_at")
    )


def with_partition_state(held: pl.DataFrame) -> pl.DataFrame:
    is_online, is_offline = col("leader") >= 0, col("leader") < 0
    return held.with_columns(
        state=when(is_online).then(lit("OnlinePartition")).when(is_offline).then(lit("OfflinePartition"))
    )


def stated_assignments(lines: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Replicas that controllers' lines and the rows before the span state, without a partition epoch. replayed: those
    of lines that are no decision, as a controller prints them whenever it starts. was_stale: as the row before said."""
    key = (*IDENTITY, "topic", "at", *LINE)
    said = lines.filter(col("teller") == "controller", col("replicas").is_not_null())
    decided = said.filter("is_decided", col("partition_epoch").is_null()).select(*key, *ASSIGNED)
    replayed = said.filter(~col("is_decided")).select(*key, replayed="replicas")
    known = since_printed(before).select(*key, *ASSIGNED, was_stale="is_assignment_stale")
    stated = pl.concat([decided, replayed, known], how="diagonal")
    return stated.with_columns(is_known=lit(value=False))


def assignments_by_line(states: pl.DataFrame, stated: pl.DataFrame) -> pl.DataFrame:
    """(IDENTITY, at, replicas): what is known of assignments from each line on that tells of a partition, in order."""
    known = states.select(*IDENTITY, "at", "partition_epoch", *LINE, "replicas", is_known=lit(value=True))
    rows = rows_since_first_state(pl.concat([known, stated], how="diagonal"))
    return rows.select(*IDENTITY, "at", replicas=replicas_by_then())


def rows_since_first_state(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of each partition in order, from the day (UTC) of its first state on: what a controller says before it
    is not known any more on the next day."""
    day, first = col("at").dt.truncate("1d"), col("at").filter("is_known").min().over(IDENTITY)
    in_order = rows.sort(*IDENTITY, "at", ~col("is_known"), "partition_epoch", *LINE)
    return in_order.filter(day >= first.dt.truncate("1d"))


def fill_known_state(rows: pl.DataFrame) -> pl.DataFrame:
    """Each row with all that is known by then of its partition, its state since known_at, its assignment as stated
    at replicas_at, else as replayed, and its place among all (row_no); what comes before its first state tells of
    replicas.

    Where a replica was lost, or the assignment was stale before, and it was not stated since, it is stale.
    """
    is_stated, stale_at, replicas_at = col("replicas").is_not_null(), col("stale_at"), col("replicas_at")
    nothing = lit([], rows.schema["lost"])
    doubt = when(is_stated).then(nothing).otherwise("lost")
    has_lost = (col("doubt").list.set_intersection("replicas").list.len() > 0).fill_null(value=False)
    was_stale = (stale_at >= replicas_at).fill_null(stale_at.is_not_null())
    return (
        rows_since_first_state(rows)
        .with_row_index("row_no")
        .with_columns(
            col(*MOVING, "first_seq").forward_fill().over(IDENTITY),
            replicas=replicas_by_then(),
            doubt=doubt.forward_fill().over(IDENTITY),
            stale_at=when("was_stale").then("at").forward_fill().over(IDENTITY),
            replicas_at=when(is_stated).then("at").forward_fill().over(IDENTITY),
            known_no=when("is_known").then("row_no").forward_fill().over(IDENTITY),
        )
        .with_columns(
            col(KNOWN).gather("known_no"),
            known_at=col("at").gather("known_no"),
        )
        .filter(col("known_no").is_not_null())
        .with_columns(is_assignment_stale=when(is_stated).then(has_lost | was_stale))
        .drop("known_no", "is_known", "replayed", "lost", "doubt", "was_stale", "stale_at")
    )


def replicas_by_then() -> pl.Expr:
    """The assignment as stated last, else what is replayed last before the first state of the partition, or where
    nothing is, first after it: a replay tells of no assignment that is known. Of rows rows_since_first_state()."""
    replayed, is_later = col("replayed"), col("is_known").cum_max().over(IDENTITY)
    number = when(is_later).then(replayed.is_not_null()).cum_sum().over(IDENTITY)
    by_then = when(~is_later).then(replayed).forward_fill().over(IDENTITY)
    after = when(number == 1).then(replayed).forward_fill().over(IDENTITY)
    return pl.coalesce(col("replicas").forward_fill().over(IDENTITY), by_then, after)


def state_changing_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that change something, with their end and what ended them. The line of one that no line begins is that
    of the row before."""
    is_within_life = (col("at") < col("gone_at")).fill_null(value=True)
    following_at = col("at").shift(-1).over(IDENTITY)
    is_last_of_instant = (following_at > col("at")).fill_null(value=True)
    is_first = pl.int_range(pl.len()).over(IDENTITY) == 0
    is_new = pl.any_horizontal(col(name).ne_missing(col(name).shift(1)) for name in TRACKED)
    counted = (col("first_seq").max().over(IDENTITY) - 1).fill_null(0)
    return (
        rows.filter(is_within_life)
        .sort(*IDENTITY, "at", col("partition_epoch").is_null(), "partition_epoch", *LINE, "row_no")
        .filter(is_last_of_instant)
        .filter(is_first | is_new)
        .with_columns(when(col("event") != LINES_MISSING).then(col(PLACE)).forward_fill().over(IDENTITY))
        .with_columns(
            valid_until_at=pl.coalesce(following_at, "gone_at"),
            ended_by=pl.coalesce(col("event").shift(-1).over(IDENTITY), "gone_by"),
            interval_seq=col("at").cum_count().over(IDENTITY).cast(pl.Int64) + counted,
        )
    )


def with_timeline_columns(rows: pl.DataFrame) -> pl.DataFrame:
    at_ms = col("at").dt.epoch("ms") * (1 << SEQ_BITS)
    place = pl.min_horizontal(col("partition_epoch").fill_null(0), lit(MOST_EPOCHS))
    return rows.with_columns(
        valid_from_at="at",
        event_seq=at_ms,
        seq=at_ms + place,
        is_deleting=lit(value=False),
        evidence=pl.concat_list(pl.struct("file_id", "byte_offset")),
    )
