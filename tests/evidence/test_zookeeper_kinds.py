"""What a part of the logs of a ZooKeeper cluster must not say, kind by kind: a small input for each."""

import polars as pl
import pytest
from polars import col, lit

from pipeline.gold.controller_term.reasons import without_later_end
from pipeline.gold.leader_election.judging import with_election_verdict
from pipeline.gold.partition_timeline.zk_statements import without_stale
from schemas.gold import controller_term, partition_timeline
from tests.chain import built
from tests.frames import frame
from tests.gold.term_lines import elected
from tests.rows import records_in

BEFORE = "c | a | 0 | 10 | 2 | 6 | 11 | 7"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        # The topic was deleted and created again meanwhile.
        ("c | a | 0 | 20 | 1 | 1 | 1 | 8", [6, 1, 2]),
        # A controller of before, and one that read before the last write.
        ("c | a | 0 | 20 | 1 | 1 | 1 | 6", [6]),
        ("c | a | 0 | 20 | 1 | 1 | 1 | 7", [6]),
        ("c | a | 0 | 5 | 1 | 1 | 1 | 8", [1, 2, 6]),
        ("c | a | 0 | 20 | 1 | 5 | 12 | 8", [6]),
    ],
)
def test_a_later_controller_states_what_was_created_again(after: str, expected: list[int]) -> None:
    """Else the partition would be without a leader to the end: each state of it would be a stale one."""
    following = after.replace(" | 1 | 1 | ", " | 1 | 2 | ")
    stated = frame(
        partition_timeline.SPEC,
        f"""
        cluster_id | topic | partition | valid_from_at | leader | leader_epoch | partition_epoch | controller_epoch
        {BEFORE}
        {after}
        {following}
        """,
    ).with_columns(
        at="valid_from_at", seq=lit(0), file_id=lit("f"), byte_offset=col("leader_epoch"), partition_no=lit(0)
    )
    found = without_stale(stated)["leader_epoch"].to_list()
    assert found == [one for one in expected if one in (6, 1) or following != after]


@pytest.mark.parametrize(
    ("is_torn", "is_skipped", "how", "expected"),
    [
        (True, False, "superseded_unseen", "unknown"),
        (False, False, "superseded_unseen", "killed"),
        # Another term was there before the next one that is seen.
        (False, True, "superseded_unseen", "unknown"),
        (True, False, "crashed", "killed"),
    ],
)
def test_who_was_killed_may_have_resigned_before_in_lines_that_are_missing(
    is_torn: bool,  # noqa: FBT001
    is_skipped: bool,  # noqa: FBT001
    how: str,
    expected: str,
) -> None:
    terms = frame(
        controller_term.SPEC,
        f"cluster_id | ended_how | end_reason | end_reason_at | ended_at\nc | {how} | killed | 12 | 20",
    ).with_columns(
        end_at="ended_at",
        first_sign_at=lit(None, pl.Datetime("us", "UTC")),
        is_alive_next=lit(value=False),
        is_next_torn=lit(value=is_torn),
        is_over_before=lit(value=False),
        is_epoch_skipped=lit(value=is_skipped),
        unproved_from_at=lit(None, pl.Datetime("us", "UTC")),
        first_sign_lines="evidence",
        end_lines="evidence",
        end_unknown_why=lit(None, pl.String),
    )
    assert terms.select(*without_later_end())["end_reason"].to_list() == [expected]


@pytest.mark.parametrize(("choices", "verdict"), [([3, 1], "differs"), ([3, 2], "undetermined")])
def test_who_is_elected_is_assigned_whatever_lines_are_missing(choices: list[int], verdict: str) -> None:
    rows = pl.DataFrame(
        {
            "leader": [1],
            "old_leader": [-1],
            "expected_leader": [3],
            "by_isr": [3],
            "from_state": ["OfflinePartition"],
            "outcome": ["done"],
            "kind": ["offline"],
            "how": ["move"],
            "leader_epoch": [4],
            "old_epoch": [3],
            "isr": [[1]],
            "choices": [choices],
            "is_old": [False],
            "doubt": [None],
        },
        schema_overrides={"doubt": pl.String},
    )
    assert with_election_verdict(rows)["verdict"].to_list() == [verdict]


SENT = (
    "[2026-11-21 00:00:{},000] TRACE [Controller id=1 epoch=1] Sending {} request PartitionState(controllerEpoch=1, "
    "leader={}, leaderEpoch=0, isr=[1], zkVersion=0, replicas=[1], offlineReplicas=[]) to {} for partition a-0 "
    "(state.change.logger)\n"
)


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_request_tells_that_a_topic_is_being_deleted(is_deleted: bool) -> None:  # noqa: FBT001
    """Where controller.log is missing nothing else does: nobody has to lead it then."""
    led = SENT.format("02", "UpdateMetadata", 1, "brokers Set(1)")
    deleted = SENT.format("05", "UpdateMetadata", -2, "brokers Set(1)") if is_deleted else ""
    gone = SENT.format("08", "UpdateMetadata", -1, "brokers Set(1)")
    rows = built(records_in({(1, "state-change"): led + deleted + gone}), "partition_outage")[
        "partition_outage"
    ]
    assert rows.height == (0 if is_deleted else 1)


@pytest.mark.parametrize("last", [20, 40])
def test_a_deposed_controller_whose_moves_are_not_read_may_write_another_leader(last: int) -> None:
    """Up to 2.0; what the next one says of a leader until then is in doubt, until it says so again."""
    received = (
        "[2026-11-21 00:00:{},000] TRACE [Broker id=3] Received LeaderAndIsr request PartitionState(controllerEpoch=1, "
        "leader=1, leaderEpoch=3, isr=1, zkVersion=5, replicas=1, isNew=false) correlation id 10 from controller 1 "
        "epoch 1 for partition b-0 (state.change.logger)\n"
    )
    said = "".join(
        SENT.format(second, "UpdateMetadata", 1, "brokers Set(1)").replace("id=1 epoch=1", "id=2 epoch=2")
        for second in (30, 50)
    )
    logs = {
        (1, "controller"): elected(1, 1, 0),
        (2, "controller"): elected(2, 2, 25),
        (2, "state-change"): said,
        (3, "state-change"): received.format(last),
    }
    rows = built(records_in(logs), "partition_timeline")["partition_timeline"].filter(topic="a")
    first = rows.sort("interval_seq", "part_seq").filter(pl.col("leader") == 1).head(1)
    assert first["certainty"].to_list() == ["undetermined" if last == 40 else "proved"]
