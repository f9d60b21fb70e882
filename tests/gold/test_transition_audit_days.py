"""Verdicts of moves from a day on, after what the days before left, are those of all moves at once."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from polars import col, lit
from polars.testing import assert_frame_equal

from pipeline.core.frames import empty_frame, frame_of, with_absent
from pipeline.core.span import ALL_TIME, Span
from pipeline.gold import replay_check, transition_audit
from pipeline.kafka.machines.by_release import PARTITION, REPLICA
from pipeline.state import replay_summary
from schemas.silver import (
    control_request,
    controller_line,
    partition_transition,
    replica_transition,
    state_dump,
    term,
)
from schemas.spec import TableSpec
from schemas.state.replay_summary import SPEC as SUMMARY
from tests import kernel_calls
from tests.replay.generated import IN_TURN, generate, table

BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
MOVES, DAYS = 1_500, 5
TIME = pl.Datetime("us", "UTC")


class Given(NamedTuple):
    """What the kernels take."""

    replica_transition: pl.DataFrame
    partition_transition: pl.DataFrame
    controller_line: pl.DataFrame
    term: pl.DataFrame


def day(number: int) -> datetime:
    return BEGIN + timedelta(days=number)


def rows_of(spec: TableSpec, rows: pl.DataFrame) -> pl.DataFrame:
    return with_absent(rows, spec).select(spec.columns)


def given(seed: int) -> Given:
    """Terms of all kinds of machine and level, each of MOVES moves in DAYS days, one of them without a move."""
    rng = np.random.default_rng(seed)
    known = [one for one in IN_TURN if one[0].has_term]
    parts = []
    for number, (block, level) in enumerate(known):
        days = pl.Series(np.sort(rng.choice([0, 1, 3, 4], size=MOVES))) * timedelta(days=1)
        parts.append(
            frame_of(table(generate(rng, block, level, MOVES))).with_columns(
                term_id=lit(f"1-{number}"), file_id=lit(f"f{number}"), ordered_at=lit(BEGIN, TIME) + days
            )
        )
    moves = pl.concat(parts).with_columns(
        col("from_state", "to_state").fill_null("OddState"),  # silver has no move without both
        logged_at="ordered_at",
        cause=lit("topic creation"),
        seq=2 * col("seq"),
    )
    terms = moves.unique("term_id").with_columns(is_trace_seen=lit(value=True))
    return Given(
        rows_of(replica_transition.SPEC, moves.filter(machine=REPLICA)),
        rows_of(partition_transition.SPEC, moves.filter(machine=PARTITION)),
        rows_of(controller_line.SPEC, moves),
        rows_of(term.SPEC, terms),
    )


def since(told: Given, begin: datetime) -> Given:
    """The lines from that day on; moves are taken as a whole."""
    return told._replace(controller_line=told.controller_line.filter(col("ordered_at") >= begin))


def dumps(told: Given) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A dump per term at the begin of the fourth day, which names every third object in the state of its first move;
    and the lines that dump them."""
    place = {"file_id": col("file_id") + "-dump", "byte_offset": lit(0, pl.Int64)}
    moves = pl.concat(
        [
            told.replica_transition.with_columns(machine=lit(REPLICA)),
            told.partition_transition.with_columns(machine=lit(PARTITION)),
        ],
        how="diagonal",
    )
    objects = ("cluster_id", "topic", "partition", "replica_id", "file_id")
    said = moves.unique(objects, keep="first", maintain_order=True).gather_every(3).with_columns(
        state="from_state", is_complete=lit(value=True), logged_at=lit(day(3), TIME), **place
    )  # fmt: skip
    before = told.controller_line.filter(col("ordered_at") < day(3))
    lines = before.group_by("cluster_id", "file_id", "term_id").agg(col("seq").max() + 1)
    lines = lines.with_columns(ordered_at=lit(day(3), TIME), **place)
    return rows_of(state_dump.SPEC, said), rows_of(controller_line.SPEC, lines)


def in_order(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.sort("file_id", "byte_offset", "machine")


def last_week(summaries: pl.DataFrame, begin: datetime) -> pl.DataFrame:
    """Rows before the day from the last first day of a week on: a Saturday, or the Tuesday after it."""
    earlier = summaries.filter(col("day_at") < begin)
    week = col("day_at").dt.truncate("1w")
    return earlier.filter(week == week.max().over("term_id"))


@pytest.mark.parametrize("seed", range(3))
def test_moves_of_later_days_are_judged_as_if_all_were(seed: int) -> None:
    told = given(seed)
    whole = transition_audit.build(*told, empty_frame(SUMMARY), ALL_TIME)
    assert whole.height == sum(one[0].has_term for one in IN_TURN) * MOVES
    assert whole["verdict"].n_unique() == 9
    summaries = replay_summary.build(whole, told.controller_line, empty_frame(SUMMARY), ALL_TIME)
    for number in range(DAYS):
        begin = day(number)
        later, before = since(told, begin), last_week(summaries, begin)
        found = transition_audit.build(*later, before, Span(begin))
        assert_frame_equal(in_order(found), in_order(whole.filter(col("ordered_at") >= begin)))
        left = replay_summary.build(found, later.controller_line, before, Span(begin))
        expected = summaries.filter(col("day_at") >= begin)
        assert_frame_equal(left.sort(SUMMARY.key), expected.sort(SUMMARY.key), check_column_order=False)


@pytest.mark.parametrize("seed", range(3))
def test_dumps_of_later_days_are_held_against_the_moves_before(seed: int) -> None:
    told = given(seed)
    state_dumps, lines = dumps(told)
    requests = empty_frame(control_request.SPEC)
    all_lines = pl.concat([told.controller_line, lines])
    whole = transition_audit.build(*told, empty_frame(SUMMARY), ALL_TIME)
    others = {"state_dump": state_dumps, "control_request": requests, "term": told.term}
    checked = kernel_calls.rows_of(
        replay_check,
        **others,
        transition_audit=whole,
        controller_line=all_lines,
        summary_before=empty_frame(SUMMARY),
    )
    counts = checked.filter(check="initial_state_dump").select(
        "equal_count", "undecided_count", "differing_count"
    )
    assert min(counts.sum().row(0)) > 0
    for number in range(4):
        begin = day(number)
        is_later = col("ordered_at") >= begin
        before = replay_summary.build(
            whole.filter(~is_later), told.controller_line.filter(~is_later), empty_frame(SUMMARY), ALL_TIME
        )
        found = kernel_calls.rows_of(
            replay_check,
            **others,
            transition_audit=whole.filter(is_later),
            controller_line=all_lines.filter(is_later),
            summary_before=before,
        )
        assert_frame_equal(
            found.sort("check", "term_id", "machine", "day_at"),
            checked.filter(col("day_at") >= begin).sort("check", "term_id", "machine", "day_at"),
        )
