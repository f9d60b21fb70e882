"""What nobody prints in KRaft mode as the logs of a broker are missing: what it did while it led, and its return."""

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import open_end
from pipeline.gold.partition_timeline.missing_epochs import before_missing_epochs, before_replayed_end
from pipeline.gold.partition_timeline.silences import (
    NOBODY,
    ends_of_led_states,
    first_after,
    silenced_states,
    unread_returns,
    unread_stops,
    unwatched_states,
    without_restated,
)
from pipeline.gold.partition_timeline.watched import (
    BROKER,
    is_state_log_missing,
    of_nobody,
    state_members,
    watched_from,
    watched_log_holes,
)
from pipeline.model.partitions.partition_states import HELD, IDENTITY
from pipeline.model.terms.kraft_terms import unproved_holes, unseen_of

LINES_MISSING = "lines_missing"
UNDETERMINED = "undetermined"
OWN = (
    *("state_no", "known_at", "replicas_at", "following_at", "begin_at", "end_at"),
    *("is_led", "is_alone", "is_stale", "is_doubt"),
)
UNKNOWN = ("state", "partition_epoch", *HELD)


def with_missing_logs(
    rows: pl.DataFrame,
    wording_seen: pl.DataFrame,
    broker_absence: pl.DataFrame,
    terms: pl.DataFrame,
    stops: pl.DataFrame,
    restated: pl.DataFrame,
    shown_holes: pl.DataFrame | None = None,
    undecided: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """States of partitions (row_no: their order; at, state, HELD, known_at, replicas, replicas_at, gone_at,
    is_assignment_stale) with is_isr_stale and is_unseen (a KRaft term went on since known_at of which no line was
    read); and rows more: undetermined ones from where on a state may be over unseen, and where such a term begins.

    Who leads prints changes of the ISR and of the assignment: where its logs are missing both are stale. Replicas print
    another leader: it is in doubt from the decision on to fence such a broker or to let it go, and where nobody leads
    from the return on of such a replica. Nobody prints another leader while all the other replicas are silent: fenced,
    or between two processes (stops: of own_stops.own_stops). One that prints the same state later that day (restated:
    of restatements) shows that it went on.
    Where leader epochs are missing a state is over at a time that no line tells (before_missing_epochs; shown_holes:
    holes more, of unsaid_shutdown_holes). undecided: of own_stops.undecided_stops.
    So is the last one of a topic whose removal is only replayed (before_replayed_end).
    Lines that repeat a state change nothing of this: on the next day they are not known any more.
    terms: those of kraft_terms. Where the nodes of all state-change.log are unknown nothing is concluded of others.
    """
    watched = watched_from(wording_seen)
    unnamed = of_nobody(wording_seen)
    decided = broker_absence.join(unnamed, on="cluster_id", how="anti")
    absences = decided.filter(~col("is_partial"))
    unseen = unseen_of(terms).join(unnamed, on="cluster_id", how="anti")
    is_led = (col("leader") >= 0).fill_null(value=False)
    is_alone = is_led & (col("isr").list.len() <= 1).fill_null(value=True)
    states = (
        rows.pipe(with_unseen_terms, unseen)
        .sort(*IDENTITY, "at", "partition_epoch", "row_no", nulls_last=True)
        .with_row_index("state_no")
        .with_columns(is_led=is_led, is_alone=is_alone, following_at=col("at").shift(-1).over(IDENTITY))
        .pipe(with_missing_leader, watched)
        .pipe(with_stale)
    )
    begins = first_after(states.filter("is_led", ~col("is_alone")), "at", unseen_begins(unseen))
    holes = [watched_log_holes(wording_seen), unproved_holes(terms)]
    holes += [] if shown_holes is None else [shown_holes]
    ends = pl.concat(
        [
            decisions_without_broker_logs(states, watched, decided),
            silenced_states(states, watched, pl.concat([absences.select(stops.columns), stops]), restated),
            first_after(states.filter("is_alone"), "known_at", unseen_begins(unseen)),
            before_missing_epochs(states, pl.concat(holes)),
            before_replayed_end(states),
            unwatched_states(states, watched, unnamed),
            unread_stops(states, stops, terms).pipe(without_restated, states, restated),
            unread_returns(states, stops, terms, wording_seen),
        ]
        + ([] if undecided is None else [ends_of_led_states(states, killed_leaders(undecided))])
    )
    return (
        states.join(begins.rename({"first_at": "begin_at"}), on="state_no", how="left")
        .join(ends.group_by("state_no").agg(end_at=col("first_at").min()), on="state_no", how="left")
        .pipe(in_steps, unseen)
        .drop(OWN)
    )


def killed_leaders(undecided: pl.DataFrame) -> pl.DataFrame:
    return undecided.select(*BROKER, "back_at", first_at="silent_from_at")


def with_missing_leader(states: pl.DataFrame, watched: pl.DataFrame) -> pl.DataFrame:
    """is_isr_stale: the logs of the leader were missing when its state was stated."""
    of_leader = watched.rename({"broker_id": "leader"})
    return (
        states.join(of_leader, on=["cluster_id", "leader"], how="left", maintain_order="left")
        .with_columns(is_isr_stale=col("is_led") & is_state_log_missing("known_at"))
        .drop("watched_from_at")
    )


def with_stale(states: pl.DataFrame) -> pl.DataFrame:
    """is_stale: the assignment may have changed unseen since it was stated; it did where who leads later is not in
    it."""
    is_outside = (
        col("is_led") & ~col("replicas").list.contains(col("leader")) & (col("known_at") > col("replicas_at"))
    )
    is_doubtful = col("is_isr_stale") | col("is_unseen") | is_outside.fill_null(value=False)
    doubtful_at = when(is_doubtful).then("at").cum_max().forward_fill().over(IDENTITY)
    is_stale = (doubtful_at >= col("replicas_at")).fill_null(doubtful_at.is_not_null())
    return states.with_columns(is_stale=is_stale)


def with_unseen_terms(rows: pl.DataFrame, unseen: pl.DataFrame) -> pl.DataFrame:
    """is_unseen: a term without lines went on between known_at and at, or goes on then."""
    begun = unseen.rename({"next_at": "unseen_until_at"}).sort("from_at")
    goes_on = col("known_at") < open_end("unseen_until_at")
    return (
        rows.drop("is_unseen", strict=False)
        .sort("at")
        .join_asof(begun, left_on="at", right_on="from_at", by="cluster_id", check_sortedness=False)
        .with_columns(is_unseen=col("from_at").is_not_null() & goes_on)
        .drop("from_at", "unseen_until_at")
    )


def unseen_begins(unseen: pl.DataFrame) -> pl.DataFrame:
    return unseen.select("cluster_id", first_at="from_at")


def decisions_without_broker_logs(
    states: pl.DataFrame, watched: pl.DataFrame, absences: pl.DataFrame
) -> pl.DataFrame:
    """(state_no, first_at): the first decision after known_at to take out the leader while its logs are missing; where
    nobody leads, of the return of a replica of which that holds."""
    out, back = (
        absences.select(*BROKER, first_at=name)
        .join(watched, on=BROKER, how="left")
        .filter(is_state_log_missing("first_at"))
        for name in ("out_at", "back_at")
    )
    led = states.filter("is_led").with_columns(broker_id="leader")
    leaderless = state_members(states.filter(col("leader") == NOBODY), watched)
    return pl.concat(
        [first_after(led, "known_at", out, BROKER), first_after(leaderless, "known_at", back, BROKER)]
    )


def in_steps(states: pl.DataFrame, unseen: pl.DataFrame) -> pl.DataFrame:
    """Each state with the rows more; of one that is over before it begins only its beginning, and none of what begins
    once it may be over."""
    followed, gone, over = (open_end(name) for name in ("following_at", "gone_at", "end_at"))
    is_over = (col("end_at") <= col("at")).fill_null(value=False)

    def step(at: str, *until: pl.Expr) -> pl.DataFrame:
        is_inside = (col(at) > col("at")) & (col(at) < pl.min_horizontal(until))
        return (
            states.filter(is_inside, ~is_over)
            .with_columns(at=at, event=lit(LINES_MISSING), is_doubt=lit(at == "end_at"))
            .pipe(with_unseen_terms, unseen)
        )

    itself = states.with_columns(is_doubt=is_over)
    is_unsure = col("is_doubt") | (col("is_alone") & col("is_unseen"))
    is_weak = col("is_unseen") & (col("certainty") == "proved")
    certainty = when(is_weak).then(lit("inferred")).otherwise("certainty")
    return pl.concat(
        [itself, step("begin_at", followed, gone, over), step("end_at", followed, gone)], how="diagonal"
    ).with_columns(
        when(~col("is_doubt")).then(col(UNKNOWN)),
        is_assignment_stale=col("is_assignment_stale") | col("is_stale") | col("is_unseen"),
        certainty=when(is_unsure).then(lit(UNDETERMINED)).otherwise(certainty),
    )
