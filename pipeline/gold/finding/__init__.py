"""What a person should look at: small named rules over the gold tables, grouped by their root event."""

from datetime import datetime
from hashlib import sha256

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.apart import controllers_apart, without_apart
from pipeline.gold.finding.brokers import broker_flapping, unclean_shutdown
from pipeline.gold.finding.choices import last_known_leader, leader_choice
from pipeline.gold.finding.creations import (
    recreated_at_once,
    slow_creation,
    topic_without_leader_since_creation,
)
from pipeline.gold.finding.deletions import (
    deletion_disabled,
    stuck_deletion,
    topic_removed_by_hand,
    topic_vanished,
)
from pipeline.gold.finding.disks import log_dir_failed
from pipeline.gold.finding.elections import unclean_election
from pipeline.gold.finding.failed_events import event_failed
from pipeline.gold.finding.faults import fatal_fault, logged_fault, without_failed_starts
from pipeline.gold.finding.fenced import broker_fenced
from pipeline.gold.finding.known import with_suppressed
from pipeline.gold.finding.leftovers import replica_left_on_disk
from pipeline.gold.finding.lives import new_life, refused_registration
from pipeline.gold.finding.logs import missing_leader_epochs, missing_logs, not_understood
from pipeline.gold.finding.migrations import migration_waits
from pipeline.gold.finding.moves import (
    discontinuity,
    illegal_move,
    refused_move,
    replay_disagreement,
)
from pipeline.gold.finding.outages import outage
from pipeline.gold.finding.partitions import standing_imbalance
from pipeline.gold.finding.powerless import controller_powerless
from pipeline.gold.finding.quorum import quorum_without_leader, without_races
from pipeline.gold.finding.quorum_flapping import quorum_flapping
from pipeline.gold.finding.quorum_states import led_states, with_next_state
from pipeline.gold.finding.quorum_touch import voter_out_of_touch
from pipeline.gold.finding.quorum_unsettled import with_gaps, within, without_told
from pipeline.gold.finding.quorum_voters import voter_data, voter_refused
from pipeline.gold.finding.ratios import ratio_disagreement, stated_imbalance
from pipeline.gold.finding.reassignments import (
    reassignment_failed,
    reassignment_skipped,
    stuck_reassignment,
)
from pipeline.gold.finding.rule import OF_RULES
from pipeline.gold.finding.starts import failed_start
from pipeline.gold.finding.terms import (
    controller_outlived,
    deposed_controller_wrote,
    failover_slow,
    no_controller,
)
from pipeline.gold.finding.unled import refused_leader
from pipeline.gold.finding.unreached import quorum_not_reached
from pipeline.model.brokers.failed_log_dirs import failed_log_dirs
from pipeline.model.brokers.marked_log_dirs import lost_log_dirs, with_process_up
from pipeline.model.brokers.up_signs import up_signs
from pipeline.model.settings import AuditLimit
from schemas.gold.finding import OF_CONNECTIONS, SPEC

NAME = ("cluster_id", "rule", "entity", "root_event", "term_id")
NAME_DIGITS = 12


