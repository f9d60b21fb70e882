"""The rule quorum_without_leader."""

import polars as pl
from polars import col, lit

from pipeline.core.made_of import needs_rows_of
from pipeline.rules.quorum_without_leader.epochs import by_epoch, reported_leaders, with_leaderless_begin
from pipeline.rules.quorum_without_leader.gaps import gaps_at_end, gaps_of_terms, long_ones
from pipeline.rules.quorum_without_leader.votes import with_votes
from pipeline.rules.rule import Rule
from pipeline.rules.shared.limits import NO_QUORUM_LEADER
from pipeline.rules.shared.quorum import quorum_findings
from pipeline.rules.shared.quorum_epochs import leaderless_epoch_runs
from pipeline.rules.shared.quorum_states import with_witnesses
from pipeline.rules.shared.quorum_votes import quorum_signs
from pipeline.rules.shared.terms import without_stopped


def find(
    controller_step: pl.DataFrame,
    led_terms: pl.DataFrame,
    led_states: pl.DataFrame,
    node_event: pl.DataFrame,
    connection_event: pl.DataFrame,
    process_run: pl.DataFrame,
    broker_session: pl.DataFrame,
    no_quorum_leader_ms: int,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """Controllers hear of one epoch of the quorum after another, and of no leader in any; or voters ask for votes in
    vain for longer than the time-outs of an election explain: votes are refused, or no majority is there. Critical
    while it goes on at the end of the data.

    Not where several controllers print and only one of them hears of it: that one is cut off. Nor where all brokers had
    been stopped before, or of nodes that are being stopped. Where logs of fewer than half of the voters were read, the
    others may have had a leader: what those that were read ask in vain is told as that, and nothing goes on.
    led_states, led_terms: rows of these views.
    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, KafkaRaftClient.handleVoteResponse, up to 3.9;
    from 4.0 a node that gets no votes raises no epoch (KIP-996), and only server.log tells: pollProspective.
    """
    signs = quorum_signs(node_event)
    said = reported_leaders(controller_step, led_terms, led_states)
    raced = (
        said.pipe(by_epoch)
        .pipe(leaderless_epoch_runs)
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id")
        .pipe(with_leaderless_begin, led_terms)
    )
    ended = gaps_of_terms(signs, led_terms, process_run, data_end)
    still = gaps_at_end(signs, said, led_states, controller_step, data_end)
    open_ended = ended.filter(col("over_at").is_null()).select("cluster_id")
    gaps = (
        pl.concat([ended, still.join(open_ended, on="cluster_id", how="anti").select(ended.columns)])
        .pipe(with_witnesses, controller_step, signs)
        .pipe(long_ones, no_quorum_leader_ms)
        .with_columns(vacancy_at="since_at", superseded_at="over_at")
        .pipe(without_stopped, broker_session)
    )
    read = node_event.filter(col("area") == "quorum").select("cluster_id", is_read=lit(value=True)).unique()
    found = (
        pl.concat([raced, without_raced(gaps, raced)], how="diagonal")
        .pipe(with_votes, signs, connection_event)
        .join(read, on="cluster_id", how="left", maintain_order="left")
    )
    return quorum_findings(found)


@needs_rows_of("gaps")
def without_raced(gaps: pl.DataFrame, raced: pl.DataFrame) -> pl.DataFrame:
    """Without those of a time that a race of epochs tells of."""
    times = raced.select("cluster_id", race_from_at="since_at", race_until_at="over_at")
    begins_before_end = (col("since_at") <= col("race_until_at")).fill_null(value=True)
    ends_after_begin = (col("over_at") >= col("race_from_at")).fill_null(value=True)
    own = ("cluster_id", "since_at")
    same = gaps.join(times, on="cluster_id").filter(begins_before_end & ends_after_begin).select(own)
    return gaps.join(same, on=own, how="anti")


RULE = Rule(
    name="quorum_without_leader",
    version=2,
    severities=("critical", "warning"),
    facts=(
        "controller_id",
        "controller_epoch",
        "epochs_count",
        "first_epoch",
        "last_epoch",
        "lasted_ms",
        "asking_ids",
        "refused_ids",
        "refusing_ids",
        "unanswered_ids",
    ),
    find=find,
    limits=(NO_QUORUM_LEADER,),
)
