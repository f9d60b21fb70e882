"""What nobody prints in KRaft mode as the logs of a broker are missing: what it did while it led, and its return."""

from collections.abc import Sequence
from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import open_end, with_island
from pipeline.gold.partition_timeline.missing_epochs import SOON, before_missing_epochs
from pipeline.model.partitions.partition_states import GRACE_SECONDS, HELD, IDENTITY
from pipeline.model.terms.kraft_terms import unseen_of

NOBODY = -1
LINES_MISSING = "lines_missing"
UNDETERMINED = "undetermined"
BROKER = ("cluster_id", "broker_id")
PEERS = ("cluster_id", "peers")
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
) -> pl.DataFrame:
    """States of partitions (row_no: their order; at, state, HELD, known_at, replicas, replicas_at, gone_at,
    is_assignment_stale) with is_isr_stale and is_unseen (a KRaft term went on since known_at of which no line was
    read); and rows more: undetermined ones from where on a state may be over unseen, and where such a term begins.

    Who leads prints changes of the ISR and of the assignment: where its logs are missing both are stale. Replicas print
    another leader: it is in doubt from the decision on to fence such a broker or to let it go, and where nobody leads
    from the return on of such a replica. Nobody prints another leader while all the other replicas are silent: fenced,
    or between two processes (stops: of own_stops.own_stops). One that prints the same state later that day (restated:
    of restatements) shows that it went on.
    Where leader epochs are missing a state is over at a time that no line tells (before_missing_epochs).
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
        rows.pipe(with_unseen, unseen)
        .sort(*IDENTITY, "at", "partition_epoch", "row_no", nulls_last=True)
        .with_row_index("state_no")
        .with_columns(is_led=is_led, is_alone=is_alone, following_at=col("at").shift(-1).over(IDENTITY))
        .pipe(with_missing_leader, watched)
        .pipe(with_stale)
    )
    begins = first_after(states.filter("is_led", ~col("is_alone")), "at", unseen_begins(unseen))
    ends = pl.concat(
        [
            decisions(states, watched, decided),
            silences(states, watched, pl.concat([absences.select(stops.columns), stops]), restated),
            first_after(states.filter("is_alone"), "known_at", unseen_begins(unseen)),
            before_missing_epochs(states),
            unwatched(states, watched, unnamed),
            unread_stops(states, stops, terms).pipe(without_restated, states, restated),
        ]
    )
    return (
        states.join(begins.rename({"first_at": "begin_at"}), on="state_no", how="left")
        .join(ends.group_by("state_no").agg(end_at=col("first_at").min()), on="state_no", how="left")
        .pipe(in_steps, unseen)
        .drop(OWN)
    )


def watched_from(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """(BROKER, watched_from_at): since when a broker has a state-change.log."""
    return (
        wording_seen.filter(col("log") == "state-change", col("node_id").is_not_null())
        .group_by("cluster_id", broker_id="node_id")
        .agg(watched_from_at=col("first_at").min())
        .filter(col("watched_from_at").is_not_null())
    )


def of_nobody(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id) of clusters of which state-change.log is read, and of no file the node is known."""
    logs = wording_seen.filter(col("log") == "state-change")
    return (
        logs.group_by("cluster_id").agg(col("node_id").is_null().all()).filter("node_id").select("cluster_id")
    )


def with_watched_leader(leaderships: pl.DataFrame, wording_seen: pl.DataFrame) -> pl.DataFrame:
    """Adds is_watched: the leader has a state-change.log by then, or of no file the node is known."""
    unnamed = of_nobody(wording_seen).with_columns(is_unnamed=lit(value=True))
    of_leader = watched_from(wording_seen).rename({"broker_id": "leader"})
    return (
        leaderships.join(of_leader, on=["cluster_id", "leader"], how="left", maintain_order="left")
        .join(unnamed, on="cluster_id", how="left", maintain_order="left")
        .with_columns(is_watched=~is_missing("from_at") | col("is_unnamed").fill_null(value=False))
        .drop("watched_from_at", "is_unnamed")
    )