def build(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    transition_audit: pl.DataFrame,
    controller_term: pl.DataFrame,
    controller_event: pl.DataFrame,
    imbalance_breach: pl.DataFrame,
    imbalance_check: pl.DataFrame,
    partition_outage: pl.DataFrame,
    topic_event: pl.DataFrame,
    topic_lifecycle: pl.DataFrame,
    reassignment: pl.DataFrame,
    replay_check: pl.DataFrame,
    log_gap: pl.DataFrame,
    leader_election: pl.DataFrame,
    broker_session: pl.DataFrame,
    election_event: pl.DataFrame,
    node_event: pl.DataFrame,
    connection_event: pl.DataFrame,
    process_run: pl.DataFrame,
    broker_event: pl.DataFrame,
    wording_seen: pl.DataFrame,
    release_span: pl.DataFrame,
    audit_limit: AuditLimit,
    data_end: pl.DataFrame,
    published_finding: pl.DataFrame,
    dirty_from: datetime | None,
) -> pl.DataFrame:
    """One row per finding; a healthy cluster has none.

    connection_event: since dirty_from; None: all.
    data_end: (cluster_id, until_at), until when what is still so at the end goes on.
    published_finding: gold.finding as published before this run; it decides new, ongoing, resolved, retracted.
    """
    signs = up_signs(node_event, controller_event, broker_event, wording_seen)
    lost_dirs = lost_log_dirs(failed_log_dirs(node_event), broker_event).pipe(with_process_up, signs)
    states = led_states(controller_event, node_event)
    ended = with_next_state(controller_term, states)
    races = quorum_without_leader(
        controller_event,
        ended,
        states,
        node_event,
        connection_event,
        process_run,
        broker_session,
        audit_limit,
        data_end,
    )
    vacant = no_controller(ended, broker_session, audit_limit, data_end).pipe(without_races, races)
    flapping = quorum_flapping(controller_term, controller_event, node_event, audit_limit)
    gaps = pl.concat([one.select(OF_RULES) for one in (vacant, races)])
    unsettled = within(gaps, flapping, audit_limit)
    apart = controllers_apart(controller_event, broker_event, release_span)
    starts = failed_start(node_event, broker_event, wording_seen, signs, data_end)
    of_departures = (
        outage(partition_outage, controller_term, broker_session, lost_dirs, audit_limit, data_end),
        log_dir_failed(lost_dirs, leader_election, partition_outage, audit_limit),
        broker_flapping(broker_session, audit_limit, data_end, signs),
        unclean_shutdown(broker_session, node_event),
        fatal_fault(node_event).pipe(without_failed_starts, starts),
    )
    told = pl.concat([one.select(OF_RULES) for one in of_departures])
    unled = topic_without_leader_since_creation(topic_lifecycle, audit_limit, data_end)
    of_quorum = pl.concat([one.select(OF_RULES) for one in (gaps, flapping, starts)])
    found = (
        told,
        broker_fenced(broker_session, broker_event, election_event, controller_term, told, data_end),
        unclean_election(leader_election, election_event, broker_session, controller_event),
        last_known_leader(leader_election),
        leader_choice(leader_election, controller_term),
        illegal_move(transition_audit),
        refused_move(transition_audit),
        discontinuity(transition_audit),
        replay_disagreement(replay_check, controller_term),
        without_apart(new_life(controller_term, controller_event), apart),
        refused_registration(controller_event, broker_session),
        missing_logs(log_gap),
        missing_leader_epochs(leader_election, broker_session),
        controller_outlived(controller_term, audit_limit),
        deposed_controller_wrote(controller_term, audit_limit),
        apart,
        controller_powerless(controller_term, audit_limit, data_end),
        without_told(gaps, unsettled),
        with_gaps(flapping, unsettled, audit_limit),
        voter_out_of_touch(controller_term, node_event, races, audit_limit, data_end),
        voter_data(node_event, controller_event),
        voter_refused(node_event, data_end),
        failover_slow(controller_term, audit_limit),
        starts,
        quorum_not_reached(node_event, connection_event, of_quorum, data_end),
        migration_waits(controller_event, data_end),
        event_failed(controller_event, controller_term),
        logged_fault(node_event),
        standing_imbalance(imbalance_breach, release_span),
        stated_imbalance(imbalance_check, imbalance_breach),
        ratio_disagreement(imbalance_check),
        stuck_deletion(topic_lifecycle, audit_limit, data_end),
        unled,
        refused_leader(transition_audit, topic_lifecycle, unled, audit_limit),
        slow_creation(topic_lifecycle, controller_term, audit_limit),
        topic_vanished(topic_lifecycle, controller_term),
        topic_removed_by_hand(topic_lifecycle),
        deletion_disabled(topic_lifecycle),
        recreated_at_once(topic_lifecycle),
        stuck_reassignment(reassignment, topic_event, controller_term, release_span, audit_limit),
        reassignment_failed(reassignment),
        reassignment_skipped(reassignment),
        replica_left_on_disk(reassignment),
        not_understood(wording_seen),
    )
    return (
        pl.concat([one.select(OF_RULES) for one in found])
        .pipe(with_suppressed, audit_limit.suppressions)
        .pipe(with_id)
        .pipe(with_votes_before, published_finding, dirty_from)
        .pipe(with_status, published_finding)
    )


def with_id(found: pl.DataFrame) -> pl.DataFrame:
    """Adds finding_id, which is the same as long as NAME is."""
    names = found.select(pl.concat_str(NAME, separator="|", ignore_nulls=True)).to_series()
    digests = [sha256(name.encode()).hexdigest()[:NAME_DIGITS] for name in names]
    return found.with_columns(pl.Series("finding_id", digests, pl.String))


def with_votes_before(
    found: pl.DataFrame, published_finding: pl.DataFrame, dirty_from: datetime | None
) -> pl.DataFrame:
    """Who did not answer in times without a leader, or out of reach of the quorum, that began before dirty_from, as it
    was published once they were over: lines of connections of that time are not given."""
    if dirty_from is None:
        return found
    told = ["sentence", "facts", "evidence"]
    is_over = (col("valid_from_at") < dirty_from) & col("valid_until_at").is_not_null()
    key = ["finding_id", "valid_until_at"]
    over = published_finding.filter(col("rule").is_in(OF_CONNECTIONS), is_over).select(*key, *told)
    return found.update(over, on=key, how="left") if not over.is_empty() else found


def with_status(found: pl.DataFrame, published_finding: pl.DataFrame) -> pl.DataFrame:
    """new, ongoing, resolved; what was published and is found no more stays as retracted."""
    status = (
        when(~col("finding_id").is_in(published_finding["finding_id"].to_list()))
        .then(lit("new"))
        .when(col("valid_until_at").is_null())
        .then(lit("ongoing"))
        .otherwise(lit("resolved"))
    )
    now = found.with_columns(status=status).select(SPEC.columns)
    gone = published_finding.join(now, on="finding_id", how="anti")
    retracted = gone.with_columns(status=lit("retracted")).select(SPEC.columns)
    return pl.concat([now, retracted])
