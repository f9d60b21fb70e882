"""Proves again what findings say of brokers that came and went, from the bytes of their records."""

import re
from collections.abc import Sequence

from jobs.proof import LIVE, UNDECIDED, Claim, Line, Unproved, gone, listed, require, said

KEPT = 5  # so many records a finding keeps
# What findings say:
FLAPPING = re.compile(r"broker (\d+) left (\d+) times without having been shut down")
CUT_SHORT = re.compile(r"broker (\d+) asked to be shut down and left (\d+) of (\d+) partition")


def is_gone(line: Line, broker: str) -> bool:
    """A list names it as gone or lacks it, or the controller of a KRaft cluster fences it."""
    live = listed(LIVE, line)
    return broker in gone(line) or (bool(live) and broker not in live)


def broker_flapping(claim: Claim, lines: Sequence[Line]) -> str:
    broker, count = said(FLAPPING, claim)
    require(len(lines) == min(int(count), KEPT), f"{len(lines)} such records for {count} departures")
    for line in lines:
        require(is_gone(line, broker), f"{line.place()} does not say that broker {broker} is gone")
    times = [line.at() for line in lines]
    require(times == sorted(set(times)), "the records are not one after the other")
    require(claim["valid_from_at"] == times[0], f"the first record is of {times[0]}")
    until = claim["valid_until_at"]
    is_last = len(lines) < int(count) or until in (times[-1], None)
    require(is_last, f"the last record is of {times[-1]}")
    return (
        f"gone {len(lines)} times of {count}, first {times[0]}; that it was back between them no record shows"
    )


def unclean_shutdown(claim: Claim, lines: Sequence[Line]) -> str:
    broker, _, _ = said(CUT_SHORT, claim)
    left = [line for line in lines if is_gone(line, broker)]
    require(left, f"no record says that broker {broker} is gone")
    require(claim["valid_until_at"] == left[-1].at(), f"it was gone at {left[-1].at()}")
    raise Unproved(UNDECIDED, f"gone {left[-1].at()}; what it led then rests on more records")
