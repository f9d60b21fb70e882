"""Terms of controllers, from the lines that elect them and the lines that name them."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import polars as pl
from polars import col, lit, when

from pipeline.kafka.machines.by_release import machine_of_release
from pipeline.kafka.wording.move_levels import are_moves_printed
from pipeline.model.terms.elections import KRAFT_ELECTION, OWN, controller_elections
from pipeline.model.terms.other_zones import other_zones
from pipeline.silver.term.holes import with_holes, with_unelected_acts
from pipeline.silver.term.peer_reported_terms import peer_reported_terms, renounced_peer_terms
from pipeline.silver.term.rival_claims import with_rival_life, without_rival_claims
from pipeline.silver.term.stale_claims import without_stale_claims
from pipeline.silver.term.uncommitted import with_renounced_at, with_void_begin
from pipeline.silver.term.unelected_terms import (
    after_unseen_life,
    is_self_reported,
    is_trace_seen,
    unelected_terms,
    with_next_life,
)
from pipeline.silver.term.unnamed_terms import unnamed_terms
from schemas.silver.term import SPEC

# These name an epoch that is not that of the controller they name.
OF_ANOTHER_EPOCH = ("controller_epoch_read", "broker_become_follower_leader_unavailable")
ISR_TOLD = ("alter_partition_updating", "alter_partition_updated")
ISR_WRITTEN = ("isr_notification_metadata",)
TERM = ("cluster_id", "term_id")
ZONES = timedelta(hours=26)  # between the first and the last time zone
LINE = ("file_id", "byte_offset")


def build(
    controller_step: pl.DataFrame, wording_seen: pl.DataFrame, release_span: pl.DataFrame
) -> pl.DataFrame:
    """One row per term: elected by a line of controller.log, else inferred from lines that name it, in KRaft those of
    other controllers; before the first of them by what a controller prints in office alone (unnamed_terms).

    Elected: by the line that says so; up to 2.0 it has no epoch, the next line of that election gives it (elections).
    Life: an epoch that is elected a second time, epoch 1 after others, or a lower one than its controller had begins
    another life of the metadata; so does the first election that is seen, if its controller had a later epoch before.
    Reads no log line: all inputs are small.
    Source: KafkaController.elect, 0.8.2 to 3.9; QuorumController.claim, from 2.8.
    """
    is_named = pl.all_horizontal(col("event", "first_at", "controller_id", "controller_epoch").is_not_null())
    named = ends_of_hours(wording_seen.filter(is_named & is_epoch_of_controller()))
    zones = other_zones(wording_seen)
    elected = (
        controller_step.pipe(without_stale_claims).pipe(controller_elections).pipe(with_election_life, zones)
    )
    elected = elected.pipe(after_unseen_life, named)
    sights = named.pipe(with_next_life, elected)
    unelected = unelected_terms(sights, elected)
    lives_before = lives_in_zookeeper(elected, unelected)
    elected = elected.pipe(after_zookeeper, lives_before)
    seen = elected.pipe(with_sights, sights.filter(col("next_life").is_null()))
    heard = peer_reported_terms(controller_step, elected, lives_before)
    given_up = renounced_peer_terms(controller_step, elected, lives_before)
    of_quorum = pl.concat([seen.filter(col("mode") == "kraft"), heard], how="diagonal")
    unnamed = unnamed_terms(controller_step, wording_seen, of_quorum, lives_before)
    claims = pl.concat([seen, unelected, heard, unnamed, given_up], how="diagonal")
    return (
        without_rival_claims(claims)
        .pipe(with_term_machine, release_span)
        .pipe(with_isr_change_printing, wording_seen)
        .pipe(with_moves_read, wording_seen)
        .pipe(with_void_begin, controller_step)
        .pipe(with_holes, wording_seen)
        .pipe(with_unelected_acts, wording_seen, controller_step)
        .pipe(with_renounced_at, controller_step)
        .pipe(with_rival_life, claims)
        .select(SPEC.columns)
    )


def is_epoch_of_controller() -> pl.Expr:
    """True if a line with controller and epoch says that this controller has it; KRaft nodes tell all they hear."""
    is_kraft = col("logger").str.starts_with("org.apache.kafka.").fill_null(value=False)
    is_of_another = col("event").is_in(OF_ANOTHER_EPOCH)
    return (col("event") == KRAFT_ELECTION) | ~(is_kraft | is_of_another)


def ends_of_hours(named: pl.DataFrame) -> pl.DataFrame:
    """The first and the last line of each row, each for itself: another life that uses the numbers again within the
    hour parts them, and nothing tells where the lines between them stand."""
    last = named.filter(col("first_at") < col("last_at"))
    return pl.concat(
        [
            named.with_columns(last_at="first_at"),
            last.with_columns(first_at="last_at", first_offset="last_offset"),
        ]
    )


def with_election_life(elected: pl.DataFrame, zones: pl.DataFrame) -> pl.DataFrame:
    """Life among those of the mode. reused_at: when a later life uses the numbers of the term
    again. zones: rows of other_zones: epochs do not begin anew where a node logs in another time zone."""
    of_mode = ("cluster_id", "mode")
    ahead = zones.select("cluster_id", "ahead", controller_id="node_id")
    true_at = col("elected_at") - col("ahead").fill_null(timedelta())
    in_turn = (
        elected.join(ahead, on=OWN[:2], how="left")
        .with_columns(true_at=true_at)
        .sort("true_at", "controller_epoch", "controller_id", *LINE)
    )
    lives = lives_of(in_turn.select(*of_mode, "controller_id", "controller_epoch", "true_at").iter_rows())
    return in_turn.drop("ahead", "true_at").with_columns(
        life=pl.Series(lives, dtype=pl.Int32), reused_at=col("elected_at").shift(-1).over(OWN)
    )


def lives_of(elections: Iterable[tuple[str, str, int, int, datetime]]) -> list[int]:
    """Of elections in their turn (cluster_id, mode, controller_id, epoch, at). Another life begins with epoch 1, with
    an epoch that its life has had, and with one below that of the same controller: another one's clock may be wrong. So
    it does with an epoch below all of its life, later than time zones explain."""
    found: list[int] = []
    lives: dict[tuple[str, str], int] = {}
    epochs: dict[tuple[str, str], set[int]] = {}  # of the life at that time
    highest: dict[tuple[str, str], dict[int, int]] = {}  # the same, by controller
    last: dict[tuple[str, str], datetime] = {}
    for cluster_id, mode, controller_id, epoch, at in elections:
        one = (cluster_id, mode)
        had, own = epochs.setdefault(one, set()), highest.setdefault(one, {})
        is_begun_anew = epoch == 1 or epoch in had or epoch < own.get(controller_id, 0)
        if had and (is_begun_anew or (epoch < min(had) and at - last[one] > ZONES)):
            lives[one] = lives.get(one, 1) + 1
            had.clear()
            own.clear()
        had.add(epoch)
        own[controller_id], last[one] = epoch, at
        found.append(lives.setdefault(one, 1))
    return found


def lives_in_zookeeper(elected: pl.DataFrame, unelected: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, lives_before): how many lives of the metadata a cluster had in ZooKeeper."""
    terms = pl.concat([one.select("cluster_id", "mode", "life") for one in (elected, unelected)])
    in_zookeeper = terms.filter(col("mode") == "zookeeper")
    return in_zookeeper.group_by("cluster_id").agg(lives_before=col("life").max())


