"""Why a term ended, as server.log of its controller says it."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import FAR, TIME
from pipeline.model.brokers.end_reasons import CLOCKS, ENDS, LONGEST, NODE, with_end_reason
from pipeline.model.brokers.first_signs import OWN_LAST, with_first_end_sign
from pipeline.model.lines.evidence import NO_LINES, evidence_line
from pipeline.model.terms.term_steps import IN_TURN, MODE, TERM
from schemas.end_reasons import KILLED, LIVED_ON, MAJORITY, MISSING, SESSION, UNKNOWN

# The others are known from their ended_how, whatever became of their process.
OF_PROCESS = (
    *("crashed", "shutdown", "session_expired", "superseded_unseen"),
    *("renounced", "event_failed", "process_end"),
)
# Of these the process had ended, though no other controller may follow.
OVER = ("crashed", "process_end")
UNSEEN = "superseded_unseen"
RESIGNED = ("shutdown", "session_expired", "renounced", "event_failed")


# A KRaft controller whose quorum does not hear it gives up after controller.quorum.fetch.timeout.ms, 2 s as shipped.
SOON = timedelta(seconds=5)
LOST = "raft_leader_lost_majority"


def with_reasons(
    term: pl.DataFrame,
    process_run: pl.DataFrame,
    node_event: pl.DataFrame,
    connection_event: pl.DataFrame,
    sign_before: pl.DataFrame,
) -> pl.DataFrame:
    """Terms in their turn with end_reason and what says so.

    A controller that resigned had ended by then, another one before the next was elected. Source of what a KRaft
    controller says of its quorum: KafkaRaftClient.maybeResignAsLeader, from 3.7.
    """
    how = col("ended_how")
    is_asked = (how.is_null() & col("superseded_at").is_not_null()) | how.is_in(OF_PROCESS)
    is_over = how.is_in(OVER).fill_null(value=False)
    over_at = pl.coalesce(
        when(~is_over).then("ended_at"), "superseded_at", when(is_over).then(lit(FAR, TIME) - CLOCKS)
    )
    begin_at = pl.coalesce("elected_at", "began_at")
    is_kraft = col("mode") == "kraft"
    given_up_at = pl.min_horizontal(over_at, "superseded_at")
    silent_from_at = (
        when(is_kraft & ~is_over)
        .then(given_up_at - SOON)
        .when(is_kraft)
        .then("ended_at")
        .otherwise(over_at - LONGEST)
    )
    ends = term.with_columns(
        node_id="controller_id",
        begin_at=begin_at,
        end_at=when(is_asked).then(over_at),
        # Of one whose election is not read: not before the one in office before it.
        came_at=pl.coalesce("elected_at", col("began_at").shift(1).over(*MODE, "life")),
        gone_from_at=pl.coalesce("ended_at", when(~col("is_succeeded")).then(over_at)),
        silent_from_at=pl.max_horizontal(begin_at, silent_from_at),
        is_fenced=lit(value=False),
        is_bounced=lit(value=True),
        **{OWN_LAST: when(~is_kraft).then("last_line_at").when(is_over).then("ended_at")},
    )
    return (
        ends.pipe(with_end_reason, process_run, node_event)
        .with_columns(without_kill())
        .pipe(with_lost_majority, node_event)
        .join(sign_before, on=TERM, how="left", maintain_order="left")
        .pipe(with_first_end_sign, process_run, connection_event)
        .with_columns(without_later_end())
        .drop(name for name in ENDS if name not in MODE)
    )


def without_kill() -> list[pl.Expr]:
    """A controller that says that it gives up was not killed then, whatever came afterwards."""
    is_undecided = col("ended_how").is_null() & col("resigning_at").is_not_null()
    gave_up = (col("ended_how").is_in(RESIGNED) | is_undecided) & (col("end_reason") == KILLED)
    is_so = gave_up.fill_null(value=False)
    return [
        when(is_so).then(lit(UNKNOWN)).otherwise("end_reason").alias("end_reason"),
        when(~is_so).then("end_reason_at").alias("end_reason_at"),
        when(is_so).then(lit(LIVED_ON)).otherwise("end_unknown_why").alias("end_unknown_why"),
        when(is_so).then(NO_LINES).otherwise("end_lines").alias("end_lines"),
    ]


def without_later_end() -> list[pl.Expr]:
    """Of a term whose end was not seen its controller can have lived on: who was killed, or lost its session, by a line
    behind the end may have been so later. That it was before others tell: a peer that lost it by then, or the next
    controller, which does not find it; but where the election of that one is in lines that are missing, so may be the
    end, and no signal behind it is the reason; nor is one from when on another one may be in office, or was
    (is_over_before)."""
    is_unseen = col("ended_how").fill_null(UNSEEN) == UNSEEN
    is_of_process = col("end_reason").is_in([KILLED, SESSION])
    is_told_later = is_of_process & (col("end_reason_at") > col("end_at") + CLOCKS)
    is_lost_before = (col("first_sign_at") < col("end_at")).fill_null(value=False)
    is_missed = ~col("is_alive_next").fill_null(value=True)
    is_later = is_told_later & ~is_lost_before & ~is_missed
    is_behind = is_of_process | (col("end_reason_at") > col("end_at"))
    is_unproved = col("end_reason_at") > col("unproved_from_at")
    is_open = is_unseen & (
        is_later | is_unproved | (is_behind & (col("is_next_torn") | col("is_epoch_skipped")))
    )
    is_open = is_open.fill_null(value=False) | col("is_over_before")
    unsaid = when(col("end_reason") == SESSION).then(lit(LIVED_ON)).otherwise(lit(MISSING))
    return [
        when(is_open).then(lit(UNKNOWN)).otherwise("end_reason").alias("end_reason"),
        when(~is_open).then("end_reason_at").alias("end_reason_at"),
        when(is_open).then(unsaid).otherwise("end_unknown_why").alias("end_unknown_why"),
        when(is_open).then(NO_LINES).otherwise("end_lines").alias("end_lines"),
        when(~is_open).then("first_sign_at").alias("first_sign_at"),
        when(is_open).then(NO_LINES).otherwise("first_sign_lines").alias("first_sign_lines"),
    ]


def with_lost_majority(term: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """A KRaft controller that lived on lost its majority if it said so just before it gave up."""
    said = node_event.filter(col("event") == LOST, col("node_id").is_not_null()).select(
        *NODE, lost_at="logged_at", lost_line=evidence_line()
    )
    is_before = col("lost_at") >= col("end_at") - SOON
    is_lost = ((col("end_unknown_why") == LIVED_ON) & is_before).fill_null(value=False)
    order = [*MODE, *IN_TURN]
    return (
        term.sort("end_at")
        .join_asof(
            said.sort("lost_at"), left_on="end_at", right_on="lost_at", by=NODE, check_sortedness=False
        )
        .sort(order)
        .with_columns(
            end_reason=when(is_lost).then(lit(MAJORITY)).otherwise("end_reason"),
            end_reason_at=when(is_lost).then("lost_at").otherwise("end_reason_at"),
            end_unknown_why=when(~is_lost).then("end_unknown_why"),
            end_lines=when(is_lost).then(pl.concat_list("lost_line")).otherwise("end_lines"),
        )
        .drop("lost_at", "lost_line")
    )
