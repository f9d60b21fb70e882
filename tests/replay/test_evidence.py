"""A finding is said exactly where no healthy history prints the same lines: tried on every log of up to four."""

import pytest

from tests.replay import naive
from tests.replay.generated import audited, table
from tests.replay.histories import FOUND, Log, as_block, certain, every_log, legal_pairs, possible, printable

KINDS = {"R1": "replica", "R2": "replica", "P1": "partition"}
# Machine, lines of a log, and of which pairs: any, or legal ones.
UNIVERSES = (
    *(("P1", length, "any") for length in (1, 2, 3, 4)),
    *((machine, length, "any") for machine in ("R1", "R2") for length in (1, 2)),
    *((machine, length, "legal") for machine in ("R1", "R2") for length in (3, 4)),
)
LEVELS = pytest.mark.parametrize("is_trace", [True, False], ids=["TRACE", "INFO"])


def verdicts(block: naive.Block, logs: list[Log], *, is_trace: bool) -> list[list[str]]:
    """The verdicts of each log, each judged as one object."""
    told = audited(table(as_block(block, logs, is_trace=is_trace)))["verdict"].to_numpy()
    shaped: list[list[str]] = told.reshape(len(logs), -1).tolist()
    return shaped


@LEVELS
@pytest.mark.parametrize(("machine", "length", "pairs"), UNIVERSES)
def test_findings_are_the_logs_that_no_healthy_history_prints(
    machine: str, length: int, pairs: str, *, is_trace: bool
) -> None:
    logs = every_log(KINDS[machine], length) if pairs == "any" else legal_pairs(machine, length)
    healthy = printable(machine, possible(machine, is_trace=is_trace), length)
    told = verdicts(naive.Block(KINDS[machine], machine), logs, is_trace=is_trace)
    wrong = [
        (log, each)
        for log, each in zip(logs, told, strict=True)
        if (log in healthy) == bool(FOUND & set(each))
    ]
    assert not wrong, (len(wrong), wrong[:10])
    assert any(log in healthy for log in logs)


@LEVELS
@pytest.mark.parametrize("machine", KINDS)
def test_hidden_is_what_unprinted_moves_explain(machine: str, *, is_trace: bool) -> None:
    """Of two lines that do not join, legal each."""
    logs = [log for log in legal_pairs(machine, 2) if log[0][1] != log[1][0]]
    explained = printable(machine, certain(machine, is_trace=is_trace), 2)
    imaginable = printable(machine, possible(machine, is_trace=is_trace), 2)
    told = verdicts(naive.Block(KINDS[machine], machine), logs, is_trace=is_trace)
    expected = [
        "hidden" if log in explained else "undetermined" if log in imaginable else "discontinuity"
        for log in logs
    ]
    assert [each[1] for each in told] == expected


@LEVELS
def test_findings_of_an_unknown_release_hold_in_every_release(*, is_trace: bool) -> None:
    logs = [*every_log("replica", 2)]
    healthy = {log for name in ("R1", "R2") for log in printable(name, possible(name, is_trace=is_trace), 2)}
    told = verdicts(naive.Block("replica", None), logs, is_trace=is_trace)
    accused = {log for log, each in zip(logs, told, strict=True) if FOUND & set(each)}
    assert not accused & healthy
    unsaid = set(logs) - healthy - accused
    # Each line for itself is of some release; the gap is one of the other.
    assert all(("OfflineReplica", "ReplicaDeletionIneligible") in log for log in unsaid)
    assert len(unsaid) == (12 if is_trace else 0)
