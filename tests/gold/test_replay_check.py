"""Kafka's dumps and refusals against the replay: equal where nothing is missing, not where something is."""

from collections.abc import Callable
from types import ModuleType

import polars as pl
import pytest
from polars import col

from pipeline.core.frames import declared_table, empty_frame
from pipeline.gold import replay_check
from pipeline.gold.replay_check import refusal_answer
from pipeline.gold.replay_check.dumps import dump_answer, dump_line
from pipeline.gold.replay_check.requests import batch_line, request_answer
from schemas.gold import transition_audit
from schemas.gold.replay_check import SPEC
from schemas.silver import control_request, controller_line, state_dump, term
from schemas.state import replay_summary
from tests.frames import frame

DUMP_OFFSET, DUMP_SEQ = 1000, 50
LISTED = "Replica [Topic=a,Partition=0,Replica=1] should be in the {} states before moving to {} state. Instead it is in {} state"


def move(replica: int, seq: int, from_state: str, to_state: str) -> str:
    """Logged at second seq; the dump at second DUMP_SEQ."""
    return f"c | 1-1 | replica | a | 0 | {replica} | {from_state} | {to_state} | done | valid | true | | {seq} | {seq} | {seq} | m | {seq}"


def torn(seq: int) -> str:
    """A move of another topic, before which moves are missing."""
    line = move(1, seq, "OfflineReplica", "OnlineReplica").replace("| a |", "| b |")
    return line.replace("| valid |", "| discontinuity |")


def refusal(from_state: str, listed: str, *, is_legal: bool) -> str:
    message = LISTED.format(listed, "ReplicaDeletionIneligible", from_state)
    cells = (
        f"{from_state} | ReplicaDeletionIneligible | failed | refused | {str(is_legal).lower()} | {message}"
    )
    return f"c | 1-1 | replica | a | 0 | 1 | {cells} | 60 | 1 | 1 | m | 60"


def dumped(replica: int, state: str, *, is_complete: bool = True) -> str:
    return f"c | d | {DUMP_OFFSET} | {DUMP_SEQ} | replica | a | 0 | {replica} | {state} | {str(is_complete).lower()}"


def of_topics(
    partial: Callable[[pl.DataFrame, pl.DataFrame], pl.DataFrame], moves: pl.DataFrame, dumps: pl.DataFrame
) -> pl.DataFrame:
    """What it gives of each topic, put together."""
    return pl.concat(
        partial(*(one.filter(col("topic") == topic) for one in (moves, dumps))) for topic in "ab"
    )


def checked(
    moves: list[str], dump: list[str], machine: str = "R2", *, is_trace: bool = True
) -> dict[str, dict[str, object]]:
    """Rows by check."""

    def rows(of: ModuleType, head: str, lines: list[str]) -> pl.DataFrame:
        return frame(of.SPEC, "\n".join([head, *lines]))

    terms = rows(
        term,
        "cluster_id | term_id | is_trace_seen | replica_machine",
        [f"c | 1-1 | {str(is_trace).lower()} | {machine}"],
    )
    lines = rows(
        controller_line,
        "cluster_id | term_id | event | logged_at | file_id | byte_offset | seq | ordered_at",
        [
            f"c | 1-1 | replica_state_machine_started | {DUMP_SEQ} | d | {DUMP_OFFSET} | {DUMP_SEQ} | {DUMP_SEQ}"
        ],
    )
    audited = rows(
        transition_audit,
        "cluster_id | term_id | machine | topic | partition | replica_id | from_state | to_state | outcome | verdict"
        " | is_legal_pair | exception_message | seq | logged_at | ordered_at | file_id | byte_offset",
        moves,
    )
    dumps = rows(
        state_dump,
        "cluster_id | file_id | byte_offset | logged_at | machine | topic | partition | replica_id | state | is_complete",
        dump,
    )
    earlier, requests = empty_frame(replay_summary.SPEC), empty_frame(control_request.SPEC)
    found = replay_check.build(
        of_topics(
            lambda one, other: dump_answer(one, other, lines, dump_line(lines), terms, earlier),
            audited,
            dumps,
        ),
        of_topics(lambda one, _: refusal_answer(one, terms), audited, dumps),
        of_topics(
            lambda one, _: request_answer(one, requests, lines, batch_line(lines), terms, earlier),
            audited,
            dumps,
        ),
    )
    return {row["check"]: row for row in declared_table(found, SPEC).to_pylist()}


def counts_of(row: dict[str, object]) -> tuple[object, ...]:
    return tuple(row[f"{name}_count"] for name in ("said", "equal", "undecided", "differing"))


ONLINE = move(1, 40, "OnlineReplica", "OnlineReplica")
# In the millisecond of the dump; lines of controller.log are put before those of state-change.log.
TIED = move(2, 51, "ReplicaDeletionIneligible", "OfflineReplica").replace(
    "| 51 | 51 | 51 |", f"| 51 | {DUMP_SEQ} | {DUMP_SEQ} |"
)
MOVED = move(2, 40, "NewReplica", "ReplicaDeletionIneligible")
TWICE = [
    move(2, seq, before, after).replace(f"| {seq} | {seq} | {seq} |", f"| {seq} | {DUMP_SEQ} | {DUMP_SEQ} |")
    for seq, before, after in (
        (52, "ReplicaDeletionIneligible", "OnlineReplica"),
        (54, "OnlineReplica", "OfflineReplica"),
    )
]
AFTERWARDS = move(2, 60, "ReplicaDeletionIneligible", "OfflineReplica")
BOTH = [dumped(1, "OnlineReplica"), dumped(2, "ReplicaDeletionIneligible")]


