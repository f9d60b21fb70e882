"""Proves again what findings say of brokers that came and went, from the bytes of their records."""

from collections.abc import Sequence

from jobs.verify.proof import UNDECIDED, Claim, Line, Unproved, gone, is_without, require, require_lasted

KEPT = 5  # so many records a finding keeps


def is_gone(line: Line, broker: str) -> bool:
    """A list names it as gone or lacks it, or the controller of a KRaft cluster fences it."""
    return broker in gone(line) or is_without(line, broker)


def broker_flapping(claim: Claim, lines: Sequence[Line]) -> str:
    broker, count = claim.text("broker_id"), claim.number("departures_count")
    require(len(lines) == min(count, KEPT), f"{len(lines)} such records for {count} departures")
    for line in lines:
        require(is_gone(line, broker), f"{line.place()} does not say that broker {broker} is gone")
    times = [line.at() for line in lines]
    require(times == sorted(set(times)), "the records are not one after the other")
    require(claim.valid_from_at == times[0], f"the first record is of {times[0]}")
    is_last = len(lines) < count or claim.valid_until_at in (times[-1], None)
    require(is_last, f"the last record is of {times[-1]}")
    return (
        f"gone {len(lines)} times of {count}, first {times[0]}; that it was back between them no record shows"
    )


def unclean_shutdown(claim: Claim, lines: Sequence[Line]) -> str:
    broker = claim.text("broker_id")
    left = [line.at() for line in lines if is_gone(line, broker)]
    require(left, f"no record says that broker {broker} is gone")
    require(claim.valid_until_at == left[-1], f"it was gone at {left[-1]}")
    require_lasted(claim.valid_from_at, left[-1], claim.number("lasted_ms"))
    raise Unproved(UNDECIDED, f"gone {left[-1]}; what it led then rests on more records")
