"""Choices of leaders of which the event, or a broker's stay, is in doubt."""

import polars as pl
import pytest
from polars import lit

from pipeline.gold.leader_election import OF_ATTEMPT, OF_LINE, rename_attempt_columns
from pipeline.gold.leader_election.judging import is_elected_unseen, with_doubted_candidate
from schemas.gold import broker_session
from tests.frames import at, frame


@pytest.mark.parametrize(
    ("certainty", "left", "expected"),
    [("undetermined", 90, "lines_missing"), ("proved", 90, None), ("undetermined", 30, None)],
)
def test_a_choice_differs_from_no_rule_that_rests_on_a_stay_in_doubt(
    certainty: str, left: int, expected: str | None
) -> None:
    attempt = pl.DataFrame(
        {"cluster_id": ["c"], "elected_at": [at(50)], "leader": [1], "expected_leader": [3]},
        schema_overrides={"leader": pl.Int32, "expected_leader": pl.Int32},
    ).with_columns(doubt=lit(None, pl.String))
    sessions = frame(
        broker_session.SPEC,
        f"cluster_id | broker_id | joined_at | left_at | certainty\nc | 3 | 10 | {left} | {certainty}",
    )
    assert with_doubted_candidate(attempt, sessions)["doubt"].to_list() == [expected]


@pytest.mark.parametrize(
    ("cause", "how", "trigger"),
    [
        ("automatic rebalance", "removed", "unknown"),
        ("broker failure", "removed", "broker failure"),
        ("automatic rebalance", "move", "automatic rebalance"),
    ],
)
def test_nothing_is_removed_from_an_isr_in_an_event_that_elects_preferred_leaders(
    cause: str, how: str, trigger: str
) -> None:
    names = (
        *("cluster_id", "term_id", "topic", "topic_life", "partition", "said_logged_at", "said_outcome", "told_file_id"),
        *("said_from_state", "said_message", "said_leader_epoch", "leader_epoch_before", "leader_before", "isr_before"),
        *("replicas_before", "target", "is_deleting_before", "isr", "leader_epoch", "said_leader", "said_partition_epoch"),
    )  # fmt: skip
    absent = {*names, *OF_ATTEMPT, *(f"said_{name}" for name in OF_LINE)} - {"cause", "how"}
    kinds = {"is_deleting_before": pl.Boolean}
    attempt = pl.DataFrame({"cause": [cause], "how": [how]}).with_columns(
        lit(None, kinds.get(name, pl.String)).alias(name) for name in sorted(absent)
    )
    assert rename_attempt_columns(attempt)["trigger"].to_list() == [trigger]


@pytest.mark.parametrize(
    ("trigger", "leader", "expected"),
    [("unknown", 3, True), ("unknown", 2, False), ("unknown", -1, False), ("broker failure", 3, False)],
)
def test_a_removal_of_no_event_with_another_leader_hides_an_election(
    trigger: str,
    leader: int,
    expected: bool,  # noqa: FBT001
) -> None:
    removal = pl.DataFrame({"kind": "isr_removal", "trigger": trigger, "leader": leader, "old_leader": 2})
    assert removal.select(found=is_elected_unseen())["found"].to_list() == [expected]