@pytest.mark.parametrize(
    ("moves", "dump", "is_trace", "counts"),
    [
        ([ONLINE, AFTERWARDS], BOTH, True, (2, 2, 0, 0)),
        ([ONLINE], BOTH, True, (2, 1, 1, 0)),
        ([ONLINE], [dumped(1, "OfflineReplica")], True, (1, 0, 0, 1)),
        ([ONLINE], [dumped(1, "OfflineReplica")], False, (1, 0, 1, 0)),
        ([AFTERWARDS], [dumped(2, "OnlineReplica")], True, (1, 0, 0, 1)),
        ([TIED], [dumped(2, "OfflineReplica")], True, (1, 1, 0, 0)),
        ([TIED], [dumped(2, "ReplicaDeletionIneligible")], True, (1, 1, 0, 0)),
        ([AFTERWARDS], [dumped(2, "OfflineReplica")], True, (1, 0, 0, 1)),
        ([ONLINE], [dumped(2, "OnlineReplica")], True, (2, 0, 1, 1)),
        ([ONLINE], [dumped(2, "OnlineReplica", is_complete=False)], True, (1, 0, 1, 0)),
        ([torn(55), AFTERWARDS], BOTH[1:], True, (1, 0, 1, 0)),
        ([torn(65), AFTERWARDS], BOTH[1:], True, (1, 1, 0, 0)),
        ([torn(45), AFTERWARDS], BOTH[1:], True, (2, 1, 0, 1)),
        ([MOVED, *TWICE], [dumped(2, "OfflineReplica")], True, (1, 1, 0, 0)),
        ([MOVED, *TWICE], [dumped(2, "OnlineReplica")], True, (1, 0, 0, 1)),
        ([MOVED, torn(53), *TWICE], [dumped(2, "OnlineReplica")], True, (1, 1, 0, 0)),
        ([MOVED, torn(53), *TWICE], [dumped(2, "OfflineReplica")], True, (1, 0, 0, 1)),
        ([ONLINE.replace("| a |", "| b |")], BOTH[1:], True, (2, 0, 1, 1)),
    ],
    ids=[
        "as replayed",
        "never moved",
        "another state",
        "moves of replicas are not printed",
        "the next move leaves another state",
        "moved in the same millisecond",
        "to move in the same millisecond",
        "moved a second later",
        "moved and not named",
        "not named by what is left of a cut dump",
        "behind a torn move of another topic",
        "before a torn move of another topic",
        "torn before the dump",
        "to where it moved twice in that millisecond",
        "and not where it was between",
        "of both the first alone, as another topic is torn behind it",
        "and not the second",
        "a topic that the dump does not name",
    ],
)
def test_dump(
    moves: list[str],
    dump: list[str],
    is_trace: object,
    counts: tuple[int, ...],
) -> None:
    found = checked(moves, dump, is_trace=bool(is_trace))
    assert counts_of(found["initial_state_dump"]) == counts


@pytest.mark.parametrize(
    ("machine", "line", "refused", "valid"),
    [
        ("R2", refusal("OnlineReplica", "OfflineReplica,ReplicaDeletionStarted", is_legal=False), 1, 1),
        ("R1", refusal("OnlineReplica", "ReplicaDeletionStarted", is_legal=False), 1, 1),
        ("R2", refusal("OnlineReplica", "ReplicaDeletionStarted", is_legal=False), 1, 0),
        ("", refusal("OnlineReplica", "ReplicaDeletionStarted", is_legal=False), 1, 1),
        ("R2", refusal("OfflineReplica", "OfflineReplica,ReplicaDeletionStarted", is_legal=True), 0, 1),
    ],
    ids=[
        "from 2.3 on",
        "up to 2.2",
        "the list of another machine",
        "release unknown",
        "refused though legal",
    ],
)
def test_refusal(machine: str, line: str, refused: int, valid: int) -> None:
    found = checked([line], [], machine)
    assert {check: counts_of(row) for check, row in found.items()} == {
        "refused_pair": (1, refused, 0, 1 - refused),
        "valid_previous_states": (1, valid, 0, 1 - valid),
    }


def test_what_differs_is_told_with_its_lines() -> None:
    """The line of the dump leads; of a move before it, that line too."""
    moves = [move(one, one, "OnlineReplica", "OnlineReplica") for one in (3, 2)]
    row = checked(moves, [dumped(one, "OfflineReplica") for one in (2, 3)])["initial_state_dump"]
    assert row["examples"] == [
        f"a-0 replica {one}: Kafka OfflineReplica, replay OnlineReplica" for one in (2, 3)
    ]
    places = [("d", DUMP_OFFSET), ("m", 2), ("m", 3)]
    assert row["evidence"] == [{"file_id": file, "byte_offset": offset} for file, offset in places]


def test_a_refusal_that_differs_is_told_once() -> None:
    found = checked([refusal("OfflineReplica", "OfflineReplica,ReplicaDeletionStarted", is_legal=True)], [])
    message = LISTED.format("OfflineReplica,ReplicaDeletionStarted", "ReplicaDeletionIneligible", "OfflineReplica")  # fmt: skip
    row = found["refused_pair"]
    assert row["examples"] == [f"a-0: Kafka OfflineReplica -> ReplicaDeletionIneligible {message}"]
    assert row["evidence"] == [{"file_id": "m", "byte_offset": 60}]
    assert found["valid_previous_states"]["examples"] == []
