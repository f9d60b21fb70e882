"""Rule on a KRaft quorum that elects no leader: epoch after epoch without one."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.wording import facts, ids, joined, length, millis, root, rule, words
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines

HEARD, ACTIVE, REFUSED = "controller_observed_leader", "controller_active", "raft_votes_rejected"
# Votes are split now and then: two or three epochs in a second or two are how Raft elects.
LEAST_EPOCHS, LEAST_MS = 5, 10_000
# An election takes a second or two: who is silent for longer prints nothing more.
STILL_MS = 60_000
LIFE = ("cluster_id", "life")
RUN = (*LIFE, "run")
EPOCH = "controller_epoch"


def quorum_without_leader(
    controller_event: pl.DataFrame, controller_term: pl.DataFrame, data_end: pl.DataFrame
) -> pl.DataFrame:
    """Controllers hear of one epoch of the quorum after another, and of no leader in any: votes are refused, or no
    majority is there. Critical while it goes on at the end of the data.

    Not where several controllers print and only one of them hears of it: that one is cut off.
    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, KafkaRaftClient.handleVoteResponse, up to 3.9;
    from 4.0 a node that gets no votes raises no epoch (KIP-996).
    """
    said = heard(controller_event, controller_term)
    found = (
        said.pipe(by_epoch)
        .pipe(races)
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id")
        .pipe(with_begin, controller_term)
        .pipe(with_refusals, controller_event)
    )
    lasted_ms = millis("over_at") - millis("since_at")
    is_open = col("over_at").is_null()
    is_still = is_open & (millis("until_at") - millis("last_at") <= STILL_MS)
    bound = when("is_begun").then(lit("")).otherwise(lit(" at least"))
    since = words("since {}{}", col("since_at").dt.strftime("%H:%M:%S"), bound)
    how_long = when(is_open).then(since).otherwise(words("for{} {}", bound, length(lasted_ms)))
    end = (
        when(is_still)
        .then(lit(", still so at the end of the data"))
        .when(is_open)
        .then(lit(", as long as the logs of controllers go on"))
        .otherwise(lit(""))
    )
    severity = when(is_still).then(lit("critical")).otherwise(lit("warning"))
    return found.select(
        *("cluster_id", "term_id"),
        *rule("quorum_without_leader", severity),
        entity=lit("controller"),
        root_event=words("epoch {}", "first_epoch"),
        **root("quorum without leader", "since_at"),
        valid_from_at="since_at",
        valid_until_at="over_at",
        sentence=words(
            "no controller {}, {} epochs without a leader{}{}", how_long, "epochs_count", end, votes()
        ),
        facts=facts(
            epochs_count="epochs_count",
            first_epoch="first_epoch",
            last_epoch="last_epoch",
            lasted_ms=lasted_ms,
            refused_ids=when(col("refused_ids").list.len() > 0).then(joined("refused_ids")),
            refusing_ids=when(col("refusing_ids").list.len() > 0).then(joined("refusing_ids")),
        ),
        certainty=lit("inferred"),
        evidence=pl.concat_list("begin_line", "last_line", "refusal_lines", "over_line").list.unique(
            maintain_order=True
        ),
    )


def without_races(gaps: pl.DataFrame, races: pl.DataFrame) -> pl.DataFrame:
    """Findings of no controller without those of a time of which a race of epochs tells more."""
    raced = races.select("cluster_id", race_from_at="valid_from_at", race_until_at="valid_until_at")
    begins_before_end = (col("valid_from_at") <= col("race_until_at")).fill_null(value=True)
    ends_after_begin = (col("valid_until_at") >= col("race_from_at")).fill_null(value=True)
    own = ("cluster_id", "entity", "root_event", "valid_from_at")
    told = gaps.join(raced, on="cluster_id").filter(begins_before_end & ends_after_begin).select(own)
    return gaps.join(told, on=own, how="anti")


def heard(controller_event: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """(LIFE, EPOCH, at, by_id, is_led, LINE): who leads which epoch, as controllers hear it, or say of themselves."""
    is_active = col("event") == ACTIVE
    elected = controller_term.filter(col("mode") == "kraft", col("elected_at").is_not_null())
    begun = elected.group_by(LIFE).agg(from_at=col("elected_at").min())
    first = begun.group_by("cluster_id").agg(first_life=col("life").min())
    return (
        controller_event.filter((is_active | (col("event") == HEARD)) & col(EPOCH).is_not_null())
        .select(
            *("cluster_id", EPOCH, *LINE),
            at="logged_at",
            by_id=pl.coalesce("node_id", "controller_id"),
            is_led=is_active | col("active_controller_id").is_not_null(),
        )
        .sort("at")
        .join_asof(
            begun.sort("from_at"), left_on="at", right_on="from_at", by="cluster_id", check_sortedness=False
        )
        .join(first, on="cluster_id", how="left")
        .with_columns(life=pl.coalesce("life", "first_life", lit(1)).cast(pl.Int32))
    )


def by_epoch(said: pl.DataFrame) -> pl.DataFrame:
    """One row per epoch that controllers heard of: at, line, by_ids; of one that is led, who leads it first."""
    in_turn = said.sort("at", *LINE)
    known = in_turn.group_by("cluster_id").agg(nodes_count=col("by_id").n_unique())
    is_led = col("is_led").any()
    first_led = col("is_led") | ~is_led
    return (
        in_turn.group_by(*LIFE, EPOCH, maintain_order=True)
        .agg(
            *(col(name).filter(first_led).first() for name in ("at", *LINE)),
            is_led=is_led,
            by_ids=col("by_id").unique(),
        )
        .join(known, on="cluster_id")
        .with_columns(line=known_lines(LINE))
        .sort(*LIFE, EPOCH)
    )


def races(epochs: pl.DataFrame) -> pl.DataFrame:
    """Epochs in a row without a leader, where they are many: RUN, first_epoch, last_epoch, last_at; led_epoch:
    the one before that has a leader; over_at, over_line: when the next one has."""
    is_led, of_life = col("is_led"), col("is_led").cast(pl.Int64)
    runs = epochs.with_columns(
        run=of_life.cum_sum().over(LIFE),
        led_epoch=when(is_led).then(EPOCH).forward_fill().over(LIFE),
        over_at=when(is_led).then("at").backward_fill().over(LIFE),
        over_line=when(is_led).then("line").backward_fill().over(LIFE),
    ).filter(~is_led)
    end_at = pl.coalesce("over_at", "last_at")
    is_long = end_at.dt.epoch("ms") - millis("from_at") >= LEAST_MS
    return (
        runs.group_by(RUN, maintain_order=True)
        .agg(
            col("led_epoch", "over_at", "over_line", "nodes_count").first(),
            first_epoch=col(EPOCH).first(),
            last_epoch=col(EPOCH).last(),
            epochs_count=pl.len(),
            from_at=col("at").first(),
            last_at=col("at").max(),
            heard_count=col("by_ids").explode().n_unique(),
            first_line=col("line").first(),
            last_line=col("line").last(),
        )
        .filter(is_long, col("epochs_count") >= LEAST_EPOCHS)
        .filter(col("heard_count") >= pl.min_horizontal("nodes_count", lit(2)))
        .with_columns(col("over_line").fill_null(NO_LINES))
    )


def with_begin(found: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """since_at, begin_line, term_id: when the leader before renounced, as it heard of the first epoch without one
    (is_begun); else when that was heard of first."""
    ended = controller_term.filter(col("mode") == "kraft", col("ended_how") == "renounced").select(
        *(*LIFE, "term_id"),
        led_epoch=EPOCH,
        ended_at="ended_at",
        end_line=col("lines").map.get("ended").fill_null(NO_LINES),
    )
    is_begun = (millis("from_at") - millis("ended_at")).is_between(0, STILL_MS).fill_null(value=False)
    return (
        found.join(ended, on=[*LIFE, "led_epoch"], how="left")
        .with_columns(is_begun=is_begun)
        .with_columns(
            since_at=when("is_begun").then("ended_at").otherwise("from_at"),
            begin_line=when("is_begun").then("end_line").otherwise("first_line"),
        )
    )


def with_refusals(found: pl.DataFrame, controller_event: pl.DataFrame) -> pl.DataFrame:
    """refused_ids, refusing_ids: who got too few votes and who refused them, as server.log says it of each node first;
    refusal_lines: these lines."""
    refused = controller_event.filter(col("event") == REFUSED).select(
        "cluster_id", "detail", *LINE, at="logged_at", refused_id="node_id"
    )
    is_within = (col("at") >= col("since_at")) & (col("at") <= pl.coalesce("over_at", "until_at"))
    by = col("detail").str.extract_all(r"\d+").list.eval(pl.element().cast(pl.Int32))
    told = (
        found.select(*RUN, "since_at", "over_at", "until_at")
        .join(refused, on="cluster_id")
        .filter(is_within)
        .sort("at", *LINE)
        .unique([*RUN, "refused_id"], keep="first", maintain_order=True)
        .with_columns(by_ids=by, line=known_lines(LINE))
        .group_by(RUN)
        .agg(
            refused_ids=col("refused_id").drop_nulls().sort(),
            refusing_ids=col("by_ids").explode().drop_nulls().unique().sort(),
            refusal_lines=col("line").explode(),
        )
    )
    return found.join(told, on=RUN, how="left").with_columns(col("refusal_lines").fill_null(NO_LINES))


def votes() -> pl.Expr:
    """Who refused whom; empty if no line of server.log tells."""
    are_same = col("refused_ids") == col("refusing_ids")
    return (
        when(col("refused_ids").is_null())
        .then(lit(""))
        .when(are_same)
        .then(words("; nodes {} reject each other's votes", ids("refused_ids")))
        .otherwise(words("; {} refused votes to {}", nodes("refusing_ids"), nodes("refused_ids")))
    )


def nodes(name: str) -> pl.Expr:
    noun = when(col(name).list.len() == 1).then(lit("node")).otherwise(lit("nodes"))
    return words("{} {}", noun, ids(name))
