"""Holds each ratio that Kafka printed against the one of that controller's own view, and says what came of it."""

import polars as pl
import pyarrow as pa
from polars import col

from pipeline.core.made_of import made_of
from pipeline.core.span import Span
from pipeline.core.stretches import open_end, with_island
from pipeline.gold.imbalance_check.verdicts import (
    with_check_verdict,
    with_follow_up,
    with_limit,
    with_ratio,
)
from pipeline.model.brokers.candidates import with_candidates
from pipeline.model.partitions.carried_views import behind_views, there_before, with_stated_columns
from pipeline.model.partitions.controller_view import (
    LISTING,
    listed_as_not_preferred,
    ordered_states,
    states_held,
    term_begin_places,
)
from pipeline.model.partitions.preferred_counts import COUNTS, counts_at, shares_at
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.partitions.statements import partition_statements
from pipeline.model.settings import BalancingSetting
from pipeline.model.terms.succession import TERM, with_terms
from schemas.gold.imbalance_check import SPEC

LINE = ("cluster_id", "file_id", "byte_offset")
AUTOMATIC = "automatic rebalance"
ELECTION = "preferred_election_started"
RATIO = "imbalance_ratio"
SHARES = pa.schema(
    [
        *((name, pa.string()) for name in TERM),
        ("broker_id", pa.int32()),
        *((name, pa.int64()) for name in ("seq", *COUNTS)),
        ("only_kafka", pa.list_(pa.string())),
        ("last_seq", pa.int64()),
    ]
)
CHECKING = (RATIO, LISTING, "imbalance_check", "auto_preferred_election", ELECTION)


def unread_listing(assignment: pl.DataFrame) -> pl.DataFrame:
    """(LINE) of lists of partitions that could not be taken apart: they are of no topic."""
    return assignment.filter(col("event") == LISTING, col("topic").is_null()).select(LINE).unique()


def undetermined_stretch(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, from_at, until_at): stretches in which the leader of some partition is undetermined, in ZooKeeper
    mode; those that touch are one."""
    doubted = intervals_in_zookeeper(partition_timeline).filter(col("certainty") == "undetermined")
    spans = doubted.select("cluster_id", from_at="valid_from_at", until_at="valid_until_at")
    return (
        with_island(spans, ("cluster_id",))
        .group_by("cluster_id", "island")
        .agg(col("from_at").min(), until_at=open_end().max())
        .drop("island")
    )


@made_of(SHARES, "imbalance_observation")
def preferred_share(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    imbalance_observation: pl.DataFrame,
    leader_and_isr: pl.DataFrame,
    partition_transition: pl.DataFrame,
    assignment: pl.DataFrame,
    topic_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    partition_timeline: pl.DataFrame,
    deletion_before: pl.DataFrame,
    view_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """(ASKED, COUNTS, only_kafka, last_seq): rows of shares_at(), at the ratio lines.

    The view of a term: the cluster-wide one (partition_timeline) at its first line, then its own lines alone.
    """
    asked = asked_by_ratio_lines(imbalance_observation, controller_line, unread_listing(assignment))
    in_zookeeper = intervals_in_zookeeper(partition_timeline)
    given = (leader_and_isr, partition_transition, assignment, topic_event, controller_line, term)
    before = there_before(in_zookeeper, view_before, span)
    said = partition_statements(*given, deletion_before, before, listed_as_not_preferred(assignment)).pipe(
        with_stated_columns
    )
    own, known = (one.join(asked, on=TERM, how="semi") for one in (said, view_before))
    stated = behind_views(own, known, with_doubted=True)
    cluster_wide, begins = ordered_states(in_zookeeper), term_begin_places(term, span)
    is_moving = col("cause") == AUTOMATIC
    views = states_held(stated, begins, cluster_wide, "listed_of").with_columns(is_moving=is_moving)
    return shares_at(asked, views, begins, cluster_wide)


PARTIALS = (unread_listing, undetermined_stretch, preferred_share)


@made_of(SPEC, "imbalance_observation")
def build(  # noqa: PLR0913, PLR0917  (the tables that it stands on)
    imbalance_observation: pl.DataFrame,
    unread_listing: pl.DataFrame,
    undetermined_stretch: pl.DataFrame,
    preferred_share: pl.DataFrame,
    broker_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    log_gap: pl.DataFrame,
    balancing_setting: BalancingSetting,
    broker_setting: pl.DataFrame,
    day_before: pl.DataFrame,
) -> pl.DataFrame:
    """One row per ratio line; of a controller whose election was not seen it says no more than that.

    What is given begins with a day, and the lines with it. Of the partitions, what was known by then: topics that
    ended before it (deletion_before), what is open or begins later (partition_timeline); view_before, day_before: of
    the terms that go on then the last rows before it of state.partition_view and state.controller_day.

    Unequal only where every term since the first was seen, no line is known to be missing and no partition is in doubt.
    Source: KafkaController.checkAndTriggerAutoLeaderRebalance, 0.8.1 to 3.9.
    """
    asked = asked_by_ratio_lines(imbalance_observation, controller_line, unread_listing)
    return (
        counts_at(asked, preferred_share)
        .pipe(with_ratio)
        .pipe(with_terms, term)
        .pipe(with_check_verdict, log_gap, undetermined_stretch)
        .pipe(with_limit, balancing_setting, broker_setting)
        .pipe(with_candidates, broker_event, controller_line, day_before)
        .pipe(with_follow_up)
    )


def intervals_in_zookeeper(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    return whole_intervals(partition_timeline.filter(col("topic_id").is_null()))


def asked_by_ratio_lines(
    imbalance_observation: pl.DataFrame, controller_line: pl.DataFrame, unread_listing: pl.DataFrame
) -> pl.DataFrame:
    """Ratio lines with their place in the term, and that of the list before them; null where no term has them."""
    checks = checks_of_ratio_lines(controller_line, unread_listing)
    return imbalance_observation.join(checks, on=LINE, how="left")


def checks_of_ratio_lines(controller_line: pl.DataFrame, unread_listing: pl.DataFrame) -> pl.DataFrame:
    """(LINE, term_id, seq, is_triggered, listing_seq, listing_file_id, listing_offset) of each ratio line: what follows
    it in the check is an election of the controller's own; what stands before it is its list of partitions led
    elsewhere, if it could be taken apart."""
    lines = controller_line.filter(col("event").is_in(CHECKING)).join(unread_listing, on=LINE, how="anti")
    is_election, is_automatic = col("event") == ELECTION, col("cause") == AUTOMATIC
    is_followed = (is_election & is_automatic).shift(-1).over(TERM)
    is_listed = (col("event") == LISTING).shift(1).over(TERM).fill_null(value=False)
    before = {"listing_seq": "seq", "listing_file_id": "file_id", "listing_offset": "byte_offset"}
    listing = {
        name: pl.when(is_listed).then(col(taken).shift(1).over(TERM)) for name, taken in before.items()
    }
    return (
        lines.sort(*TERM, "seq")
        .with_columns(is_triggered=is_followed.fill_null(value=False), **listing)
        .filter(col("event") == RATIO)
        .select(*LINE, "term_id", "seq", "is_triggered", *before)
    )
