"""How a KRaft quorum that elects no leader is told, by the epochs of controller.log and the votes of server.log."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.evidence import NO_LINES
from pipeline.rules.shared.quorum_epochs import STILL_MS
from pipeline.rules.shared.quorum_votes import ASKS
from pipeline.rules.shared.wording import (
    CONTROLLER,
    controller_name,
    duration_text,
    enumerated_nodes,
    epoch_millis,
    facts_column,
    filled_text,
    ids_text,
    root_columns,
    severity_column,
)


@needs_rows_of("found")
def quorum_findings(found: pl.DataFrame) -> pl.DataFrame:
    lasted_ms = epoch_millis("over_at") - epoch_millis("since_at")
    is_open, is_sure = col("over_at").is_null(), col("is_sure").fill_null(value=True)
    is_still = is_open & (epoch_millis("until_at") - epoch_millis("last_at") <= STILL_MS)
    bound = when("is_begun").then(lit("")).otherwise(lit(" at least"))
    since = filled_text("since {}{}", col("since_at").dt.strftime("%H:%M:%S"), bound)
    how_long = when(is_open).then(since).otherwise(filled_text("for{} {}", bound, duration_text(lasted_ms)))
    end = (
        when(is_still)
        .then(lit(", still so at the end of the data"))
        .when(~is_sure)
        .then(lit(", and no log that was read tells whether the others had one"))
        .when(is_open)
        .then(lit(", as long as the logs of controllers go on"))
        .otherwise(lit(""))
    )
    known_to = (
        when(~is_sure).then(filled_text("known to {} ", enumerated_nodes("asker_ids"))).otherwise(lit(""))
    )
    is_race = col("epochs_count").is_not_null()
    epochs = (
        when(is_race).then(filled_text(", {} epochs without a leader", "epochs_count")).otherwise(lit(""))
    )
    after = when(col("controller_id").is_not_null()).then(filled_text(" after {}", controller_name()))
    event = (
        when(is_race).then(filled_text("epoch {}", "first_epoch"))
        .when(col("controller_epoch").is_not_null()).then(filled_text("votes after epoch {}", "controller_epoch"))
        .otherwise(filled_text("votes since {}", epoch_millis("since_at")))
    )  # fmt: skip
    severity = when(is_still).then(lit("critical")).otherwise(lit("warning"))
    asks = {name: when(col(name).list.len() > 0).then(name) for name in ASKS}
    return found.select(
        *("cluster_id", "term_id"),
        *severity_column(severity),
        entity=lit("controller"),
        root_event=event,
        **root_columns("quorum without leader", "since_at"),
        valid_from_at="since_at",
        valid_until_at="over_at",
        sentence=filled_text(
            "no controller {}{}{}{}{}{}",
            *(known_to, how_long, after.fill_null(""), epochs, end, votes_text()),
        ),
        facts=facts_column(
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


def votes_text() -> pl.Expr:
    """Who refused whom and who did not answer, and what to do; says which log would tell where none is read."""
    is_refused, is_missing = (col(name).list.len() > 0 for name in ("refused_ids", "unanswered_ids"))
    are_same = col("refused_ids") == col("refusing_ids")
    refused = (
        when(are_same)
        .then(filled_text("; nodes {} reject each other's votes", ids_text("refused_ids")))
        .otherwise(
            filled_text(
                "; {} refused votes to {}", enumerated_nodes("refusing_ids"), enumerated_nodes("refused_ids")
            )
        )
    )
    mend = lit(": start them or mend the network")
    missing = filled_text(
        "; {} asked for votes, {} did not answer{}",
        enumerated_nodes("asking_ids"),
        enumerated_nodes("unanswered_ids"),
        mend,
    )
    both = filled_text("{}, and {} did not answer{}", refused, enumerated_nodes("unanswered_ids"), mend)
    slow = lit(": if it lasts, raise controller.quorum.election.timeout.ms")
    behind = lit(": its log is behind, or it asks too early")
    advice = when(are_same).then(slow).otherwise(behind)
    return (
        when(is_refused & is_missing).then(both)
        .when(is_refused).then(filled_text("{}{}", refused, advice))
        .when(is_missing).then(missing)
        .when(col("asking_ids").list.len() > 0).then(
            filled_text("; {} asked for votes in vain", enumerated_nodes("asking_ids"))
        )
        .when(col("is_read").is_null()).then(lit("; server.log of the controllers would tell why"))
        .otherwise(lit(""))
    )  # fmt: skip
