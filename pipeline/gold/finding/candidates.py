"""Of large tables the rows that can become a finding: by shards of topics, and where the store has them."""

import polars as pl
from polars import col

from pipeline.core.conditions import Condition, HasAny, IsNull, column_equals, column_since, is_in
from pipeline.core.incremental import TablesAtHand, names_condition
from pipeline.rules.broker_fenced.rule import CHANGED
from pipeline.rules.shared.first_diffs import CHOICE, UNCLEAN
from pipeline.rules.shared.outage_causes import LOST_DIR
from schemas.gold import transition_audit

NOTABLE = ("illegal", "refused", "failed", "discontinuity")
PARTITION = ("cluster_id", "topic", "partition")
# Kinds of impact that rules look at.
LEADERLESS = ("no_leader", "leader_dead_unnoticed")
BELOW_MINIMUM = "below_min_isr"
IS_NOTABLE_MOVE = is_in("verdict", NOTABLE) | column_equals("outcome", "failed")
IS_NOTABLE_IMPACT = HasAny("kinds", (*LEADERLESS, BELOW_MINIMUM))


def notable_move(transition_audit: pl.DataFrame) -> pl.DataFrame:
    """Rows of gold.transition_audit of partitions of which a move has a verdict that rules look at, or failed: what
    came after it counts, too."""
    return transition_audit.filter(IS_NOTABLE_MOVE.polars().any().over(PARTITION))


def notable_impact(client_impact: pl.DataFrame) -> pl.DataFrame:
    """Rows of gold.client_impact without a leader, or below the minimum of the ISR; of their parts those alone that are
    below it."""
    below = pl.element().struct.field("kind") == BELOW_MINIMUM
    return client_impact.filter(IS_NOTABLE_IMPACT.polars()).with_columns(
        parts=col("parts").list.filter(below)
    )


SAYS_UNCLEAN = column_equals("step", UNCLEAN) | column_equals("event", CHOICE)
IS_NOTABLE_ELECTION = (
    column_equals("is_clean", value=False)
    | column_equals("is_unclean_said", value=True)
    | column_equals("verdict", "differs")
    | column_equals("trigger", LOST_DIR)
)
MISSES_EPOCHS = column_since("missing_epochs", 1)


def notable_moves(at_hand: TablesAtHand) -> Condition | None:
    """Rows of gold.transition_audit of topics of which such a move is stored: one of this run is behind all others of
    its partition that are stored, and what was before it does not count. None: of too many topics."""
    topics = at_hand.stored(transition_audit.SPEC, IS_NOTABLE_MOVE, ("topic",))["topic"]
    of_topics = names_condition("topic", topics)
    return None if of_topics is None else of_topics | IsNull("topic")


def notable_impacts(_: TablesAtHand) -> Condition:
    return IS_NOTABLE_IMPACT


def notable_election_events(_: TablesAtHand) -> Condition:
    """Rows of silver.election_event that say of an election that it is unclean, and changes that a fence caused."""
    return SAYS_UNCLEAN | column_equals("trigger", CHANGED)


def notable_elections(at_hand: TablesAtHand) -> Condition | None:
    """Rows of gold.leader_election that rules look at, and all of topics of which another line calls an election
    unclean, or leader epochs are missing: there the elections beside them count, too. None: of too many topics."""
    telling = (("election_event", SAYS_UNCLEAN), ("leader_election", MISSES_EPOCHS))
    rows = [at_hand.whole(name, counting).filter(counting.polars()) for name, counting in telling]
    of_topics = names_condition("topic", pl.concat([one["topic"] for one in rows]))
    return None if of_topics is None else IS_NOTABLE_ELECTION | of_topics


# By table what the kernel takes in its place.
CANDIDATES = {"transition_audit": notable_move, "client_impact": notable_impact}
# By table which of its rows of earlier runs are read.
COUNTING = {
    "transition_audit": notable_moves,
    "client_impact": notable_impacts,
    "election_event": notable_election_events,
    "leader_election": notable_elections,
}
