"""What a person should look at: small named rules over the gold tables, grouped by their root event."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.gold.finding.brokers import broker_flapping, unclean_shutdown
from pipeline.gold.finding.elections import last_known_leader, leader_choice, unclean_election
from pipeline.gold.finding.known import with_suppressed
from pipeline.gold.finding.logs import missing_logs, not_understood
from pipeline.gold.finding.moves import discontinuity, illegal_move, refused_move, replay_disagreement
from pipeline.gold.finding.outages import outage
from pipeline.gold.finding.partitions import blocked_deletion, standing_imbalance
from pipeline.gold.finding.ratios import ratio_disagreement
from pipeline.gold.finding.terms import (
    controller_outlived,
    controller_powerless,
    deposed_controller_wrote,
    failover_slow,
    no_controller,
)
from schemas.gold.finding import SPEC


def build(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    transition_audit: DataFrame,
    controller_term: DataFrame,
    imbalance_breach: DataFrame,
    imbalance_check: DataFrame,
    partition_outage: DataFrame,
    topic_event: DataFrame,
    replay_check: DataFrame,
    log_gap: DataFrame,
    leader_election: DataFrame,
    broker_session: DataFrame,
    election_event: DataFrame,
    wording_seen: DataFrame,
    audit_limit: DataFrame,
    published_finding: DataFrame,
) -> DataFrame:
    """One row per finding; a healthy cluster has none.

    audit_limit: one row per cluster: imbalance_checks, overlap_ms, no_controller_ms, failover_slow_ms, outage_ms,
    flapping_departures, flapping_minutes, suppressions (what conf knows already), until_at (end of the data).
    published_finding: gold.finding as published before this run; it decides new, ongoing, resolved, retracted.
    """
    found = (
        unclean_election(leader_election, election_event)
        .unionByName(outage(partition_outage, controller_term, audit_limit))
        .unionByName(last_known_leader(leader_election))
        .unionByName(leader_choice(leader_election, controller_term))
        .unionByName(illegal_move(transition_audit))
        .unionByName(refused_move(transition_audit))
        .unionByName(discontinuity(transition_audit))
        .unionByName(replay_disagreement(replay_check, controller_term))
        .unionByName(missing_logs(log_gap))
        .unionByName(controller_outlived(controller_term, audit_limit))
        .unionByName(deposed_controller_wrote(controller_term, audit_limit))
        .unionByName(controller_powerless(controller_term, audit_limit))
        .unionByName(no_controller(controller_term, audit_limit))
        .unionByName(failover_slow(controller_term, audit_limit))
        .unionByName(broker_flapping(broker_session, audit_limit))
        .unionByName(unclean_shutdown(broker_session))
        .unionByName(standing_imbalance(imbalance_breach))
        .unionByName(ratio_disagreement(imbalance_check))
        .unionByName(blocked_deletion(topic_event))
        .unionByName(not_understood(wording_seen))
    )
    told = found.transform(with_suppressed, audit_limit)
    return told.transform(with_status, published_finding).select(*SPEC.columns)


def with_status(found: DataFrame, published_finding: DataFrame) -> DataFrame:
    """new, ongoing, resolved; what was published and is found no more stays as retracted."""
    name = F.concat_ws("|", "cluster_id", "rule", "entity", "root_event", "term_id")
    named = found.withColumn("finding_id", F.substring(F.sha2(name, 256), 1, 12))
    before = published_finding.select("finding_id").withColumn("was_published", F.lit(True))
    status = (
        F.when(F.col("was_published").isNull(), "new")
        .when(F.col("valid_until_at").isNull(), "ongoing")
        .otherwise("resolved")
    )
    now = named.join(before, on="finding_id", how="left").withColumn("status", status).drop("was_published")
    gone = published_finding.join(named.select("finding_id"), on="finding_id", how="left_anti")
    retracted = gone.withColumn("status", F.lit("retracted")).select(*now.columns)
    return now.unionByName(retracted)