def is_missing(at: str) -> pl.Expr:
    """True if it had no state-change.log by then; a state is told a little before its last broker prints it."""
    late = col(at) + timedelta(seconds=GRACE_SECONDS)
    return ~(col("watched_from_at") <= late).fill_null(value=False)


def with_missing_leader(states: pl.DataFrame, watched: pl.DataFrame) -> pl.DataFrame:
    """is_isr_stale: the logs of the leader were missing when its state was stated."""
    of_leader = watched.rename({"broker_id": "leader"})
    return (
        states.join(of_leader, on=["cluster_id", "leader"], how="left", maintain_order="left")
        .with_columns(is_isr_stale=col("is_led") & is_missing("known_at"))
        .drop("watched_from_at")
    )


def with_stale(states: pl.DataFrame) -> pl.DataFrame:
    """is_stale: the assignment may have changed unseen since it was stated."""
    is_doubtful = col("is_isr_stale") | col("is_unseen")
    doubtful_at = when(is_doubtful).then("at").cum_max().forward_fill().over(IDENTITY)
    is_stale = (doubtful_at >= col("replicas_at")).fill_null(doubtful_at.is_not_null())
    return states.with_columns(is_stale=is_stale)


def with_unseen(rows: pl.DataFrame, unseen: pl.DataFrame) -> pl.DataFrame:
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


def first_after(
    states: pl.DataFrame, since: str, times: pl.DataFrame, by: Sequence[str] = ("cluster_id",)
) -> pl.DataFrame:
    """(state_no, first_at) of states: the first of the times (by, first_at) after `since`, where there is one."""
    return (
        states.select("state_no", since, *by)
        .sort(since)
        .join_asof(
            times.filter(col("first_at").is_not_null()).sort("first_at"), left_on=since, right_on="first_at",
            by=by, strategy="forward", allow_exact_matches=False, check_sortedness=False,
        )
        .filter(col("first_at").is_not_null())
        .select("state_no", "first_at")
    )  # fmt: skip


def members(states: pl.DataFrame, watched: pl.DataFrame) -> pl.DataFrame:
    """(state_no, BROKER, known_at, watched_from_at): replicas and in-sync replicas of each state."""
    kept = ("state_no", "cluster_id", "known_at")
    each = [
        states.select(*kept, broker_id=name).explode("broker_id").filter(col("broker_id").is_not_null())
        for name in ("replicas", "isr")
    ]
    return pl.concat(each).unique().join(watched, on=BROKER, how="left")


def decisions(states: pl.DataFrame, watched: pl.DataFrame, absences: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at): the first decision after known_at to take out the leader while its logs are missing; where
    nobody leads, of the return of a replica of which that holds."""
    out, back = (
        absences.select(*BROKER, first_at=name)
        .join(watched, on=BROKER, how="left")
        .filter(is_missing("first_at"))
        for name in ("out_at", "back_at")
    )
    led = states.filter("is_led").with_columns(broker_id="leader")
    leaderless = members(states.filter(col("leader") == NOBODY), watched)
    return pl.concat(
        [first_after(led, "known_at", out, BROKER), first_after(leaderless, "known_at", back, BROKER)]
    )


def silences(
    states: pl.DataFrame, watched: pl.DataFrame, absences: pl.DataFrame, restated: pl.DataFrame
) -> pl.DataFrame:
    """(state_no, first_at): of states that are led while logs of a replica are missing, when after known_at none of the
    others may answer any more, and none prints the same state later that day."""
    each = members(states.filter("is_led"), watched)
    missing = (
        each.filter(is_missing("known_at"))
        .group_by("state_no")
        .agg(watched_from_at=open_end("watched_from_at").max())
    )
    asked = (
        each.filter(~is_missing("known_at"))
        .drop("watched_from_at")
        .join(missing, on="state_no")
        .group_by("state_no", "cluster_id", "watched_from_at", since=col("known_at") + SOON)
        .agg(peers=col("broker_id").sort().cast(pl.String).str.join(" "))
    )
    stretches = quiet(asked.select(PEERS).unique(), absences)
    return (
        asked.sort("since")
        .join_asof(
            stretches.sort("until_at"), left_on="since", right_on="until_at", by=PEERS, strategy="forward",
            allow_exact_matches=False, check_sortedness=False,
        )
        .with_columns(first_at=pl.max_horizontal("from_at", "since"))
        .filter(col("from_at").is_not_null(), is_missing("first_at"))
        .select("state_no", "first_at")
        .pipe(without_restated, states, restated)
    )  # fmt: skip


def unwatched(states: pl.DataFrame, watched: pl.DataFrame, unnamed: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at): of states that are led of which no replica has a state-change.log: a controller says them
    as it decides them, and none of the elections that it holds to balance leaders."""
    each = members(states.filter("is_led").join(unnamed, on="cluster_id", how="anti"), watched)
    return (
        each.group_by("state_no", "known_at")
        .agg(is_watched=(~is_missing("known_at")).any())
        .filter(~col("is_watched"))
        .select("state_no", first_at=col("known_at") + SOON)
    )