def after_zookeeper(elected: pl.DataFrame, lives_before: pl.DataFrame) -> pl.DataFrame:
    """Lives of a KRaft quorum follow those in ZooKeeper, beside which it starts to migrate: also such of which no
    election was seen."""
    is_in_kraft = col("mode") == "kraft"
    before = when(is_in_kraft).then("lives_before").fill_null(0)
    return (
        elected.join(lives_before, on="cluster_id", how="left")
        .with_columns(life=(col("life") + before).cast(pl.Int32))
        .with_columns(term_id=pl.format("{}-{}", "life", "controller_epoch"))
        .drop("lives_before")
    )


def with_sights(elected: pl.DataFrame, named: pl.DataFrame) -> pl.DataFrame:
    """Last line that names the term before another life uses its numbers again. An election whose epoch no line tells
    is named by itself; its epoch is inferred."""
    own = elected.filter(~col("is_epoch_told")).select(
        *OWN, node_id="controller_id", first_at="elected_at", last_at="elected_at"
    )
    is_after = col("last_at") >= col("elected_at")
    is_before_reuse = (col("first_at") < col("reused_at")).fill_null(value=True)
    until_at = pl.min_horizontal("last_at", "reused_at")
    seen = named.select(*OWN, "node_id", "log", "level", "first_at", "last_at")
    return (
        pl.concat([seen, own], how="diagonal")
        .join(elected, on=OWN, how="inner")
        .filter(is_after & is_before_reuse)
        .group_by(TERM)
        .agg(
            col("life", "controller_id", "controller_epoch", "mode", "elected_at", *LINE).first(),
            col("is_epoch_told").first(),
            first_seen_at=col("elected_at").first(),
            told_from_at=col("elected_at").first(),
            last_seen_at=until_at.max(),
            told_until_at=until_at.filter(is_self_reported()).max(),
            is_trace_seen=is_trace_seen(),
        )
        .with_columns(certainty=when("is_epoch_told").then(lit("proved")).otherwise(lit("inferred")))
    )


