"""The rule no_controller."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.rules.rule import Limit, Rule
from pipeline.rules.shared.causes import because_clause, cause_facts, with_cause_lines
from pipeline.rules.shared.clocks import with_clocks_of_next
from pipeline.rules.shared.limits import NO_QUORUM_LEADER
from pipeline.rules.shared.terms import records_of_term, with_data_end, with_reason_lines, without_stopped
from pipeline.rules.shared.wording import (
    CONTROLLER,
    controller_name,
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

QUORUM_LOST = "quorum_lost"
CRASHED = "crashed"
# How far clocks are apart is told where it is more than this part of the length.
TOLD_PART = 100
# Where no line bounds it, clocks may be apart by seconds.
CLOCKS_MS = 5_000


def find(
    led_terms: pl.DataFrame,
    broker_session: pl.DataFrame,
    no_controller_ms: int,
    no_quorum_leader_ms: int,
    data_end: pl.DataFrame,
    controller_term: pl.DataFrame,
    clock_skew: pl.DataFrame,
    earlier: pl.DataFrame,
) -> pl.DataFrame:
    """Between the end of a term and the next election lies longer than the time-outs explain: in ZooKeeper mode that of
    a session, in KRaft those of the quorum, which elects at once as long as most of its voters are there.

    Not where a cluster has one broker: while it is down there is nobody to elect, whatever the limit. Nor in KRaft
    where all brokers had left before: they were shut down, and nobody asks. A KRaft
    controller prints little: of one whose process ended it counts from when another heard that nobody leads; if that
    is the last that is told of the quorum, until the end of the logs. The end stands by the clock of the one, the next
    election by that of the other: what the clocks may explain, where lines bound them (gold.clock_skew), is no finding.
    led_terms: rows of the view; earlier: findings of quorum_without_leader, of which those of the same time tell more.
    Source: KafkaRaftClient, RaftConfig (controller.quorum.fetch.timeout.ms, election.timeout.ms,
    election.backoff.max.ms), from 2.8.
    """
    is_lost = (col("gap_kind") == QUORUM_LOST).fill_null(value=False)
    is_by_end = col("gap_ms").is_not_null() & (col("gap_kind") != "fetch_timeout")
    # Of a lost quorum it may be heard only as it is over.
    is_heard_late = is_lost & (
        epoch_millis("superseded_at") - epoch_millis("vacant_from_at") <= no_quorum_leader_ms
    )
    heard_at = when(~is_heard_late).then("vacant_from_at")
    from_at = pl.coalesce(heard_at, when(is_by_end).then("ended_at"))
    ms = pl.coalesce("superseded_at", "until_at").dt.epoch("ms") - from_at.dt.epoch("ms")
    is_of_several = col("gap_kind").ne_missing(lit("sole_broker"))
    is_vacant, is_last = heard_at.is_not_null(), col("superseded_at").is_null()
    bound = when(is_vacant).then(lit("at least")).otherwise(lit("up to"))
    limit_ms = when(col("mode") == "kraft").then(no_quorum_leader_ms).otherwise(no_controller_ms)
    bounded = filled_text("{} {}{}", bound, duration_text(ms), clocks_text(ms, limit_ms, is_vacant))
    how_long = when(is_last).then(lit("as long as the logs go on")).otherwise(bounded)
    heard = pl.concat_list(records_of_term("elected", "vacant", "next_elected"), "next_state_line")
    basis = when(is_vacant).then(heard).otherwise("evidence")
    # Of a vacancy no line says by whose clock it was heard.
    explained_ms = when(~is_vacant & ~is_last).then(pl.max_horizontal("clock_high_ms", 0)).fill_null(0)
    gap = (
        with_data_end(with_reason_lines(led_terms), data_end)
        .pipe(with_clocks_of_next, controller_term, clock_skew)
        .filter(is_of_several & (ms - explained_ms > limit_ms) & ~is_prompt(limit_ms))
        .with_columns(vacancy_at=from_at)
        .pipe(without_stopped, broker_session)
    )
    return gap.select(
        *("cluster_id", "term_id"),
        *severity_column("warning"),
        entity=lit("controller"),
        root_event=controller_name(),
        **root_columns("controller", broker_id="controller_id"),
        valid_from_at=from_at,
        valid_until_at="superseded_at",
        sentence=filled_text(
            "no controller for {} after {}{}{}",
            *(
                how_long,
                controller_name(),
                when(is_lost).then(lit(": most of the quorum was down")).otherwise(lit("")),
                because_clause(from_at),
            ),
        ),
        facts=facts_column(
            **CONTROLLER,
            at_least_ms=when(is_vacant & ~is_last).then(ms),
            at_most_ms=when(~is_vacant & ~is_last).then(ms),
            **cause_facts(),
        ),
        certainty=lit("inferred"),
        evidence=with_cause_lines(basis),
    ).pipe(without_races, earlier)


def is_prompt(limit_ms: pl.Expr) -> pl.Expr:
    """True of one that crashed if the next controller was elected in time after the first line that shows it: how long
    it was gone by then its own last line does not tell."""
    since_sign_ms = epoch_millis("superseded_at") - epoch_millis("first_sign_at")
    is_crashed = col("ended_how") == CRASHED
    return (is_crashed & since_sign_ms.is_between(0, limit_ms)).fill_null(value=False)


def clocks_text(ms: pl.Expr, limit_ms: pl.Expr, is_vacant: pl.Expr) -> pl.Expr:
    """, by clocks at most 2.0 s apart; empty where that is little beside the length, or both times are of one node."""
    low, high = col("clock_low_ms"), col("clock_high_ms")
    apart_ms = pl.max_horizontal(low.abs(), high.abs())
    is_bounded = low.is_not_null() & high.is_not_null()
    is_of_two = ~is_vacant & col("superseded_at").is_not_null() & (col("next_id") != col("controller_id"))
    said = (
        when(is_bounded & (apart_ms * TOLD_PART > ms))
        .then(filled_text(", by clocks at most {} apart,", duration_text(apart_ms)))
        .when(~is_bounded & (ms - limit_ms < CLOCKS_MS))
        .then(lit(", if their clocks agree,"))
    )
    return when(is_of_two.fill_null(value=False)).then(said).fill_null("")


@needs_rows_of("gaps")
def without_races(gaps: pl.DataFrame, races: pl.DataFrame) -> pl.DataFrame:
    """Findings of no controller without those of a time of which a race of epochs tells more."""
    raced = races.select("cluster_id", race_from_at="valid_from_at", race_until_at="valid_until_at")
    begins_before_end = (col("valid_from_at") <= col("race_until_at")).fill_null(value=True)
    ends_after_begin = (col("valid_until_at") >= col("race_from_at")).fill_null(value=True)
    own = ("cluster_id", "entity", "root_event", "valid_from_at")
    told = gaps.join(raced, on="cluster_id").filter(begins_before_end & ends_after_begin).select(own)
    return gaps.join(told, on=own, how="anti")


RULE = Rule(
    name="no_controller",
    version=5,
    severities=("warning",),
    facts=("controller_id", "controller_epoch", "at_least_ms", "at_most_ms", "end_reasons", "first_sign_ms"),
    find=find,
    after=("quorum_without_leader",),
    limits=(
        Limit(
            "no_controller_ms",
            30_000,
            "ms",
            "In ZooKeeper mode, no controller for less than this is counted, but no finding "
            "(a session time-out passes before an election).",
        ),
        NO_QUORUM_LEADER,
    ),
)
