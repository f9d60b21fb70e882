"""States by lines held against those on record."""

from copy import copy
from dataclasses import replace
from datetime import UTC, datetime

import polars as pl
import pytest

from pipeline.model.metadata.checking import OF_TIMELINE, compare_witnesses
from pipeline.model.metadata.history import replay_log
from pipeline.model.metadata.joining import join_copies
from schemas.gold import partition_timeline
from tests.metadata import copies_of, samples

JOINED = join_copies(copies_of(samples() / "diverged"))
REPLAY = replay_log(JOINED)


def lines(changed: dict[str, object], *, left_out: int = 0) -> pl.DataFrame:
    """The states on record as lines would give them, without the last ones; one of them changed."""
    rows: list[dict[str, object]] = [
        {
            "topic": one.topic,
            "topic_id": one.topic_id,
            "partition": one.partition,
            "partition_epoch": one.partition_epoch,
            "leader": one.leader,
            "leader_epoch": one.leader_epoch,
            "isr": one.isr,
            "replicas": one.replicas,
            "valid_from_at": datetime.fromtimestamp(one.decided_at_ms / 1000, UTC),
            "certainty": "proved",
            "is_assignment_stale": False,
            "part_seq": 1,
        }
        for one in REPLAY.states
    ]
    rows[40] |= changed
    kept = rows[: 100 - left_out] + rows[100:]
    declared = partition_timeline.SPEC.arrow
    schema = pl.from_arrow(declared.empty_table()).select(OF_TIMELINE).schema  # type: ignore[union-attr]  # a frame
    return pl.DataFrame(kept, schema_overrides=schema).select(OF_TIMELINE)


@pytest.mark.parametrize(
    ("changed", "equal", "silent", "differing", "never"),
    [
        ({}, 230, 0, 0, 0),
        ({"isr": None}, 230, 0, 0, 0),
        ({"leader": 99}, 229, 0, 1, 0),
        ({"replicas": [9]}, 229, 0, 1, 0),
        ({"replicas": [9], "is_assignment_stale": True}, 230, 0, 0, 0),
        ({"partition_epoch": None}, 229, 1, 0, 0),
        ({"partition_epoch": 77}, 229, 1, 0, 1),
    ],
)
def test_what_differs_is_counted(
    changed: dict[str, object], equal: int, silent: int, differing: int, never: int
) -> None:
    check = compare_witnesses(lines(changed), REPLAY, JOINED)
    assert (check.said, check.equal, check.silent, check.differing, check.never) == (
        230,
        equal,
        silent,
        differing,
        never,
    )
    assert len(check.examples) == differing


def test_a_log_of_another_cluster_is_not_compared() -> None:
    other = lines({}).with_columns(topic_id=pl.lit("AAAAAAAAAAAAAAAAAAAAAQ"))
    check = compare_witnesses(other, REPLAY, JOINED)
    assert check.is_other_cluster and check.said == 0


def test_what_no_line_shows_is_silent() -> None:
    check = compare_witnesses(lines({}, left_out=7), REPLAY, JOINED)
    assert (check.equal, check.silent, check.differing) == (223, 7, 0)


def test_of_a_partition_that_began_before_the_records_no_line_never_came_true() -> None:
    """As a copy that begins late has it: changes of it, and no state."""
    cut = copy(REPLAY)
    cut.states = [
        replace(one, partition_epoch=None) if one.key == REPLAY.states[40].key else one
        for one in REPLAY.states
    ]
    assert compare_witnesses(lines({"partition_epoch": 77}), cut, JOINED).never == 0
