"""Terms of controllers: from election to end, how each ended, and what was done after it was over."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import made_of
from pipeline.gold.controller_term.days import sum_controller_days
from pipeline.gold.controller_term.deposed import with_fate
from pipeline.gold.controller_term.elections import with_election_reason
from pipeline.gold.controller_term.ends import (
    release_traits_of_terms,
    vacancy_begins,
    with_gap,
    with_next_view,
    with_term_end,
)
from pipeline.gold.controller_term.own import self_reported_steps
from pipeline.gold.controller_term.quorums import (
    with_leaderless_epochs,
    with_lost_quorum,
    without_ended_processes,
)
from pipeline.gold.controller_term.reasons import with_reasons
from pipeline.gold.controller_term.registrations import with_registration
from pipeline.model.lines.evidence import LINE, LINES_TYPE, NO_LINES, known_lines
from pipeline.model.terms.term_steps import IN_TURN, MODE, TERM, with_succession
from schemas.gold.controller_term import SPEC

BY_NAME = {
    "elected": "election",
    "ready": "ready_line",
    "fenced": "fenced_line",
    "still_fenced": "still_line",
    "wrote_after": "write_lines",
    "ended": "end_line",
    "registration": "registration_lines",
    "vacant": "vacant_line",
    "next_elected": "next_election",
    "reason": "end_lines",
    "first_sign": "first_sign_lines",
    "election_reason": "held_lines",
}


@made_of(SPEC, "term")
def build(
    term: pl.DataFrame,
    controller_day: pl.DataFrame,
    controller_step: pl.DataFrame,
    broker_event: pl.DataFrame,
    release_span: pl.DataFrame,
    process_run: pl.DataFrame,
    node_event: pl.DataFrame,
    connection_event: pl.DataFrame,
    sign_before: pl.DataFrame,
) -> pl.DataFrame:
    """One row per term.

    connection_event: from a time on; sign_before: of each term the first sign of its end that was found before it.
    What rests on the time at which the next controller was elected is null where that was not seen: then the next
    term that lines tell of is not the next one, or began earlier than the first line that names it.
    Source: KafkaController, 0.8.2 to 3.9; QuorumController, from 2.8.
    """
    begun = with_succession(term).pipe(with_leaderless_epochs, controller_step)
    told = (
        self_reported_steps(begun, controller_step),
        sum_controller_days(controller_day),
        release_traits_of_terms(begun, release_span),
        vacancy_begins(begun, controller_step),
    )
    return (
        join_term_facts(begun, *told)
        .pipe(with_next_view, broker_event, controller_step)
        .pipe(with_registration, broker_event, node_event)
        .pipe(with_term_end)
        .pipe(without_ended_processes, process_run)
        .pipe(with_lost_quorum, controller_step)
        .pipe(with_gap)
        .pipe(with_fate)
        .pipe(with_reasons, process_run, node_event, connection_event, sign_before)
        .pipe(with_election_reason, controller_step)
        .pipe(with_term_lines)
    )


def join_term_facts(term: pl.DataFrame, *facts: pl.DataFrame) -> pl.DataFrame:
    """Terms in their turn with the columns of each frame that has at most one row for each."""
    for one in facts:
        term = term.join(one, on=TERM, how="left", maintain_order="left")
    return term


def with_term_lines(term: pl.DataFrame) -> pl.DataFrame:
    """lines: places by what their lines say; evidence: of them those of its election, its end and the next election."""
    named = (
        term.sort(*MODE, *IN_TURN)
        .with_columns(election=pl.concat_list(known_lines(LINE), col("epoch_line").fill_null(NO_LINES)))
        .with_columns(next_election=col("election").shift(-1).over(MODE))
        .with_columns(col(*BY_NAME.values()).fill_null(NO_LINES))
    )
    entry = (
        when(col(own).list.len() > 0).then(pl.concat_list(pl.struct(key=lit(name), value=own)))
        .otherwise(lit([], pl.List(pl.Struct({"key": pl.String, "value": LINES_TYPE}))))
        for name, own in BY_NAME.items()
    )  # fmt: skip
    lines = pl.concat_list(entry).cast(pl.Map(pl.String, LINES_TYPE))
    basis = pl.concat_list("election", "end_line", "next_election").list.unique(maintain_order=True)
    return named.with_columns(lines=lines, evidence=basis)
