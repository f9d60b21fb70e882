"""A voter that hears nothing from a controller that stays in office: frozen or cut off, or the others are gone."""

from typing import Any

from tests.chain import found_by
from tests.gold.quorum_lines import ACTIVE, FETCH, RAFT, refused, timed_out
from tests.rows import records_in
from tests.rules.rows import fact_texts

Row = dict[str, Any]
IN_OFFICE = [ACTIVE.format("0:10,000", 1, 4)]
LATER = [RAFT.format("9:00,000", 1, "High watermark set to 5 for the first time for epoch 4")]


def found(server: list[str], controller: list[str], last: list[str]) -> list[Row]:
    texts = {(1, "controller"): "\n".join(controller), (2, "server"): "\n".join(server)}
    texts |= {(1, "server"): "\n".join(last)} if last else {}
    return found_by(records_in(texts), "voter_out_of_touch").to_dicts()


def pulses(count: int) -> list[str]:
    """It is frozen for longer than the time-out, wakes, prints that of itself, and is refused."""
    return [
        line
        for one in range(count)
        for line in (RAFT.format(f"1:{10 + one * 5},000", 2, FETCH), refused(2, f"1:{10 + one * 5},060"))
    ]


def test_others_that_hear_the_controller_refuse_it_their_votes() -> None:
    [row] = found(pulses(4), IN_OFFICE, LATER)
    assert (row["severity"], row["entity"], row["valid_until_at"] is None) == ("warning", "voter 2", False)
    assert row["sentence"] == (
        "voter 2 heard nothing from the controller 4 times within 15.0 s, and nodes 1 and 3 refused "
        "it their votes: look at its pauses (GC, disk, CPU) and its network"
    )
    assert fact_texts(row["facts"]) == {
        "voter_id": "2", "failures_count": "4", "lasted_ms": "15000", "refusing_ids": "1,3",
    }  # fmt: skip


def test_others_that_do_not_answer_may_be_gone() -> None:
    asked = [
        line
        for one in range(3)
        for line in (
            RAFT.format(f"1:{10 + one * 5},000", 2, FETCH),
            timed_out(2, f"1:{12 + one * 5},000", n1="UNRECORDED", n2="GRANTED", n3="UNRECORDED"),
        )
    ]
    [row] = found(asked, IN_OFFICE, [*LATER, RAFT.format("0:30,000", 1, FETCH)])
    assert (
        "and nodes 1 and 3 did not answer: see whether they run, else look at its pauses" in row["sentence"]
    )


def test_few_of_them_and_those_of_an_election_are_none() -> None:
    assert found(pulses(2), IN_OFFICE, LATER) == []
    follows = [*IN_OFFICE, ACTIVE.format("1:26,000", 3, 5)]
    assert found(pulses(4)[-4:] + pulses(1), follows, LATER) == []
