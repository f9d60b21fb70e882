"""What clients could feel: leaders that were dead, gone or moved, acks that waited, coordinators, creations."""

import polars as pl
from polars import col

from pipeline.core.made_of import made_of
from pipeline.core.reach import Reach
from pipeline.core.span import Span
from pipeline.gold.client_impact.coordinated import with_names
from pipeline.gold.client_impact.creations import awaited_creations, refused_creations
from pipeline.gold.client_impact.minimum_isr import below_minimum
from pipeline.gold.client_impact.moves import (
    leaderless_stretches,
    loading_coordinators,
    lost_records,
    moved_leaders,
)
from pipeline.gold.client_impact.pieces import broker_lines, known_states
from pipeline.gold.client_impact.silences import (
    late_followers,
    silences,
    unnoticed_deaths,
    waiting_for_followers,
)
from pipeline.gold.client_impact.stretches import by_audience, pieces_of, unbroken_stretches
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.partitions.statements import PARTITION
from schemas.gold.client_impact import SPEC

REACH = Reach.PARTITION


@made_of(
    SPEC,
    "partition_timeline",
    "partition_outage",
    "topic_lifecycle",
    "leader_election",
    "topic_event",
    "client_event",
    "impact_before",
)
def build(  # noqa: PLR0913, PLR0917 - the parameters of a kernel are the tables that it reads
    partition_timeline: pl.DataFrame,
    partition_outage: pl.DataFrame,
    broker_session: pl.DataFrame,
    process_run: pl.DataFrame,
    replica_offset: pl.DataFrame,
    leader_election: pl.DataFrame,
    topic_lifecycle: pl.DataFrame,
    topic_event: pl.DataFrame,
    client_event: pl.DataFrame,
    config_event: pl.DataFrame,
    broker_setting: pl.DataFrame,
    impact_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per subject, audience and unbroken stretch: those that go on as the span begins or begin later.

    Exposure by what controllers decided and brokers say, with bounds; never "these requests failed", but for refused
    appends, which lines count one by one. impact_before: rows of this table that begin before the span and reach it.
    """
    states = known_states(partition_timeline)
    replicas = whole_intervals(partition_timeline).select(
        *PARTITION, "interval_seq", replica_count=col("replicas").list.len()
    )
    leads, follows = (broker_lines(replica_offset, states, step) for step in ("leads", "follows"))
    gone = silences(broker_session, process_run)
    deaths = unnoticed_deaths(states, gone, leads)
    pieces = [
        deaths,
        waiting_for_followers(states, gone),
        late_followers(states, leads, follows),
        moved_leaders(states, leads, follows, deaths),
        leaderless_stretches(partition_outage, states, leads),
        below_minimum(states, replicas, client_event, config_event, broker_setting),
        lost_records(leader_election),
    ]
    of_partitions = loading_coordinators(pl.concat(pieces), client_event)
    topics = [awaited_creations(topic_lifecycle), refused_creations(topic_event, client_event)]
    told = by_audience(pl.concat([of_partitions, *topics])).filter(span.reached_by("until_earliest_at"))
    if not span.is_all:
        earlier = pieces_of(impact_before).filter(span.before("until_earliest_at").fill_null(value=False))
        told = pl.concat([earlier, told.select(earlier.columns)])
    found = unbroken_stretches(told).filter(span.reached_by("until_earliest_at"))
    return with_names(found, states, client_event).select(SPEC.columns)
