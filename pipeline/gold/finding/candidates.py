"""Of large tables the rows that can become a finding: by shards of topics, and where the store has them."""

import polars as pl
from polars import col, lit

from pipeline.core.conditions import Condition, column_equals, column_since
from pipeline.core.incremental import TablesAtHand, names_condition
from pipeline.rules.broker_fenced.rule import CHANGED
from pipeline.rules.shared.first_diffs import CHOICE, UNCLEAN
from pipeline.rules.shared.outage_causes import LOST_DIR

NOTABLE = ("illegal", "refused", "failed", "discontinuity")
PARTITION = ("cluster_id", "topic", "partition")
# Kinds of impact that rules look at.
LEADERLESS = ("no_leader", "leader_dead_unnoticed")
BELOW_MINIMUM = "below_min_isr"


def notable_move(transition_audit: pl.DataFrame) -> pl.DataFrame:
    """Rows of gold.transition_audit of partitions of which a move has a verdict that rules look at, or failed: what
    came after it counts, too."""
    is_notable = col("verdict").is_in(NOTABLE) | (col("outcome") == "failed")
    return transition_audit.filter(is_notable.any().over(PARTITION))


def notable_impact(client_impact: pl.DataFrame) -> pl.DataFrame:
    """Rows of gold.client_impact without a leader, or below the minimum of the ISR; of their parts those alone that are
    below it."""
    kinds = lit([*LEADERLESS, BELOW_MINIMUM])
    below = pl.element().struct.field("kind") == BELOW_MINIMUM
    return client_impact.filter(col("kinds").list.set_intersection(kinds).list.len() > 0).with_columns(
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


def notable_election_events(_: TablesAtHand) -> Condition:
    """Rows of silver.election_event that say of an election that it is unclean, and changes that a fence caused."""
    return SAYS_UNCLEAN | column_equals("trigger", CHANGED)


def notable_elections(at_hand: TablesAtHand) -> Condition | None:
    """Rows of gold.leader_election that rules look at, and all of topics of which another line calls an election
    unclean, or leader epochs are missing: there the elections beside them count, too. None: of too many topics."""
    telling = (at_hand.whole("election_event", SAYS_UNCLEAN), at_hand.whole("leader_election", MISSES_EPOCHS))
    topics = pl.concat([one["topic"] for one in telling]).drop_nulls().unique().sort()
    of_topics = names_condition("topic", topics.to_list())
    return None if of_topics is None else IS_NOTABLE_ELECTION | of_topics


# By table what the kernel takes in its place.
CANDIDATES = {"transition_audit": notable_move, "client_impact": notable_impact}
# By table which of its rows are read.
COUNTING = {"election_event": notable_election_events, "leader_election": notable_elections}
