"""Moves that Kafka follows by a request: with it, without it, and where lines are missing that would tell."""

from itertools import combinations

import polars as pl
import pytest
from polars import col

from pipeline.gold.replay_check.requests import batch_line, count_requests, request_answer
from pipeline.gold.replay_check.statements import COUNTS
from schemas.gold import transition_audit
from schemas.silver import control_request, controller_line, term
from schemas.state import replay_summary
from tests.frames import frame

# One batch: two replicas of broker 3 go Online, a request to it has both partitions, one to broker 1 has one.
LED = [
    "move partition a 0 - NewPartition OnlinePartition",
    "move partition a 1 - OfflinePartition OnlinePartition",
]
MOVES = ["move replica a 0 3 OfflineReplica OnlineReplica", "move replica a 1 3 OfflineReplica OnlineReplica"]
BOTH = ["sent 3 a 0", "sent 3 a 1", "summary 3 2"]
OTHER = ["sent 1 a 0", "summary 1 1"]
ONE = ["sent 3 a 0", "summary 3 1"]
NONE_OF_BOTH = ["sent 3 b 7", "summary 3 1"]
NEXT = ["move replica c 0 1 OnlineReplica OfflineReplica", "sent 3 c 0", "summary 3 1", "end"]
CASES = {
    "sent": ([*LED, *MOVES, *BOTH, *OTHER, "end"], "2 equal"),
    "one is not sent": ([*LED, *MOVES, *OTHER, *ONE, "end"], "1 differs, 1 equal"),
    "neither is": ([*LED, *MOVES, *NONE_OF_BOTH, "end"], "2 differs"),
    # Without a leader nothing is sent, and of this one nothing is known.
    "without a leader": ([LED[0], *MOVES, *NONE_OF_BOTH, "end"], "1 differs, 1 undecided"),
    "offline": (
        [*LED, "move partition a 0 - OnlinePartition OfflinePartition", *MOVES, *NONE_OF_BOTH, "end"],
        "1 differs, 1 undecided",
    ),
    "the request has another line": ([*LED, *MOVES, "sent 3 b 7", "summary 3 2", "end"], "2 undecided"),
    "no request to the broker": ([*LED, *MOVES, *OTHER, "end", *NEXT], "2 undecided"),
    "of the next batch": ([*LED, *MOVES, "end", *NONE_OF_BOTH, "end"], "2 undecided"),
    "not summed up": ([*LED, *MOVES, "sent 3 b 7", "end"], "2 undecided"),
    # Lines may be missing between them: a batch takes no second.
    "later": ([*LED, *MOVES, *["pause"] * 2000, *NONE_OF_BOTH, "end"], "2 undecided"),
    "nothing follows": ([*LED, *MOVES], "2 undecided"),
    "as new": ([*LED, "move replica a 0 3 NewReplica OnlineReplica", *NONE_OF_BOTH, "end"], ""),
}
EVENTS = {
    "sent": "leader_and_isr_sent",
    "summary": "leader_and_isr_sent_summary",
    "end": "update_metadata_sent_summary",
}


def answers_of_lines(lines: list[str]) -> str:
    moves, requests, places = [], [], []
    for seq, line in enumerate(lines):
        kind, *words = line.split()
        if kind == "pause":
            continue
        event = f"{words[0]}_transition" if kind == "move" else EVENTS[kind]
        places.append(f"c | 1-1 | {event} | f | {seq} | {seq}")
        if kind == "move":
            cells = " | ".join("" if word == "-" else word for word in words)
            moves.append(f"c | 1-1 | {cells} | done | {seq} | {seq / 1000} | {seq / 1000} | f | {seq}")
        else:
            broker, *named = words or [""]
            topic, partition = (*named, "", "")[:2] if kind == "sent" else ("", "")
            count = named[0] if kind == "summary" else ""
            requests.append(
                f"c | {EVENTS[kind]} | {broker} | {topic} | {partition} | {count} | {seq / 1000} | f | {seq}"
            )
    head = "cluster_id | term_id | machine | topic | partition | replica_id | from_state | to_state | outcome | seq | logged_at | ordered_at | file_id | byte_offset"
    told = frame(transition_audit.SPEC, "\n".join([head, *moves]))
    sent = "cluster_id | event | broker_id | topic | partition | partition_count | logged_at | file_id | byte_offset"
    of_lines = "cluster_id | term_id | event | file_id | byte_offset | seq"
    requested = frame(control_request.SPEC, "\n".join([sent, *requests]))
    placed = frame(controller_line.SPEC, "\n".join([of_lines, *places]))
    terms = frame(term.SPEC, "cluster_id | term_id\nc | 1-1")
    earlier = frame(replay_summary.SPEC, "cluster_id")
    found = pl.concat(
        request_answer(
            told.filter(col("topic") == topic),
            requested.filter(col("topic").is_null() | (col("topic") == topic)),
            placed,
            batch_line(placed),
            terms,
            earlier,
        )
        for topic in "abc"
    )
    counts = count_requests(found).select(col(COUNTS).sum()).row(0, named=True)
    answers = {
        name.removesuffix("_count").replace("differing", "differs"): count for name, count in counts.items()
    }
    return ", ".join(f"{answers[name]} {name}" for name in ("differs", "equal", "undecided") if answers[name])


@pytest.mark.parametrize("name", CASES)
def test_each_move_and_the_request_behind_it(name: str) -> None:
    lines, wanted = CASES[name]
    assert answers_of_lines(lines) == wanted


def test_lines_that_are_missing_make_no_move_one_without_its_request() -> None:
    lines = [*LED, *MOVES, *BOTH, *OTHER, "end", *NEXT]
    for count in (1, 2):
        for gone in combinations(range(len(lines)), count):
            left = [line for place, line in enumerate(lines) if place not in gone]
            assert "differs" not in answers_of_lines(left), [lines[place] for place in gone]