def unread_stops(states: pl.DataFrame, stops: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """(state_no, first_at): of states whose leader stops while no line of a controller in office is read, which would
    fence it."""
    begun = terms.select("cluster_id", "is_unseen", begun_at="from_at").sort("begun_at")
    earliest = pl.max_horizontal(col("out_at").dt.truncate("1d"), "silent_from_at")
    unread = (
        stops.select(*BROKER, first_at=earliest)
        .sort("first_at")
        .join_asof(begun, left_on="first_at", right_on="begun_at", by="cluster_id", check_sortedness=False)
        .filter(col("is_unseen").fill_null(value=True))
        .select(*BROKER, "first_at")
    )
    led = states.filter("is_led").with_columns(broker_id="leader")
    return first_after(led, "known_at", unread, BROKER)


def without_restated(ends: pl.DataFrame, states: pl.DataFrame, restated: pl.DataFrame) -> pl.DataFrame:
    epoch = (*IDENTITY, "partition_epoch")
    is_restated = (col("restated_at") > col("first_at")).fill_null(value=False)
    return (
        ends.join(states.select("state_no", *epoch), on="state_no", how="left")
        .with_columns(day=col("first_at").dt.truncate("1d"))
        .join(restated, on=[*epoch, "day"], how="left")
        .filter(~is_restated)
        .select("state_no", "first_at")
    )


def restatements(printed: pl.DataFrame) -> pl.DataFrame:
    """(IDENTITY, partition_epoch, day, restated_at): of each state that is printed (partition_states.printed) the last
    line of each day in UTC. A partition that changes has another partition epoch."""
    return printed.group_by(*IDENTITY, "partition_epoch", day=col("at").dt.truncate("1d")).agg(
        restated_at=col("at").max()
    )


def quiet(peers: pl.DataFrame, absences: pl.DataFrame) -> pl.DataFrame:
    """(PEERS, from_at, until_at) in which none of the brokers (PEERS: ids, between them a space) may answer: each
    falls silent, or is by then without having said so."""
    # What stands before the day of the decision is not changed any more.
    earliest = pl.max_horizontal(col("out_at").dt.truncate("1d"), pl.coalesce("silent_from_at", "out_at"))
    silent = absences.select(*BROKER, from_at=earliest, until_at=open_end("back_at"))
    each = peers.with_columns(broker_id=col("peers").str.split(" ")).explode("broker_id")
    alone = (
        each.with_columns(col("broker_id").cast(pl.Int32))
        .join(silent.filter(col("from_at") < col("until_at")), on=BROKER)
        .pipe(with_island, (*PEERS, "broker_id"))
        .group_by(*PEERS, "broker_id", "island")
        .agg(col("from_at").min(), col("until_at").max())
    )
    steps = pl.concat(
        [alone.select(*PEERS, at="until_at", step=-1), alone.select(*PEERS, at="from_at", step=1)]
    )
    number = col("peers").str.split(" ").list.len()
    return (
        steps.sort(*PEERS, "at", "step")
        .with_columns(silent=col("step").cum_sum().over(PEERS), until_at=col("at").shift(-1).over(PEERS))
        .filter(col("silent") == number)
        .select(*PEERS, "until_at", from_at="at")
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
            .pipe(with_unseen, unseen)
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
