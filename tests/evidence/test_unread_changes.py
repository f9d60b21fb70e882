"""Changes of partitions in ZooKeeper mode in lines that are missing, as what stands behind them shows."""

from typing import Any

import polars as pl
import pytest
from polars import col, lit

from pipeline.model.terms.election_chances import election_chances, untold_tries
from pipeline.model.terms.missing_moves import left_out_epochs
from schemas.gold import partition_timeline
from schemas.silver import controller_line, term
from tests.frames import at, frame


@pytest.mark.parametrize(
    ("moves", "isr", "expected"),
    [
        # One election, and no replica out of the ISR: another one went by unseen.
        (["9 | OnlinePartition | 2 |"], "3 2", [(1, 10)]),
        (["9 | OnlinePartition | 2 |"], "2", []),
        (["7 | OnlinePartition | 3 |", "9 | OnlinePartition | 2 |"], "3 2", []),
        # Nobody led meanwhile: no request of that need be there.
        (["7 | OfflinePartition | |", "9 | OnlinePartition | 2 |"], "3 2", []),
    ],
)
def test_a_request_shows_more_changes_than_its_event_can_have(
    moves: list[str], isr: str, expected: list[tuple[int, int]]
) -> None:
    rows = ["1 | OnlinePartition | 2 | 4", *moves, "10 | | 2 | 6"]
    said = frame(
        partition_timeline.SPEC, "\n".join(["valid_from_at | state | leader | leader_epoch", *rows])
    ).with_columns(
        cluster_id=lit("c"), topic=lit("a"), topic_life=lit(1), partition=lit(0), era=lit(1), controller_epoch=lit(5),
        at="valid_from_at", seq=pl.int_range(pl.len()), file_id=lit("f"), byte_offset=pl.int_range(pl.len()),
        replicas=lit([2, 3]), isr=lit([int(one) for one in isr.split()]),
        event=pl.when(col("valid_from_at") == at(10)).then(lit("update_metadata_sent")).otherwise(lit("partition_transition")),
    )  # fmt: skip
    found = left_out_epochs(said)
    assert found.select("since_at", "until_at").rows() == [
        (at(since), at(until)) for since, until in expected
    ]


def lines_of_chance(log: str) -> pl.DataFrame:
    return frame(
        controller_line.SPEC,
        f"""
        cluster_id | term_id | log        | event          | ordered_at | event_seq | cause
        c          | 1-5     | controller | broker_startup | 40         | 7         | broker start
        c          | 1-5     | {log}      | moved          | 40.1       | 7         | broker start
        """,
    )


@pytest.mark.parametrize(
    ("log", "next_at", "last_at", "expected"),
    [
        ("controller", 90, 80, [at(40)]),
        ("state-change", 90, 80, []),
        ("controller", 30, 80, []),
        ("controller", 90, 40.5, []),
    ],
)
def test_who_is_offline_as_a_broker_comes_may_be_led_where_no_line_tells_of_the_try(
    log: str, next_at: float, last_at: float, expected: list[Any]
) -> None:
    said = frame(
        partition_timeline.SPEC,
        f"""
        cluster_id | topic | topic_life | partition | valid_from_at | state            | leader | controller_epoch | seq | term_id
        c          | a     | 1          | 0         | 20            | OfflinePartition |        | 5                | 1   | 1-5
        c          | a     | 1          | 0         | {next_at}     |                  | 1      | 5                | 2   | 1-5
        """,
    ).with_columns(at="valid_from_at", era=lit(1), file_id=lit("f"), byte_offset=col("seq"))
    terms = frame(term.SPEC, f"cluster_id | term_id | told_until_at\nc | 1-5 | {last_at}")
    found = untold_tries(said, terms, election_chances(lines_of_chance(log)))
    assert found["from_at"].to_list() == expected