def with_isr_change_printing(terms: pl.DataFrame, wording_seen: pl.DataFrame) -> pl.DataFrame:
    """is_isr_told: the stretch of time in which the node prints changes of ISR that leaders ask for meets the term,
    and the last notification of the cluster that a leader wrote one itself is from before it (inter-broker protocol
    below 2.7, which brokers never go back to).

    Hours tell where such a stretch begins and ends, and not what lies inside the term: a quiet controller prints none.
    """
    told = (
        wording_seen.filter(col("event").is_in(ISR_TOLD))
        .group_by("cluster_id", controller_id="node_id")
        .agg(isr_from_at=col("first_at").min(), isr_until_at=col("last_at").max())
    )
    written = (
        wording_seen.filter(col("event").is_in(ISR_WRITTEN))
        .group_by("cluster_id")
        .agg(written_at=col("last_at").max())
    )
    # Such a line names no epoch: it may be behind the last one that does.
    next_at = col("first_seen_at").shift(-1).over("cluster_id", "mode")
    is_before_end = (col("isr_from_at") <= pl.max_horizontal("last_seen_at", "next_at")) | col(
        "next_at"
    ).is_null()
    meets = is_before_end & (col("isr_until_at") >= col("first_seen_at"))
    is_over = (col("written_at") < col("first_seen_at")).fill_null(value=True)
    return (
        terms.sort("first_seen_at", "life", "controller_epoch")
        .with_columns(next_at=next_at)
        .join(told, on=OWN[:2], how="left", maintain_order="left")
        .join(written, on="cluster_id", how="left")
        .with_columns(is_isr_told=meets.fill_null(value=False) & is_over)
        .drop("next_at", "isr_from_at", "isr_until_at", "written_at")
    )


def with_moves_read(terms: pl.DataFrame, wording_seen: pl.DataFrame) -> pl.DataFrame:
    """are_moves_read: the time from the first to the last line of the node's state-change.log at a level at which moves
    are printed meets the term. A quiet controller writes nothing there for days."""
    printed = wording_seen.filter(are_moves_printed()).group_by("cluster_id", controller_id="node_id")
    logs = printed.agg(moves_from_at=col("first_at").min(), moves_until_at=col("last_at").max())
    meets = (col("moves_from_at") <= col("last_seen_at")) & (col("moves_until_at") >= col("first_seen_at"))
    return terms.join(logs, on=OWN[:2], how="left").with_columns(are_moves_read=meets.fill_null(value=False))


def with_term_machine(terms: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """replica_machine: the one that all releases have which the controller may have run during the term."""
    is_in_term = (col("valid_until_at") > col("first_seen_at")) & (
        col("valid_from_at") <= col("last_seen_at")
    )
    machine = col("releases").replace_strict(machine_of_release(), default=None, return_dtype=pl.String)
    found = (
        release_span.select(
            "cluster_id", "valid_from_at", "valid_until_at", "releases", controller_id="node_id"
        )
        .join(terms.select(*TERM, "controller_id", "first_seen_at", "last_seen_at"), on=OWN[:2], how="inner")
        .filter(is_in_term)
        .explode("releases")
        .group_by(TERM)
        .agg(least=machine.min(), most=machine.max())
    )
    only_one = when(col("least") == col("most")).then(col("least"))
    return terms.join(found, on=TERM, how="left").with_columns(replica_machine=only_one)
