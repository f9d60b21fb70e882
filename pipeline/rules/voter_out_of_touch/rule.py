"""The rule voter_out_of_touch."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.span_join import rows_in_spans
from pipeline.model.lines.evidence import NO_LINES, outermost_lines
from pipeline.rules.rule import Rule
from pipeline.rules.shared.limits import FLAPPING_DEPARTURES, FLAPPING_MINUTES
from pipeline.rules.shared.quorum_votes import ASKED, most_frequent_steps, quorum_signs
from pipeline.rules.shared.wording import (
    NO_TERM,
    duration_text,
    enumerated_nodes,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

NODE = ("cluster_id", "node_id")
FETCH = "fetch_timed_out"
# An election, and what follows from it, takes no longer.
ELECTION = timedelta(seconds=3)
STILL_MS = 60_000


def find(
    controller_term: pl.DataFrame,
    node_event: pl.DataFrame,
    earlier: pl.DataFrame,
    flapping_departures: int,
    flapping_minutes: int,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """A voter heard nothing from the controller several times in a row, and no election followed: it is frozen now and
    then, or cut off; the others tell by refusing it their votes. Where they do not answer they may as well be gone.

    Up to 3.9 such a voter takes the controller down, which is another rule's (quorum_flapping); from 4.0 it has to find
    out first whether it could win (KIP-996). earlier: findings of quorum_without_leader.
    Source: KafkaRaftClient.pollFollowerAsVoter, pollProspective.
    """
    signs = quorum_signs(node_event)
    apart = epoch_millis("at") - epoch_millis("at").shift(1).over(NODE)
    is_new = (apart > flapping_minutes * 60_000).fill_null(value=True)
    runs = (
        timeouts_under_controller(signs.filter(col("step") == FETCH), controller_term, earlier)
        .sort(*NODE, "at")
        .with_columns(run=is_new.cast(pl.Int64).cum_sum().over(NODE))
        .group_by(*NODE, "run", maintain_order=True)
        .agg(
            failures=pl.len(),
            since_at=col("at").first(),
            last_at=col("at").last(),
            lines=col("line").explode(),
        )
        .filter(col("failures") >= flapping_departures)
        .pipe(with_voter_answers, signs)
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id")
    )
    lasted_ms = epoch_millis("last_at") - epoch_millis("since_at")
    is_still = epoch_millis("until_at") - epoch_millis("last_at") <= STILL_MS
    look = "look at its pauses (GC, disk, CPU) and its network"
    end = (
        when(col("refusing_ids").list.len() > 0)
        .then(filled_text(f", and {{}} refused it their votes: {look}", enumerated_nodes("refusing_ids")))
        .when(col("unanswered_ids").list.len() > 0)
        .then(
            filled_text(
                f", and {{}} did not answer: see whether they run, else {look}",
                enumerated_nodes("unanswered_ids"),
            )
        )
        .otherwise(lit(f": {look}"))
    )
    return runs.select(
        "cluster_id",
        *severity_column("warning"),
        entity=filled_text("voter {}", "node_id"),
        root_event=filled_text("out of touch since {}", epoch_millis("since_at")),
        **root_columns("voter out of touch", "since_at", "node_id"),
        term_id=NO_TERM,
        valid_from_at="since_at",
        valid_until_at=when(~is_still).then("last_at"),
        sentence=filled_text(
            "voter {} heard nothing from the controller {} times within {}{}",
            *("node_id", "failures", duration_text(lasted_ms), end),
        ),
        facts=facts_column(
            voter_id="node_id",
            failures_count="failures",
            lasted_ms=lasted_ms,
            refusing_ids=when(col("refusing_ids").list.len() > 0).then("refusing_ids"),
            unanswered_ids=when(col("unanswered_ids").list.len() > 0).then("unanswered_ids"),
        ),
        certainty=lit("inferred"),
        evidence=pl.concat_list(outermost_lines(col("lines")), col("answer_line").fill_null(NO_LINES)),
    )


@needs_rows_of("fetches")
def timeouts_under_controller(
    fetches: pl.DataFrame, controller_term: pl.DataFrame, without_leader: pl.DataFrame
) -> pl.DataFrame:
    """Time-outs of voters while a controller was in office that had been for a while and went on to be."""
    end_at = pl.min_horizontal("ended_at", "vacant_from_at", "superseded_at")
    terms = controller_term.filter(col("mode") == "kraft", col("elected_at").is_not_null()).select(
        *("cluster_id", "controller_id"),
        steady_at=col("elected_at") + ELECTION,
        until_at=end_at - ELECTION,
    )
    is_open_or_long = col("until_at").is_null() | (col("until_at") > col("steady_at"))
    steady = rows_in_spans(
        terms.filter(is_open_or_long), fetches, ["cluster_id"], ("steady_at", "until_at"), "at", closed="both"
    ).filter(col("node_id") != col("controller_id"))
    lost = rows_in_spans(
        without_leader.select("cluster_id", "valid_from_at", "valid_until_at"),
        fetches, ["cluster_id"], ("valid_from_at", "valid_until_at"), "at", closed="both",
    )  # fmt: skip
    own = (*NODE, "at")
    return steady.select(*own, "line").join(lost.select(own), on=own, how="anti")


@needs_rows_of("runs")
def with_voter_answers(runs: pl.DataFrame, signs: pl.DataFrame) -> pl.DataFrame:
    """refusing_ids, unanswered_ids, answer_line: how the others answered it, by the first line of what it said most."""
    spans = runs.with_row_index("nr").select("nr", *NODE, "since_at", to_at=col("last_at") + ELECTION)
    asked = rows_in_spans(
        spans, signs.filter(col("step").is_in(ASKED)), list(NODE), ("since_at", "to_at"), "at", closed="both"
    )
    told = most_frequent_steps(asked).select(
        "nr", refusing_ids="refusing", unanswered_ids="unanswered", answer_line="line"
    )
    return runs.with_row_index("nr").join(told, on="nr", how="left", maintain_order="left").drop("nr")


RULE = Rule(
    name="voter_out_of_touch",
    version=1,
    severities=("warning",),
    facts=("voter_id", "failures_count", "lasted_ms", "refusing_ids", "unanswered_ids"),
    find=find,
    after=("quorum_without_leader",),
    limits=(FLAPPING_DEPARTURES, FLAPPING_MINUTES),
)
