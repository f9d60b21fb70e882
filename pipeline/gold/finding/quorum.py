"""Rule on a KRaft quorum that elects no leader, by the epochs of controller.log and the votes of server.log."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.quorum_epochs import STILL_MS, by_epoch, heard, races, with_begin
from pipeline.gold.finding.quorum_gaps import gaps_at_end, gaps_of_terms, long_ones
from pipeline.gold.finding.quorum_states import with_witnesses
from pipeline.gold.finding.quorum_votes import ASKS, quorum_signs, with_votes
from pipeline.gold.finding.terms import without_stopped
from pipeline.gold.finding.wording import (
    CONTROLLER,
    controller_name,
    facts,
    ids,
    joined,
    length,
    millis,
    nodes,
    root,
    rule,
    words,
)
from pipeline.model.lines.evidence import NO_LINES
from pipeline.model.settings import AuditLimit


def quorum_without_leader(
    controller_event: pl.DataFrame,
    controller_term: pl.DataFrame,
    states: pl.DataFrame,
    node_event: pl.DataFrame,
    connection_event: pl.DataFrame,
    process_run: pl.DataFrame,
    broker_session: pl.DataFrame,
    audit_limit: AuditLimit,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """Controllers hear of one epoch of the quorum after another, and of no leader in any; or voters ask for votes in
    vain for longer than the time-outs of an election explain: votes are refused, or no majority is there. Critical
    while it goes on at the end of the data.

    Not where several controllers print and only one of them hears of it: that one is cut off. Nor where all brokers had
    been stopped before, or of nodes that are being stopped. Where logs of fewer than half of the voters were read, the
    others may have had a leader: what those that were read ask in vain is told as that, and nothing goes on.
    states: led_states(); controller_term: with_next_state().
    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, KafkaRaftClient.handleVoteResponse, up to 3.9;
    from 4.0 a node that gets no votes raises no epoch (KIP-996), and only server.log tells: pollProspective.
    """
    signs = quorum_signs(node_event)
    said = heard(controller_event, controller_term, states)
    raced = (
        said.pipe(by_epoch)
        .pipe(races)
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id")
        .pipe(with_begin, controller_term)
    )
    ended = gaps_of_terms(signs, controller_term, process_run, data_end)
    still = gaps_at_end(signs, said, states, controller_event, data_end)
    open_ended = ended.filter(col("over_at").is_null()).select("cluster_id")
    gaps = (
        pl.concat([ended, still.join(open_ended, on="cluster_id", how="anti").select(ended.columns)])
        .pipe(with_witnesses, controller_event, signs)
        .pipe(long_ones, audit_limit.no_quorum_leader_ms)
        .with_columns(vacancy_at="since_at", superseded_at="over_at")
        .pipe(without_stopped, broker_session)
    )
    read = node_event.filter(col("area") == "quorum").select("cluster_id", is_read=lit(value=True)).unique()
    found = (
        pl.concat([raced, without_raced(gaps, raced)], how="diagonal")
        .pipe(with_votes, signs, connection_event)
        .join(read, on="cluster_id", how="left", maintain_order="left")
    )
    return told(found)


def told(found: pl.DataFrame) -> pl.DataFrame:
    lasted_ms = millis("over_at") - millis("since_at")
    is_open, is_sure = col("over_at").is_null(), col("is_sure").fill_null(value=True)
    is_still = is_open & (millis("until_at") - millis("last_at") <= STILL_MS)
    bound = when("is_begun").then(lit("")).otherwise(lit(" at least"))
    since = words("since {}{}", col("since_at").dt.strftime("%H:%M:%S"), bound)
    how_long = when(is_open).then(since).otherwise(words("for{} {}", bound, length(lasted_ms)))
    end = (
        when(is_still)
        .then(lit(", still so at the end of the data"))
        .when(~is_sure)
        .then(lit(", and no log that was read tells whether the others had one"))
        .when(is_open)
        .then(lit(", as long as the logs of controllers go on"))
        .otherwise(lit(""))
    )
    known_to = when(~is_sure).then(words("known to {} ", nodes("asker_ids"))).otherwise(lit(""))
    is_race = col("epochs_count").is_not_null()
    epochs = when(is_race).then(words(", {} epochs without a leader", "epochs_count")).otherwise(lit(""))
    after = when(col("controller_id").is_not_null()).then(words(" after {}", controller_name()))
    event = (
        when(is_race).then(words("epoch {}", "first_epoch"))
        .when(col("controller_epoch").is_not_null()).then(words("votes after epoch {}", "controller_epoch"))
        .otherwise(words("votes since {}", millis("since_at")))
    )  # fmt: skip
    severity = when(is_still).then(lit("critical")).otherwise(lit("warning"))
    asks = {name: when(col(name).list.len() > 0).then(joined(name)) for name in ASKS}
    return found.select(
        *("cluster_id", "term_id"),
        *rule("quorum_without_leader", severity, 2),
        entity=lit("controller"),
        root_event=event,
        **root("quorum without leader", "since_at"),
        valid_from_at="since_at",
        valid_until_at="over_at",
        sentence=words(
            "no controller {}{}{}{}{}{}",
            *(known_to, how_long, after.fill_null(""), epochs, end, votes()),
        ),
        facts=facts(
            **CONTROLLER,
            epochs_count="epochs_count",
            first_epoch="first_epoch",
            last_epoch="last_epoch",
            lasted_ms=lasted_ms,
            **asks,
        ),
        certainty=when(is_sure).then(lit("inferred")).otherwise(lit("undetermined")),
        evidence=pl.concat_list(
            col("elected_line").fill_null(NO_LINES), "begin_line", "last_line", "vote_lines", "over_line"
        ).list.unique(maintain_order=True),
    )


def without_raced(gaps: pl.DataFrame, raced: pl.DataFrame) -> pl.DataFrame:
    """Without those of a time that a race of epochs tells of."""
    times = raced.select("cluster_id", race_from_at="since_at", race_until_at="over_at")
    begins_before_end = (col("since_at") <= col("race_until_at")).fill_null(value=True)
    ends_after_begin = (col("over_at") >= col("race_from_at")).fill_null(value=True)
    own = ("cluster_id", "since_at")
    same = gaps.join(times, on="cluster_id").filter(begins_before_end & ends_after_begin).select(own)
    return gaps.join(same, on=own, how="anti")


def without_races(gaps: pl.DataFrame, races: pl.DataFrame) -> pl.DataFrame:
    """Findings of no controller without those of a time of which a race of epochs tells more."""
    raced = races.select("cluster_id", race_from_at="valid_from_at", race_until_at="valid_until_at")
    begins_before_end = (col("valid_from_at") <= col("race_until_at")).fill_null(value=True)
    ends_after_begin = (col("valid_until_at") >= col("race_from_at")).fill_null(value=True)
    own = ("cluster_id", "entity", "root_event", "valid_from_at")
    told = gaps.join(raced, on="cluster_id").filter(begins_before_end & ends_after_begin).select(own)
    return gaps.join(told, on=own, how="anti")


def votes() -> pl.Expr:
    """Who refused whom and who did not answer, and what to do; says which log would tell where none is read."""
    is_refused, is_missing = (col(name).list.len() > 0 for name in ("refused_ids", "unanswered_ids"))
    are_same = col("refused_ids") == col("refusing_ids")
    refused = (
        when(are_same)
        .then(words("; nodes {} reject each other's votes", ids("refused_ids")))
        .otherwise(words("; {} refused votes to {}", nodes("refusing_ids"), nodes("refused_ids")))
    )
    mend = lit(": start them or mend the network")
    missing = words(
        "; {} asked for votes, {} did not answer{}", nodes("asking_ids"), nodes("unanswered_ids"), mend
    )
    both = words("{}, and {} did not answer{}", refused, nodes("unanswered_ids"), mend)
    slow = lit(": if it lasts, raise controller.quorum.election.timeout.ms")
    behind = lit(": its log is behind, or it asks too early")
    advice = when(are_same).then(slow).otherwise(behind)
    return (
        when(is_refused & is_missing).then(both)
        .when(is_refused).then(words("{}{}", refused, advice))
        .when(is_missing).then(missing)
        .when(col("asking_ids").list.len() > 0).then(words("; {} asked for votes in vain", nodes("asking_ids")))
        .when(col("is_read").is_null()).then(lit("; server.log of the controllers would tell why"))
        .otherwise(lit(""))
    )  # fmt: skip
