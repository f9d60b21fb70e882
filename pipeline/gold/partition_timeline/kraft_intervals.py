"""Who led which partition when in KRaft mode: from what brokers print by partition epoch, and what fencing implies."""

from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.gold.partition_timeline.kraft_fencing import (
    fences,
    held,
    leaderships,
    with_fence,
    with_leaderships,
    with_lost,
)
from pipeline.gold.partition_timeline.kraft_topics import kraft_topics
from pipeline.gold.partition_timeline.missing_broker_logs import with_missing_logs
from pipeline.model.lines.acting import SEQ_BITS
from pipeline.model.partitions.partition_states import (
    ASSIGNED,
    HELD,
    IDENTITY,
    identified,
    printed,
    seeds,
    since_printed,
    states,
    with_seeds,
)
from pipeline.model.terms.kraft_terms import LINE, kraft_terms, until_unseen, with_decided, with_term

KNOWN = (*HELD, "partition_epoch", "state", "certainty", "topic_life", "gone_at", "gone_by")
TRACKED = ("partition_epoch", "state", *HELD, *ASSIGNED)
TAKEN = "partition_created"
MOST_EPOCHS = (1 << SEQ_BITS) - 1


def kraft_intervals(
    partition_state: pl.DataFrame,
    broker_absence: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    wording_seen: pl.DataFrame,
    timeline_before: pl.DataFrame,
    dirty_from: datetime | None,
) -> pl.DataFrame:
    """One row per interval of a partition in KRaft mode in which nothing known of it changed.

    What may have gone by unseen as logs of a broker are missing: see with_missing_logs.
    Begin: the decision that implies it, else the first line of any node that states it; lines that come late, as those
    of a process that starts and prints all it has, tell nothing but the assignment where none was known.
    Places: seq and event_seq are the millisecond of the begin, seq within it the partition epoch: what brokers print
    has no place in a controller's term. The term is the one in office then.
    """
    terms = kraft_terms(term)
    absences = until_unseen(broker_absence, terms)
    before = timeline_before.filter(col("topic_id").is_not_null())
    lines = identified(partition_state, before, dirty_from).pipe(with_decided, controller_line, terms)
    said = printed(lines).pipe(with_seeds, seeds(before), term)
    led = states(said).pipe(with_leaderships).pipe(with_lost, absences)
    topics = kraft_topics(said, lines, before, terms)
    fenced = leaderships(led, topics).pipe(with_fence, fences(absences))
    return (
        pl.concat([with_known(held(led, fenced)), assignments(lines, before)], how="diagonal")
        .pipe(filled)
        .pipe(with_missing_logs, wording_seen, broker_absence, terms)
        .pipe(changes)
        .pipe(with_term, terms)
        .pipe(placed)
    )


def until_kraft(
    in_zookeeper: pl.DataFrame, in_kraft: pl.DataFrame, timeline_before: pl.DataFrame
) -> pl.DataFrame:
    """Intervals of ZooKeeper mode until KRaft takes over: afterwards the new controller tells brokers that are not
    restarted yet what it holds, in the same words."""
    before = timeline_before.filter(col("topic_id").is_not_null())
    begun = pl.concat([one.select("cluster_id", "valid_from_at") for one in (in_kraft, before)])
    taken = begun.group_by("cluster_id").agg(kraft_at=col("valid_from_at").min())
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


def with_known(held: pl.DataFrame) -> pl.DataFrame:
    is_online, is_offline = col("leader") >= 0, col("leader") < 0
    state = when(is_online).then(lit("OnlinePartition")).when(is_offline).then(lit("OfflinePartition"))
    return held.with_columns(state=state, is_known=lit(value=True))


def assignments(lines: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Replicas that controllers' lines and the rows before dirty_from state, without a partition epoch. replayed: those
    of lines that are no decision, as a controller prints them whenever it starts. lost: that they are in doubt."""
    key = (*IDENTITY, "topic", "at", *LINE)
    said = lines.filter(col("teller") == "controller", col("replicas").is_not_null())
    decided = said.filter("is_decided", col("partition_epoch").is_null()).select(*key, *ASSIGNED)
    replayed = said.filter(~col("is_decided")).select(*key, replayed="replicas")
    known = since_printed(before).select(*key, *ASSIGNED, lost=when("is_assignment_stale").then("replicas"))
    stated = pl.concat([decided, replayed, known], how="diagonal")
    return stated.with_columns(is_known=lit(value=False))


def filled(rows: pl.DataFrame) -> pl.DataFrame:
    """Each row with all that is known by then of its partition, its state since known_at, its assignment as stated
    at replicas_at, and its place among all (row_no); what comes before its first state tells of replicas.

    Where a replica was lost and the assignment was not stated since, it is stale.
    """
    is_stated = col("replicas").is_not_null()
    is_seed = ~col("is_known") & col("lost").is_not_null()
    nothing = lit([], rows.schema["lost"])
    doubt = when(is_seed).then("lost").when(is_stated).then(nothing).otherwise("lost")
    is_doubtful = (col("doubt").list.set_intersection("replicas").list.len() > 0).fill_null(value=False)
    return (
        rows.sort(*IDENTITY, "at", ~col("is_known"), "partition_epoch", *LINE)
        .with_row_index("row_no")
        .with_columns(
            col(*ASSIGNED, "first_seq", "replayed").forward_fill().over(IDENTITY),
            doubt=doubt.forward_fill().over(IDENTITY),
            replicas_at=when(is_stated).then("at").forward_fill().over(IDENTITY),
            known_no=when("is_known").then("row_no").forward_fill().over(IDENTITY),
        )
        .with_columns(
            col(KNOWN).gather("known_no"),
            known_at=col("at").gather("known_no"),
            replicas=pl.coalesce("replicas", "replayed"),
        )
        .filter(col("known_no").is_not_null())
        .with_columns(is_assignment_stale=when(is_stated).then(is_doubtful))
        .drop("known_no", "is_known", "replayed", "lost", "doubt")
    )


def changes(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that change something, with their end and what ended them."""
    is_within_life = (col("at") < col("gone_at")).fill_null(value=True)
    following_at = col("at").shift(-1).over(IDENTITY)
    is_last_of_instant = (following_at > col("at")).fill_null(value=True)
    is_first = col("row_no") == col("row_no").min().over(IDENTITY)
    is_new = pl.any_horizontal(col(name).ne_missing(col(name).shift(1)) for name in (*TRACKED, "is_unseen", "is_assignment_stale"))
    counted = (col("first_seq").max().over(IDENTITY) - 1).fill_null(0)
    return (
        rows.filter(is_within_life)
        .sort(*IDENTITY, "at", col("partition_epoch").is_null(), "partition_epoch", *LINE, "row_no")
        .filter(is_last_of_instant)
        .drop("row_no")
        .with_row_index("row_no")
        .filter(is_first | is_new)
        .with_columns(
            valid_until_at=pl.coalesce(following_at, "gone_at"),
            ended_by=pl.coalesce(col("event").shift(-1).over(IDENTITY), "gone_by"),
            interval_seq=col("at").cum_count().over(IDENTITY).cast(pl.Int64) + counted,
        )
    )


def placed(rows: pl.DataFrame) -> pl.DataFrame:
    at_ms = col("at").dt.epoch("ms") * (1 << SEQ_BITS)
    place = pl.min_horizontal(col("partition_epoch").fill_null(0), lit(MOST_EPOCHS))
    return rows.with_columns(
        valid_from_at="at",
        event_seq=at_ms,
        seq=at_ms + place,
        is_deleting=lit(value=False),
        evidence=pl.concat_list(pl.struct("file_id", "byte_offset")),
    )
